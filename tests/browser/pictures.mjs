// The pictures of docs/studio.md: node tests/browser/pictures.mjs build/release/pliant docs/pictures [name]…

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [program, folder, ...only] = process.argv.slice(2);
const { chromium } = await import(join(here, '../../web/node_modules/playwright-core/index.mjs'));
mkdirSync(folder, { recursive: true });
const patience = 180000;

const field = (name) => [`field ${name}`, async (page) => { await page.selectOption('#field', name); await until(page, () => window.studio.view.look.range); }];
const cut = (axis) => [`cut ${axis}`, async (page) => {
  await page.evaluate((a) => { document.getElementById('slice').click(); document.querySelector(`#axis [data-axis="${a}"]`).click(); }, axis);
  await until(page, () => window.studio.view.bodies.some((b) => b.section?.visible));
}];
const grab = (name, dx, dy) => ['grab', async (page) => {
  const at = await page.evaluate((n) => {
    const { view } = window.studio, b = view.bodies.find((x) => x.name === n).box(), p = b.min.clone().add(b.max).multiplyScalar(0.5).project(view.camera), r = view.canvas.getBoundingClientRect();
    return { x: r.left + ((p.x + 1) / 2) * r.width, y: r.top + ((1 - p.y) / 2) * r.height };
  }, name);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.evaluate(() => window.studio.link.send({ op: 'play' }));
  await until(page, () => window.studio.info.held);
  await page.mouse.move(at.x + dx, at.y + dy, { steps: 3 });
  const start = await page.evaluate(() => window.studio.index);
  await until(page, (s) => window.studio.index > s + 14, start);
  await page.evaluate(() => window.studio.link.send({ op: 'pause' }));
}];

// name, scene, seconds to run, theme, size, what to do then
const list = [
  ['start', null, 0, 'dark', [1200, 800], []],
  ['quickstart', 'quickstart', 0.9, 'dark', [1200, 760], [grab('bear', -170, -150)]],
  ['twist', 'twist', 2.6, 'dark', [1200, 760], [field('von_mises')]],
  ['creature', 'virtual-materials/creature-heat', 1.6, 'dark', [1200, 760], [field('temperature'), cut('z')]],
  ['chocolate', 'virtual-materials/chocolate', 1.06, 'light', [1200, 760], [['pieces', async (page) => { await page.click('#pieces'); await until(page, () => window.studio.view.bodies.some((b) => b.pieceCount > 1)); }]]],
  ['linear', 'linear-versus-corotational', 2, 'light', [1200, 760], [field('principal_stress')]],
  ['letters', 'letters', 1.6, 'light', [1200, 760], []],
];

async function until(page, condition, argument) {
  const end = performance.now() + patience;
  while (!(await page.evaluate(condition, argument))) {
    if (performance.now() > end) throw new Error(`waited in vain for ${condition}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-gpu-watchdog'] });
for (const [name, scene, seconds, theme, [width, height], deeds] of list) {
  if (only.length && !only.includes(name)) continue;
  const child = spawn(resolve(program), ['studio', ...(scene ? [scene] : []), '--no-open', '--threads', '1']);
  try {
    const url = await new Promise((done) => { let text = ''; child.stdout.on('data', (d) => { text += d; const m = text.match(/http:\S+/); if (m) done(m[0]); }); });
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
    page.setDefaultTimeout(patience);
    await page.goto(url);
    if (!scene) {
      await until(page, () => window.studio?.gallery?.length && [...document.images].every((i) => i.complete || i.getBoundingClientRect().top > innerHeight));
    } else {
      await until(page, () => window.studio?.ready);
      await page.evaluate(() => window.studio.link.send({ op: 'speed', speed: 0 }));
      await until(page, (s) => window.studio.time >= s, seconds);
      await page.evaluate(() => window.studio.link.send({ op: 'pause' }));
      await until(page, () => !window.studio.info.playing);
      // Pictures come seldom when they are drawn in software: back to the frame that was wanted.
      await page.evaluate((s) => window.studio.link.send({ op: 'seek', index: Math.round(s * window.studio.scene.fps) }), seconds);
      await until(page, (s) => window.studio.index === Math.round(s * window.studio.scene.fps), seconds);
      await page.evaluate(() => window.studio.link.send({ op: 'speed', speed: 1 }));
      for (const [, deed] of deeds) await deed(page);
      await until(page, () => window.studio.view.sharp);
    }
    const file = join(folder, `studio-${name}.jpg`);
    await page.screenshot({ path: file, type: 'jpeg', quality: 78, timeout: patience });
    console.log(`${file}: ${statSync(file).size} bytes`);
    await page.close();
  } finally {
    child.kill('SIGKILL');
  }
}
await browser.close();
