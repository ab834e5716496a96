// Light, ground and sky round the bodies.

import * as THREE from './vendor/three.module.js';

const skies = {
  dark: { top: '#2b3038', bottom: '#14161a', grid: 0x8b95a5, gridStrength: 0.45, shadow: 0.42 },
  light: { top: '#ffffff', bottom: '#dfe4ea', grid: 0x5b6675, gridStrength: 0.32, shadow: 0.22 },
};

export class Scenery {
  constructor(scene) {
    this.showGrid = true;
    this.sky = new THREE.HemisphereLight(0xf4f8ff, 0x8a7f74, 1.5);
    this.sun = new THREE.DirectionalLight(0xfff4e4, 2.4);
    this.sun.castShadow = true;
    this.sun.shadow.radius = 5;
    const flat = () => new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2);
    this.shadow = new THREE.Mesh(flat(), new THREE.ShadowMaterial({ depthWrite: false }));
    this.shadow.receiveShadow = true;
    // Lines every decade of the size, fading out with distance.
    this.grid = new THREE.Mesh(flat(), new THREE.ShaderMaterial({
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
    scene.add(this.sky, this.sun, this.sun.target, this.shadow, this.grid);
  }

  // The sky is a gradient behind the canvas, which costs nothing to draw; pictures that are saved have it as a texture.
  setTheme(name, canvas) {
    const sky = skies[name] || skies.dark;
    canvas.style.background = `linear-gradient(${sky.top}, ${sky.bottom})`;
    const picture = document.createElement('canvas');
    picture.width = 2; picture.height = 128;
    const context = picture.getContext('2d'), blend = context.createLinearGradient(0, 0, 0, 128);
    blend.addColorStop(0, sky.top);
    blend.addColorStop(1, sky.bottom);
    context.fillStyle = blend;
    context.fillRect(0, 0, 2, 128);
    this.background?.dispose();
    this.background = new THREE.CanvasTexture(picture);
    this.background.colorSpace = THREE.SRGBColorSpace;
    this.grid.material.uniforms.color.value.setHex(sky.grid);
    this.grid.material.uniforms.strength.value = sky.gridStrength;
    this.shadow.material.opacity = sky.shadow;
  }

  // Another scene: middle, height of the ground and size in m.
  place(middle, height, size) {
    this.size = size;
    this.height = height;
    this.grid.scale.setScalar(12 * size);
    this.grid.position.set(middle.x, height + 1e-4 * size, middle.z);
    const uniforms = this.grid.material.uniforms;
    uniforms.cell.value = 10 ** Math.floor(Math.log10(size / 3));
    uniforms.reach.value = 6 * size;
    uniforms.middle.value.copy(middle);
  }

  // Where there is no ground, bodies may sink below what was taken for it: it gives way.
  lower(height) {
    if (this.size && height < this.height) this.place(this.grid.material.uniforms.middle.value, height - 0.02 * this.size, this.size);
  }

  // Shadows as `detail` says (see detail.js). True when materials must be built anew.
  setDetail({ shadow, soft }, renderer) {
    if (this.sun.shadow.mapSize.x !== shadow) {
      this.sun.shadow.mapSize.set(shadow, shadow);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
    }
    const type = soft ? THREE.PCFShadowMap : THREE.BasicShadowMap;
    if (renderer.shadowMap.type === type) return false;
    renderer.shadowMap.type = type;
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    return this.shadow.material.needsUpdate = true;
  }

  // The sun stands over the camera's left shoulder; its shadows follow the bodies.
  follow(camera, center) {
    const size = this.size || 2, height = this.height || 0;
    const side = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0).setY(0).normalize();
    const back = camera.position.clone().sub(center).setY(0).normalize();
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(side, -0.9 * size).addScaledVector(back, 0.5 * size).add(new THREE.Vector3(0, 1.7 * size, 0));
    const view = this.sun.shadow.camera, reach = 1.1 * size;
    view.left = view.bottom = -reach; view.right = view.top = reach;
    view.near = 0.05 * size; view.far = 6 * size;
    view.updateProjectionMatrix();
    this.sun.shadow.normalBias = Math.max(0.004, 2 / this.sun.shadow.mapSize.x) * size;  // about a pixel of the map
    this.sun.shadow.bias = -0.0005;
    // No larger than shadows fall: every pixel of it looks into the shadow map.
    this.shadow.scale.setScalar(4 * size + 2 * Math.max(0, center.y - height));
    this.shadow.position.set(center.x, height, center.z);
    this.grid.visible = this.showGrid && camera.position.y > height;
    this.shadow.visible = this.sun.castShadow && camera.position.y > height;
  }
}
