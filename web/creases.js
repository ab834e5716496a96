// Sharp edges of a surface: a vertex there is drawn once for every smooth part round it, so that a box looks like a box.

import { faceNormals } from './geometry.js';

const sharp = Math.cos((40 * Math.PI) / 180);
const most = 40000;  // triangles: what has more shows its edges anyway

// Corners that share a vertex and have different values (of texture coordinates, of colours) get a vertex each. lists:
// [{ values, items }], items numbers per corner. Gives the triangles over the vertices and copies, and of which vertex each
// copy is one.
export function splitCorners(index, vertices, lists) {
  const first = new Int32Array(vertices).fill(-1), next = [], owner = [], copied = [], out = new Uint32Array(index.length);
  const same = (i, j) => lists.every(({ values, items }) => { for (let k = 0; k < items; ++k) if (values[items * i + k] !== values[items * j + k]) return false; return true; });
  for (let i = 0; i < index.length; ++i) {
    const v = index[i];
    let at = first[v], place = v;
    if (at < 0) { first[v] = at = owner.push(i) - 1; next[at] = [-1, v]; }
    else {
      // Along the vertices that stand at this one so far.
      for (;;) {
        if (same(owner[at], i)) { place = next[at][1]; break; }
        if (next[at][0] < 0) { place = vertices + copied.push(v) - 1; const made = owner.push(i) - 1; next[made] = [-1, place]; next[at][0] = made; break; }
        at = next[at][0];
      }
    }
    out[i] = place;
  }
  return { index: out, copied: new Uint32Array(copied) };
}

// Which vertices hang together by triangles: the same number for those that do.
export function charts(index, vertices) {
  const group = new Uint32Array(vertices).map((_, i) => i);
  const root = (i) => { while (group[i] !== i) i = group[i] = group[group[i]]; return i; };
  for (let i = 0; i < index.length; i += 3) { group[root(index[i + 1])] = root(index[i]); group[root(index[i + 2])] = root(index[i]); }
  return group.map((_, i) => root(i));
}

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
