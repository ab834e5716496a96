// The view: bodies, ground, light, markers of what the hand does. Draws when something changed, and only then.

import * as THREE from './vendor/three.module.js';
import { Orbit } from './orbit.js';
import { Body } from './body.js';
import { Slice } from './slice.js';
import { rangeOf, tidy } from './colors.js';

const skies = {
  dark: { top: 0x2b3038, bottom: 0x14161a, grid: 0x8b95a5, ground: 0x1c1f25 },
  light: { top: 0xffffff, bottom: 0xdfe4ea, grid: 0x5b6675, ground: 0xf0f2f5 },
};

const coarse = 0.6;  // pixels per pixel of the page while things move, drawn in software

function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    // Without a GPU the browser draws in software: then fewer pixels and simpler light keep it alive.
    this.software = drawsInSoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, stencil: true });
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = this.software ? THREE.BasicShadowMap : THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.position.set(1, 0.7, 2);
    this.orbit = new Orbit(this.camera, canvas, () => this.draw());
    this.bodies = [];
    this.epoch = -1;
    this.slice = new Slice();
    this.look = { mode: 'shaded', field: '', range: null, pieces: false, opacity: 1 };
    this.fixedRange = null;
    this.ready = new Set();  // called once after the next drawing
    this.addLight();
    this.addGround();
    this.addMarkers();
    this.setTheme(document.documentElement.dataset.theme);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  addLight() {
    this.sky = new THREE.HemisphereLight(0xf4f8ff, 0x8a7f74, 1.5);
    this.sun = new THREE.DirectionalLight(0xfff4e4, 2.4);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(this.software ? 512 : 2048, this.software ? 512 : 2048);
    this.sun.shadow.radius = 5;
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  addGround() {
    this.shadowPlane = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new THREE.ShadowMaterial({ opacity: 0.3 }));
    this.shadowPlane.receiveShadow = true;
    // Lines every decade of the size, fading out with distance.
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new THREE.ShaderMaterial({
      transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: { cell: { value: 1 }, reach: { value: 1 }, middle: { value: new THREE.Vector3() }, color: { value: new THREE.Color() }, strength: { value: 0.5 } },
      vertexShader: 'varying vec3 p; void main() { vec4 w = modelMatrix * vec4(position, 1.0); p = w.xyz; gl_Position = projectionMatrix * viewMatrix * w; }',
      fragmentShader: `varying vec3 p; uniform float cell, reach, strength; uniform vec3 color, middle;
        float lines(float size) { vec2 q = p.xz / size; vec2 d = abs(fract(q - 0.5) - 0.5) / fwidth(q); return 1.0 - min(min(d.x, d.y), 1.0); }
        void main() {
          float fade = 1.0 - smoothstep(0.15, 1.0, length(p.xz - middle.xz) / reach);
          float a = max(0.35 * lines(cell), 0.8 * lines(10.0 * cell)) * fade * strength;
          gl_FragColor = vec4(color, a);
        }` }));
    this.grid.renderOrder = -1;
    this.scene.add(this.shadowPlane, this.grid);
  }

  addMarkers() {
    const sphere = new THREE.SphereGeometry(1, 20, 14);
    const plain = (color, opacity = 1) => new THREE.MeshBasicMaterial({ color, transparent: opacity < 1, opacity, depthTest: false });
    this.handle = new THREE.Mesh(sphere, plain(0xffffff));
    this.aim = new THREE.Mesh(sphere, plain(0x19b394));
    this.spring = new THREE.Line(new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3)),
      new THREE.LineBasicMaterial({ color: 0x19b394, depthTest: false }));
    this.torch = new THREE.Mesh(sphere, plain(0xff7a2f, 0.35));
    this.pinMarks = new THREE.InstancedMesh(sphere, plain(0xffc93c), 256);
    this.pinMarks.count = 0;
    this.pinMarks.frustumCulled = false;
    this.contacts = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x21c7ff, depthTest: false }));
    this.contactDots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0x21c7ff, size: 5, sizeAttenuation: false, depthTest: false }));
    this.contacts.frustumCulled = this.contactDots.frustumCulled = this.spring.frustumCulled = false;
    for (const o of [this.handle, this.aim, this.spring, this.torch, this.pinMarks, this.contacts, this.contactDots]) {
      o.renderOrder = 1000;
      o.visible = false;
      this.scene.add(o);
    }
  }

  setTheme(name) {
    const sky = skies[name] || skies.dark;
    const c = document.createElement('canvas');
    c.width = 2; c.height = 128;
    const context = c.getContext('2d'), blend = context.createLinearGradient(0, 0, 0, 128);
    blend.addColorStop(0, `#${sky.top.toString(16).padStart(6, '0')}`);
    blend.addColorStop(1, `#${sky.bottom.toString(16).padStart(6, '0')}`);
    context.fillStyle = blend;
    context.fillRect(0, 0, 2, 128);
    this.scene.background?.dispose?.();
    this.scene.background = new THREE.CanvasTexture(c);
    this.scene.background.colorSpace = THREE.SRGBColorSpace;
    this.grid.material.uniforms.color.value.setHex(sky.grid);
    this.grid.material.uniforms.strength.value = name === 'light' ? 0.32 : 0.45;
    this.shadowPlane.material.opacity = name === 'light' ? 0.22 : 0.42;
    this.handle.material.color.setHex(name === 'light' ? 0x10131a : 0xffffff);
    this.draw();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    if (!(box.width > 0 && box.height > 0)) return;
    this.sharp = !this.software;
    this.renderer.setPixelRatio(this.software ? coarse : Math.min(2, devicePixelRatio));
    this.renderer.setSize(box.width, box.height, false);
    this.camera.aspect = box.width / box.height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  // A new picture from the simulation.
  take(picture, scene) {
    const fresh = picture.epoch !== this.epoch;
    if (fresh) {
      for (const body of this.bodies) body.dispose();
      this.bodies = picture.bodies.map((_, i) => new Body(this.scene, i, this.software));
      this.epoch = picture.epoch;
      this.fixedRange = null;
    }
    picture.bodies.forEach((data, i) => this.bodies[i].take(data));
    if (fresh) this.settle(scene || {});
    this.running = Boolean(picture.info?.playing);
    this.dress(picture.field);
    this.mark(picture);
    this.draw();
  }

  dress(field) {
    if (field !== this.look.shownField) { this.autoRange = null; this.look.shownField = field; }
    let range = this.fixedRange;
    if (field && !range) {
      const seen = rangeOf(this.bodies.filter((b) => b.values).map((b) => b.values));
      if (seen) {
        // It grows at once and shrinks slowly, so that colours do not flicker.
        const old = this.autoRange;
        this.autoRange = old ? [Math.min(seen[0], old[0] + 0.02 * (seen[0] - old[0])), Math.max(seen[1], old[1] + 0.02 * (seen[1] - old[1]))] : seen;
        range = tidy(this.autoRange);
      }
    }
    this.look.range = field ? range : null;
    this.look.field = field;
    this.slice.range = this.look.range;
    if (this.slice.on) this.slice.place(this.slice.axis || 'z', this.slice.at ?? 0.5, this.slice.flip, this.sliceBox());
    for (const body of this.bodies) { body.dress(this.look); this.slice.clip(body); }
  }

  sliceBox() {
    const box = this.subject();
    return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : box;
  }

  subject() {
    const box = new THREE.Box3();
    for (const body of this.bodies) if (body.movable && body.low) box.union(body.box());
    if (box.isEmpty()) for (const body of this.bodies) if (body.low) box.union(body.box());
    return box;
  }

  // What the camera should show at first: the bodies, and scenery that is not much larger.
  surroundings() {
    const box = this.subject(), size = box.getSize(new THREE.Vector3()).length();
    for (const body of this.bodies)
      if (!body.movable && body.low && 2 * body.radius < 6 * size) box.union(body.box());
    return box;
  }

  settle({ planes, camera }) {
    const box = this.surroundings();
    if (box.isEmpty()) return;
    const size = box.getSize(new THREE.Vector3()).length();
    this.size = size;
    this.orbit.size = size;
    const level = (planes || []).filter((p) => p.normal[1] > 0.999).map((p) => p.point[1]);
    this.groundHeight = level.length ? Math.max(...level) : box.min.y - 0.02 * size;
    const ground = level.length > 0;
    if (ground && box.min.y > this.groundHeight && box.min.y - this.groundHeight < 1.5 * size) box.min.y = this.groundHeight;
    const middle = box.getCenter(new THREE.Vector3());
    for (const o of [this.shadowPlane, this.grid]) {
      o.scale.setScalar(40 * size);
      o.position.set(middle.x, this.groundHeight + (o === this.grid ? 1e-4 * size : 0), middle.z);
    }
    const uniforms = this.grid.material.uniforms;
    uniforms.cell.value = 10 ** Math.floor(Math.log10(size / 3));
    uniforms.reach.value = 6 * size;
    uniforms.middle.value.copy(middle);
    this.home = box;
    this.camera.fov = camera ? camera.fov : 32;
    if (camera) {
      this.camera.position.fromArray(camera.eye);
      this.orbit.target.fromArray(camera.target);
      this.orbit.apply();
    } else this.orbit.frame(box, 0.56, 0.3);
  }

  frameAll() { const box = this.surroundings(); if (!box.isEmpty()) this.orbit.frame(box); }

  mark(picture) {
    const info = picture.info || {};
    const dot = 0.008 * (this.size || 1);
    const holding = Boolean(info.held);
    for (const o of [this.handle, this.aim, this.spring]) o.visible = holding;
    if (holding) {
      this.handle.position.fromArray(info.held);
      this.aim.position.fromArray(this.localTarget || info.target);
      this.handle.scale.setScalar(dot); this.aim.scale.setScalar(0.8 * dot);
      this.placeSpring();
    }
    const pins = info.pins || [];
    this.pinMarks.count = Math.min(256, pins.length / 3);
    this.pinMarks.visible = this.pinMarks.count > 0;
    const m = new THREE.Matrix4();
    for (let i = 0; i < this.pinMarks.count; ++i)
      this.pinMarks.setMatrixAt(i, m.makeScale(dot, dot, dot).setPosition(pins[3 * i], pins[3 * i + 1], pins[3 * i + 2]));
    this.pinMarks.instanceMatrix.needsUpdate = true;
    const contacts = picture.contacts;
    this.contacts.visible = this.contactDots.visible = Boolean(contacts && contacts.length);
    if (this.contacts.visible) {
      let most = 0;
      for (let i = 0; i < contacts.length; i += 6) most = Math.max(most, Math.hypot(contacts[i + 3], contacts[i + 4], contacts[i + 5]));
      const scale = most > 0 ? 0.15 * this.size / most : 0;
      const points = new Float32Array(contacts.length), feet = new Float32Array(contacts.length / 2);
      for (let i = 0; i < contacts.length; i += 6)
        for (let k = 0; k < 3; ++k) { points[i + k] = feet[i / 2 + k] = contacts[i + k]; points[i + 3 + k] = contacts[i + k] + scale * contacts[i + 3 + k]; }
      this.contacts.geometry.setAttribute('position', new THREE.BufferAttribute(points, 3));
      this.contactDots.geometry.setAttribute('position', new THREE.BufferAttribute(feet, 3));
    }
  }

  placeSpring() {
    const line = this.spring.geometry.getAttribute('position');
    this.handle.position.toArray(line.array, 0);
    this.aim.position.toArray(line.array, 3);
    line.needsUpdate = true;
  }

  // Where the hand is pulling to, before the simulation has answered.
  setTarget(target) {
    this.localTarget = target ? target.toArray() : null;
    if (target && this.aim.visible) { this.aim.position.copy(target); this.placeSpring(); this.draw(); }
  }

  ray(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const caster = this.caster || (this.caster = new THREE.Raycaster());
    caster.setFromCamera(at, this.camera);
    return caster;
  }

  // The nearest point of a body under the pointer: { body, triangle, weight, point, normal }.
  pick(event) {
    const caster = this.ray(event);
    this.scene.updateMatrixWorld();
    const meshes = this.bodies.filter((b) => b.low).map((b) => b.mesh);
    for (const hit of caster.intersectObjects(meshes, false)) {
      if (this.slice.on && hit.object.userData.body.movable && this.slice.plane.distanceToPoint(hit.point) < 0) continue;
      const body = hit.object.userData.body;
      const points = body.geometry.getAttribute('position'), { a, b, c } = hit.face;
      const corner = [a, b, c].map((i) => new THREE.Vector3().fromBufferAttribute(points, i));
      const weight = new THREE.Triangle(...corner).getBarycoord(hit.point.clone().sub(body.group.position), new THREE.Vector3());
      if (!weight) continue;
      return { body, triangle: body.triangle(hit.faceIndex), weight: weight.toArray(), point: hit.point.clone(), normal: hit.face.normal.clone() };
    }
    return null;
  }

  // Without a GPU: fewer pixels while things move, all of them once nothing has for a moment. Changing their number waits
  // for all drawing to end, so it is never done between the pictures of a simulation that runs.
  setSharpness() {
    clearTimeout(this.settling);
    const sharp = Boolean(this.wantSharp);
    if (sharp !== this.sharp) {
      this.sharp = sharp;
      this.renderer.setPixelRatio(sharp ? Math.min(2, devicePixelRatio) : coarse);
    }
    if (!sharp && !this.running) this.settling = setTimeout(() => { this.wantSharp = true; this.drawNow(); this.wantSharp = false; }, 400);
  }

  // A picture of the view as it is, with all its pixels.
  still() {
    this.wantSharp = true;
    this.drawNow();
    this.wantSharp = false;
    return this.canvas.toDataURL('image/png');
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    const go = () => { if (!this.pending) return; this.pending = false; clearTimeout(late); this.drawNow(); };
    requestAnimationFrame(go);
    // A browser that draws in software and is short of time may forget to ask for a picture.
    const late = setTimeout(() => { if (!document.hidden) go(); }, 1000);
  }

  drawNow() {
    const box = this.home || new THREE.Box3(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 1, 1));
    const subject = this.subject();
    const center = (subject.isEmpty() ? box : subject).getCenter(new THREE.Vector3()), size = this.size || 2;
    // The sun stands over the camera's left shoulder; its shadow map follows the bodies.
    const side = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0).setY(0).normalize();
    const back = this.camera.position.clone().sub(center).setY(0).normalize();
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(side, -0.9 * size).addScaledVector(back, 0.5 * size).add(new THREE.Vector3(0, 1.7 * size, 0));
    const shadow = this.sun.shadow.camera, reach = 1.1 * size;
    shadow.left = shadow.bottom = -reach; shadow.right = shadow.top = reach;
    shadow.near = 0.05 * size; shadow.far = 6 * size;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.bias = -0.0005;
    this.grid.visible = this.showGrid !== false && this.camera.position.y > this.grid.position.y;
    this.shadowPlane.visible = this.camera.position.y > this.shadowPlane.position.y;
    if (this.software) this.setSharpness();
    this.renderer.render(this.scene, this.camera);
    this.drawn = (this.drawn || 0) + 1;
    const done = [...this.ready];
    this.ready.clear();
    for (const f of done) f();
  }
}
