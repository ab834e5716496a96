// The view: the bodies, what surrounds them, and the camera. Draws when something changed, and only then.

import * as THREE from './vendor/three.module.js';
import { Orbit } from './orbit.js';
import { Body } from './body.js';
import { Slice } from './slice.js';
import { Scenery } from './scenery.js';
import { Looks } from './looks.js';
import { Marks } from './marks.js';
import { Pace, levels, fewTriangles, whenDrawn } from './detail.js';
import { rangeOf, tidy } from './colors.js';

const rest = 300;  // ms without a change until a still picture is drawn in full

// What the page's own pixels allow; a full picture has two in each direction, so that edges are smooth without a GPU too.
const ratioOf = (detail) => Math.min(detail.ratio, Math.max(1, devicePixelRatio));

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
    this.software = drawsInSoftware();
    this.pace = new Pace(this.software);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, stencil: true, alpha: true });
    this.renderer.setClearAlpha(0);
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.position.set(1, 0.7, 2);
    this.orbit = new Orbit(this.camera, canvas, () => this.draw());
    this.bodies = [];
    this.epoch = -1;
    this.drawn = 0;
    this.slice = new Slice();
    this.look = { mode: 'shaded', field: '', range: null, pieces: false, opacity: 1 };
    this.fixedRange = null;
    this.hidden = new Set();  // names of bodies that are not drawn
    this.ready = new Set();  // called once when the next picture is there
    this.scenery = new Scenery(this.scene);
    this.marks = new Marks(this.scene);
    this.looks = new Looks(this.renderer, () => this.draw());
    this.setTheme(document.documentElement.dataset.theme);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  setTheme(name) {
    this.scenery.setTheme(name, this.canvas);
    this.marks.setTheme(name);
    this.draw();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    if (!(box.width > 0 && box.height > 0)) return;
    this.renderer.setPixelRatio(ratioOf(this.pace.detail));
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
      this.looks.reset();
      this.bodies = picture.bodies.map((_, i) => new Body(this.scene, i, this.looks));
      this.epoch = picture.epoch;
      this.fixedRange = null;
      this.pace.restart();
    }
    // Those of a run that is compared come behind the others, and go again.
    if (picture.bodies.length !== this.bodies.length) {
      for (const body of this.bodies.slice(picture.bodies.length)) body.dispose();
      this.bodies = picture.bodies.map((_, i) => this.bodies[i] || new Body(this.scene, i, this.looks));
    }
    this.looks.take(picture.pictures);
    picture.bodies.forEach((data, i) => this.bodies[i].take(data));
    for (const body of this.bodies) body.group.visible = !this.hidden.has(body.name);
    if (fresh) this.frameScene(scene || {});
    else this.follow();
    this.running = Boolean(picture.info?.playing);
    this.dress(picture.field);
    this.marks.take(picture, this.size || 1);
    // Where drawing is slow, waiting for the screen as well would only make it slower.
    if (this.pace.now > 0 && !this.inFlight && !document.hidden) this.drawNow(); else this.draw();
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
    this.dressBodies();
  }

  dressBodies() {
    this.look.open = this.slice.on;
    for (const body of this.bodies) { body.dress(this.look); this.slice.clip(body); }
  }

  sliceBox() {
    const box = this.subject();
    return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : box;
  }

  subject() {
    const box = new THREE.Box3();
    for (const body of this.bodies) if (body.movable && body.low && body.group.visible) box.union(body.box());
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

  frameScene({ planes, camera }) {
    const box = this.surroundings();
    if (box.isEmpty()) return;
    const size = (this.size = this.orbit.size = box.getSize(new THREE.Vector3()).length());
    const level = (planes || []).filter((p) => p.normal[1] > 0.999).map((p) => p.point[1]);
    const height = level.length ? Math.max(...level) : box.min.y - 0.02 * size;
    if (level.length && box.min.y > height && box.min.y - height < 1.5 * size) box.min.y = height;
    this.scenery.place(box.getCenter(new THREE.Vector3()), height, size);
    this.floating = !level.length;
    this.home = box;
    this.ownCamera = camera;
    this.camera.fov = camera ? camera.fov : 32;
    this.orbit.touched = Boolean(camera);
    this.reach = size;
    if (camera) {
      // Meant for a wide picture: a narrow one is taken from farther off.
      const target = this.orbit.target.fromArray(camera.target), back = Math.max(1, 1.5 / this.camera.aspect);
      this.camera.position.fromArray(camera.eye).sub(target).multiplyScalar(back).add(target);
      this.orbit.apply();
    } else this.orbit.frame(box, 0.56, 0.3);
  }

  // Until somebody moves the camera it goes back far enough to see where bodies get to; not after what flies away.
  follow() {
    const subject = this.subject();
    if (this.floating && !subject.isEmpty()) this.scenery.lower(subject.min.y);
    if (this.orbit.touched || !this.home || subject.isEmpty() || this.home.containsBox(subject)) return;
    const wider = this.home.clone().union(subject);
    if (wider.getSize(new THREE.Vector3()).length() > 3 * this.reach) return;
    this.home = wider;
    this.orbit.frame(wider);
  }

  // Shows a body, or hides it.
  setShown(name, on) {
    if (on) this.hidden.delete(name); else this.hidden.add(name);
    for (const body of this.bodies) body.group.visible = !this.hidden.has(body.name);
    this.draw();
  }

  // From a side: all of it, as the scene wants to be seen or from the front, the right, above, or a corner.
  lookFrom(side) {
    const box = this.surroundings();
    if (box.isEmpty()) return;
    this.orbit.touched = true;
    const [azimuth, elevation] = { front: [0, 0], right: [Math.PI / 2, 0], top: [0, Math.PI / 2 - 0.02], corner: [0.78, 0.5], home: [0.56, 0.3] }[side];
    const camera = this.ownCamera;
    if (side === 'home' && camera) {
      const target = this.orbit.target.fromArray(camera.target), back = Math.max(1, 1.5 / this.camera.aspect);
      this.camera.position.fromArray(camera.eye).sub(target).multiplyScalar(back).add(target);
      this.orbit.apply();
    } else this.orbit.frame(box, azimuth, elevation);
  }

  frameAll() { const box = this.surroundings(); if (!box.isEmpty()) this.orbit.frame(box); }

  // Where the hand is pulling to, before the simulation has answered.
  setTarget(target) { if (this.marks.setTarget(target)) this.draw(); }
  setTorch(at, radius) { this.marks.setTorch(at, radius); this.draw(); }

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
    const meshes = this.bodies.filter((b) => b.low && b.group.visible && !b.ghost).map((b) => b.mesh);
    for (const b of this.bodies) { b.unpack(); b.mesh.geometry = b.geometry; }  // all triangles, whatever is drawn
    for (const hit of caster.intersectObjects(meshes, false)) {
      if (this.slice.on && hit.object.userData.body.movable && this.slice.plane.distanceToPoint(hit.point) < 0) continue;
      const body = hit.object.userData.body;
      const points = body.geometry.getAttribute('position'), { a, b, c } = hit.face;
      const corner = [a, b, c].map((i) => new THREE.Vector3().fromBufferAttribute(points, i));
      const weight = new THREE.Triangle(...corner).getBarycoord(hit.point.clone().sub(body.group.position), new THREE.Vector3());
      if (!weight) continue;
      return { body, triangle: body.triangle(hit.faceIndex), corners: [a, b, c], face: hit.faceIndex, weight: weight.toArray(), point: hit.point.clone(), normal: hit.face.normal.clone() };
    }
    return null;
  }

  // A picture of the view as it is, in full and with its sky.
  still() {
    this.scene.background = this.scenery.background;
    this.drawNow(levels[0]);
    this.scene.background = null;
    const picture = this.canvas.toDataURL('image/png');
    this.draw();
    return picture;
  }

  setDetail(detail) {
    const ratio = detail === levels[0] && this.software ? 2 : ratioOf(detail);
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    const anew = this.scenery.setDetail(detail, this.renderer);
    if (detail !== this.detail || this.bodies !== this.detailed) {
      this.detail = detail;
      this.detailed = this.bodies;
      for (const body of this.bodies) body.setSimple(detail.simple, anew);
      this.dressBodies();
    }
    const many = this.bodies.filter((b) => b.triangles > fewTriangles), total = many.reduce((sum, b) => sum + b.triangles, 0);
    for (const body of this.bodies)
      body.drawWith(body.triangles <= fewTriangles || total <= detail.triangles ? Infinity : Math.max(fewTriangles, (detail.triangles * body.triangles) / total));
  }

  // One picture at a time: a second one that waits in line would only be older when it is seen.
  draw() {
    if (this.pending) return;
    this.pending = true;
    if (!this.inFlight) this.drawSoon();
  }
  drawSoon() {
    const go = () => { clearTimeout(late); if (this.pending && !this.inFlight) this.drawNow(); };
    requestAnimationFrame(go);
    // A browser that draws in software and is short of time may forget to ask for a picture.
    const late = setTimeout(() => { if (!document.hidden) go(); }, 1000);
  }

  drawNow(detail = this.pace.detail) {
    clearTimeout(this.settling);
    this.pending = false;
    this.inFlight = true;
    const subject = this.subject();
    const box = subject.isEmpty() ? this.home || new THREE.Box3(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 1, 1)) : subject;
    this.setDetail(detail);
    this.scenery.follow(this.camera, box.getCenter(new THREE.Vector3()));
    this.renderer.shadowMap.needsUpdate = this.drawn++ % detail.shadowEvery === 0 || detail === levels[0];
    this.renderer.render(this.scene, this.camera);
    const done = this.ready, serial = this.drawn;
    this.ready = new Set();
    whenDrawn(this.renderer.getContext(), (ms) => {
      for (const f of done) f();
      if (serial !== this.drawn) return;  // another one was drawn meanwhile: it goes on from here
      this.inFlight = false;
      this.sharp = detail === levels[0];
      this.drawMs = ms;
      if (detail === this.pace.detail) this.pace.note(ms);
      if (this.pending) this.drawSoon();
      else if (!this.sharp && !this.running) this.settling = setTimeout(() => { if (!this.inFlight) this.drawNow(levels[0]); }, rest);
    });
  }
}
