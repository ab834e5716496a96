// Plots over simulated time: the whole history, with a cursor at the time that is shown. Drag to come closer, double
// click to see all, click to go there. A run that is kept to compare has dashed lines.

import uPlot from './vendor/uplot.js';
import { Series, csv, joined } from './series.js';
import { number } from './colors.js';

const colors = ['#19b394', '#e8884a', '#6d8cff', '#d65a9b', '#c9a227', '#8f7ae5', '#4bb3d4'];

// What a frame is, as [title, unit, values]: energies, volumes and measures.
function numbersOf(info) {
  const list = [];
  if (info.bodies && info.bodies.length) {
    const total = (k) => info.bodies.reduce((a, b) => a + (b[k] || 0), 0), volume = {};
    list.push(['Energy', 'J', { kinetic: total('kinetic'), elastic: total('elastic') }]);
    for (const b of info.bodies.slice(0, 7)) if (b.rest_volume > 0) volume[b.name] = 100 * (b.volume / b.rest_volume - 1);
    if (Object.values(volume).some((v) => v !== 0)) list.push(['Volume change', '%', volume]);  // rigid bodies keep theirs
  }
  for (const [name, value] of Object.entries(info.measures || {})) list.push([name, '', { [name]: value }]);
  return list;
}

class Plot {
  constructor(parent, title, unit, seek) {
    Object.assign(this, { title, unit, seek, series: new Series(), kept: null, zoomed: false });
    this.root = document.createElement('div');
    this.root.className = 'plot';
    this.root.innerHTML = '<div class="plot-head"><span></span><span class="plot-now"></span></div><div class="plot-area"></div>';
    this.root.querySelector('span').textContent = title;
    this.area = this.root.querySelector('.plot-area');
    parent.append(this.root);
    new IntersectionObserver(([entry]) => { this.seen = entry.isIntersecting; }).observe(this.root);
  }
  add(t, values) { this.series.add(t, values); this.stale = true; }
  setKept(series) { this.kept = series; this.stale = true; this.built = null; }
  get data() { return this.kept ? joined(this.series, this.kept) : this.series.data; }

  build() {
    this.chart?.destroy();
    const css = getComputedStyle(document.documentElement), grid = css.getPropertyValue('--line').trim(), ink = css.getPropertyValue('--soft').trim();
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: '10px system-ui, sans-serif' };
    this.built = this.series.names.join();
    this.chart = new uPlot({
      width: Math.max(200, this.area.clientWidth || 290), height: 96, legend: { show: false }, padding: [6, 4, 0, 0],
      cursor: { x: true, y: false, points: { show: false }, drag: { x: true, y: false, dist: 6 } },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 18, gap: 2, space: 50, values: (_, v) => v.map((x) => number(x)) }, { ...axis, size: 44, gap: 3, space: 22, values: (_, v) => v.map((x) => number(x, 2)) }],
      series: [{}, ...this.series.names.map((n) => this.line(n, this.series.names)), ...(this.kept?.names || []).map((n) => ({ ...this.line(n, this.series.names), dash: [4, 3], width: 1 }))],
      hooks: { setSelect: [() => { this.zoomed = true; }], setScale: [() => this.place()], setSize: [() => this.place()] },
    }, this.data, this.area);
    const over = this.chart.over;
    this.mark = document.createElement('div');
    this.mark.className = 'plot-mark';
    over.append(this.mark);
    over.addEventListener('dblclick', () => { this.zoomed = false; this.stale = true; this.draw(); });
    // A press that goes nowhere is a click: uPlot's own event comes after drags too.
    over.addEventListener('pointerdown', (e) => { this.pressed = e.clientX; });
    over.addEventListener('pointerup', (e) => { if (Math.abs(e.clientX - this.pressed) < 4) this.seek(this.chart.posToVal(e.clientX - over.getBoundingClientRect().left, 'x')); });
  }

  line(name, names) { return { label: name, stroke: colors[Math.max(0, names.indexOf(name)) % colors.length], width: 1.5, points: { show: false }, spanGaps: true }; }

  place() {
    if (!this.mark || this.now === undefined) return;
    const x = this.chart.valToPos(this.now, 'x');
    this.mark.hidden = !(x >= -1 && x <= this.chart.over.clientWidth + 1);
    this.mark.style.left = `${x}px`;
  }

  draw(now = this.now) {
    const moved = now !== this.now;
    this.now = now;
    if (!this.seen || !this.series.times.length || (!this.stale && !moved)) return;
    if (this.built !== this.series.names.join()) this.build();
    if (this.area.clientWidth > 0 && Math.abs(this.area.clientWidth - this.chart.width) > 4) this.chart.setSize({ width: this.area.clientWidth, height: 96 });
    if (this.stale) this.chart.setData(this.data, !this.zoomed);
    if (this.zoomed && this.stale) this.chart.redraw();
    this.stale = false;
    this.place();
    const { names, data } = this.series, k = now === undefined ? data[0].length - 1 : this.series.at(now);
    const was = (n) => { const i = this.kept ? this.kept.names.indexOf(n) : -1; return i < 0 || now === undefined ? '' : ` <small>was ${number(this.kept.data[i + 1][this.kept.at(now)])}</small>`; };
    this.root.querySelector('.plot-now').innerHTML = names.slice(0, 4).map((n, i) =>
      `<i style="--c:${colors[i % colors.length]}"></i>${names.length > 1 ? `${n.replace(/[&<>]/g, '')} ` : ''}<b>${number(data[i + 1][k])}</b>${was(n)}`).join(' ') + (this.unit ? ` ${this.unit}` : '');
  }
}

export class Plots {
  // seek: called with a time that was clicked.
  constructor(parent, seek = () => {}) {
    Object.assign(this, { parent, seek, list: new Map(), whole: false, kept: new Map() });
    this.timer = setInterval(() => { for (const p of this.list.values()) p.draw(this.now); }, 100);
  }
  clear() { this.parent.innerHTML = ''; this.list.clear(); this.whole = false; this.now = undefined; this.stages = null; }
  plot(title, unit) {
    if (!this.list.has(title)) {
      this.list.set(title, new Plot(this.parent, title, unit, (t) => this.seek(t)));
      if (this.kept.has(title)) this.list.get(title).setKept(this.kept.get(title));
    }
    return this.list.get(title);
  }
  restyle() { for (const p of this.list.values()) if (p.chart) { p.build(); p.stale = true; } }

  // The whole run is known: nothing is added as it is played.
  setWhole(times, series) {
    this.whole = true;
    for (const { title, unit, values } of series) { const p = this.plot(title, unit); p.series.set(times, values); p.stale = true; }
  }
  // Frames that were there before the page was: [{ time, info }].
  setPast(frames) { for (const { time, info } of frames) this.add(time, info); }

  // Another run, to be compared: as setWhole and setPast have it; null: none any more.
  setKept(m) {
    this.kept = new Map();
    for (const { title, values } of m?.series || []) { const s = new Series(); s.set(m.time, values); this.kept.set(title, s); }
    for (const { time, info } of m?.frames || [])
      for (const [title, , values] of numbersOf(info)) {
        if (!this.kept.has(title)) this.kept.set(title, new Series());
        this.kept.get(title).add(time, values);
      }
    for (const [title, plot] of this.list) plot.setKept(this.kept.get(title) || null);
  }

  csv() { return csv([...this.list.values()].flatMap((p) => (p.kept ? [p, { title: `${p.title} (kept)`, unit: p.unit, series: p.kept }] : [p]))); }

  add(time, info) {
    if (this.whole) return;
    for (const [title, unit, values] of numbersOf(info)) this.plot(title, unit).add(time, values);
  }

  // What it took to compute.
  addTimes(time, info) {
    if (info.stages && info.step_ms > 0) {
      const stages = Object.entries(info.stages).sort((a, b) => b[1] - a[1]).slice(0, 4);
      const chosen = this.stages || (time > 0.2 ? (this.stages = stages.map(([n]) => n)) : stages.map(([n]) => n));
      const values = { all: info.step_ms };
      for (const n of chosen) values[n] = info.stages[n];
      this.plot('Step time', 'ms').add(time, values);
    }
  }
}
