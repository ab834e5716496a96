// Hands: what the pointer does to bodies. Off a body, and with the right button, it moves the camera.

import { Plane, Vector3 } from './vendor/three.module.js';
import { icon } from './icons.js';
import { withUnit } from './colors.js';

const list = [
  { id: 'drag', icon: 'drag', key: '1', name: 'Drag', tip: 'Pull a point of a body on a spring, or hold a spot and carry it' },
  { id: 'push', icon: 'push', key: '2', name: 'Push', tip: 'Push a body away from you' },
  { id: 'pin', icon: 'pin', key: '3', name: 'Pin', tip: 'Hold a spot where it is; click again to free it' },
  { id: 'heat', icon: 'heat', key: '4', name: 'Heat', tip: 'Warm what is under the pointer' },
  { id: 'knife', icon: 'knife', name: 'Knife', tip: 'Knife: not in the hand yet; scenes have it, as cut { }', absent: true },
  { id: 'look', icon: 'look', key: '5', name: 'Look', tip: 'Only move the camera' },
  { id: 'inspect', icon: 'inspect', key: '6', name: 'Inspect', tip: 'Choose a point of a body and read its numbers' },
];

const usual = { grip: 'spring', stiffness: 0, push: 1, radius: 0.04, temperature: 90, power: 0 };

export class Tools {
  constructor(view, send, say) {
    Object.assign(this, { view, send, say });
    this.tool = 'drag';
    this.settings = { ...usual };
    this.masses = {};
    this.bar = document.getElementById('tools');
    this.options = document.getElementById('tool-options');
    this.bar.innerHTML = list.map((t) => `<button data-tool="${t.id}" data-tip="${t.tip}${t.key ? ` (${t.key})` : ''}" aria-label="${t.name}" ${t.absent ? 'disabled' : ''}>${icon(t.icon)}</button>`).join('');
    this.bar.onclick = (e) => { const b = e.target.closest('button'); if (b) this.choose(b.dataset.tool); };
    const c = view.canvas;
    c.addEventListener('pointerdown', (e) => this.press(e));
    c.addEventListener('pointermove', (e) => this.move(e));
    c.addEventListener('pointerup', (e) => this.release(e));
    c.addEventListener('pointercancel', (e) => this.release(e));
    c.addEventListener('pointerleave', () => { this.stopHeat(); this.pointer = null; });
    c.addEventListener('contextmenu', (e) => e.preventDefault());
    c.addEventListener('dblclick', (e) => { const hit = view.pick(e); if (hit) { view.orbit.target.copy(hit.point); view.orbit.apply(); } else view.frameAll(); });
    this.choose('drag');
  }

  // Another scene: what was set for the last one does not hold here.
  reset() { this.settings = { ...usual }; this.drawOptions(); }

  key(letter) { const t = list.find((x) => x.key === letter); if (t) this.choose(t.id); return Boolean(t); }

  choose(id) {
    this.letGo();
    this.tool = id;
    for (const b of this.bar.children) b.setAttribute('aria-pressed', b.dataset.tool === id);
    this.view.canvas.style.cursor = id === 'look' || id === 'drag' ? 'grab' : 'crosshair';
    this.drawOptions();
  }

  drawOptions() {
    const s = this.settings, size = this.view.size || 1;
    const watts = () => (s.power > 0 ? withUnit(s.power, 'W', 2) : 'as needed');
    const slider = (name, label, low, high, value, text) =>
      `<label><span>${label}<output>${text}</output></span><input type="range" data-set="${name}" min="${low}" max="${high}" step="any" value="${value}"></label>`;
    const rows = {
      drag: [`<div class="segments" role="radiogroup" aria-label="How a body is held">${[['spring', 'Spring', 'A spring pulls the point towards the pointer'], ['hold', 'Hold', 'The spot goes exactly where the pointer goes']]
        .map(([id, name, tip]) => `<button data-grip="${id}" aria-pressed="${s.grip === id}" title="${tip}">${name}</button>`).join('')}</div>`,
      s.grip === 'hold' ? slider('radius', 'Spot', 0.01, 0.3, s.radius, withUnit(s.radius * size, 'm', 2)) : slider('stiffness', 'Stiffness', -1, 6, s.stiffness > 0 ? Math.log10(s.stiffness) : -1, s.stiffness > 0 ? withUnit(s.stiffness, 'N/m') : 'as the body feels')],
      push: [slider('push', 'Strength', -1.5, 1.5, Math.log10(s.push), `${withUnit(s.push, 'm/s', 2)} change`), slider('radius', 'Spot', 0.01, 0.3, s.radius, withUnit(s.radius * size, 'm', 2))],
      pin: [slider('radius', 'Spot', 0.01, 0.3, s.radius, withUnit(s.radius * size, 'm', 2)), '<button class="text" data-do="unpin">Free all pins</button>'],
      heat: [slider('temperature', 'Temperature', 0, 400, s.temperature, `${Math.round(s.temperature)} °C`), slider('power', 'Power', 0, 5, s.power > 0 ? Math.log10(s.power) : 0, watts()),
        slider('radius', 'Spot', 0.01, 0.3, s.radius, withUnit(s.radius * size, 'm', 2))],
      look: [],
      inspect: [],
    }[this.tool];
    this.options.innerHTML = rows.join('');
    this.options.hidden = rows.length === 0;
    this.options.oninput = (e) => {
      const name = e.target.dataset.set, v = Number(e.target.value);
      s[name] = name === 'stiffness' ? (v <= -0.9 ? 0 : 10 ** v) : name === 'power' ? (v <= 0.05 ? 0 : 10 ** v) : name === 'push' ? 10 ** v : v;
      if (name === 'stiffness' && this.held) this.send({ op: 'stiffness', value: s.stiffness });
      const text = { stiffness: s.stiffness > 0 ? withUnit(s.stiffness, 'N/m') : 'as the body feels', push: `${withUnit(s.push, 'm/s', 2)} change`,
        radius: withUnit(s.radius * size, 'm', 2), temperature: `${Math.round(s.temperature)} °C`, power: watts() }[name];
      e.target.closest('label').querySelector('output').textContent = text;
    };
    this.options.onclick = (e) => {
      if (e.target.dataset.do === 'unpin') this.send({ op: 'unpin_all' });
      if (e.target.dataset.grip) { s.grip = e.target.dataset.grip; this.drawOptions(); }
    };
  }

  spot() { return this.settings.radius * (this.view.size || 1); }
  surface(hit) { return { body: hit.body.name, triangle: hit.triangle, weight: hit.weight }; }

  press(e) {
    this.view.canvas.focus({ preventScroll: true });
    this.view.canvas.setPointerCapture(e.pointerId);
    const hit = e.button === 0 && !e.altKey && this.tool !== 'look' && this.view.orbit.fingers.size === 0 ? this.view.pick(e) : null;
    if (this.tool === 'inspect' && hit) { this.inspect?.(hit); return; }
    if (!hit || !hit.body.movable) { this.view.orbit.press(e); return; }
    if (hit.body.kind === 'rigid') { this.say(`“${hit.body.name}” is rigid: hands move bodies that can be deformed.`); return; }
    if (this.tool === 'drag') this.grab(e, hit);
    else if (this.tool === 'push') this.push(hit);
    else if (this.tool === 'pin') this.send({ op: e.shiftKey || this.nearPin(hit.point) ? 'unpin' : 'pin', ...this.surface(hit), radius: this.spot() });
    else if (this.tool === 'heat') this.heat(e);
  }

  nearPin(point) {
    const pins = this.pins || [];
    for (let i = 0; i < pins.length; i += 3)
      if (point.distanceTo(new Vector3(pins[i], pins[i + 1], pins[i + 2])) < this.spot()) return true;
    return false;
  }

  grab(e, hit) {
    const forward = this.view.camera.getWorldDirection(new Vector3());
    this.plane = new Plane().setFromNormalAndCoplanarPoint(forward, hit.point);
    this.held = e.pointerId;
    this.target = hit.point.clone();
    this.view.setTarget(this.target);
    this.view.canvas.style.cursor = 'grabbing';
    this.send({ op: 'grab', ...this.surface(hit), target: this.target.toArray(), ...(this.settings.grip === 'hold' ? { hold: this.spot() } : { stiffness: this.settings.stiffness }) });
  }

  push(hit) {
    // As much as changes the speed of the whole body by so many m/s in the twentieth of a second it lasts.
    const mass = this.masses[hit.body.name] || 1;
    const force = this.view.camera.getWorldDirection(new Vector3()).multiplyScalar((this.settings.push * mass) / 0.05);
    this.send({ op: 'push', ...this.surface(hit), radius: this.spot(), force: force.toArray() });
  }

  heat(e) {
    const hit = this.view.pick(e);
    if (!hit || !hit.body.movable) { this.stopHeat(); return; }
    if (hit.body.kind === 'rigid') {
      if (!this.told) this.say(`“${hit.body.name}” is rigid: it has no temperature.`);
      this.told = true;
      return;
    }
    this.heating = true;
    this.view.setTorch(hit.point, this.spot());
    this.send({ op: 'heat', body: hit.body.name, at: hit.point.toArray(), radius: this.spot(), temperature: this.settings.temperature, power: this.settings.power });
  }

  stopHeat() {
    if (!this.heating) return;
    this.heating = false;
    this.view.setTorch(null);
    this.send({ op: 'drop' });
  }

  // What the pointer is on, or everything.
  frame() {
    const hit = this.pointer && this.view.pick(this.pointer);
    if (hit?.body.movable) { this.view.orbit.touched = true; this.view.orbit.frame(hit.body.box()); } else this.view.frameAll();
  }

  move(e) {
    this.pointer = { clientX: e.clientX, clientY: e.clientY };
    if (this.held === e.pointerId) {
      const place = this.view.ray(e).ray.intersectPlane(this.plane, new Vector3());
      if (!place) return;
      this.target = place;
      this.view.setTarget(place);
      // At once, but not more often than the simulation could follow.
      const wait = this.sentAt + 8 - performance.now();
      const tell = () => { this.queued = false; this.sentAt = performance.now(); if (this.held !== undefined) this.send({ op: 'move', target: this.target.toArray() }); };
      if (!(wait > 0)) tell(); else if (!this.queued) { this.queued = true; setTimeout(tell, wait); }
      return;
    }
    if (this.view.orbit.move(e)) return;
    if (this.tool === 'heat' && !this.hovering) { this.hovering = true; requestAnimationFrame(() => { this.hovering = false; this.heat(e); }); }
  }

  release(e) {
    if (this.held === e.pointerId) this.letGo();
    this.view.orbit.release(e);
  }

  letGo() {
    if (this.held !== undefined) {
      this.held = undefined;
      this.view.setTarget(null);
      this.view.canvas.style.cursor = 'grab';
      this.send({ op: 'drop' });
    }
    this.stopHeat();
    this.told = false;
  }
}
