// The camera goes round a target: drag to turn, with the right button (or Shift) to pan, wheel or pinch to come closer.

import { Vector3, Spherical } from './vendor/three.module.js';

export class Orbit {
  constructor(camera, element, changed) {
    this.camera = camera;
    this.element = element;
    this.changed = changed;
    this.target = new Vector3();
    this.size = 1;          // of what is looked at, m: sets how near and how far one can go
    this.fingers = new Map();
    this.touched = false;   // a person has chosen the view
    element.addEventListener('wheel', (e) => {
      e.preventDefault();
      this.touched = true;
      this.zoom(Math.exp(Math.sign(e.deltaY) * Math.min(0.25, Math.abs(e.deltaY) * 0.0015)), e.clientX, e.clientY);
    }, { passive: false });
  }

  // To be called by whoever hands the pointer over to the camera.
  press(e) {
    this.touched = true;
    this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    this.pan = e.button === 2 || e.button === 1 || e.shiftKey;
  }
  move(e) {
    const before = this.fingers.get(e.pointerId);
    if (!before) return false;
    const dx = e.clientX - before.x, dy = e.clientY - before.y;
    if (this.fingers.size === 2) {
      const [a, b] = [...this.fingers.values()];
      const gap = Math.hypot(a.x - b.x, a.y - b.y);
      before.x = e.clientX; before.y = e.clientY;
      const now = Math.hypot(a.x - b.x, a.y - b.y);
      if (gap > 0 && now > 0) this.zoom(gap / now, (a.x + b.x) / 2, (a.y + b.y) / 2);
      this.slide(dx / 2, dy / 2);
    } else {
      before.x = e.clientX; before.y = e.clientY;
      if (this.pan) this.slide(dx, dy); else this.turn(dx, dy);
    }
    return true;
  }
  release(e) { this.fingers.delete(e.pointerId); }

  turn(dx, dy) {
    const s = new Spherical().setFromVector3(this.camera.position.clone().sub(this.target));
    s.theta -= dx * 0.008;
    s.phi = Math.min(Math.PI - 0.02, Math.max(0.02, s.phi - dy * 0.008));
    this.camera.position.setFromSpherical(s).add(this.target);
    this.apply();
  }
  slide(dx, dy) {
    const distance = this.camera.position.distanceTo(this.target);
    const scale = 2 * distance * Math.tan((this.camera.fov * Math.PI) / 360) / this.element.clientHeight;
    const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0).multiplyScalar(-dx * scale);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1).multiplyScalar(dy * scale);
    this.target.add(right).add(up);
    this.camera.position.add(right).add(up);
    this.apply();
  }
  zoom(factor, x, y) {
    const offset = this.camera.position.clone().sub(this.target);
    const distance = offset.length();
    const next = Math.min(60 * this.size, Math.max(0.02 * this.size, distance * factor));
    // Towards what is under the pointer.
    const box = this.element.getBoundingClientRect();
    const at = new Vector3(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2, 0.5)
      .unproject(this.camera).sub(this.camera.position).normalize();
    const forward = offset.clone().multiplyScalar(-1 / distance);
    const spot = at.multiplyScalar(distance / Math.max(0.2, at.dot(forward))).add(this.camera.position);
    this.target.lerp(spot, 1 - next / distance);
    this.camera.position.copy(this.target).add(offset.multiplyScalar(next / distance));
    this.apply();
  }
  // Shows a box whole, from the present side or a given one.
  frame(box, azimuth, elevation) {
    const center = box.getCenter(new Vector3()), radius = Math.max(1e-9, box.getSize(new Vector3()).length() / 2);
    const fov = (this.camera.fov * Math.PI) / 180;
    const narrow = Math.min(fov, 2 * Math.atan(Math.tan(fov / 2) * this.camera.aspect));
    const direction = azimuth === undefined
      ? this.camera.position.clone().sub(this.target).normalize()
      : new Vector3().setFromSpherical(new Spherical(1, Math.PI / 2 - elevation, azimuth));
    this.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, 1.02 * radius / Math.sin(narrow / 2));
    this.apply();
  }
  apply() {
    const distance = this.camera.position.distanceTo(this.target);
    this.camera.near = Math.max(distance, this.size) / 500;
    this.camera.far = 40 * Math.max(distance, this.size);
    this.camera.up.set(0, 1, 0);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
    this.camera.updateProjectionMatrix();
    this.changed();
  }
}
