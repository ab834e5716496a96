// Sharp edges of a surface: a vertex there is drawn once for every smooth part round it, so that a box looks like a box.

import { faceNormals } from './geometry.js';

const sharp = Math.cos((40 * Math.PI) / 180);
const most = 40000;  // triangles: what has more shows its edges anyway

// Gives the triangles over the vertices and, behind these, copies; `copied` says of which vertex each is one.
export function split(points, index) {
  const none = { index, copied: new Uint32Array(0) };
  const count = index.length / 3;
  if (count > most) return none;
  const normal = faceNormals(points, index);
  for (let t = 0; t < index.length; t += 3) {
    const scale = 1 / (Math.hypot(normal[t], normal[t + 1], normal[t + 2]) || 1);
    normal[t] *= scale; normal[t + 1] *= scale; normal[t + 2] *= scale;
  }
  // Corners that belong together: joined across every edge that is not sharp.
  const group = new Uint32Array(index.length).map((_, i) => i);
  const root = (i) => { while (group[i] !== i) i = group[i] = group[group[i]]; return i; };
  const vertices = points.length / 3, open = new Map();
  let creased = false;
  for (let t = 0; t < index.length; t += 3)
    for (let k = 0; k < 3; ++k) {
      const from = t + k, to = t + ((k + 1) % 3), a = index[from], b = index[to];
      const other = open.get(b * vertices + a);  // its corner at b; the next one in its triangle is at a
      if (other === undefined) { open.set(a * vertices + b, from); continue; }
      const o = other - (other % 3), next = o + ((other + 1 - o) % 3);
      if (normal[t] * normal[o] + normal[t + 1] * normal[o + 1] + normal[t + 2] * normal[o + 2] < sharp) { creased = true; continue; }
      group[root(from)] = root(next);
      group[root(to)] = root(other);
    }
  if (!creased) return none;
  const owner = new Int32Array(vertices).fill(-1), place = new Map(), copied = [], out = new Uint32Array(index.length);
  for (let i = 0; i < index.length; ++i) {
    const v = index[i], r = root(i);
    if (owner[v] < 0) owner[v] = r;
    if (owner[v] === r) { out[i] = v; continue; }
    let at = place.get(r);
    if (at === undefined) { at = vertices + copied.push(v) - 1; place.set(r, at); }
    out[i] = at;
  }
  return { index: out, copied: new Uint32Array(copied) };
}
