// A recorded run as a page holds it (the layout is in apps/pliant/page_record.hpp): unpacked once, then any frame of it
// as the picture that the studio would have sent.

const unzig = (z) => (z >>> 1) ^ -(z & 1);

export function readRecord(buffer) {
  if (String.fromCharCode(...new Uint8Array(buffer, 0, 4)) !== 'PLRC') throw new Error('not a record');
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const data = new Uint8Array(buffer, 8 + length);
  for (const body of header.bodies) {
    let before = {};
    for (const span of body.spans) { unpackTopology(span, before, data); unpackMotion(span, data); before = span; }
  }
  header.pictures = (header.pictures || []).map(([at, count]) => data.slice(at, at + count));
  if (header.sound) header.sound.samples = unpackSound(header.sound, data);
  return header;
}

// Four planes of bytes, the least significant ones first.
function planes(data, at, count) {
  const list = new Uint32Array(count);
  for (let i = 0; i < count; ++i)
    list[i] = data[at + i] | (data[at + count + i] << 8) | (data[at + 2 * count + i] << 16) | (data[at + 3 * count + i] << 24);
  return list;
}

function integers([at, count, like], before, stride, data) {
  const list = planes(data, at, count);
  for (let i = 0; i < count; ++i) list[i] = unzig(list[i]) + (like && i < before.length ? before[i] : i >= stride ? list[i - stride] : 0);
  return list;
}

const topology = { triangles: 3, tets: 4, carrier_nodes: 4, carrier_weights: 4, crack: 1, piece: 1, uv: 2, colors: 3, slot: 1, shading: 1 };

function unpackTopology(span, before, data) {
  span.topology = span.same ? before.topology : span;
  for (const [name, stride] of Object.entries(topology)) {
    if (span.same) { span[name] = before[name]; continue; }
    if (span[name]) span[name] = integers(span[name], before[name] || [], stride, data);
  }
  if (span.same) { span.weights = before.weights; span.materials = before.materials; return; }
  if (span.carrier_weights) span.weights = new Float32Array(span.carrier_weights.buffer);
}

function unpackMotion(span, data) {
  for (const name of ['nodes', 'points'])
    if (span[name]) {
      const { count, order, low, high } = span[name], codes = new Int16Array(count * order.length);
      for (let f = 0; f < order.length; ++f)
        for (let i = 0, k = f * count; i < count; ++i, ++k) {
          const d = unzig(data[low + k] | (data[high + k] << 8));
          codes[k] = d + (order[f] === 0 ? (i >= 3 ? codes[k - 3] : 0) : order[f] === 1 ? codes[k - count] : 2 * codes[k - count] - codes[k - 2 * count]);
        }
      span[name].codes = codes;
    }
  if (span.rest) span.rest = new Float32Array(planes(data, span.rest[0], span.rest[1]).buffer);
  for (const field of span.fields) {
    const codes = (field.codes = data.slice(field.codes, field.codes + field.count * span.frames));
    for (let f = 0; f < span.frames; ++f)
      for (let i = 1, k = f * field.count + 1; i < field.count; ++i, ++k) codes[k] += codes[k - 1];
  }
}

function unpackSound({ channels, count, low, high }, data) {
  const samples = new Int16Array(count);
  for (let i = 0; i < count; ++i) samples[i] = unzig(data[low + i] | (data[high + i] << 8)) + (i >= channels ? samples[i - channels] : 0);
  return samples;
}

// Positions of one frame about its centre, m.
function positions(motion, frame) {
  const out = new Float32Array(motion.count), at = frame * motion.count;
  for (let i = 0; i < motion.count; ++i) out[i] = motion.quantum * motion.codes[at + i];
  return { points: out, origin: motion.centre.slice(3 * frame, 3 * frame + 3) };
}

// Values at nodes as they are at vertices. Weights below zero do not count where values must not be overshot.
function onSurface({ carrier_nodes: node, weights: weight }, values, items, clamp) {
  const count = node.length / 4, out = new Float32Array(items * count);
  for (let v = 0; v < count; ++v) {
    let total = 0;
    for (let k = 4 * v; k < 4 * v + 4; ++k) {
      const w = clamp && weight[k] < 0 ? 0 : weight[k];
      total += w;
      for (let c = 0; c < items; ++c) out[items * v + c] += w * values[items * node[k] + c];
    }
    if (clamp) for (let c = 0; c < items; ++c) out[items * v + c] /= total;
  }
  return out;
}

function rigidPoints({ rest, poses }, frame) {
  const p = poses.slice(...(poses.length === 12 ? [0, 12] : [12 * frame, 12 * frame + 12])), points = new Float32Array(rest.length);
  for (let i = 0; i < rest.length; i += 3)
    for (let r = 0; r < 3; ++r) points[i + r] = p[3 * r] * rest[i] + p[3 * r + 1] * rest[i + 1] + p[3 * r + 2] * rest[i + 2];
  return { points, origin: p.slice(9) };
}

function meanAtNodes(tets, values, nodes) {
  const sum = new Float32Array(nodes), count = new Float32Array(nodes);
  for (let i = 0; i < tets.length; ++i) { sum[tets[i]] += values[i >> 2]; ++count[tets[i]]; }
  for (let i = 0; i < nodes; ++i) sum[i] /= count[i] || 1;
  return sum;
}

function fieldValues(field, frame) {
  const low = field.low[frame], step = (field.high[frame] - low) / 255, at = frame * field.count, out = new Float32Array(field.count);
  for (let i = 0; i < field.count; ++i) out[i] = low + step * field.codes[at + i];
  return out;
}

export const spanAt = (body, frame) => body.spans.findLast((s) => s.first <= frame);

// One body at a frame, as link.js decodes it. known: the span whose connectivity the page has already.
export function bodyAt(body, frame, { field, inside }, known) {
  const span = spanAt(body, frame), at = frame - span.first;
  const out = { name: body.name, kind: body.kind, color: body.color };
  const nodes = span.nodes && positions(span.nodes, at);
  if (span.rest) Object.assign(out, rigidPoints(span, at));
  else if (span.points) Object.assign(out, positions(span.points, at));
  else if (nodes) Object.assign(out, { origin: nodes.origin, points: onSurface(span, nodes.points, 3, false) });
  if (known?.topology !== span.topology) {
    out.triangles = span.triangles || new Uint32Array(0);
    for (const name of ['crack', 'piece']) if (span[name]) out[name] = Float32Array.from(span[name]);
    for (const name of ['uv', 'colors']) if (span[name]) out[name] = new Float32Array(span[name].buffer);
    if (span.shading) out.shading = span.shading;
    if (span.slot) Object.assign(out, { slot: span.slot, materials: span.materials });
  }
  const shown = field && span.fields.find((f) => f.name === field);
  const values = shown && fieldValues(shown, at), count = span.nodes ? span.nodes.count / 3 : 0;
  if (shown) {
    out.unit = shown.unit;
    if (shown.on === 'vertex') out.values = values;
    else if (span.weights) out.values = onSurface(span, shown.on === 'tet' ? meanAtNodes(span.tets, values, count) : values, 1, true);
  }
  if (inside && nodes && span.tets) {
    // About the same origin as the surface.
    for (let i = 0; i < nodes.points.length; ++i) nodes.points[i] += nodes.origin[i % 3] - out.origin[i % 3];
    out.nodes = nodes.points;
    out.tets = span.tets;
    if (shown?.on === 'tet') out.tet_values = values;
    if (shown?.on === 'node') out.node_values = values;
  }
  return { out, span };
}

export const fieldsOf = (record) => [...new Set(record.bodies.flatMap((b) => b.spans.flatMap((s) => s.fields.map((f) => f.name))))];
