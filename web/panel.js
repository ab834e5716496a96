// The right side: how things are shown, bodies and their sliders, plots, messages.

import { Plots } from './plots.js';
import { levels } from './detail.js';
import { withUnit, unitFor, number } from './colors.js';

const fieldNames = {
  von_mises: 'Von Mises stress', principal_stress: 'Largest principal stress', plastic_strain: 'Plastic strain', temperature: 'Temperature',
  speed: 'Speed', quality: 'Element quality', displacement: 'Displacement', velocity: 'Velocity',
};
const fieldNotes = { quality: 'no unit; 1 is a regular tet' };
export const fieldTitle = (f) => fieldNames[f] || f.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase());
const escape = (s) => String(s).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
export { escape };

// Hands a file to the browser's downloads.
export function save(name, blob) {
  const a = document.createElement('a');
  a.download = name;
  a.href = URL.createObjectURL(blob);
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

export class Panel {
  constructor(root, view, send, say) {
    Object.assign(this, { root, view, send, say });
    root.innerHTML = `<div id="panel-top"></div>
      <details open id="p-look"><summary>View</summary><div class="body">
        <div class="segments" id="mode" role="radiogroup" aria-label="How bodies are drawn">
          <button data-mode="shaded" aria-pressed="true">Shaded</button><button data-mode="flat">Flat</button><button data-mode="edges" title="The surface and its triangles">Edges</button><button data-mode="wire" title="The edges of the tets; of bodies of particles, their springs">Tets</button></div>
        <div class="segments" id="sides" aria-label="Where the camera looks from"><button data-side="home">Home</button><button data-side="front">Front</button><button data-side="right">Right</button><button data-side="top">Top</button><button data-side="corner">Corner</button></div>
        <label class="row"><span>Colour by</span><select id="field"><option value="">the body’s own</option></select></label>
        <label class="row" id="range-row" hidden><span>Range</span><span class="range"><input id="low" size="7" inputmode="decimal" aria-label="Lower end"> to <input id="high" size="7" inputmode="decimal" aria-label="Upper end"><button id="auto" class="text">Auto</button></span></label>
        <label class="row"><span>See-through</span><input id="opacity" type="range" min="0" max="0.9" step="0.01" value="0"></label>
        <label class="check"><input type="checkbox" id="slice"> Cut open</label>
        <div id="slice-row" hidden><div class="segments" id="axis"><button data-axis="x">x</button><button data-axis="y">y</button><button data-axis="z" aria-pressed="true">z</button><button data-axis="flip">Flip</button></div>
          <input id="slice-at" type="range" min="0" max="1" step="0.002" value="0.5" aria-label="Where the cut is"></div>
        <label class="check"><input type="checkbox" id="pieces"> Colour every piece</label>
        <label class="check"><input type="checkbox" id="contacts"> Contact points and forces</label>
        <label class="check"><input type="checkbox" id="nodes"> Nodes and particles</label>
        <div id="cells-row" hidden><label class="check"><input type="checkbox" id="cells"> Voronoi faces</label>
          <label class="row"><span>Highlight</span><span class="range"><select id="cell-kind"><option value="">nothing</option><option value="face">face</option><option value="cell">cell</option></select><input id="cell-number" type="number" min="0" value="0" aria-label="Number of the face or cell"></span></label></div>
        <label class="check"><input type="checkbox" id="grid" checked> Ground grid</label>
        <label class="check"><input type="checkbox" id="shadows" checked> Shadows</label>
        <label class="row" title="How finely moving pictures are drawn. What stands still is always drawn in full."><span>Detail</span><span class="range"><select id="detail"><option value="">Automatic</option>${levels.map((l, i) => `<option value="${i}">${l.name}</option>`).join('')}</select><small id="detail-now"></small></span></label>
      </div></details>
      <details open id="p-bodies"><summary>Bodies and material</summary><div class="body" id="bodies"></div></details>
      <details open id="p-plots"><summary>Plots</summary><div class="body"><div id="plots"></div><div class="plot-foot"><small>Drag: closer. Double click: all. Click: go there.</small><button class="text" id="csv">CSV</button></div></div></details>
      <details id="p-log"><summary>Messages</summary><div class="body" id="log"><p class="empty">Nothing to say.</p></div></details>`;
    const $ = (id) => root.querySelector(`#${id}`);
    this.$ = $;
    this.plots = new Plots($('plots'), (t) => this.seekTime(t));
    $('csv').onclick = () => {
      if (!this.plots.list.size) { say('There is nothing to save yet: the plots are empty.'); return; }
      save(`${this.scene?.name || 'pliant'}.csv`, new Blob([this.plots.csv()], { type: 'text/csv' }));
    };
    const press = (group, button) => { for (const b of group.children) b.setAttribute('aria-pressed', b === button); };
    $('mode').onclick = (e) => { const m = e.target.dataset.mode; if (!m) return; press($('mode'), e.target); view.look.mode = m; this.ask(); };
    $('sides').onclick = (e) => { if (e.target.dataset.side) view.lookFrom(e.target.dataset.side); };
    $('bodies').addEventListener('change', (e) => { if (e.target.dataset.show !== undefined) view.setShown(e.target.dataset.show, e.target.checked); });
    // A click on the box is not one on the line that it stands in.
    $('bodies').addEventListener('click', (e) => { if (e.target.dataset.show !== undefined) e.stopPropagation(); });
    $('field').onchange = () => { view.fixedRange = null; this.ask(); };
    $('opacity').oninput = (e) => { view.look.opacity = 1 - Number(e.target.value); this.redress(); };
    $('slice').onchange = (e) => { view.slice.on = e.target.checked; $('slice-row').hidden = !e.target.checked; this.ask(); };
    $('axis').onclick = (e) => {
      const a = e.target.dataset.axis;
      if (!a) return;
      if (a === 'flip') { view.slice.flip = !view.slice.flip; e.target.setAttribute('aria-pressed', view.slice.flip); }
      else { for (const b of $('axis').children) if (b.dataset.axis !== 'flip') b.setAttribute('aria-pressed', b === e.target); view.slice.axis = a; }
      this.redress();
    };
    $('slice-at').oninput = (e) => { view.slice.at = Number(e.target.value); this.redress(); };
    $('pieces').onchange = (e) => { view.look.pieces = e.target.checked; this.redress(); };
    $('contacts').onchange = () => this.ask();
    $('nodes').onchange = (e) => { view.look.nodes = e.target.checked; this.ask(); };
    const chooseCell = () => {
      const kind = $('cell-kind').value, n = Math.max(0, Math.floor(Number($('cell-number').value) || 0));
      view.look.cells = $('cells').checked;
      view.look.cell = kind === 'cell' ? n : -1;
      view.look.face = kind === 'face' ? n : -1;
      this.ask();
    };
    // What is inside is seen through the body only.
    $('cells').addEventListener('change', () => {
      const on = $('cells').checked;
      if (on ? Number($('opacity').value) > 0 : !this.cleared) return;
      this.cleared = on;
      $('opacity').value = on ? 0.7 : 0;
      view.look.opacity = 1 - Number($('opacity').value);
    });
    $('cells').onchange = $('cell-kind').onchange = $('cell-number').oninput = chooseCell;
    $('grid').onchange = (e) => { view.scenery.showGrid = e.target.checked; view.draw(); };
    $('shadows').onchange = (e) => { view.scenery.sun.castShadow = e.target.checked; view.draw(); };
    const fixDetail = (value) => {
      view.pace.fixed = levels[value] && value !== '' ? Number(value) : null;
      localStorage.setItem('pliant-detail', value);
      view.pace.restart();
      view.draw();
    };
    $('detail').value = localStorage.getItem('pliant-detail') || '';
    if ($('detail').value) fixDetail($('detail').value);
    $('detail').onchange = (e) => fixDetail(e.target.value);
    setInterval(() => this.showDetail(), 700);
    const setRange = () => {
      const low = Number($('low').value), high = Number($('high').value);
      if ($('low').value.trim() && $('high').value.trim() && low < high) { view.fixedRange = [low * this.barScale, high * this.barScale]; this.redress(); }
    };
    $('low').onchange = $('high').onchange = setRange;
    $('auto').onclick = () => { view.fixedRange = null; $('low').value = $('high').value = ''; view.autoRange = null; this.redress(); };
    this.fieldsKnown = '';
  }

  // Which level moving pictures are drawn with, and how long one takes.
  showDetail() {
    const { pace, drawMs } = this.view, ms = pace.typical ?? drawMs;
    this.$('detail-now').textContent = ms === undefined ? '' : `${pace.fixed === null ? `${pace.detail.name.toLowerCase()}, ` : ''}${Math.max(1, Math.round(ms))} ms`;
  }

  get field() { return this.$('field').value; }
  get wants() { return { field: this.field, inside: this.view.look.mode === 'wire' || this.view.slice.on || this.$('cells').checked || this.$('nodes').checked, contacts: this.$('contacts').checked, cells: this.$('cells').checked }; }

  // Tells the simulation what to send; what is here already is shown at once.
  ask() {
    this.send({ op: 'view', ...this.wants });
    this.$('range-row').hidden = !this.field;
    this.redress();
  }
  redress() { this.view.dress(this.view.look.shownField || ''); this.bar(); this.view.draw(); }

  setFields(fields) {
    const list = fields.filter((f) => !['crack', 'piece', 'flat'].includes(f));
    if (!list.includes('quality') && list.includes('von_mises') && !this.scene?.recorded) list.push('quality');
    const key = list.join();
    if (key === this.fieldsKnown) return;
    this.fieldsKnown = key;
    const now = this.field;
    this.$('field').innerHTML = '<option value="">the body’s own</option>' + list.map((f) => `<option value="${escape(f)}">${escape(fieldTitle(f))}</option>`).join('');
    if (list.includes(now)) this.$('field').value = now;
    else if (now) this.ask();
  }

  // To the frame nearest to a time. Frames are evenly spaced, but for the ones that are left out of what was said so far.
  seekTime(t) {
    const { first, last } = this.info || {}, fps = this.scene?.fps || 50;
    if (last === undefined) return;
    this.send({ op: 'seek', index: Math.min(last, Math.max(first, Math.round(t * fps))) });
  }

  // The colour bar beside the view.
  bar() {
    const { range, shownField } = this.view.look, bar = document.getElementById('bar');
    bar.hidden = !range || !shownField;
    if (bar.hidden) return;
    const unit = this.view.bodies.find((b) => b.unit)?.unit || '';
    const key = `${shownField} ${range} ${unit}`;
    if (key === this.barKey) return;
    this.barKey = key;
    document.getElementById('bar-title').textContent = fieldTitle(shownField);
    this.drawBar(document.getElementById('bar-colors'), range);
    // All ticks in one unit, which the ends of the range are typed in too.
    const [scale, name] = unitFor(Math.max(...range.map(Math.abs)), unit), ticks = [];
    this.barScale = scale;
    document.getElementById('bar-unit').textContent = fieldNotes[shownField] || name || 'no unit';
    // As many as make round numbers.
    const round = (n, digits) => { const step = (range[1] - range[0]) / n; return Math.abs(Number(step.toPrecision(digits)) / step - 1) < 1e-9; };
    const parts = [4, 5, 3].find((n) => round(n, 1)) || [4, 5, 3].find((n) => round(n, 2)) || 4;
    for (let i = 0; i <= parts; ++i) ticks.push(`<span>${number((range[1] + (i / parts) * (range[0] - range[1])) / scale)}</span>`);
    document.getElementById('bar-ticks').innerHTML = ticks.join('');
    ['low', 'high'].forEach((id, i) => {
      const text = String(Number((range[i] / scale).toPrecision(4)));
      this.$(id).title = name && `in ${name}`;
      this.$(id).placeholder = text;
      if (this.view.fixedRange) this.$(id).value = text;
    });
  }

  // How long the longest line of a contact is, N.
  showForce(most) {
    const note = document.getElementById('force');
    note.hidden = !(most > 0);
    if (most > 0) note.textContent = `Contact forces: the longest is ${withUnit(most, 'N', 2)}`;
  }

  setScene(scene) {
    this.scene = scene;
    this.plots.clear();
    this.$('cells-row').hidden = !scene.cells;
    const bodies = this.$('bodies');
    this.listed = '';
    if (!scene.live) {
      bodies.innerHTML = '<p class="empty">A recorded run: it can be watched and measured, not touched.</p><div id="shown-bodies"></div>';
      return;
    }
    const slider = (k) => {
      const at = k.log ? Math.log10(Math.max(k.value, k.low, 1e-12)) : k.value;
      const low = k.log ? Math.log10(Math.max(k.low, 1e-12)) : k.low, high = k.log ? Math.log10(k.high) : k.high;
      return `<label class="knob" title="${escape(k.doc)}&#10;Safe from ${withUnit(k.low, k.unit)} to ${withUnit(k.high, k.unit)}."><span>${escape(k.label)}<output>${withUnit(k.value, k.unit)}</output></span>
        <input type="range" step="any" min="${low}" max="${high}" value="${at}" data-body="${escape(k.body)}" data-name="${k.name}" data-unit="${k.unit}" ${k.log ? 'data-log' : ''}></label>`;
    };
    const world = scene.knobs.filter((k) => !k.body).map(slider).join('');
    bodies.innerHTML = scene.bodies.map((b, i) => `<details class="one" ${i < 1 ? 'open' : ''}><summary><span>${escape(b.name)}</span>
        <small>${b.tets ? `${b.tets.toLocaleString('en')} tets` : `${b.nodes.toLocaleString('en')} points`} · ${b.mass < 1 ? `${number(1000 * b.mass)} g` : `${number(b.mass)} kg`}</small></summary>
        ${scene.knobs.filter((k) => k.body === b.name).map(slider).join('') || '<p class="empty">Nothing to set while it runs.</p>'}</details>`).join('') +
      `<details class="one"><summary><span>World</span></summary>${world}</details><div id="shown-bodies"></div>`;
    bodies.oninput = (e) => {
      const d = e.target.dataset;
      if (!d.name) return;
      const v = 'log' in d ? 10 ** Number(e.target.value) : Number(e.target.value);
      e.target.closest('label').querySelector('output').textContent = withUnit(v, d.unit);
      this.send({ op: 'set', body: d.body, name: d.name, value: v });
    };
    this.log((scene.warnings || []), true);
  }

  // A box per body and obstacle that shows or hides it.
  listBodies(list) {
    const key = list.map((b) => b.name).join('\n'), place = this.$('shown-bodies');
    if (!place || key === this.listed) return;
    this.listed = key;
    place.innerHTML = list.map((b) => `<label class="check"><input type="checkbox" data-show="${escape(b.name)}" ${this.view.hidden.has(b.name) ? '' : 'checked'}> ${escape(b.name)}${b.movable || b.ghost ? '' : '<small>&nbsp;obstacle</small>'}</label>`).join('');
  }

  // As a fresh page shows things.
  resetView() {
    const { view, $ } = this;
    Object.assign(view.look, { mode: 'shaded', pieces: false, opacity: 1, nodes: false, cells: false, cell: -1, face: -1 });
    Object.assign(view.slice, { on: false, flip: false, axis: 'z', at: 0.5 });
    view.hidden.clear();
    view.fixedRange = view.autoRange = null;
    for (const b of $('mode').children) b.setAttribute('aria-pressed', b.dataset.mode === 'shaded');
    for (const b of $('axis').children) b.setAttribute('aria-pressed', b.dataset.axis === 'z');
    for (const id of ['slice', 'pieces', 'contacts', 'nodes', 'cells']) $(id).checked = false;
    $('slice-row').hidden = true;
    $('field').value = $('low').value = $('high').value = $('cell-kind').value = '';
    $('opacity').value = 0;
    $('slice-at').value = 0.5;
    this.cleared = false;
    this.ask();
  }

  // What the sliders stand at now: in another frame, or turned by another page. The one in the hand is left alone.
  setKnobs(values) {
    (this.scene?.knobs || []).forEach((k, i) => {
      if (k.value === values[i] || values[i] === undefined) return;
      k.value = values[i];
      const input = this.$('bodies').querySelector(`input[data-body="${CSS.escape(k.body)}"][data-name="${CSS.escape(k.name)}"]`);
      if (!input || input.matches(':active')) return;
      input.value = k.log ? Math.log10(Math.max(k.value, 1e-12)) : k.value;
      input.closest('label').querySelector('output').textContent = withUnit(k.value, k.unit);
    });
  }

  log(lines, fresh) {
    const log = this.$('log');
    if (fresh) log.innerHTML = '';
    log.querySelector('.empty')?.remove();
    for (const line of lines) { const p = document.createElement('p'); p.textContent = line; log.prepend(p); }
    while (log.children.length > 60) log.lastChild.remove();
    if (!log.children.length) log.innerHTML = '<p class="empty">Nothing to say.</p>';
  }
}
