// What the browser tests share: the browser, pages that note their errors, and waiting for things to happen.

import { existsSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
export const patience = 180000;  // ms for a single thing to happen on a busy machine

export async function launch() {
  let chromium;
  try {
    ({ chromium } = await import(join(here, '../../web/node_modules/playwright-core/index.mjs')));
  } catch {
    console.error('The browser test needs playwright-core: run npm ci in web/.');
    process.exit(1);
  }
  const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!program) {
    console.error('The browser test needs a browser: install the Debian package chromium.');
    process.exit(1);
  }
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-gpu-watchdog'] });
}

export async function openPage(browser, url, size = { width: 900, height: 480 }) {
  const page = await browser.newPage({ viewport: size, colorScheme: 'dark', acceptDownloads: true });
  page.errors = [];
  page.setDefaultTimeout(patience);
  page.on('pageerror', (e) => page.errors.push(e.message));
  page.on('console', (m) => { if (m.type() === 'error') page.errors.push(m.text()); });
  await page.goto(url, { waitUntil: 'commit' });
  return page;
}

// Polled from here rather than in the page: a page that draws in software has no time to poll.
export async function when(page, condition, argument) {
  const until = performance.now() + patience;
  while (!(await page.evaluate(condition, argument))) {
    if (performance.now() > until) throw new Error(`waited in vain for ${condition}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const started = performance.now();
export const say = (text) => console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
export function check(condition, text) {
  if (!condition) throw new Error(`failed: ${text}`);
  say(`ok: ${text}`);
}
