// Opens what a run exported with other people's readers: Khronos' glTF validator, and the glTF and USD loaders of three.js.
//   node open_with_others.mjs whole|broken WEB_FOLDER FILE.glb FILE.usda
// Prints a line per check; exit 1: something is wrong, 77: the packages are not installed.
import { createRequire } from "node:module";
import { readFileSync, existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [state, web, glbPath, usdPath] = process.argv.slice(2);
const modules = path.resolve(web, "node_modules");
if (!existsSync(path.join(modules, "gltf-validator")) || !existsSync(path.join(modules, "three"))) {
  console.log("gltf-validator or three.js is not installed: cd web && npm ci");
  process.exit(77);
}
let failed = false;
function check(what, ok, detail = "") {
  console.log(`${ok ? "ok   " : "WRONG"} ${what}${detail === "" ? "" : ": " + detail}`);
  if (!ok) failed = true;
}

const validator = createRequire(path.join(modules, "x.js"))("gltf-validator");
const glb = new Uint8Array(readFileSync(glbPath));
const report = await validator.validateBytes(glb, { maxIssues: 20 });
for (const m of report.issues.messages) console.log(`      ${m.severity} ${m.code} ${m.pointer ?? ""} ${m.message}`);
check("Khronos' validator", report.issues.numErrors === 0 && report.issues.numWarnings === 0,
  `${report.issues.numErrors} errors, ${report.issues.numWarnings} warnings, ${report.issues.numInfos} infos; ` +
  `${report.info.totalTriangleCount} triangles, ${report.info.animationCount} animations`);

const from = (file) => import(pathToFileURL(path.join(modules, "three", file)).href);
globalThis.self ??= globalThis;
const THREE = await from("build/three.module.js");
// The examples import "three" by name; resolve it as Node does from inside the package's folder.
const { GLTFLoader } = await from("examples/jsm/loaders/GLTFLoader.js");
const gltf = await new Promise((done, fail) => new GLTFLoader().parse(glb.buffer, "", done, fail));
const body = gltf.scene.getObjectByName("brick");
check("three.js finds the body by its name", !!body);
check("three.js finds camera and ground", gltf.cameras.length === 1 && !!gltf.scene.getObjectByName("ground"));
function meshes(object) {
  const list = [];
  object.traverse((o) => { if (o.isMesh) list.push(o); });
  return list;
}
const attributes = meshes(body).every((m) => ["position", "normal", "uv", "color"].every((a) => m.geometry.attributes[a]));
check("three.js has texture coordinates, normals and colours", attributes, `${meshes(body).length} meshes`);

/// Where the body is seen to end along x, at a time of the animation.
function extent(time) {
  if (gltf.animations.length) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[0]);
    action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
    action.play();
    mixer.setTime(time);
  }
  gltf.scene.updateMatrixWorld(true);
  let low = Infinity, high = -Infinity;
  const p = new THREE.Vector3();
  for (const mesh of meshes(body)) {
    const scale = new THREE.Vector3().setFromMatrixScale(mesh.matrixWorld);
    if (scale.x < 0.5) continue;
    for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
      mesh.getVertexPosition(i, p).applyMatrix4(mesh.matrixWorld);
      low = Math.min(low, p.x), high = Math.max(high, p.x);
    }
  }
  return [low, high];
}
const [low, high] = extent(0);
check("three.js shows the first frame", Math.abs(low + 0.2) < 1e-5 && Math.abs(high - 0.2) < 1e-5, `${low} … ${high}`);
if (state === "broken") {
  // The right end is moved by 0.3 m/s from 0.08 s on.
  for (const time of [0.2, 0.5, 0.6]) {
    const wanted = 0.2 + 0.3 * (time - 0.08), [, end] = extent(time);
    check(`three.js plays it to ${time} s`, Math.abs(end - wanted) < 2e-4, `${end}, wanted ${wanted}`);
  }
}

// Pictures are not decoded here; which ones a material has is all that is asked.
globalThis.document ??= { createElementNS: () => ({ addEventListener() {}, removeEventListener() {} }) };
const { USDLoader } = await from("examples/jsm/loaders/USDLoader.js");
const stage = new USDLoader().parse(readFileSync(usdPath, "utf8"));
const found = stage.getObjectByName("brick");
check("three.js reads the USD stage", !!found && meshes(found).length > 0);
if (found) {
  const counts = meshes(found).map((m) => m.geometry.index ? m.geometry.index.count / 3 : m.geometry.attributes.position.count / 3);
  const has = meshes(found).every((m) => m.geometry.attributes.uv && m.geometry.attributes.normal);
  check("USD has texture coordinates and normals", has, `${counts} triangles`);
  const materials = meshes(found).flatMap((m) => m.material);
  const maps = materials.map((m) => ["map", "roughnessMap", "metalnessMap", "normalMap"].filter((name) => m[name]).join(" "));
  check("USD has the pictures of one material", maps.filter((m) => m === "map roughnessMap metalnessMap normalMap").length === 1 &&
    maps.filter((m) => m === "").length === maps.length - 1, maps.join(", "));
  const colors = materials.map((m) => m.color.toArray().map((c) => c.toFixed(2)).join(" "));
  check("USD has colours where nothing is connected that it knows", colors.includes("0.80 0.10 0.10") && colors.includes("0.10 0.20 0.80"), colors.join(", "));
}

// The marker moves by 0.2 m/s and turns by 100 degrees a second, in both files.
function marker(what, root, clips, time) {
  const mixer = new THREE.AnimationMixer(root);
  for (const clip of clips) mixer.clipAction(clip).setLoop(THREE.LoopOnce).play().clampWhenFinished = true;
  mixer.setTime(time);
  root.updateMatrixWorld(true);
  const object = root.getObjectByName("marker"), turn = (100 * time * Math.PI) / 180;
  if (!object) return check(`${what} has the marker`, false);
  const box = new THREE.Box3().setFromObject(object, true), half = [0.05 * Math.cos(turn) + 0.01 * Math.sin(turn), 0.05 * Math.sin(turn) + 0.01 * Math.cos(turn), 0.01];
  const wanted = [0, 1, 2].flatMap((k) => [[0.2 * time, 0.4, 0][k] - half[k], [0.2 * time, 0.4, 0][k] + half[k]]);
  const found = [0, 1, 2].flatMap((k) => [box.min.getComponent(k), box.max.getComponent(k)]);
  const off = Math.max(...wanted.map((w, i) => Math.abs(w - found[i])));
  check(`three.js moves and turns the marker of the ${what} to ${time} s`, off < 1e-5, `${off.toExponential(1)} m off`);
}
for (const time of state === "broken" ? [0, 0.2, 0.52] : [0, 0.12]) {
  marker("glTF", gltf.scene, gltf.animations, time);
  marker("USD", stage, stage.animations, time);
}
process.exit(failed ? 1 : 0);
