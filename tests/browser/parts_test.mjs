// The parts of the studio beside the view, in a real browser, wide and narrow: plots, numbers of a point, bodies that are
// hidden, edges, colours, camera, film, menus, and settings that stay with their scene.
//
//   node tests/browser/parts_test.mjs build/release/pliant [--pictures FOLDER]

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { here, launch, openPage, when, say, check, patience } from './harness.mjs';

const pliant = resolve(process.argv[2] || join(here, '../../build/release/pliant'));
const place = process.argv.indexOf('--pictures'), pictures = place > 0 ? resolve(process.argv[place + 1]) : null;
if (pictures) mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'pliant-parts-'));
const children = [];
let browser, page;

function studio(...args) {
  const child = spawn(pliant, ['studio', ...args, '--no-open', '--threads', '1', '--out', join(folder, 'out')], { cwd: folder });
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
const press = (selector) => ask((q) => document.querySelector(q).click(), selector);
const choose = (selector, value) => ask(([q, v]) => { const e = document.querySelector(q); e.value = v; e.dispatchEvent(new Event('change', { bubbles: true })); }, [selector, value]);
const send = (m) => ask((x) => window.studio.link.send(x), m);
const play = async (on) => { await send({ op: on ? 'play' : 'pause' }); await wait((w) => window.studio.info.playing === w, on); };
const shoot = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), timeout: patience }); };
const shown = (selector) => page.isVisible(selector);

async function plots() {
  await wait(() => window.studio?.ready && window.studio.index > 5);
  await play(false);
  const first = await ask(() => window.studio.panel.plots.list.get('height').series.times[0]);
  check(first === 0, 'time waited for the page: the first frame is in the plot');
  const known = await ask(() => window.studio.panel.plots.list.get('height').series.times.length), last = await ask(() => window.studio.info.last);
  check(known === last + 1, `the plot has ${known} samples of ${last + 1} frames`);
  // Energies are those of their frame, never of one before: nothing that falls has the same twice.
  const kinetic = await ask(() => { const { times, data, names } = window.studio.panel.plots.list.get('Energy').series; return { times: times.length, values: data[1 + names.indexOf('kinetic')] }; });
  check(kinetic.times > 2 && kinetic.values.every((v, i) => i === 0 || v !== kinetic.values[i - 1]), `energies have ${kinetic.times} samples, each of its own frame`);
  // A page that comes later sees all of it.
  const other = await openPage(browser, page.url(), { width: 480, height: 320 });
  await when(other, (n) => window.studio?.panel?.plots.list.get('height')?.series.times.length >= n + 1, last);
  check(true, 'a page that comes later has the whole history');
  await other.close();
  // The cursor follows, a click goes there, dragging zooms, a double click shows all.
  await ask(() => { document.getElementById('p-look').open = false; document.getElementById('p-bodies').open = false; });
  await wait(() => window.studio.panel.plots.list.get('height').mark?.offsetLeft >= 0 && window.studio.panel.plots.list.get('height').chart?.over.clientWidth > 0);
  const over = page.locator('.plot', { hasText: /^height/ }).locator('.u-over');
  await over.scrollIntoViewIfNeeded({ timeout: patience });
  const box = await over.boundingBox();
  await page.mouse.click(box.x + 1, box.y + box.height / 2);
  await wait(() => window.studio.info.shown <= 1);
  check(true, 'a click in a plot goes to that time');
  await wait(() => window.studio.panel.plots.list.get('height').mark.offsetLeft <= 3);
  check(true, 'and its cursor stands there');
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 20, { steps: 3 });
  await page.mouse.up();
  await wait(() => { const p = window.studio.panel.plots.list.get('height'), x = p.chart.scales.x; return p.zoomed && x.max - x.min < 0.5 * p.series.times.at(-1); });
  await shoot('parts-zoomed');
  await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 20);
  await wait(() => { const p = window.studio.panel.plots.list.get('height'), x = p.chart.scales.x; return !p.zoomed && x.max >= p.series.times.at(-1); });
  check(true, 'dragging zooms in, a double click shows all');
  const [download] = await Promise.all([page.waitForEvent('download'), press('#csv')]);
  const table = readFileSync(await download.path(), 'utf8').trim().split('\n').map((l) => l.split(','));
  const column = table[0].indexOf('height'), kept = await ask(() => window.studio.panel.plots.list.get('height').series.data[1]);
  check(column > 0 && table.slice(1).filter((r) => r[column] !== '').map((r) => Number(r[column])).every((v, i) => v === kept[i]), `the CSV has ${table.length - 1} rows with the numbers of the plot`);
  await ask(() => { document.getElementById('p-look').open = true; document.getElementById('p-bodies').open = true; });
}

const middleOf = (name) => ask((n) => {
  const { view } = window.studio, b = view.bodies.find((x) => x.name === n).box();
  const p = b.min.clone().add(b.max).multiplyScalar(0.5).project(view.camera), r = view.canvas.getBoundingClientRect();
  return { x: r.left + ((p.x + 1) / 2) * r.width, y: r.top + ((1 - p.y) / 2) * r.height };
}, name);

async function point() {
  await page.keyboard.press('6');
  const at = await middleOf('jelly');
  await page.mouse.click(at.x, at.y);
  await wait(() => window.studio.inspector.numbers?.body === 'jelly' && !document.getElementById('inspect').hidden);
  await choose('#field', 'von_mises');
  await wait(() => window.studio.view.look.range && window.studio.view.bodies[0].values);
  await play(true);
  await wait(() => window.studio.inspector.numbers.speed !== null && window.studio.inspector.numbers.value > 0);
  await play(false);
  const n = await ask(() => {
    const { inspector: i, view } = window.studio, b = view.bodies[0].box();
    const inside = i.numbers.at.every((x, k) => x > b.min.getComponent(k) - 1e-6 && x < b.max.getComponent(k) + 1e-6);
    const v = i.chosen.corners.map((c) => view.bodies[0].values[c]);
    return { ...i.numbers, inside, low: Math.min(...v), high: Math.max(...v) };
  });
  check(n.inside && n.value >= n.low && n.value <= n.high, `a chosen point tells its place, its speed (${n.speed.toExponential(1)} m/s) and its stress (${n.value.toFixed(0)} Pa, its triangle's corners ${n.low.toFixed(0)} to ${n.high.toFixed(0)})`);
  await shoot('parts-point');
}

// The colour on the screen where a body faces the eye is the bar's for the value there.
async function colours() {
  await ask(() => { window.studio.view.pace.fixed = 0; window.studio.view.lookFrom('front'); });
  await choose('#field', 'displacement');
  await wait(() => window.studio.view.look.shownField === 'displacement' && window.studio.view.look.range);
  await ask(() => { window.studio.inspector.choose(null); window.studio.view.marks.target = null; });
  const { spot, wanted } = await ask(async () => {
    const { view } = window.studio, { mapOf, mapColors } = await import('./colors.js'), { valueAt } = await import('./inspect.js');
    const b = view.bodies[0].box(), c = b.min.clone().add(b.max).multiplyScalar(0.5);
    c.z = b.max.z;
    const p = c.project(view.camera), r = view.canvas.getBoundingClientRect();
    const at = { clientX: r.left + ((p.x + 1) / 2) * r.width, clientY: r.top + ((1 - p.y) / 2) * r.height };
    const hit = view.pick(at), value = valueAt(hit.body.values, hit.corners, hit.weight), [low, high] = view.look.range;
    const k = Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low)))), map = mapColors(mapOf(view.look.range));
    return { spot: { x: at.clientX, y: at.clientY }, wanted: [0, 1, 2].map((i) => Math.round(255 * map[3 * k + i])) };
  });
  await ask(() => new Promise((done) => { window.studio.view.ready.add(done); window.studio.view.draw(); }));
  await new Promise((done) => setTimeout(done, 600));
  const shot = await page.screenshot({ clip: { x: Math.round(spot.x), y: Math.round(spot.y), width: 1, height: 1 }, timeout: patience });
  const seen = await ask(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.drawImage(image, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, shot.toString('base64'));
  const off = Math.max(...seen.map((s, i) => Math.abs(s - wanted[i])));
  await shoot('parts-colours');
  check(off <= 10, `what faces the eye has the bar's colour: ${seen.join()} for ${wanted.join()}`);
  await choose('#field', '');
}

async function bodies() {
  await ask(() => { const box = document.querySelector('[data-show="wax"]'); box.checked = false; box.dispatchEvent(new Event('change', { bubbles: true })); });
  check(await ask(() => !window.studio.view.bodies.find((b) => b.name === 'wax').group.visible), 'a body can be hidden');
  const at = await middleOf('wax');
  check((await ask((p) => window.studio.view.pick({ clientX: p.x, clientY: p.y })?.body.name, at)) !== 'wax', 'and is not in the way of the hand');
  await press('[data-mode="edges"]');
  await wait(() => window.studio.view.bodies[0].edges?.visible && window.studio.view.bodies[0].mesh.visible);
  check(true, 'the surface is shown with its triangles');
  await press('[data-side="top"]');
  const down = await ask(() => { const d = window.studio.view.camera.position.clone().sub(window.studio.view.orbit.target).normalize(); return d.y; });
  check(down > 0.99, 'the camera looks from above');
  await shoot('parts-edges-top');
  await press('[data-side="home"]');
}

async function film() {
  await press('#film');
  await play(true);
  await ask(() => new Promise((done) => setTimeout(done, 1500)));
  const [download] = await Promise.all([page.waitForEvent('download'), press('#film')]);
  await play(false);
  const bytes = readFileSync(await download.path());
  check(bytes.length > 2000 && bytes.readUInt32BE(0) === 0x1a45dfa3, `a film of ${bytes.length} bytes, a WebM file`);
}

// A run is kept, time goes back, a number is changed: both are seen, and their plots.
async function compare() {
  const place = (name) => ask((n) => {
    const b = window.studio.view.bodies.find((x) => x.name === n), p = b.geometry.getAttribute('position').array, o = b.group.position.toArray();
    b.unpack();
    return Array.from(p, (x, i) => x + o[i % 3]).slice(0, p.length - 3 * b.copied.length);
  }, name);
  const seek = async (i) => { await send({ op: 'seek', index: i }); await wait((k) => window.studio.info.shown === k && !window.studio.info.playing, i); };
  const farthest = (a, b) => (a.length === b.length ? a.reduce((m, x, i) => Math.max(m, Math.abs(x - b[i])), 0) : Infinity);
  await press('#reset');
  await play(true);
  await wait(() => window.studio.index >= 14);
  await seek(12);
  const before = await place('jelly');
  await press('#keep');
  await wait(() => window.studio.compared && window.studio.view.bodies.some((b) => b.ghost));
  check(farthest(before, await place('jelly (kept)')) < 1e-6, 'a run that is kept is seen as a shadow in its place');
  await seek(3);
  const young = await ask(() => window.studio.scene.knobs.find((k) => k.body === 'jelly' && k.name === 'young').value);
  await send({ op: 'set', body: 'jelly', name: 'young', value: young / 4 });
  await play(true);
  await wait(() => window.studio.index >= 12 && window.studio.info.last < 1e9);
  await seek(12);
  const other = await place('jelly'), kept = await place('jelly (kept)');
  check(farthest(before, kept) < 1e-6, 'the shadow goes where that run went');
  check(farthest(other, kept) > 1e-4, `the branch goes elsewhere: ${farthest(other, kept).toExponential(1)} m apart`);
  await ask(() => { document.getElementById('p-look').open = false; document.getElementById('p-bodies').open = false; });
  await page.locator('.plot', { hasText: /^height/ }).scrollIntoViewIfNeeded({ timeout: patience });
  await wait(() => window.studio.panel.plots.list.get('height').chart?.series.length === 3);
  const lines = await ask(() => { const p = window.studio.panel.plots.list.get('height'), last = (list) => list.filter((x) => x !== null).at(-1); return { now: last(p.chart.data[1]), kept: last(p.chart.data[2]), dash: p.chart.series[2].dash }; });
  check(lines.dash && lines.now !== lines.kept, `its plots are dashed: height ends at ${lines.kept.toFixed(4)} m there, at ${lines.now.toFixed(4)} m here`);
  await shoot('parts-compared');
  await press('#keep');
  await wait(() => !window.studio.compared && !window.studio.view.bodies.some((b) => b.ghost));
  check(await ask(() => window.studio.panel.plots.list.get('height').kept === null), 'and it goes again');
  await ask(() => { document.getElementById('p-look').open = true; document.getElementById('p-bodies').open = true; });
}

async function lua() {
  await press('#reset');
  await wait(() => window.studio.index < 3);
  await press('#lua');
  await wait(() => [...document.querySelectorAll('#notes p')].some((p) => p.textContent.startsWith('There is nothing to copy yet')));
  check(true, 'Copy as Lua says when there is nothing to copy');
}

async function leaks() {
  await choose('#field', 'von_mises');
  await wait(() => window.studio.view.look.field === 'von_mises');
  await ask(() => { const s = document.getElementById('slice'); s.checked = true; s.dispatchEvent(new Event('change')); });
  await send({ op: 'open', scene: 'cantilever' });
  await wait(() => window.studio.scene.name === 'cantilever' && window.studio.view.drawnEpoch === window.studio.scene.epoch);
  const left = await ask(() => { const { view, panel } = window.studio; return { field: panel.field, mode: view.look.mode, slice: view.slice.on, hidden: view.hidden.size, plots: [...panel.plots.list.keys()] }; });
  check(left.field === '' && left.mode === 'shaded' && !left.slice && left.hidden === 0 && !left.plots.includes('wax height'), 'another scene starts with its own settings');
}

// The same in a narrow window, by its own buttons: a run is kept from the panel, time goes back with the time line, a
// slider is turned, and it branches off.
async function compareNarrow() {
  const scrub = async (i) => {
    await wait((k) => Number(document.getElementById('scrub').max) >= k, i);  // the time line is told of frames ten times a second
    await ask((k) => { const s = document.getElementById('scrub'); s.value = k; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); }, i);
    await wait((k) => window.studio.info.shown === k && !window.studio.info.playing, i);
  };
  const height = (name) => ask((n) => { const b = window.studio.view.bodies.find((x) => x.name === n); return b && b.box().max.y; }, name);
  page = await openPage(browser, await studio(join(here, 'hands.lua')), { width: 400, height: 700 });
  await wait(() => window.studio?.ready && window.studio.index >= 12);
  await press('#drawer');
  await scrub(12);
  const before = await height('jelly');
  check(await shown('#panel #keep'), 'narrow: Compare is in the panel');
  await press('#keep');
  await wait(() => window.studio.compared && window.studio.view.bodies.some((b) => b.ghost));
  await scrub(3);
  await ask(() => { const i = document.querySelector('input[data-body="jelly"][data-name="young"]'); i.value = Number(i.value) - Math.log10(4); i.dispatchEvent(new Event('input', { bubbles: true })); });
  await press('#play');
  await wait(() => window.studio.info.playing && window.studio.info.live && window.studio.index >= 12);
  await scrub(12);
  const [now, kept] = [await height('jelly'), await height('jelly (kept)')];
  check(Math.abs(kept - before) < 1e-6 && now < before - 1e-3, `narrow: the softer branch is ${now.toFixed(3)} m high, the shadow ${kept.toFixed(3)} m as the run that was kept`);
  await ask(() => { document.getElementById('p-look').open = false; document.getElementById('p-bodies').open = false; });
  await page.locator('.plot', { hasText: /^height/ }).scrollIntoViewIfNeeded({ timeout: patience });
  await wait(() => window.studio.panel.plots.list.get('height').chart?.series.length === 3);
  const plot = await page.locator('.plot', { hasText: /^height/ }).locator('.u-over').boundingBox();
  check(plot.x >= 0 && plot.x + plot.width <= 400, 'narrow: its plot has both lines and fits');
  await shoot('parts-compared-narrow');
  await press('#keep');
  await wait(() => !window.studio.compared && !window.studio.view.bodies.some((b) => b.ghost));
  check(page.errors.length === 0, `no errors in the page: ${page.errors.join('; ') || 'none'}`);
  await page.close();
}

// Nothing that a wide window has is missing from a narrow one: it is there, or in the panel that its button opens.
async function narrow(url) {
  const all = ['#scenes', '#film', '#save', '#lua', '#theme', '#shot', '#help', '#play', '#step', '#back', '#reset', '#scrub', '#speed', '#keep', '#field', '#sides', '#csv', '#mode', '#tools', '#frame-info'];
  page = await openPage(browser, url, { width: 400, height: 700 });
  await wait(() => window.studio?.ready);
  const outside = [];
  for (const q of all) if (!(await shown(q))) outside.push(q);
  await press('#drawer');
  const missing = [];
  for (const q of outside) if (!(await shown(q))) missing.push(q);
  await shoot('parts-narrow');
  check(missing.length === 0, `a narrow window has everything, ${outside.length} of ${all.length} in its panel${missing.length ? `, but ${missing.join()}` : ''}`);
  check(await ask(() => document.documentElement.scrollWidth <= 400), 'and nothing sticks out');
  await page.setViewportSize({ width: 1000, height: 560 });
  await wait(() => document.getElementById('save').parentElement.id === 'top');
  check(await ask(() => { const ids = [...document.getElementById('top').querySelectorAll('[id]')].map((e) => e.id); return ids.indexOf('film') < ids.indexOf('save') && ids.indexOf('save') < ids.indexOf('lua') && ids.indexOf('lua') < ids.indexOf('theme'); }), 'made wide again, buttons are where they were');
  check(page.errors.length === 0, `no errors in the page: ${page.errors.join('; ') || 'none'}`);
  await page.close();
}

try {
  browser = await launch();
  const url = await studio(join(here, 'hands.lua'));
  page = await openPage(browser, url, { width: 1000, height: 640 });
  await plots();
  await point();
  await colours();
  await bodies();
  await film();
  await compare();
  await lua();
  await leaks();
  check(page.errors.length === 0, `no errors in the page: ${page.errors.join('; ') || 'none'}`);
  await page.close();
  await narrow(url);
  await compareNarrow();
  say('all of the test of the studio\'s parts passed');
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
