// One body in the view: its seen surface, its tets, and where a plane cuts it open.

import * as THREE from './vendor/three.module.js';
import { coarsened } from './detail.js';
import { charts, split, splitCorners } from './creases.js';
import { vertexNormals } from './geometry.js';
import { paint, labelColor } from './colors.js';

// Positions that came as 65536ths of the body's box; into `kept` where they fit.
function unpacked(packed, size, kept) {
  const points = kept?.length === packed.length ? kept : new Float32Array(packed.length);
  const sx = size[0] / 65535, sy = size[1] / 65535, sz = size[2] / 65535, x = 0.5 * size[0], y = 0.5 * size[1], z = 0.5 * size[2];
  for (let i = 0; i < packed.length; i += 3) {
    points[i] = packed[i] * sx - x; points[i + 1] = packed[i + 1] * sy - y; points[i + 2] = packed[i + 2] * sz - z;
  }
  return points;
}

const neutral = 0xb9bcc2;

// Light for bodies that are coloured by a field: none on what faces the eye, so that its colour is the bar's, and a
// little less towards the rim, so that the shape can be seen. Made once, as soon as a body wants it.
let rim = null;
function rimLight() {
  if (rim) return rim;
  const side = 64, data = new Uint8Array(4 * side * side);
  for (let y = 0; y < side; ++y)
    for (let x = 0; x < side; ++x) {
      const r = Math.min(1, Math.hypot((x + 0.5) / side - 0.5, (y + 0.5) / side - 0.5) * 2), k = 4 * (y * side + x);
      const t = Math.max(0, (r - 0.6) / 0.4), light = 255 * (1 - 0.45 * t * t);
      data[k] = data[k + 1] = data[k + 2] = light;
      data[k + 3] = 255;
    }
  rim = new THREE.DataTexture(data, side, side);
  rim.magFilter = rim.minFilter = THREE.LinearFilter;
  rim.needsUpdate = true;
  return rim;
}

// The edges of Voronoi faces, as pairs of corners. Several faces meet in an edge, each with corners of its own: it is
// drawn once.
function outlines({ tet, weight, begin }) {
  const name = (i) => `${tet[i]} ${weight[4 * i].toFixed(5)} ${weight[4 * i + 1].toFixed(5)} ${weight[4 * i + 2].toFixed(5)}`;
  const places = new Map(), place = new Uint32Array(tet.length), seen = new Set(), lines = [];
  for (let i = 0; i < tet.length; ++i) { const n = name(i); if (!places.has(n)) places.set(n, i); place[i] = places.get(n); }
  for (let f = 0; f + 1 < begin.length; ++f)
    for (let i = begin[f]; i < begin[f + 1]; ++i) {
      const a = place[i], b = place[i + 1 < begin[f + 1] ? i + 1 : begin[f]], key = Math.min(a, b) * tet.length + Math.max(a, b);
      if (a !== b && !seen.has(key)) { seen.add(key); lines.push(a, b); }
    }
  return new Uint32Array(lines);
}

export class Body {
  constructor(scene, number, looks) {
    Object.assign(this, { scene, number, looks });
    this.group = new THREE.Group();
    scene.add(this.group);
    // Materials for full light and for simple light; the ones in use are `material` and `crackMaterial`. Of a body that was
    // brought with materials there is such a pair for each slot.
    this.materials = [THREE.MeshStandardMaterial, THREE.MeshLambertMaterial].map((Material) =>
      [new Material({ side: THREE.DoubleSide }), new Material({ color: 0xe8c9a0, flatShading: true, side: THREE.DoubleSide })]);
    const matcap = rimLight();
    this.fieldMaterials = [0, 1].map(() => new THREE.MeshMatcapMaterial({ matcap, side: THREE.DoubleSide, toneMapped: false, vertexColors: true }));
    this.slots = [];
    this.colors = null;      // per vertex, as brought
    this.geometry = new THREE.BufferGeometry();
    this.coarse = new THREE.BufferGeometry();  // the same vertices, fewer triangles
    this.mesh = new THREE.Mesh(this.geometry);
    this.setSimple(false);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.userData.body = this;
    this.group.add(this.mesh);
    this.triangleOf = null;  // place in the index → number of the triangle
    this.copied = [];        // vertices behind the body's own, see creases.js: of which each is a copy
    this.radius = 1;
    this.taken = 0;          // goes up when positions or colours change
  }

  get triangles() { return (this.geometry.index?.count || 0) / 3; }

  // anew: shadows have changed, so that both must be built again.
  setSimple(simple, anew) {
    this.simple = simple;
    this.useMaterials();
    if (anew) for (const m of [...this.materials.flat(), ...this.slots.flat()]) m.needsUpdate = true;
  }

  // One for each slot, and behind these the one of crack faces.
  useMaterials() {
    const light = this.simple ? 1 : 0;
    [this.material, this.crackMaterial] = this.matched ? this.fieldMaterials : this.materials[light];
    const slots = this.slots.length ? this.slots.map((pair) => (this.asBrought ? pair[light] : this.material)) : [this.material];
    this.mesh.material = [...slots, this.crackMaterial];
  }

  // Makes ready to be drawn with about so many triangles. What is picked and measured are all of them.
  drawWith(wanted) {
    const full = wanted >= this.triangles, anew = this.coarseOf !== this.geometry.index || this.coarseWanted !== wanted;
    this.mesh.geometry = full ? this.geometry : this.coarse;
    if (this.edges) this.edges.geometry = this.mesh.geometry;
    if (full || anew) { this.unpack(); this.freshenNormals(); }
    if (full) return;
    const { position, normal, color } = this.geometry.attributes;
    if (anew) {
      this.coarseOf = this.geometry.index;
      this.coarseWanted = wanted;
      const { vertices, index, groups } = coarsened(position.array, normal.array, this.geometry.index.array, this.geometry.groups, wanted, this.copied, this.charts);
      this.coarse.dispose();
      this.coarse.setIndex(new THREE.BufferAttribute(index, 1));
      this.coarse.groups = groups;
      this.kept = vertices;
      for (const name of ['position', 'normal', 'color', 'uv']) this.coarse.deleteAttribute(name);
      if (this.geometry.attributes.uv) this.gather('uv', this.geometry.attributes.uv);
      this.coarseTaken = -1;
    }
    if (this.coarseTaken === this.taken) return;
    this.coarseTaken = this.taken;
    if (this.packed) this.gatherPacked(); else this.gather('position', position);
    vertexNormals(this.coarse.attributes.position.array, this.coarse.index.array, this.gather('normal'));
    if (color) this.gather('color', color);
  }

  // The coarse surface's own array, taken from the full one's where that is given.
  gather(name, from) {
    const items = from?.itemSize || 3;
    let to = this.coarse.getAttribute(name);
    if (!to) {
      to = new THREE.BufferAttribute(new Float32Array(items * this.kept.length), items).setUsage(THREE.DynamicDrawUsage);
      this.coarse.setAttribute(name, to);
    }
    if (from)
      for (let i = 0, at = 0; i < this.kept.length; ++i)
        for (let v = items * this.kept[i], end = v + items; v < end; ++v) to.array[at++] = from.array[v];
    to.needsUpdate = true;
    return to.array;
  }

  gatherPacked() {
    const { points, size } = this.packed, to = this.gather('position'), kept = this.kept;
    const sx = size[0] / 65535, sy = size[1] / 65535, sz = size[2] / 65535, x = 0.5 * size[0], y = 0.5 * size[1], z = 0.5 * size[2];
    const own = points.length / 3;
    for (let i = 0, at = 0; i < kept.length; ++i) {
      const v = 3 * (kept[i] < own ? kept[i] : this.copied[kept[i] - own]);
      to[at++] = points[v] * sx - x; to[at++] = points[v + 1] * sy - y; to[at++] = points[v + 2] * sz - z;
    }
  }

  freshenNormals() {
    if (!this.normalsStale) return;
    this.normalsStale = false;
    const { position, normal } = this.geometry.attributes;
    vertexNormals(position.array, this.shaded.index, normal.array);
    // Seams of texture coordinates are not seen in the light.
    const { copies, from } = this.shaded;
    for (let i = 0, at = 3 * copies; i < from.length; ++i)
      for (let k = 0; k < 3; ++k) normal.array[at++] = normal.array[3 * from[i] + k];
    normal.needsUpdate = true;
  }

  dispose() {
    this.scene.remove(this.group);
    this.coarse.dispose();
    for (const m of [...this.materials.flat(), ...this.fieldMaterials, ...this.slots.flat()]) m.dispose();
    this.edges?.material.dispose();
    this.mesh.geometry = this.geometry;
    for (const object of [this.mesh, this.wire, this.faceLines, this.faceFill, this.faceEdges, this.dots, this.section, this.outline, ...(this.stencils || [])]) {
      if (!object) continue;
      object.geometry.dispose();
      for (const m of [].concat(object.material)) m.dispose();
    }
  }

  get ghost() { return this.kind === 'ghost'; }  // of a run that is compared
  get movable() { return this.kind !== 'obstacle' && !this.ghost; }

  take(data) {
    this.name = data.name;
    this.kind = data.kind;
    this.color = data.color;
    if (data.triangles) {
      if (data.points16) data.points = unpacked(data.points16, data.size);
      this.setTriangles(data);
    }
    this.packed = data.points16 && !data.points ? { points: data.points16, size: data.size } : data.points ? null : this.packed;
    if (data.points) this.setPoints(data.points);
    if (data.points16 || data.points) {
      ++this.taken;
      if (data.size) this.setBox(data.size.map((s) => -0.5 * s), data.size.map((s) => 0.5 * s)); else this.bound(data.points);
    }
    if (data.origin) this.group.position.fromArray(data.origin);
    this.values = data.values && this.withCopies(data.values, 1);
    this.unit = data.unit;
    if (data.tets) this.tets = data.tets;
    if (data.cell_tet) this.cells = { tet: data.cell_tet, weight: data.cell_weight, begin: data.cell_begin, inner: data.cell_inner, outer: new Int32Array(data.cell_outer) };
    this.nodes = data.nodes;
    this.tetValues = data.tet_values;
    this.nodeValues = data.node_values;
  }

  setPoints(list) {
    const points = this.geometry.getAttribute('position'), all = this.withCopies(list, 3, points?.array);
    if (!points || points.array.length !== all.length) {
      this.geometry.setAttribute('position', new THREE.BufferAttribute(all, 3).setUsage(THREE.DynamicDrawUsage));
      this.geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(all.length), 3).setUsage(THREE.DynamicDrawUsage));
    } else {
      points.array = all;
      points.needsUpdate = true;
    }
    this.normalsStale = true;
  }

  // Positions of many points are left as they came until all of them are wanted.
  unpack() {
    if (!this.packed) return;
    const { points, size } = this.packed;
    this.packed = null;
    this.loose = unpacked(points, size, this.loose);
    this.setPoints(this.loose);
  }

  // What the vertices have, and behind it the same of the copies; in `kept` where that fits.
  withCopies(list, items, kept) {
    if (!this.copied.length) return list;
    const length = list.length + items * this.copied.length, all = kept?.length === length ? kept : new Float32Array(length);
    all.set(list);
    for (let i = 0, at = list.length; i < this.copied.length; ++i)
      for (let k = 0; k < items; ++k) all[at++] = list[items * this.copied[i] + k];
    return all;
  }

  bound(points) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; i += 3)
      for (let k = 0; k < 3; ++k) {
        const v = points[i + k];
        if (v < low[k]) low[k] = v;
        if (v > high[k]) high[k] = v;
      }
    this.setBox(low, high);
  }

  setBox(low, high) {
    this.low = low; this.high = high;
    this.radius = 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
    const sphere = this.geometry.boundingSphere || (this.geometry.boundingSphere = new THREE.Sphere());
    sphere.center.set(...low.map((l, k) => (l + high[k]) / 2));
    sphere.radius = this.radius;
  }

  // Enclosed by the surface, m³: a sixth of the sum of the corners' triple products.
  volume() {
    this.unpack();
    const p = this.geometry.getAttribute('position').array, index = this.geometry.index.array;
    let sum = 0;
    for (let t = 0; t < index.length; t += 3) {
      const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
      sum += p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]) + p[a + 1] * (p[b + 2] * p[c] - p[b] * p[c + 2]) + p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c]);
    }
    return sum / 6;
  }

  box() {
    return new THREE.Box3(new THREE.Vector3(...this.low), new THREE.Vector3(...this.high)).translate(this.group.position);
  }

  // In the order of their slots, and crack faces whose slot has no colour last, so that each can have a material of its own.
  setTriangles(data) {
    const { triangles, crack, piece, points, slot } = data, count = triangles.length / 3;
    this.setMaterials(data.materials || []);
    const last = Math.max(1, this.slots.length), own = (t) => slot && data.materials[slot[t]]?.color;
    const part = (t) => (crack?.[t] > 0 && !own(t) ? last : slot ? slot[t] : 0);
    const sizes = new Array(last + 1).fill(0);
    for (let t = 0; t < count; ++t) ++sizes[part(t)];
    let index = triangles;
    this.triangleOf = null;
    this.geometry.clearGroups();
    for (let p = 0, at = 0; p <= last; at += sizes[p++]) if (sizes[p]) this.geometry.addGroup(3 * at, 3 * sizes[p], p);
    if (sizes.filter((n) => n > 0).length > 1) {
      const next = sizes.map((_, p) => sizes.slice(0, p).reduce((a, b) => a + b, 0));
      index = new Uint32Array(triangles.length);
      this.triangleOf = new Uint32Array(count);
      for (let t = 0; t < count; ++t) {
        const at = next[part(t)]++;
        index.set(triangles.subarray(3 * t, 3 * t + 3), 3 * at);
        this.triangleOf[at] = t;
      }
    }
    // Edges are sharp where they were brought so, otherwise by their angle.
    ({ index, copied: this.copied } = data.shading
      ? splitCorners(index, points.length / 3, [{ values: this.inOrder(data.shading, 1), items: 1 }]) : split(points, index));
    index = this.setCorners(data, index, points.length / 3);
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.pieces = null;
    if (piece) {
      this.pieces = new Float32Array(points.length / 3 + this.copied.length);
      for (let i = 0; i < index.length; ++i) this.pieces[index[i]] = piece[this.triangle(Math.floor(i / 3))];
      this.pieceCount = 1 + piece.reduce((a, b) => Math.max(a, b), 0);
    }
  }

  // What corners were brought with becomes something of vertices: more copies of these where it has seams. The copies come
  // behind the others and have their normals.
  setCorners({ uv, colors }, index, own) {
    const before = own + this.copied.length, corners = [uv && { values: uv, items: 2, name: 'uv' }, colors && { values: colors, items: 3, name: 'colors' }].filter(Boolean);
    this.shaded = { index, copies: before, from: [] };
    this.geometry.deleteAttribute('uv');
    this.colors = this.charts = null;
    if (!corners.length) return index;
    for (const list of corners) list.values = this.inOrder(list.values, list.items);
    const parted = splitCorners(index, before, corners);
    this.shaded.from = parted.copied;
    this.copied = Uint32Array.from([...this.copied, ...Array.from(parted.copied, (v) => (v < own ? v : this.copied[v - own]))]);
    const vertices = own + this.copied.length;
    for (const { values, items, name } of corners) {
      const list = new Float32Array(items * vertices);
      for (let i = 0; i < parted.index.length; ++i)
        for (let k = 0; k < items; ++k) list[items * parted.index[i] + k] = values[items * i + k];
      if (name === 'uv') this.geometry.setAttribute('uv', new THREE.BufferAttribute(list, 2)); else this.colors = list;
    }
    this.charts = charts(parted.index, vertices);
    return parted.index;
  }

  // Per corner of the triangles as they are drawn.
  inOrder(values, items) {
    if (!this.triangleOf) return values;
    const out = new values.constructor(values.length), each = 3 * items;
    this.triangleOf.forEach((t, at) => out.set(values.subarray(each * t, each * (t + 1)), each * at));
    return out;
  }

  setMaterials(list) {
    const key = JSON.stringify([list, this.color]);
    if (key === this.slotsKey) return;
    this.slotsKey = key;
    for (const m of this.slots.flat()) m.dispose();
    this.slots = list.map((look) => this.looks.materials(look, this.color));
  }

  triangle(faceIndex) { return this.triangleOf ? this.triangleOf[faceIndex] : faceIndex; }

  // look: { mode, field, range, pieces, opacity }
  dress(look) {
    const colors = this.values && look.range ? 'field' : look.pieces && this.pieces ? 'pieces' : look.field ? 'neutral' : 'own';
    const count = this.geometry.getAttribute('position').count;
    this.asBrought = colors === 'own';
    const vertexColors = colors === 'field' || colors === 'pieces' || (this.asBrought && this.colors !== null);
    if (vertexColors) {
      let attribute = this.geometry.getAttribute('color');
      if (!attribute || attribute.count !== count) {
        attribute = new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage);
        this.geometry.setAttribute('color', attribute);
        this.painted = null;
      }
      if (colors === 'field') {
        paint(this.values, look.range, attribute.array);
        ++this.taken;
        attribute.needsUpdate = true;
        this.painted = null;
      } else if (this.asBrought) {
        if (this.painted !== this.colors) { attribute.array.set(this.colors); attribute.needsUpdate = true; ++this.taken; }
        this.painted = this.colors;
      } else if (this.painted !== this.pieces) {
        this.pieces.forEach((p, i) => attribute.array.set(labelColor(p + 5 * this.number), 3 * i));
        attribute.needsUpdate = true;
        this.painted = this.pieces;
        ++this.taken;
      }
    }
    this.matched = colors === 'field';
    this.useMaterials();
    const see = this.ghost ? 0.28 : this.movable ? look.opacity : 1;
    this.mesh.castShadow = !this.ghost;
    // Back faces of what is whole are never seen, and leaving them out is half of the work.
    const side = this.simple && this.movable && see === 1 && !look.open ? THREE.FrontSide : THREE.DoubleSide;
    const outside = new Set(this.mesh.material.slice(0, -1));
    for (const m of this.mesh.material) if (m.side !== side) { m.side = side; m.needsUpdate = true; }
    for (const m of outside) {
      if (m.vertexColors !== vertexColors || m.flatShading !== (look.mode === 'flat') || m.transparent !== see < 1) {
        m.vertexColors = vertexColors;
        m.flatShading = look.mode === 'flat';
        m.transparent = see < 1;
        m.depthWrite = see === 1;
        m.needsUpdate = true;
      }
      m.opacity = see;
      m.wireframe = look.mode === 'wire' && !this.nodes && this.movable;
    }
    this.material.roughness = 0.5;
    if (vertexColors) this.material.color.setHex(0xffffff);
    else if (colors === 'neutral' && this.movable) this.material.color.setHex(neutral);
    else this.material.color.setRGB(...this.color);
    this.mesh.visible = look.mode !== 'wire' || !this.nodes;
    this.drawEdges(look.mode === 'edges');
    this.drawWire(look.mode === 'wire' && this.nodes, look);
    this.drawCells(look);
    this.drawNodes(look);
  }

  // The triangles of the surface, over it.
  drawEdges(on) {
    if (!on || !this.movable) { if (this.edges) this.edges.visible = false; return; }
    if (!this.edges) {
      this.edges = new THREE.Mesh(this.mesh.geometry, new THREE.MeshBasicMaterial({ wireframe: true, color: 0x10131a, transparent: true, opacity: 0.55, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 }));
      this.edges.frustumCulled = false;
      this.group.add(this.edges);
    }
    this.edges.material.clippingPlanes = this.mesh.material[0].clippingPlanes;
    this.edges.visible = true;
  }

  // Voronoi faces where the particles have taken them; one face or one cell can be filled.
  drawCells(look) {
    const on = look.cells && this.cells && this.nodes && this.tets;
    if (!on) { for (const o of [this.faceLines, this.faceFill, this.faceEdges]) if (o) o.visible = false; return; }
    const { tet, weight, begin, inner, outer } = this.cells, corner = new Float32Array(3 * tet.length);
    for (let i = 0; i < tet.length; ++i)
      for (let k = 0; k < 4; ++k) {
        const node = 3 * this.tets[4 * tet[i] + k], w = weight[4 * i + k];
        corner[3 * i] += w * this.nodes[node]; corner[3 * i + 1] += w * this.nodes[node + 1]; corner[3 * i + 2] += w * this.nodes[node + 2];
      }
    const fill = [], edges = [];
    for (let f = 0; f + 1 < begin.length; ++f) {
      const a = begin[f], b = begin[f + 1];
      const chosen = look.cell >= 0 ? inner[f] === look.cell || outer[f] === look.cell : look.face === f;
      if (!chosen) continue;
      for (let i = a + 2; i < b; ++i) fill.push(a, i - 1, i);
      for (let i = a; i < b; ++i) edges.push(i, i + 1 < b ? i + 1 : a);
    }
    if (!this.faceLines) {
      this.faceLines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x6d8cff, transparent: true, opacity: 0.4 }));
      this.faceFill = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0xffc93c, transparent: true, opacity: 0.65, side: THREE.DoubleSide, depthTest: false }));
      this.faceEdges = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x5a3d00, depthTest: false, transparent: true, opacity: 0.8 }));
      this.faceFill.renderOrder = 900;
      this.faceEdges.renderOrder = 901;
      for (const o of [this.faceLines, this.faceFill, this.faceEdges]) { o.frustumCulled = false; this.group.add(o); }
    }
    if (this.linesOf !== this.cells) {
      this.linesOf = this.cells;
      this.faceLines.geometry.setIndex(new THREE.BufferAttribute(outlines(this.cells), 1));
    }
    const corners = new THREE.BufferAttribute(corner, 3);
    for (const o of [this.faceLines, this.faceFill, this.faceEdges]) { o.geometry.setAttribute('position', corners); o.visible = true; }
    this.faceFill.geometry.setIndex(fill);
    this.faceEdges.geometry.setIndex(edges);
  }

  // Nodes; of bodies of particles, the particles.
  drawNodes(look) {
    if (!look.nodes || !this.nodes) { if (this.dots) this.dots.visible = false; return; }
    if (!this.dots) {
      this.dots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ size: 4, sizeAttenuation: false, color: 0xffb454 }));
      this.dots.frustumCulled = false;
      this.group.add(this.dots);
    }
    this.dots.geometry.setAttribute('position', new THREE.BufferAttribute(this.nodes, 3));
    this.dots.visible = true;
  }

  // The edges of the tets, each once; of bodies of particles, their springs.
  drawWire(on, look) {
    if (!on || !this.tets) { if (this.wire) this.wire.visible = false; return; }
    if (!this.wire) {
      this.wire = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.75 }));
      this.wire.frustumCulled = false;
      this.group.add(this.wire);
    }
    if (this.wireTets !== this.tets) {
      this.wireTets = this.tets;
      const seen = new Set(), edges = [];
      const pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
      for (let t = 0; t < this.tets.length; t += 4)
        for (const [i, j] of pairs) {
          const a = Math.min(this.tets[t + i], this.tets[t + j]), b = Math.max(this.tets[t + i], this.tets[t + j]);
          const key = a * 67108864 + b;
          if (!seen.has(key)) { seen.add(key); edges.push(a, b); }
        }
      this.wire.geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(edges), 1));
    }
    this.wire.geometry.setAttribute('position', new THREE.BufferAttribute(this.nodes, 3));
    this.wire.material.color.setRGB(...(look.field ? [0.5, 0.52, 0.55] : this.color));
    this.wire.visible = true;
  }
}
