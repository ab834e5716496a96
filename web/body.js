// One body in the view: its seen surface, its tets, and where a plane cuts it open.

import * as THREE from './vendor/three.module.js';
import { coarsened } from './detail.js';
import { paint, labelColor } from './colors.js';

// Area-weighted normals; three's own version makes an object per corner.
function normals(points, index, out) {
  out.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    out[a] += nx; out[a + 1] += ny; out[a + 2] += nz;
    out[b] += nx; out[b + 1] += ny; out[b + 2] += nz;
    out[c] += nx; out[c + 1] += ny; out[c + 2] += nz;
  }
  // The length does not matter: the shader makes them unit vectors.
}

const neutral = 0xb9bcc2;

export class Body {
  constructor(scene, number) {
    this.scene = scene;
    this.number = number;
    this.group = new THREE.Group();
    scene.add(this.group);
    // Materials for full light and for simple light; the ones in use are `material` and `crackMaterial`.
    this.materials = [THREE.MeshStandardMaterial, THREE.MeshLambertMaterial].map((Material) =>
      [new Material({ side: THREE.DoubleSide }), new Material({ color: 0xe8c9a0, flatShading: true, side: THREE.DoubleSide })]);
    this.geometry = new THREE.BufferGeometry();
    this.coarse = new THREE.BufferGeometry();  // the same vertices, fewer triangles
    this.mesh = new THREE.Mesh(this.geometry);
    this.setSimple(false);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.userData.body = this;
    this.group.add(this.mesh);
    this.triangleOf = null;  // place in the index → number of the triangle
    this.radius = 1;
    this.taken = 0;          // goes up when positions or colours change
  }

  get triangles() { return (this.geometry.index?.count || 0) / 3; }

  // anew: shadows have changed, so that both must be built again.
  setSimple(simple, anew) {
    [this.material, this.crackMaterial] = this.mesh.material = this.materials[simple ? 1 : 0];
    if (anew) for (const m of this.materials.flat()) m.needsUpdate = true;
  }

  // Makes ready to be drawn with about so many triangles. What is picked and measured are all of them.
  drawWith(wanted) {
    const full = wanted >= this.triangles;
    this.mesh.geometry = full ? this.geometry : this.coarse;
    if (full || this.coarseOf !== this.geometry.index) this.freshenNormals();
    if (full) return;
    const { position, normal, color } = this.geometry.attributes;
    if (this.coarseOf !== this.geometry.index || this.coarseWanted !== wanted) {
      this.coarseOf = this.geometry.index;
      this.coarseWanted = wanted;
      const { vertices, index, groups } = coarsened(position.array, normal.array, this.geometry.index.array, this.geometry.groups, wanted);
      this.coarse.dispose();
      this.coarse.setIndex(new THREE.BufferAttribute(index, 1));
      this.coarse.groups = groups;
      this.kept = vertices;
      for (const name of ['position', 'normal', 'color']) this.coarse.deleteAttribute(name);
      this.coarseTaken = -1;
    }
    if (this.coarseTaken === this.taken) return;
    this.coarseTaken = this.taken;
    this.gather('position', position);
    normals(this.coarse.attributes.position.array, this.coarse.index.array, this.gather('normal'));
    if (color) this.gather('color', color);
  }

  // The coarse surface's own array of three numbers per vertex, taken from the full one's where that is given.
  gather(name, from) {
    let to = this.coarse.getAttribute(name);
    if (!to) {
      to = new THREE.BufferAttribute(new Float32Array(3 * this.kept.length), 3).setUsage(THREE.DynamicDrawUsage);
      this.coarse.setAttribute(name, to);
    }
    if (from)
      for (let i = 0, at = 0; i < this.kept.length; ++i) {
        const v = 3 * this.kept[i];
        to.array[at++] = from.array[v]; to.array[at++] = from.array[v + 1]; to.array[at++] = from.array[v + 2];
      }
    to.needsUpdate = true;
    return to.array;
  }

  freshenNormals() {
    if (!this.normalsStale) return;
    this.normalsStale = false;
    const { position, normal } = this.geometry.attributes;
    normals(position.array, this.geometry.index.array, normal.array);
    normal.needsUpdate = true;
  }

  dispose() {
    this.scene.remove(this.group);
    this.coarse.dispose();
    for (const m of this.materials.flat()) m.dispose();
    this.mesh.geometry = this.geometry;
    for (const object of [this.mesh, this.wire, this.faceLines, this.faceFill, this.dots, this.section, this.outline, ...(this.stencils || [])]) {
      if (!object) continue;
      object.geometry.dispose();
      for (const m of [].concat(object.material)) m.dispose();
    }
  }

  get movable() { return this.kind !== 'obstacle'; }

  take(data) {
    this.name = data.name;
    this.kind = data.kind;
    this.color = data.color;
    if (data.points16) data.points = this.unpack(data.points16, data.size);
    if (data.triangles) this.setTriangles(data);
    if (data.points) {
      const points = this.geometry.getAttribute('position');
      if (!points || points.array.length !== data.points.length) {
        this.geometry.setAttribute('position', new THREE.BufferAttribute(data.points, 3).setUsage(THREE.DynamicDrawUsage));
        this.geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(data.points.length), 3).setUsage(THREE.DynamicDrawUsage));
      } else {
        points.array = data.points;
        points.needsUpdate = true;
      }
      this.normalsStale = true;
      ++this.taken;
      this.bound(data.points);
    }
    if (data.origin) this.group.position.fromArray(data.origin);
    this.values = data.values;
    this.unit = data.unit;
    if (data.tets) this.tets = data.tets;
    if (data.cell_tet) this.cells = { tet: data.cell_tet, weight: data.cell_weight, begin: data.cell_begin, inner: data.cell_inner, outer: new Int32Array(data.cell_outer) };
    this.nodes = data.nodes;
    this.tetValues = data.tet_values;
    this.nodeValues = data.node_values;
  }

  // Positions that came as 65536ths of the body's box, into the array that is drawn.
  unpack(packed, size) {
    const kept = this.geometry.getAttribute('position')?.array;
    const points = kept?.length === packed.length ? kept : new Float32Array(packed.length);
    const sx = size[0] / 65535, sy = size[1] / 65535, sz = size[2] / 65535;
    for (let i = 0; i < packed.length; i += 3) {
      points[i] = packed[i] * sx - 0.5 * size[0];
      points[i + 1] = packed[i + 1] * sy - 0.5 * size[1];
      points[i + 2] = packed[i + 2] * sz - 0.5 * size[2];
    }
    return points;
  }

  bound(points) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; i += 3)
      for (let k = 0; k < 3; ++k) {
        const v = points[i + k];
        if (v < low[k]) low[k] = v;
        if (v > high[k]) high[k] = v;
      }
    this.low = low; this.high = high;
    this.radius = 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
    const sphere = this.geometry.boundingSphere || (this.geometry.boundingSphere = new THREE.Sphere());
    sphere.center.set(...low.map((l, k) => (l + high[k]) / 2));
    sphere.radius = this.radius;
  }

  // Enclosed by the surface, m³: a sixth of the sum of the corners' triple products.
  volume() {
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

  // Crack faces go last, so that they can have a material of their own.
  setTriangles({ triangles, crack, piece, points }) {
    const count = triangles.length / 3;
    let index = triangles;
    this.triangleOf = null;
    this.geometry.clearGroups();
    let whole = count;
    if (crack && crack.some((c) => c > 0)) {
      index = new Uint32Array(triangles.length);
      this.triangleOf = new Uint32Array(count);
      let at = 0;
      for (const wanted of [0, 1]) {
        for (let t = 0; t < count; ++t) {
          if ((crack[t] > 0 ? 1 : 0) !== wanted) continue;
          index.set(triangles.subarray(3 * t, 3 * t + 3), 3 * at);
          this.triangleOf[at++] = t;
        }
        if (wanted === 0) whole = at;
      }
    }
    this.geometry.addGroup(0, 3 * whole, 0);
    if (whole < count) this.geometry.addGroup(3 * whole, 3 * (count - whole), 1);
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.pieces = null;
    if (piece && points) {
      this.pieces = new Float32Array(points.length / 3);
      for (let t = 0; t < count; ++t) for (let k = 0; k < 3; ++k) this.pieces[triangles[3 * t + k]] = piece[t];
      this.pieceCount = 1 + piece.reduce((a, b) => Math.max(a, b), 0);
    }
  }

  triangle(faceIndex) { return this.triangleOf ? this.triangleOf[faceIndex] : faceIndex; }

  // look: { mode, field, range, pieces, opacity }
  dress(look) {
    const colors = this.values && look.range ? 'field' : look.pieces && this.pieces ? 'pieces' : look.field ? 'neutral' : 'own';
    const count = this.geometry.getAttribute('position').count;
    if (colors === 'field' || colors === 'pieces') {
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
      } else if (this.painted !== this.pieces) {
        this.pieces.forEach((p, i) => attribute.array.set(labelColor(p), 3 * i));
        attribute.needsUpdate = true;
        this.painted = this.pieces;
        ++this.taken;
      }
    }
    const material = this.material;
    const vertexColors = colors === 'field' || colors === 'pieces';
    const see = this.movable ? look.opacity : 1;
    if (material.vertexColors !== vertexColors || material.flatShading !== (look.mode === 'flat') || material.transparent !== see < 1) {
      material.vertexColors = vertexColors;
      material.flatShading = look.mode === 'flat';
      material.transparent = see < 1;
      material.depthWrite = see === 1;
      material.needsUpdate = true;
    }
    material.opacity = see;
    material.roughness = colors === 'field' ? 0.85 : 0.5;
    if (vertexColors) material.color.setHex(0xffffff);
    else if (colors === 'neutral' && this.movable) material.color.setHex(neutral);
    else material.color.setRGB(...this.color);
    this.mesh.visible = look.mode !== 'wire' || !this.nodes;
    material.wireframe = look.mode === 'wire' && !this.nodes && this.movable;
    this.drawWire(look.mode === 'wire' && this.nodes, look);
    this.drawCells(look);
    this.drawNodes(look);
  }

  // Voronoi faces where the particles have taken them; one face or one cell can be filled.
  drawCells(look) {
    const on = look.cells && this.cells && this.nodes && this.tets;
    if (!on) { for (const o of [this.faceLines, this.faceFill]) if (o) o.visible = false; return; }
    const { tet, weight, begin, inner, outer } = this.cells, corner = new Float32Array(3 * tet.length);
    for (let i = 0; i < tet.length; ++i)
      for (let k = 0; k < 4; ++k) {
        const node = 3 * this.tets[4 * tet[i] + k], w = weight[4 * i + k];
        corner[3 * i] += w * this.nodes[node]; corner[3 * i + 1] += w * this.nodes[node + 1]; corner[3 * i + 2] += w * this.nodes[node + 2];
      }
    const faces = begin.length - 1, lines = [], fill = [];
    for (let f = 0; f < faces; ++f) {
      const a = begin[f], b = begin[f + 1];
      for (let i = a; i < b; ++i) lines.push(i, i + 1 < b ? i + 1 : a);
      const chosen = look.cell >= 0 ? inner[f] === look.cell || outer[f] === look.cell : look.face === f;
      if (chosen) for (let i = a + 2; i < b; ++i) fill.push(a, i - 1, i);
    }
    if (!this.faceLines) {
      this.faceLines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x6d8cff, transparent: true, opacity: 0.4 }));
      this.faceFill = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0xffc93c, transparent: true, opacity: 0.65, side: THREE.DoubleSide, depthTest: false }));
      this.faceFill.renderOrder = 900;
      for (const o of [this.faceLines, this.faceFill]) { o.frustumCulled = false; this.group.add(o); }
    }
    for (const [o, index] of [[this.faceLines, lines], [this.faceFill, fill]]) {
      o.geometry.setAttribute('position', new THREE.BufferAttribute(corner, 3));
      o.geometry.setIndex(index);
      o.visible = index.length > 0;
    }
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
