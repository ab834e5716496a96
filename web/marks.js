// Markers of what the hand does, of pins, and of contacts: drawn over everything.

import * as THREE from './vendor/three.module.js';

const most = 256;  // pins that are marked

export class Marks {
  constructor(scene) {
    const sphere = new THREE.SphereGeometry(1, 20, 14);
    const plain = (color, opacity = 1) => new THREE.MeshBasicMaterial({ color, transparent: opacity < 1, opacity, depthTest: false });
    this.handle = new THREE.Mesh(sphere, plain(0xffffff));
    this.aim = new THREE.Mesh(sphere, plain(0x19b394));
    this.spring = new THREE.Line(new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3)),
      new THREE.LineBasicMaterial({ color: 0x19b394, depthTest: false }));
    this.torch = new THREE.Mesh(sphere, plain(0xff7a2f, 0.35));
    this.pins = new THREE.InstancedMesh(sphere, plain(0xffc93c), most);
    this.contacts = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x21c7ff, depthTest: false }));
    this.contactDots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0x21c7ff, size: 5, sizeAttenuation: false, depthTest: false }));
    for (const o of [this.handle, this.aim, this.spring, this.torch, this.pins, this.contacts, this.contactDots]) {
      o.renderOrder = 1000;
      o.frustumCulled = o.visible = false;
      scene.add(o);
    }
  }

  setTheme(name) { this.handle.material.color.setHex(name === 'light' ? 0x10131a : 0xffffff); }

  // size: of the scene, m.
  take({ info = {}, contacts }, size) {
    const dot = 0.008 * size, holding = Boolean(info.held);
    for (const o of [this.handle, this.aim, this.spring]) o.visible = holding;
    if (holding) {
      this.handle.position.fromArray(info.held);
      this.aim.position.fromArray(this.target || info.target);
      this.handle.scale.setScalar(dot); this.aim.scale.setScalar(0.8 * dot);
      this.placeSpring();
    }
    this.placePins(info.pins || [], dot);
    this.placeContacts(contacts, size);
  }

  placeSpring() {
    const line = this.spring.geometry.getAttribute('position');
    this.handle.position.toArray(line.array, 0);
    this.aim.position.toArray(line.array, 3);
    line.needsUpdate = true;
  }

  placePins(pins, dot) {
    this.pins.count = Math.min(most, pins.length / 3);
    this.pins.visible = this.pins.count > 0;
    const m = new THREE.Matrix4();
    for (let i = 0; i < this.pins.count; ++i)
      this.pins.setMatrixAt(i, m.makeScale(dot, dot, dot).setPosition(pins[3 * i], pins[3 * i + 1], pins[3 * i + 2]));
    this.pins.instanceMatrix.needsUpdate = true;
  }

  // Six numbers per contact: where it is, and the force, whose longest is drawn 15 % of the scene long.
  placeContacts(contacts, size) {
    this.contacts.visible = this.contactDots.visible = Boolean(contacts && contacts.length);
    this.longest = 0;
    if (!this.contacts.visible) return;
    let most = 0;
    for (let i = 0; i < contacts.length; i += 6) most = Math.max(most, Math.hypot(contacts[i + 3], contacts[i + 4], contacts[i + 5]));
    this.longest = most;
    const scale = most > 0 ? (0.15 * size) / most : 0;
    const points = new Float32Array(contacts.length), feet = new Float32Array(contacts.length / 2);
    for (let i = 0; i < contacts.length; i += 6)
      for (let k = 0; k < 3; ++k) { points[i + k] = feet[i / 2 + k] = contacts[i + k]; points[i + 3 + k] = contacts[i + k] + scale * contacts[i + 3 + k]; }
    this.contacts.geometry.setAttribute('position', new THREE.BufferAttribute(points, 3));
    this.contactDots.geometry.setAttribute('position', new THREE.BufferAttribute(feet, 3));
  }

  // Where the hand is pulling to, before the simulation has answered. True when that is seen.
  setTarget(target) {
    this.target = target ? target.toArray() : null;
    if (!target || !this.aim.visible) return false;
    this.aim.position.copy(target);
    this.placeSpring();
    return true;
  }

  setTorch(at, radius) {
    this.torch.visible = Boolean(at);
    if (at) { this.torch.position.copy(at); this.torch.scale.setScalar(radius); }
  }
}
