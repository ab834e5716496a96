// What an artist brought is seen in the browser, in the studio as in a page from disk: colours, textures and normals of an
// OBJ's materials, whole and broken. And a run beside another from disk.
//
//   node tests/browser/looks_test.mjs build/release/pliant [--pictures FOLDER]

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { here, launch, openPage, when, say, check, patience } from './harness.mjs';

const pliant = resolve(process.argv[2] || join(here, '../../build/release/pliant'));
const at = process.argv.indexOf('--pictures'), pictures = at > 0 ? resolve(process.argv[at + 1]) : null;
if (pictures) mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'pliant-looks-')), formats = join(here, '../apps/formats');
const children = [];
let browser, page;

function run(program, ...words) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
  return stdout;
}
function studio(...args) {
  const child = spawn(pliant, ['studio', ...args, '--no-open', '--threads', '1'], { cwd: folder });
  children.push(child);
  return new Promise((done, fail) => {
    let text = '';
    child.stdout.on('data', (data) => { text += data; const url = text.match(/http:\S+/); if (url) done(url[0]); });
    child.stderr.on('data', (data) => { text += data; });
    child.on('exit', (code) => fail(new Error(`pliant studio ended with status ${code}: ${text}`)));
  });
}
const ask = (question, argument) => page.evaluate(question, argument);
const wait = (condition, argument) => when(page, condition, argument);
const send = (m) => ask((x) => window.studio.link.send(x), m);
const shoot = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), timeout: patience }); };
async function seek(frame) {
  await send({ op: 'pause' });
  await send({ op: 'seek', index: frame });
  await wait((i) => window.studio.info.shown === i && !window.studio.info.playing, frame);
}

// Colours on the screen where points of the brick are, in full and standing still.
async function seen(points) {
  await ask(() => { window.studio.view.pace.fixed = 0; window.studio.view.lookFrom('front'); });
  await ask(() => new Promise((done) => { window.studio.view.ready.add(done); window.studio.view.draw(); }));
  await new Promise((done) => setTimeout(done, 700));
  const spots = await ask((list) => {
    const { view } = window.studio, r = view.canvas.getBoundingClientRect(), Vector = view.camera.position.constructor;
    return list.map((p) => { const q = new Vector(...p).project(view.camera); return { x: r.left + ((q.x + 1) / 2) * r.width, y: r.top + ((1 - q.y) / 2) * r.height }; });
  }, points);
  const shot = (await page.screenshot({ timeout: patience })).toString('base64');
  return ask(async ([data, list]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return list.map(({ x, y }) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3));
  }, [shot, spots]);
}

// The picture of the brick's long sides has red along u, which is along x, and green down its rows; v of the front goes
// from three quarters at its foot to one at its top. Vertex colours are multiplied with it: blue grows with z, and is one
// in front; red grows with x, green with y.
async function brick(where) {
  await wait(() => window.studio?.ready && window.studio.view.bodies.some((b) => b.name === 'brick' && b.slots.length));
  const looks = () => ask(() => {
    const b = window.studio.view.bodies.find((x) => x.name === 'brick'), [full] = b.slots.find(([m]) => m.name === 'stone');
    const uv = b.geometry.attributes.uv;
    return { slots: b.slots.length, shown: b.mesh.material.length, map: Boolean(full.map), normals: Boolean(full.normalMap), rough: Boolean(full.roughnessMap), metal: full.metalness,
      strength: full.normalScale?.x, uv: uv ? uv.count : 0, vertices: b.geometry.attributes.position.count, colors: Boolean(b.colors) };
  });
  await wait(() => window.studio.view.bodies.find((b) => b.name === 'brick').slots.flat().some((m) => m.map && m.normalMap));
  await seek(0);
  const [left, right] = await seen([[-0.15, 0.05, 0.05], [0.15, 0.05, 0.05]]);
  await shoot(`looks-${where}-whole`);
  check(right[0] > left[0] + 40, `${where}: its texture gets redder to the right: ${left} … ${right}`);
  return looks();
}

async function inThePage() {
  run(pliant, 'run', 'brick.lua', '--set', 'break_it=1', '--out', 'run', '--quiet');
  run(pliant, 'convert', 'run', 'brick.html');
  page = await openPage(browser, `file://${join(folder, 'brick.html')}`);
  const whole = await brick('page');
  check(whole.slots === 3 && whole.map && whole.normals && whole.rough, `page: three materials, one with pictures of colour, roughness, metal and normals`);
  check(Math.abs(whole.metal - 0.25) < 1e-6 && Math.abs(whole.strength - 0.5) < 1e-6, 'page: and with the numbers that go with them');
  check(whole.uv === whole.vertices && whole.colors, `page: each of ${whole.vertices} vertices has its place in them, and a colour`);
  const last = await ask(() => window.studio.info.last);
  await seek(last);
  const broken = await ask(() => { const b = window.studio.view.bodies.find((x) => x.name === 'brick'); return { slots: b.slots.length, groups: b.geometry.groups.length, map: b.slots.flat().some((m) => m.map) }; });
  check(broken.slots === 4 && broken.groups === 4 && broken.map, 'page: broken, it has its materials and one for the cracks');
  await seen([[0, 0, 0]]);
  await shoot('looks-page-broken');
  // Coloured by a field there are no textures, and afterwards there are.
  const choose = (v) => ask((value) => { const f = document.getElementById('field'); f.value = value; f.dispatchEvent(new Event('change')); }, v);
  await choose('von_mises');
  await wait(() => window.studio.view.look.range);
  check(await ask(() => window.studio.view.bodies.find((b) => b.name === 'brick').mesh.material.every((m) => !m.map)), 'page: a field hides the textures');
  await choose('');
  await wait(() => window.studio.view.bodies.find((b) => b.name === 'brick').mesh.material.some((m) => m.map));
  check(page.errors.length === 0, `page: no errors: ${page.errors.join('; ') || 'none'}`);
  await page.close();
}

async function inTheStudio() {
  const url = await studio('brick.lua', '--set', 'duration=5', '--paused');
  page = await openPage(browser, url);
  const live = await brick('studio');
  check(live.slots === 3 && live.map && live.normals && live.rough && live.uv === live.vertices, 'studio: materials, pictures and coordinates are those of the page');
  check(page.errors.length === 0, `studio: no errors: ${page.errors.join('; ') || 'none'}`);
  await page.close();
}

// Two runs on disk, and one beside a live scene; both in a wide window and in a narrow one.
async function compared() {
  for (const [name, fall] of [['slow', 1], ['fast', 2]]) run(pliant, 'run', 'fall.lua', '--set', `fall=${fall}`, '--out', name, '--quiet');
  const height = (name) => ask((n) => { const b = window.studio.view.bodies.find((x) => x.name === n); return b && b.group.position.y; }, name);
  const sources = [['two runs', ['slow']], ['a live scene', ['fall.lua', '--set', 'fall=1', '--paused']]], sizes = [[1000, 640], [400, 700]];
  for (const [source, args] of sources) for (const [width, tall] of sizes) {
    const what = `${source}, ${width} pixels wide`, url = await studio(...args, '--compare', 'fast');
    page = await openPage(browser, url, { width, height: tall });
    await wait(() => window.studio?.ready && window.studio.compared && window.studio.view.bodies.some((b) => b.ghost));
    if (args.length > 1) { await send({ op: 'play' }); await wait(() => window.studio.index >= 12); }
    for (const frame of [0, 10]) {
      await seek(frame);
      await wait((t) => Math.abs(window.studio.time - t) < 1e-9, frame / 25);
      const t = frame / 25, [own, other] = [await height('ball'), await height('ball (kept)')];
      check(Math.abs(own - (1 - t)) < 1e-4 && Math.abs(other - (1 - 2 * t)) < 1e-4, `${what}, ${t} s: it is at ${own.toFixed(4)} m, the shadow of the other at ${other.toFixed(4)} m`);
    }
    await wait(() => window.studio.panel.plots.list.get('height')?.kept);
    const kept = await ask(() => window.studio.panel.plots.list.get('height').kept.data[1]);
    check(kept.length === 11 && kept.every((y, i) => Math.abs(y - (1 - (2 * i) / 25)) < 1e-6), `${what}: the plot has the ${kept.length} numbers of the other run as well`);
    await shoot(`looks-compared-${args.length > 1 ? 'live' : 'runs'}-${width}`);
    check(page.errors.length === 0, `${what}: no errors: ${page.errors.join('; ') || 'none'}`);
    await page.close();
  }
  const missing = spawnSync(pliant, ['studio', 'slow', '--compare', 'nowhere', '--no-open'], { cwd: folder, encoding: 'utf8', timeout: patience });
  check(missing.status !== 0 && /nowhere/.test(missing.stderr), `a run that is not there is named: ${missing.stderr.trim().split('\n')[0]}`);
}

try {
  browser = await launch();
  run('python3', join(formats, 'make_brick.py'), join(folder, 'brick.obj'));
  copyFileSync(join(formats, 'brick.lua'), join(folder, 'brick.lua'));
  copyFileSync(join(here, 'fall.lua'), join(folder, 'fall.lua'));
  await inThePage();
  await inTheStudio();
  await compared();
  say('all of the test of looks passed');
} catch (error) {
  console.error(error.message);
  if (page && !page.isClosed()) {
    if (page.errors.length) console.error(`errors in the page: ${page.errors.join('; ')}`);
    await shoot('failed').catch(() => {});
  }
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
