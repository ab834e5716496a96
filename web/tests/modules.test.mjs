import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { Series, csv, joined } from '../series.js';
import { number, withUnit, unitFor, tidy, rangeOf, mapOf, mapColors, paint, toLinear } from '../colors.js';
import { vertexNormals, faceNormals } from '../geometry.js';
import { split, splitCorners, charts } from '../creases.js';
import { Pace, levels, coarsened } from '../detail.js';
import { decode } from '../link.js';

const web = new URL('../', import.meta.url);
const box = { points: Float32Array.from([...Array(8).keys()].flatMap((i) => [i & 1, (i >> 1) & 1, i >> 2])),
  index: Uint32Array.from([0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]) };

test('a series forgets what time was set back over', () => {
  const s = new Series();
  for (let t = 0; t < 5; ++t) s.add(t, { a: t });
  s.add(2, { a: 20, b: 1 });
  assert.deepEqual(s.data, [[0, 1, 2], [0, 1, 20], [null, null, 1]]);
  assert.deepEqual([-1, 0, 0.5, 1, 7].map((t) => s.at(t)), [0, 0, 0, 1, 2]);
});

test('a table has a row per time and quotes what needs it', () => {
  const a = new Series(), b = new Series();
  a.set([0, 1], { kinetic: [1, 2] });
  b.set([1, 2], { 'x, y': [3, null] });
  assert.equal(csv([{ title: 'Energy', unit: 'J', series: a }, { title: 'x, y', unit: '', series: b }]),
    'time (s),Energy: kinetic (J),"x, y"\n0,1,\n1,2,3\n2,,\n');
});

test('two series over the times of both', () => {
  const a = new Series(), b = new Series();
  a.set([0, 1, 2], { x: [1, 2, 3] });
  b.set([1, 1.5, 2, 4], { x: [20, 25, 30, 40] });
  assert.deepEqual(joined(a, b), [[0, 1, 1.5, 2, 4], [1, 2, null, 3, null], [null, 20, 25, 30, 40]]);
  assert.deepEqual(joined(a, new Series()), [[0, 1, 2], [1, 2, 3]]);
});

test('numbers for people', () => {
  assert.deepEqual([0, 1234.5, -0.5, 1e6, 2.5e-5, NaN].map((v) => number(v)), ['0', '1230', '−0.5', '1·10⁶', '2.5·10⁻⁵', '–']);
  assert.equal(withUnit(2219, 'Pa'), '2.22 kPa');
  assert.deepEqual(unitFor(0.002, 'm'), [1e-3, 'mm']);
  assert.deepEqual(unitFor(300, '°C'), [1, '°C']);
});

test('ranges have round ends and leave a few wild values out', () => {
  assert.deepEqual(tidy([0.1, 4.3]), [0, 4.5]);
  assert.deepEqual(tidy([-3.9, 4.1]), [-4.5, 4.5]);
  const list = Float32Array.from({ length: 1000 }, (_, i) => i);
  list[7] = 1e9;
  assert.ok(rangeOf([list])[1] < 1001);
  assert.equal(rangeOf([Float32Array.of(NaN)]), null);
});

test('what is painted is the colour of the bar', () => {
  const out = new Float32Array(9), range = [0, 10];
  paint(Float32Array.of(-5, 5, 50), range, out);
  const bar = mapColors(mapOf(range));
  [0, 128, 255].forEach((k, i) => { for (let c = 0; c < 3; ++c) assert.ok(Math.abs(out[3 * i + c] - toLinear(bar[3 * k + c])) < 1e-6); });
});

test('a box has sharp edges and outward normals', () => {
  const face = faceNormals(box.points, box.index);
  for (let t = 0; t < box.index.length; t += 3) {
    const mid = [0, 1, 2].map((k) => (box.points[3 * box.index[t] + k] + box.points[3 * box.index[t + 1] + k] + box.points[3 * box.index[t + 2] + k]) / 3 - 0.5);
    assert.ok(mid[0] * face[t] + mid[1] * face[t + 1] + mid[2] * face[t + 2] > 0);
  }
  const { index, copied } = split(box.points, box.index);
  assert.equal(copied.length, 16, 'three normals at each of eight corners');
  const all = new Float32Array(3 * 24);
  all.set(box.points);
  copied.forEach((v, i) => all.set(box.points.subarray(3 * v, 3 * v + 3), 24 + 3 * i));
  const normals = new Float32Array(all.length);
  vertexNormals(all, index, normals);
  for (let v = 0; v < 24; ++v) assert.equal([0, 1, 2].filter((k) => Math.abs(normals[3 * v + k]) > 1e-6).length, 1);
});

test('a seam of texture coordinates parts vertices, and only there', () => {
  // Two triangles over the square 0 1 2 3; at the corners 0 and 2 they share, the second has other coordinates at 2.
  const index = Uint32Array.of(0, 1, 2, 0, 2, 3), uv = Float32Array.of(0, 0, 1, 0, 1, 1, 0, 0, 0.5, 0.5, 0, 1);
  const parted = splitCorners(index, 4, [{ values: uv, items: 2 }]);
  assert.deepEqual([...parted.index], [0, 1, 2, 0, 4, 3]);
  assert.deepEqual([...parted.copied], [2]);
  assert.deepEqual([...charts(parted.index, 5)], [0, 0, 0, 0, 0], 'they hang together at 0');
  const apart = splitCorners(index, 4, [{ values: uv, items: 2 }, { values: Float32Array.from(index, (_, i) => Math.floor(i / 3)), items: 1 }]);
  assert.deepEqual([...apart.index], [0, 1, 2, 4, 5, 3]);
  const [a, , , b] = charts(apart.index, 6);
  assert.notEqual(a, b, 'nothing is shared any more');
  // Three values at one vertex, each met twice.
  const fan = splitCorners(Uint32Array.of(0, 0, 0, 0, 0, 0), 1, [{ values: Float32Array.of(1, 2, 3, 3, 2, 1), items: 1 }]);
  assert.deepEqual([...fan.index], [0, 1, 2, 2, 1, 0]);
});

test('vertices of different charts stay apart where there are fewer triangles', () => {
  // The same strip twice at the same place: a sheet with two pictures.
  const n = 40, points = [], index = [], normals = [], chart = [];
  for (let c = 0; c < 2; ++c)
    for (let i = 0; i <= n; ++i) for (let j = 0; j <= 1; ++j) { points.push(i / n, j, 0); normals.push(0, 0, 1); chart.push(c); }
  for (let c = 0; c < 2; ++c) for (let i = 0; i < n; ++i) { const a = 2 * (n + 1) * c + 2 * i; index.push(a, a + 2, a + 1, a + 1, a + 2, a + 3); }
  const less = coarsened(Float32Array.from(points), Float32Array.from(normals), Uint32Array.from(index), [{ start: 0, count: index.length, materialIndex: 0 }], 20, [], chart);
  for (let t = 0; t < less.index.length; t += 3) assert.equal(new Set([0, 1, 2].map((k) => chart[less.vertices[less.index[t + k]]])).size, 1);
  assert.equal(new Set(Array.from(less.vertices, (v) => chart[v])).size, 2);
});

test('fewer triangles keep the area of a sphere', () => {
  const points = [], index = [], n = 60;
  for (let i = 0; i <= n; ++i) for (let j = 0; j < 2 * n; ++j) { const a = (Math.PI * i) / n, b = (Math.PI * j) / n; points.push(Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b)); }
  for (let i = 0; i < n; ++i) for (let j = 0; j < 2 * n; ++j) { const p = i * 2 * n + j, q = i * 2 * n + ((j + 1) % (2 * n)); index.push(p, q, p + 2 * n, q, q + 2 * n, p + 2 * n); }
  const flat = Float32Array.from(points), less = coarsened(flat, flat, Uint32Array.from(index), [{ start: 0, count: index.length, materialIndex: 0 }], 3000);
  const kept = Float32Array.from(less.vertices, (_, i) => i).length;
  const taken = new Float32Array(3 * kept);
  less.vertices.forEach((v, i) => taken.set(flat.subarray(3 * v, 3 * v + 3), 3 * i));
  const face = faceNormals(taken, less.index);
  let area = 0;
  for (let t = 0; t < less.index.length; t += 3) area += 0.5 * Math.hypot(face[t], face[t + 1], face[t + 2]);
  assert.ok(less.index.length / 3 < 6000 && less.index.length < index.length / 2);
  assert.ok(Math.abs(area / (4 * Math.PI) - 1) < 0.05, `area ${area}`);
});

test('a slow page goes down a level, a quick one up again', () => {
  const pace = new Pace(false);
  for (let i = 0; i < 20; ++i) pace.note(80);
  assert.ok(pace.now >= 1 && pace.detail === levels[pace.now]);
  const low = pace.now;
  for (let i = 0; i < 400; ++i) pace.note(2);
  assert.ok(pace.now < low);
});

test('pictures from the wire are read', () => {
  const header = new TextEncoder().encode('{"bodies": [{"points": [0, 3], "triangles": [12, 3]}], "pictures": {"4": [20, 2]}, "index": 7}  ');
  const size = Math.ceil(header.length / 4) * 4, bytes = new Uint8Array(8 + size + 24).fill(32);
  bytes.set(new TextEncoder().encode('PLNT'));
  new DataView(bytes.buffer).setUint32(4, size, true);
  bytes.set(header, 8);
  new Float32Array(bytes.buffer, 8 + size, 3).set([1, 2, 3]);
  new Uint32Array(bytes.buffer, 20 + size, 3).set([2, 1, 0]);
  const picture = decode(bytes.buffer);
  assert.deepEqual([...picture.pictures[4]], [0, 0], 'the last two bytes of the third number');
  assert.deepEqual([[...picture.bodies[0].points], [...picture.bodies[0].triangles], picture.index], [[1, 2, 3], [2, 1, 0], 7]);
  bytes[0] = 0;
  assert.throws(() => decode(bytes.buffer));
});

test('modules import what exists, and never in a circle: a one-file page gives them addresses one after the other', () => {
  const files = readdirSync(web).filter((f) => f.endsWith('.js')), imports = {};
  for (const f of files) imports[f] = [...readFileSync(new URL(f, web), 'utf8').matchAll(/\b(?:from|import)\s*['"]\.\/([^'"]+)['"]/g)].map((m) => m[1]);
  const visit = (f, path) => {
    assert.ok(!path.includes(f), `a circle: ${[...path, f].join(' → ')}`);
    for (const next of imports[f] || []) if (!next.startsWith('vendor/')) { assert.ok(files.includes(next), `${f} imports ${next}`); visit(next, [...path, f]); }
  };
  for (const f of files) visit(f, []);
});
