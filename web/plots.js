// Small live plots over simulated time.

import uPlot from './vendor/uplot.js';
import { number } from './colors.js';

const colors = ['#19b394', '#e8884a', '#6d8cff', '#d65a9b', '#c9a227', '#8f7ae5', '#4bb3d4'];
const most = 1500;  // samples kept

class Plot {
  constructor(parent, title, unit) {
    this.title = title;
    this.unit = unit;
    this.root = document.createElement('div');
    this.root.className = 'plot';
    this.root.innerHTML = `<div class="plot-head"><span>${title}</span><span class="plot-now"></span></div><div class="plot-area"></div>`;
    parent.append(this.root);
    new IntersectionObserver(([entry]) => { this.seen = entry.isIntersecting; }).observe(this.root);
    this.names = [];
    this.data = [[]];
  }
  add(t, values) {
    const names = Object.keys(values);
    if (names.some((n) => !this.names.includes(n))) {
      for (const n of names) if (!this.names.includes(n)) { this.names.push(n); this.data.push(new Array(this.data[0].length).fill(null)); }
      this.build();
    }
    // Time was set back: what came later never happened.
    while (this.data[0].length && this.data[0][this.data[0].length - 1] >= t) for (const d of this.data) d.pop();
    this.data[0].push(t);
    this.names.forEach((n, i) => this.data[i + 1].push(values[n] ?? null));
    if (this.data[0].length > most) for (const d of this.data) d.splice(0, d.length - most);
    this.stale = true;
  }
  build() {
    this.chart?.destroy();
    const css = getComputedStyle(document.documentElement), grid = css.getPropertyValue('--line').trim(), ink = css.getPropertyValue('--soft').trim();
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: '10px system-ui, sans-serif' };
    const area = this.root.querySelector('.plot-area');
    this.chart = new uPlot({
      width: Math.max(200, area.clientWidth || 290), height: 96, legend: { show: false }, cursor: { show: false }, padding: [6, 4, 0, 0],
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 18, gap: 2, space: 50, values: (_, v) => v.map((x) => number(x)) }, { ...axis, size: 44, gap: 3, space: 22, values: (_, v) => v.map((x) => number(x, 2)) }],
      series: [{}, ...this.names.map((n, i) => ({ label: n, stroke: colors[i % colors.length], width: 1.5, points: { show: false }, spanGaps: true }))],
    }, this.data, area);
  }
  draw() {
    if (!this.stale || !this.chart || !this.seen) return;
    this.stale = false;
    const area = this.root.querySelector('.plot-area');
    if (area.clientWidth > 0 && Math.abs(area.clientWidth - this.chart.width) > 4) this.chart.setSize({ width: area.clientWidth, height: 96 });
    this.chart.setData(this.data);
    const last = this.data[0].length - 1;
    this.root.querySelector('.plot-now').innerHTML = this.names.slice(0, 4).map((n, i) =>
      `<i style="--c:${colors[i % colors.length]}"></i>${this.names.length > 1 ? `${n} ` : ''}<b>${number(this.data[i + 1][last])}</b>`).join(' ') + (this.unit ? ` ${this.unit}` : '');
  }
}

export class Plots {
  constructor(parent) {
    this.parent = parent;
    this.list = new Map();
    this.timer = setInterval(() => { for (const p of this.list.values()) p.draw(); }, 200);
  }
  clear() { this.parent.innerHTML = ''; this.list.clear(); }
  plot(title, unit) {
    if (!this.list.has(title)) this.list.set(title, new Plot(this.parent, title, unit));
    return this.list.get(title);
  }
  restyle() { for (const p of this.list.values()) if (p.names.length) { p.build(); p.stale = true; } }
  add(time, info) {
    if (info.bodies && info.bodies.length) {
      const total = (k) => info.bodies.reduce((a, b) => a + (b[k] || 0), 0);
      this.plot('Energy', 'J').add(time, { kinetic: total('kinetic'), elastic: total('elastic') });
      const volume = {};
      for (const b of info.bodies.slice(0, 7)) if (b.rest_volume > 0) volume[b.name] = 100 * (b.volume / b.rest_volume - 1);
      if (Object.values(volume).some((v) => v !== 0)) this.plot('Volume change', '%').add(time, volume);  // rigid bodies keep theirs
    }
    if (info.stages && info.step_ms > 0) {
      const stages = Object.entries(info.stages).sort((a, b) => b[1] - a[1]).slice(0, 4);
      const chosen = this.stages || (time > 0.2 ? (this.stages = stages.map(([n]) => n)) : stages.map(([n]) => n));
      const values = { all: info.step_ms };
      for (const n of chosen) values[n] = info.stages[n];
      this.plot('Step time', 'ms').add(time, values);
    }
    for (const [name, value] of Object.entries(info.measures || {})) this.plot(name, '').add(time, { [name]: value });
  }
}
