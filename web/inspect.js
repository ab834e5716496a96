// A point of a body that was chosen: where it is, how fast it goes, what the field says there, and what its body weighs.

import { Vector3, Mesh, SphereGeometry, MeshBasicMaterial } from './vendor/three.module.js';
import { number, withUnit } from './colors.js';

// Where a point of a triangle is now, in the world.
export function placeOf(body, corners, weight, out = new Vector3()) {
  const p = body.geometry.getAttribute('position').array;
  out.set(0, 0, 0);
  corners.forEach((v, k) => { out.x += weight[k] * p[3 * v]; out.y += weight[k] * p[3 * v + 1]; out.z += weight[k] * p[3 * v + 2]; });
  return out.add(body.group.position);
}
export const valueAt = (values, corners, weight) => corners.reduce((sum, v, k) => sum + weight[k] * values[v], 0);

export class Inspector {
  constructor(view, card) {
    Object.assign(this, { view, card, chosen: null });
    this.mark = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: 0x6d8cff, depthTest: false }));
    this.mark.renderOrder = 1001;
    this.mark.visible = this.mark.frustumCulled = false;
    view.scene.add(this.mark);
    card.onclick = (e) => { if (e.target.closest('button')) this.choose(null); };
  }

  // hit: what view.pick() found, or null.
  choose(hit) {
    this.chosen = hit && { number: this.view.bodies.indexOf(hit.body), name: hit.body.name, triangles: hit.body.triangles, face: hit.face, corners: hit.corners, weight: hit.weight, start: hit.point.clone(), last: null };
    this.mark.visible = false;
    if (this.chosen) this.update(this.picture); else { this.card.hidden = true; this.view.draw(); }
  }

  // After every picture. facts: what the scene says of its bodies, by name.
  update(picture, facts = this.facts) {
    this.picture = picture;
    this.facts = facts;
    const c = this.chosen;
    this.card.hidden = !c;
    if (!c || !picture) return;
    const body = this.view.bodies[c.number];
    // The body broke, or is another scene's: the point is no more.
    const index = body?.geometry.index?.array;
    if (!index || body.name !== c.name || body.triangles !== c.triangles || c.corners.some((v, k) => index[3 * c.face + k] !== v)) { this.choose(null); return; }
    body.unpack();
    const at = placeOf(body, c.corners, c.weight);
    if (c.last && picture.time !== c.last.time) c.velocity = at.clone().sub(c.last.at).multiplyScalar(1 / (picture.time - c.last.time));
    if (!c.last || picture.time !== c.last.time) c.last = { at, time: picture.time };
    this.mark.visible = true;
    this.mark.position.copy(at);
    this.mark.scale.setScalar(0.007 * (this.view.size || 1));
    const row = (name, value) => `<dt>${name}</dt><dd>${value}</dd>`, fact = (facts || {})[body.name];
    const field = this.view.look.shownField, value = field && body.values ? valueAt(body.values, c.corners, c.weight) : null;
    this.numbers = { body: body.name, at: at.toArray(), moved: at.distanceTo(c.start), speed: c.velocity?.length() ?? null, value };
    this.card.innerHTML = `<b></b><button class="icon" aria-label="Close">×</button><dl>${[
      row('place', `${at.toArray().map((x) => number(x, 4)).join(', ')} m`),
      row('moved', withUnit(this.numbers.moved, 'm')),
      row('speed', c.velocity ? withUnit(this.numbers.speed, 'm/s') : '–'),
      value === null ? '' : row(field.replaceAll('_', ' '), withUnit(value, body.unit)),
      body.movable ? row('volume', `${number(1000 * body.volume())} l`) : '',
      fact?.mass ? row('mass', `${number(fact.mass)} kg`) : '',
      row('surface', `${body.triangles.toLocaleString('en')} triangles`),
      fact?.tets ? row('mesh', `${fact.tets.toLocaleString('en')} tets`) : '',
    ].join('')}</dl>`;
    this.card.querySelector('b').textContent = `${body.name} (${body.kind})`;
  }
}
