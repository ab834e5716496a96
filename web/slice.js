// Cutting bodies open with a plane: the surface is clipped, and where the plane is inside it, the tets that it meets are
// drawn. The stencil buffer says where inside is (each back face that is seen through the opening counts one up, each
// front face one down), so that tets which stick out of the seen surface do not show.

import * as THREE from './vendor/three.module.js';
import { paint } from './colors.js';

export class Slice {
  constructor() {
    this.plane = new THREE.Plane(new THREE.Vector3(0, 0, -1), 0);
    this.on = false;
  }

  // axis: 'x', 'y', 'z'; at: 0 … 1 through the box; flip: which half stays.
  place(axis, at, flip, box) {
    const k = 'xyz'.indexOf(axis), sign = flip ? 1 : -1;
    const normal = new THREE.Vector3().setComponent(k, sign);
    const size = box.max.getComponent(k) - box.min.getComponent(k);
    const here = box.min.getComponent(k) + (0.001 + 0.998 * at) * size;
    this.plane.set(normal, -sign * here);
  }

  clip(body) {
    const planes = this.on && body.movable ? [this.plane] : null;
    for (const m of body.mesh.material)
      if (Boolean(m.clippingPlanes) !== Boolean(planes)) { m.clippingPlanes = planes; m.needsUpdate = true; }
    if (!planes || !body.nodes || !body.tets) {
      for (const o of [body.section, body.outline, ...(body.stencils || [])]) if (o) o.visible = false;
      return;
    }
    body.unpack();
    if (!body.section) this.prepare(body);
    this.cut(body);
  }

  prepare(body) {
    body.stencils = [[THREE.BackSide, THREE.IncrementWrapStencilOp], [THREE.FrontSide, THREE.DecrementWrapStencilOp]].map(([side, op]) => {
      const material = new THREE.MeshBasicMaterial({
        depthWrite: false, depthTest: false, colorWrite: false, stencilWrite: true, stencilFunc: THREE.AlwaysStencilFunc,
        side, clippingPlanes: [this.plane], stencilFail: op, stencilZFail: op, stencilZPass: op,
      });
      const mesh = new THREE.Mesh(body.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 10 + 4 * body.number;
      body.group.add(mesh);
      return mesh;
    });
    const inside = { stencilWrite: true, stencilRef: 0, stencilFunc: THREE.NotEqualStencilFunc };
    body.section = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({
      side: THREE.DoubleSide, vertexColors: true, toneMapped: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, ...inside }));
    body.section.renderOrder = 11 + 4 * body.number;
    body.outline = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({
      color: 0x2a2d33, ...inside }));
    body.outline.renderOrder = 12 + 4 * body.number;
    body.outline.onAfterRender = (renderer) => renderer.clearStencil();
    for (const o of [body.section, body.outline]) { o.frustumCulled = false; body.group.add(o); }
  }

  cut(body) {
    const { tets, nodes } = body, n = this.plane.normal, p = body.group.position;
    const offset = this.plane.constant + n.x * p.x + n.y * p.y + n.z * p.z;
    const height = new Float32Array(nodes.length / 3);
    for (let i = 0; i < height.length; ++i)
      height[i] = n.x * nodes[3 * i] + n.y * nodes[3 * i + 1] + n.z * nodes[3 * i + 2] + offset;
    const points = [], values = [], lines = [];
    const pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    const corner = [];
    for (let t = 0; t < tets.length; t += 4) {
      corner.length = 0;
      let up = 0;
      for (let k = 0; k < 4; ++k) if (height[tets[t + k]] > 0) ++up;
      if (up === 0 || up === 4) continue;
      for (const [i, j] of pairs) {
        const a = tets[t + i], b = tets[t + j], ha = height[a], hb = height[b];
        if (ha > 0 === hb > 0) continue;
        const s = ha / (ha - hb);
        corner.push([nodes[3 * a] + s * (nodes[3 * b] - nodes[3 * a]), nodes[3 * a + 1] + s * (nodes[3 * b + 1] - nodes[3 * a + 1]),
          nodes[3 * a + 2] + s * (nodes[3 * b + 2] - nodes[3 * a + 2]),
          body.nodeValues ? body.nodeValues[a] + s * (body.nodeValues[b] - body.nodeValues[a]) : body.tetValues ? body.tetValues[t / 4] : 0]);
      }
      // Four corners come in the order of the edges; 0 1 3 2 goes round.
      const round = corner.length === 4 ? [corner[0], corner[1], corner[3], corner[2]] : corner;
      for (let k = 2; k < round.length; ++k)
        for (const c of [round[0], round[k - 1], round[k]]) { points.push(c[0], c[1], c[2]); values.push(c[3]); }
      for (let k = 0; k < round.length; ++k) {
        const c = round[k], d = round[(k + 1) % round.length];
        lines.push(c[0], c[1], c[2], d[0], d[1], d[2]);
      }
    }
    const geometry = body.section.geometry;
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(points), 3));
    const normal = new Float32Array(points.length);
    for (let i = 0; i < normal.length; i += 3) { normal[i] = -n.x; normal[i + 1] = -n.y; normal[i + 2] = -n.z; }
    geometry.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
    const colors = new Float32Array(points.length);
    if (this.range && (body.nodeValues || body.tetValues)) paint(values, this.range, colors);
    else for (let i = 0; i < colors.length; ++i) colors[i] = 0.65 * body.color[i % 3] + 0.18;
    geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
    body.outline.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(lines), 3));
    for (const o of [body.section, body.outline, ...body.stencils]) o.visible = true;
  }
}
