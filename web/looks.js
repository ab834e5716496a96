// The materials that bodies were brought with, and their pictures.

import * as THREE from './vendor/three.module.js';

const types = [['image/png', [0x89, 0x50]], ['image/jpeg', [0xff, 0xd8]]];
const typeOf = (bytes) => types.find(([, head]) => head.every((b, i) => bytes[i] === b))?.[0] || '';

// A sky over a floor, for metal to mirror.
function surroundings(renderer) {
  const scene = new THREE.Scene();
  const sky = new THREE.Mesh(new THREE.SphereGeometry(10, 16, 12), new THREE.ShaderMaterial({
    side: THREE.BackSide,
    vertexShader: 'varying float up; void main() { up = normalize(position).y; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: 'varying float up; void main() { gl_FragColor = vec4(up < 0.0 ? mix(vec3(0.42), vec3(0.3), -up) : mix(vec3(0.62, 0.64, 0.68), vec3(0.35, 0.42, 0.55), up) + vec3(0.9) * smoothstep(0.55, 0.95, up), 1.0); }' }));
  scene.add(sky);
  const generator = new THREE.PMREMGenerator(renderer), made = generator.fromScene(scene);
  generator.dispose();
  sky.geometry.dispose();
  sky.material.dispose();
  return made.texture;
}

export class Looks {
  // redraw: called when a picture has come.
  constructor(renderer, redraw) {
    Object.assign(this, { renderer, redraw, pictures: new Map(), textures: new Map() });
  }

  // Another scene: its pictures have numbers of their own.
  reset() {
    for (const texture of this.textures.values()) texture.then((t) => t?.dispose());
    this.pictures.clear();
    this.textures.clear();
  }

  // pictures: { number: bytes }, of which some may be known.
  take(pictures) {
    for (const [number, bytes] of Object.entries(pictures || {})) if (!this.pictures.has(Number(number))) this.pictures.set(Number(number), bytes);
  }

  // Colours are sRGB, everything else plain numbers. Nothing where the browser cannot read the picture.
  texture(number, colors) {
    const key = `${number} ${colors}`;
    if (!this.textures.has(key)) this.textures.set(key, this.decode(this.pictures.get(number), colors));
    return this.textures.get(key);
  }

  async decode(bytes, colors) {
    if (!bytes) return null;
    try {
      const image = await createImageBitmap(new Blob([bytes], { type: typeOf(bytes) }), { imageOrientation: 'flipY', premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
      const texture = new THREE.Texture(image);
      texture.flipY = false;  // it is turned over already: the lower left is (0, 0)
      texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
      texture.colorSpace = colors ? THREE.SRGBColorSpace : THREE.NoColorSpace;
      texture.anisotropy = 4;
      texture.needsUpdate = true;
      return texture;
    } catch {
      return null;
    }
  }

  // For full light and for simple light. `plain`: the colour where the material has none.
  materials(look, plain) {
    const color = new THREE.Color(...(look.color || (look.texture === undefined ? plain : [1, 1, 1])));
    const full = new THREE.MeshStandardMaterial({ name: look.name, color, roughness: look.roughness ?? 0.5, metalness: look.metallic ?? 0, side: THREE.DoubleSide });
    const simple = new THREE.MeshLambertMaterial({ color, side: THREE.DoubleSide });
    if (full.metalness > 0) full.envMap = this.environment ||= surroundings(this.renderer);
    const put = (number, colors, name, materials) => {
      if (number === undefined) return;
      this.texture(number, colors).then((texture) => {
        if (!texture) return;
        for (const m of materials) { m[name] = texture; m.needsUpdate = true; }
        this.redraw();
      });
    };
    put(look.texture, true, 'map', [full, simple]);
    put(look.roughness_map, false, 'roughnessMap', [full]);
    put(look.metallic_map, false, 'metalnessMap', [full]);
    put(look.normal_map, false, 'normalMap', [full]);
    if (look.normal_map !== undefined) full.normalScale.setScalar(look.normal_strength ?? 1);
    return [full, simple];
  }
}
