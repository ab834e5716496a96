// How finely the view is drawn. A fence says when the last pixel of a picture is there; when that takes too long to
// follow a hand, pictures that move are drawn with less, and with more again when there is time. What stands still is
// drawn in full.

import { faceNormals } from './geometry.js';

// ratio: pixels per pixel of the page, at most; shadow: side of the shadow map, soft or not, made anew with every so many
// pictures; triangles: of all bodies together, about; simple: light without highlights, and no back faces.
export const levels = [
  { name: 'Full', ratio: 2, shadow: 2048, soft: true, shadowEvery: 1, triangles: Infinity, simple: false },
  { name: 'Fine', ratio: 1, shadow: 1024, soft: true, shadowEvery: 1, triangles: 200000, simple: false },
  { name: 'Medium', ratio: 0.8, shadow: 512, soft: false, shadowEvery: 1, triangles: 60000, simple: true },
  { name: 'Coarse', ratio: 0.6, shadow: 512, soft: false, shadowEvery: 2, triangles: 25000, simple: true },
  { name: 'Quick', ratio: 0.45, shadow: 256, soft: false, shadowEvery: 3, triangles: 6000, simple: true },
  { name: 'Least', ratio: 0.35, shadow: 256, soft: false, shadowEvery: 6, triangles: 4000, simple: true },
];

const slow = 25, quick = 9;  // ms per picture: beyond the one the level goes down, below the other up

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

export class Pace {
  // software: there is no GPU, so that starting in full would only show how slow it is.
  constructor(software) {
    this.level = software ? 3 : 0;
    this.fixed = null;    // a level that the user chose
    this.patience = 60;   // quick pictures before more is tried; doubles when it was too much
    this.restart();
  }
  get now() { return this.fixed ?? this.level; }
  get detail() { return levels[this.now]; }

  // Another scene or another level: its first pictures wait for shaders to be built and say nothing.
  restart() { this.times = []; this.skip = 3; }

  // ms that a moving picture took. True when the level changes.
  note(ms) {
    if (this.skip > 0) { --this.skip; return false; }
    this.times.push(ms);
    this.typical = median(this.times.slice(-7));
    if (this.fixed !== null || this.times.length < 5) return false;
    if (this.typical > slow && this.level + 1 < levels.length) {
      if (this.tried) this.patience = Math.min(2000, 2 * this.patience);
      this.tried = false;
      ++this.level;
    } else if (this.times.length >= this.patience) {
      const spare = median(this.times) < quick && this.level > 0;
      this.times = this.times.slice(-7);
      if (!spare) return false;
      this.tried = true;
      --this.level;
    } else return false;
    this.restart();
    return true;
  }
}

// Calls `then` with the ms since now once all that was drawn so far is there.
export function whenDrawn(gl, then) {
  const start = performance.now(), fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  const look = () => {
    const waited = performance.now() - start;
    const done = !fence || gl.isContextLost() || gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED || waited > 3000;
    if (!done) { setTimeout(look, 1); return; }
    gl.deleteSync(fence);
    then(waited);
  };
  setTimeout(look, 0);
}

const sides = 6;  // ways that vertices in a cell may face and stay apart

export const fewTriangles = 4000;  // a body that has no more is always drawn with all of them

// A surface of about `wanted` triangles: vertices that share a cell of a grid and face alike become one of them.
// groups: [{ start, count, materialIndex }], kept apart; copied: of which vertex each of the last ones is a copy (see
// creases.js); charts: vertices of different ones stay apart. Gives the vertices that are left, and triangles between these.
export function coarsened(points, normals, index, groups, wanted, copied = [], charts = null) {
  let area = 0;
  const low = [Infinity, Infinity, Infinity];
  for (let i = 0; i < points.length; i += 3) for (let k = 0; k < 3; ++k) low[k] = Math.min(low[k], points[i + k]);
  const face = faceNormals(points, index);
  for (let t = 0; t < index.length; t += 3) area += 0.5 * Math.hypot(face[t], face[t + 1], face[t + 2]);
  // A plane at any angle passes through about 1.5 cells per square of their side, and a vertex has two triangles.
  const scale = 1 / Math.sqrt((3 * area) / wanted), cells = new Map(), same = new Int32Array(points.length / 3).fill(-1), vertices = [];
  // Within 37°: of something thin, both sides, the rim and its edges stay apart. Normals may have any length.
  const dot = (i, j) => normals[i] * normals[j] + normals[i + 1] * normals[j + 1] + normals[i + 2] * normals[j + 2];
  const facing = (i, j) => { const d = dot(i, j); return d >= 0 && d * d >= 0.64 * dot(i, i) * dot(j, j); };
  const put = (v) => {
    if (same[v] >= 0) return;
    const chart = charts ? charts[v] : 0, first = cells.get(chart) || cells.set(chart, new Map()).get(chart);
    const i = 3 * v, cell = (k) => Math.floor((points[i + k] - low[k]) * scale);
    let key = sides * ((cell(0) * 65536 + cell(1)) * 65536 + cell(2)), place = first.get(key);
    for (let side = 1; side < sides && place !== undefined && !facing(3 * vertices[place], i); ++side) place = first.get(++key);
    if (place === undefined) { place = vertices.push(v) - 1; first.set(key, place); }
    same[v] = place;
  };
  // Creases first, a vertex together with its copies: what is left on either side is then in the same place, without gaps.
  const own = same.length - copied.length;
  for (const k of Array.from(copied, (_, n) => n).sort((a, b) => copied[a] - copied[b])) { put(copied[k]); put(own + k); }
  for (let v = 0; v < same.length; ++v) put(v);
  const out = new Uint32Array(index.length), kept = [];
  let n = 0;
  for (const { start, count, materialIndex } of groups) {
    const from = n;
    for (let t = start; t < start + count; t += 3) {
      const a = same[index[t]], b = same[index[t + 1]], c = same[index[t + 2]];
      if (a === b || b === c || c === a) continue;
      // The few that have turned over are turned back: what was seen from outside is.
      const i = 3 * vertices[a], j = 3 * vertices[b], k = 3 * vertices[c];
      const ux = points[j] - points[i], uy = points[j + 1] - points[i + 1], uz = points[j + 2] - points[i + 2];
      const vx = points[k] - points[i], vy = points[k + 1] - points[i + 1], vz = points[k + 2] - points[i + 2];
      const outward = (uy * vz - uz * vy) * face[t] + (uz * vx - ux * vz) * face[t + 1] + (ux * vy - uy * vx) * face[t + 2];
      out[n++] = a; out[n++] = outward < 0 ? c : b; out[n++] = outward < 0 ? b : c;
    }
    kept.push({ start: from, count: n - from, materialIndex });
  }
  return { vertices: new Uint32Array(vertices), index: out.slice(0, n), groups: kept };
}
