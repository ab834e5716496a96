// Opens the one-file pages of two runs from disk, in a real browser: they move, scrub, take colours, and are heard.
//
//   node tests/browser/page_test.mjs build/release/pliant [--pictures FOLDER]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { here, launch, openPage, when, say, check } from './harness.mjs';

const pliant = resolve(process.argv[2] || join(here, '../../build/release/pliant'));
const at = process.argv.indexOf('--pictures'), pictures = at > 0 ? resolve(process.argv[at + 1]) : null;
if (pictures) mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'pliant-page-'));
let browser, page;

function run(...words) {
  const { status, stdout, stderr } = spawnSync(pliant, words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`pliant ${words.join(' ')}: ${stderr}`);
  return stdout;
}
const ask = (question, argument) => page.evaluate(question, argument);
const press = (selector) => ask((q) => document.querySelector(q).click(), selector);
const shoot = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), timeout: 180000 }); };
const seek = async (frame) => {
  await ask((i) => { const s = document.getElementById('scrub'); s.value = i; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); }, frame);
  await when(page, (i) => window.studio.info.shown === i && !window.studio.info.playing, frame);
};
// World positions of a body's surface as the page has them.
const points = (name) => ask((n) => {
  const body = window.studio.view.bodies.find((b) => b.name === n), p = body.geometry.getAttribute('position').array, o = body.group.position.toArray();
  body.unpack();
  return Array.from(p, (x, i) => x + o[i % 3]).slice(0, p.length - 3 * body.copied.length);
}, name);
// The same of its object in an .obj of that frame, written by another part of the program.
function objPoints(file, name) {
  const object = readFileSync(file, 'utf8').split(/^o /m).find((text) => text.startsWith(`${name}\n`));
  return object.split('\n').filter((l) => l.startsWith('v ')).flatMap((l) => l.split(/\s+/).slice(1, 4).map(Number));
}
const size = (list) => { const s = [0, 1, 2].map((k) => { const c = list.filter((_, i) => i % 3 === k); return Math.max(...c) - Math.min(...c); }); return Math.max(...s); };
const farthest = (a, b) => a.reduce((m, x, i) => Math.max(m, Math.abs(x - b[i])), 0);

async function quickstart() {
  run('run', 'quickstart', '--out', 'quickstart', '--quiet');
  run('convert', 'quickstart', 'quickstart.html');
  const bytes = statSync(join(folder, 'quickstart.html')).size;
  check(bytes < 10e6, `quickstart is a page of ${(bytes / 1e6).toFixed(2)} MB, below 10 MB`);
  page = await openPage(browser, `file://${join(folder, 'quickstart.html')}`);
  await when(page, () => window.studio?.ready && window.studio.index > 3);
  check(true, 'opened from disk it plays by itself');
  await press('#play');
  await when(page, () => !window.studio.info.playing);
  for (const frame of [0, 60, 200]) {
    await seek(frame);
    run('convert', 'quickstart', `${frame}.obj`, '--frame', String(frame));
    const wanted = objPoints(join(folder, `${frame}.obj`), 'bear'), seen = await points('bear');
    check(seen.length === wanted.length, `frame ${frame}: ${seen.length / 3} vertices`);
    const error = farthest(seen, wanted) / size(wanted);
    check(error < 1e-4, `frame ${frame} is where the run has it, to ${error.toExponential(1)} of the body's size`);
  }
  await seek(60);
  await shoot('page-quickstart');
  // The numbers of the plots are those that the run wrote.
  const table = readFileSync(join(folder, 'quickstart/measures.csv'), 'utf8').trim().split('\n').map((l) => l.split(','));
  const column = table[0].indexOf('height'), written = table.slice(1).map((r) => Number(r[column]));
  const plotted = await ask(() => window.studio.panel.plots.list.get('height').series.data[1]);
  check(plotted.length === written.length && farthest(plotted, written) < 1e-9, `the plot of height has all ${plotted.length} values before the run was played`);
  const mark = await ask(async () => { const p = window.studio.panel.plots.list.get('height'); p.seen = true; p.draw(window.studio.time); await new Promise((done) => setTimeout(done, 50)); return { x: p.mark.offsetLeft, wanted: p.chart.valToPos(window.studio.time, 'x'), width: p.chart.over.clientWidth }; });
  check(Math.abs(mark.x - mark.wanted) < 2 && mark.x > 0 && mark.x < mark.width, `its cursor stands at the time that is shown: ${mark.x} of ${mark.width} pixels`);
  await ask(() => { const f = document.getElementById('field'); f.value = 'von_mises'; f.dispatchEvent(new Event('change')); });
  await when(page, () => window.studio.view.look.range && window.studio.view.bodies[0].values);
  const colors = await ask(() => new Set(Array.from(window.studio.view.bodies[0].geometry.getAttribute('color').array, (c) => Math.round(50 * c))).size);
  check(colors > 20 && !(await ask(() => document.getElementById('bar').hidden)), 'it is coloured by stress, with its bar');
  await shoot('page-stress');
  await ask(() => { const s = document.getElementById('slice'); s.checked = true; s.dispatchEvent(new Event('change')); });
  await when(page, () => window.studio.view.bodies[0].section?.visible);
  check(true, 'it can be cut open');
  check(page.errors.length === 0, `no errors in the page: ${page.errors.join('; ') || 'none'}`);
  await page.close();
}

async function snap() {
  run('convert', join(here, 'snap.lua'), 'snap.html');
  page = await openPage(browser, `file://${join(folder, 'snap.html')}`);
  await when(page, () => window.studio?.ready);
  check(await ask(() => !window.studio.info.playing && !document.getElementById('sound-box').hidden), 'a run with sound waits for play');
  const triangles = () => ask(() => window.studio.view.bodies.find((b) => b.name === 'bar').triangles);
  const whole = await triangles(), last = await ask(() => window.studio.info.last);
  await page.mouse.click(300, 200);  // browsers let a page sound once it was touched
  await when(page, () => window.studio.soundtrack.context.state === 'running');
  await ask(() => {
    window.loudest = 0;
    setInterval(() => { window.loudest = Math.max(window.loudest, window.studio.soundtrack.level()); }, 5);
    document.getElementById('play').click();
  });
  await when(page, (n) => window.studio.info.shown === n, last);
  await when(page, () => window.loudest > 0);
  check((await ask(() => window.loudest)) > 0.01, `it is heard: ${(await ask(() => window.loudest)).toFixed(2)} of full scale`);
  // What is heard is the run's own sound, and it is silent before the first blow.
  const track = await ask(() => { const d = window.studio.soundtrack.buffer.getChannelData(0), first = d.findIndex((x) => Math.abs(x) > 1e-3); return { seconds: d.length / window.studio.soundtrack.buffer.sampleRate, first: first / window.studio.soundtrack.buffer.sampleRate }; });
  say(`   ${track.seconds.toFixed(2)} s of sound, the first blow at ${track.first.toFixed(3)} s`);
  check(Math.abs(track.seconds - 0.8) < 0.05 && track.first > 0.1, 'its sound is as long as the run and starts with the blow');
  const broken = await triangles(), pieces = await ask(() => window.studio.panel.plots.list.get('pieces').series.data[1].at(-1));
  check(broken > whole && pieces > 1, `the bar broke: ${whole} triangles became ${broken}, ${pieces} pieces`);
  await shoot('page-broken');
  await seek(0);
  check((await triangles()) === whole, 'scrubbed back it is whole again');
  await seek(last);
  check((await triangles()) === broken, 'and broken again at the end');
  check(page.errors.length === 0, `no errors in the page: ${page.errors.join('; ') || 'none'}`);
  await page.close();
  page = await openPage(browser, `file://${join(folder, 'snap.html')}`, { width: 420, height: 640 });
  await when(page, () => window.studio?.ready);
  await shoot('page-narrow');
  check(await ask(() => document.documentElement.scrollWidth <= 420), 'a narrow window shows it whole');
  await page.close();
}

try {
  browser = await launch();
  await quickstart();
  await snap();
  say('all of the page test passed');
} catch (error) {
  console.error(error.message);
  if (page && !page.isClosed()) {
    if (page.errors.length) console.error(`errors in the page: ${page.errors.join('; ')}`);
    await shoot('failed').catch(() => {});
  }
  process.exitCode = 1;
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
