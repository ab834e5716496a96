// Records are read as they are laid down in apps/pliant/page_record.hpp: written here a second time, from the description.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readRecord, bodyAt, fieldsOf } from '../record.js';
import { playRecord } from '../player.js';

const zig = (d) => ((d << 1) ^ (d >> 31)) >>> 0;

class Arrays {
  bytes = [];
  add(list) { while (this.bytes.length % 4) this.bytes.push(0); const at = this.bytes.length; for (const b of list) this.bytes.push(b & 255); return at; }
  planes(list) { return this.add([0, 8, 16, 24].flatMap((s) => [...list].map((v) => v >>> s))); }
  integers(list, before, stride) {
    const like = before ? 1 : 0;
    return [this.planes([...list].map((v, i) => zig((v - (like && i < before.length ? before[i] : i >= stride ? list[i - stride] : 0)) | 0))), list.length, like];
  }
  motion(frames, quantum, centre) {
    const rest = frames.map((codes, f) => codes.map((c, i) => {
      const guess = f === 0 ? (i >= 3 ? codes[i - 3] : 0) : f === 1 ? frames[0][i] : 2 * frames[f - 1][i] - frames[f - 2][i];
      return zig(((c - guess) << 16) >> 16);
    })).flat();
    return { quantum, count: frames[0].length, centre, order: frames.map((_, f) => Math.min(f, 2)), low: this.add(rest), high: this.add(rest.map((z) => z >> 8)) };
  }
}
function pack(header, arrays) {
  let text = JSON.stringify(header);
  while (new TextEncoder().encode(text).length % 4) text += ' ';
  const head = new TextEncoder().encode(text), out = new Uint8Array(8 + head.length + arrays.bytes.length);
  out.set(new TextEncoder().encode('PLRC'));
  new DataView(out.buffer).setUint32(4, head.length, true);
  out.set(head, 8);
  out.set(arrays.bytes, 8 + head.length);
  return out.buffer;
}
const bits = (list) => new Uint32Array(new Float32Array(list).buffer);

// A tet that moves and, in the last frame, has lost a triangle; and a rigid triangle that turns.
function sample() {
  const a = new Arrays(), q = 0.001;
  const walk = [0, 1, 2, 3].map((f) => Array.from({ length: 12 }, (_, i) => Math.round(9000 * Math.sin(i + 0.7 * f * f))));
  const triangles = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], carriers = [0, 1, 2, 3, 0, 1, 2, 3, 1, 1, 1, 1, 3, 2, 1, 0], weights = [1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25, 1, 0, 0, 0, 1.2, -0.2, 0, 0];
  const uv = Array.from({ length: 24 }, (_, i) => Math.fround(0.3 * i - 1));
  const values = [[0, 255], [10, 20], [3, 3], [7, 9]];
  const field = (frames) => ({ name: 'von_mises', unit: 'Pa', on: 'tet', count: 1, low: frames.map((f) => values[f][0]), high: frames.map((f) => values[f][1]), codes: a.add(frames.map(() => 128)) });
  const first = { first: 0, frames: 3, triangles: a.integers(triangles, null, 3), tets: a.integers([0, 1, 2, 3], null, 4), carrier_nodes: a.integers(carriers, null, 4),
    carrier_weights: a.integers(bits(weights), null, 4), nodes: a.motion(walk.slice(0, 3), q, [1, 2, 3, 1, 2, 3, 1, 2, 3]), fields: [field([0, 1, 2])],
    uv: a.integers(bits(uv), null, 2), slot: a.integers([0, 1, 1, 0], null, 1), shading: a.integers([0, 1, 2, 0, 1, 3, 0, 3, 2, 4, 4, 4], null, 1), materials: [{ name: 'wood', texture: 0 }, { name: 'tin', metallic: 1 }] };
  const second = { first: 3, frames: 1, triangles: a.integers(triangles.slice(0, 9), triangles, 3), tets: a.integers([0, 1, 2, 3], [0, 1, 2, 3], 4), carrier_nodes: a.integers(carriers, carriers, 4),
    carrier_weights: a.integers(bits(weights), bits(weights), 4), nodes: a.motion(walk.slice(3), q, [1, 2, 3]), fields: [field([3])],
    uv: a.integers(bits(uv.slice(0, 18)), bits(uv), 2), slot: a.integers([0, 1, 1], [0, 1, 1, 0], 1), materials: [{ name: 'wood', texture: 0 }, { name: 'tin', metallic: 1 }] };
  const turned = [0, 1, 2, 3].flatMap((f) => { const c = Math.cos(f), s = Math.sin(f); return [c, 0, s, 0, 1, 0, -s, 0, c, f, 0, 0]; });
  const rigid = { first: 0, frames: 4, triangles: a.integers([0, 1, 2], null, 3), rest: [a.planes(bits([1, 0, 0, 0, 1, 0, 0, 0, 1])), 9], poses: turned, fields: [] };
  const samples = [0, 1000, -1000, 32767, -32768, 5], delta = samples.map((v, i) => zig(((v - (i ? samples[i - 1] : 0)) << 16) >> 16));
  const header = { name: 'sample', scene: 'a/b.lua', version: '0', fps: 10, index: [0, 1, 2, 3], time: [0, 0.1, 0.2, 0.3], measures: { h: [1, 2, null, 4] },
    bodies: [{ name: 'tet', kind: 'fem', color: [1, 0, 0], volume: [1, 1, 1, 2], spans: [first, second] }, { name: 'plate', kind: 'rigid', color: [0, 1, 0], spans: [rigid] }],
    pictures: [[a.add([137, 80, 78]), 3]], sound: { rate: 8000, channels: 1, count: 6, low: a.add(delta), high: a.add(delta.map((z) => z >> 8)) } };
  return { buffer: pack(header, a), walk, weights, carriers, samples, q, uv };
}

test('texture coordinates, materials and pictures come with the triangles', () => {
  const { buffer, uv } = sample(), record = readRecord(buffer), [tet, plate] = record.bodies;
  assert.deepEqual(record.pictures.map((p) => [...p]), [[137, 80, 78]]);
  const { out, span } = bodyAt(tet, 1, {});
  assert.deepEqual([...out.uv], uv);
  assert.deepEqual([...out.slot], [0, 1, 1, 0]);
  assert.deepEqual([...out.shading], [0, 1, 2, 0, 1, 3, 0, 3, 2, 4, 4, 4]);
  assert.equal(out.materials[1].name, 'tin');
  assert.equal(bodyAt(tet, 2, {}, span).out.uv, undefined);
  assert.deepEqual([...bodyAt(tet, 3, {}, span).out.uv], uv.slice(0, 18));
  assert.equal(bodyAt(plate, 0, {}).out.materials, undefined);
});

test('positions of nodes and of what hangs on them come back', () => {
  const { buffer, walk, weights, carriers, q } = sample(), record = readRecord(buffer), [tet] = record.bodies;
  for (let f = 0; f < 4; ++f) {
    const { out } = bodyAt(tet, f, { field: 'von_mises', inside: true });
    assert.deepEqual(out.origin, [1, 2, 3]);
    walk[f].forEach((c, i) => assert.ok(Math.abs(out.nodes[i] - q * c) < 1e-6));
    for (let v = 0; v < 4; ++v)
      for (let k = 0; k < 3; ++k) {
        const wanted = [0, 1, 2, 3].reduce((sum, n) => sum + weights[4 * v + n] * q * walk[f][3 * carriers[4 * v + n] + k], 0);
        assert.ok(Math.abs(out.points[3 * v + k] - wanted) < 1e-5);
      }
    assert.ok(out.values.every((x) => Math.abs(x - out.tet_values[0]) < 1e-4), 'a constant field is constant on the surface, whatever the weights');
  }
});

test('connectivity is told when it changes, and only then', () => {
  const record = readRecord(sample().buffer), [tet] = record.bodies;
  const at = (f, known) => bodyAt(tet, f, {}, known);
  const first = at(0);
  assert.equal(first.out.triangles.length, 12);
  assert.equal(at(2, first.span).out.triangles, undefined);
  const last = at(3, first.span);
  assert.deepEqual([...last.out.triangles], [0, 2, 1, 0, 1, 3, 0, 3, 2]);
  assert.equal(at(1, last.span).out.triangles.length, 12);
});

test('rigid bodies turn, fields and sound come back', () => {
  const { buffer, samples } = sample(), record = readRecord(buffer);
  const { out } = bodyAt(record.bodies[1], 2, {});
  assert.deepEqual(out.origin, [2, 0, 0]);
  assert.ok(Math.abs(out.points[0] - Math.cos(2)) < 1e-6 && Math.abs(out.points[2] + Math.sin(2)) < 1e-6);
  assert.deepEqual([...record.sound.samples], samples);
  assert.deepEqual(fieldsOf(record), ['von_mises']);
  const { out: colored } = bodyAt(record.bodies[0], 1, { field: 'von_mises', inside: true });
  assert.ok(Math.abs(colored.tet_values[0] - (10 + (10 * 128) / 255)) < 1e-5);
});

test('the player answers as a simulation does', async () => {
  const pictures = [], messages = [], heard = [];
  const link = playRecord(sample().buffer, { onMessage: (m) => messages.push(m), onPicture: (p) => pictures.push(p), onState: () => {}, sound: { play: (...a) => heard.push(a), stop: () => heard.push('stop'), load: () => {} } });
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(messages.map((m) => m.type), ['hello', 'scene', 'hand', 'history']);
  assert.deepEqual(messages[3].series.map((s) => s.title), ['h', 'Volume change']);
  assert.equal(pictures.length, 1);
  assert.equal(pictures[0].info.playing, false, 'a run with sound waits');
  link.send({ op: 'seek', index: 3 });
  assert.equal(pictures.at(-1).index, 3);
  link.ready();
  link.send({ op: 'seek', index: 99 });
  assert.equal(pictures.at(-1).info.shown, 3);
  const before = pictures.length;
  link.send({ op: 'seek', index: 0 });
  assert.equal(pictures.length, before, 'no picture that was not asked for');
  link.ready();
  assert.equal(pictures.at(-1).info.shown, 0);
  link.send({ op: 'play' });
  for (let i = 0; i < 60 && !(pictures.at(-1).info.shown === 3 && !pictures.at(-1).info.playing); ++i) { link.ready(); await new Promise((done) => setTimeout(done, 20)); }
  assert.equal(pictures.at(-1).info.shown, 3);
  assert.equal(pictures.at(-1).info.playing, false, 'it stops at the end');
  assert.deepEqual(heard.find((h) => h !== 'stop'), [0, 1]);
  link.close();
});
