// The page: wires the link, the view, the tools and the panel together.

import { connect } from './link.js';
import { playRecord } from './player.js';
import { View } from './view.js';
import { Tools } from './tools.js';
import { Panel, escape, save } from './panel.js';
import { Sound } from './sound.js';
import { Soundtrack } from './soundtrack.js';
import { Inspector } from './inspect.js';
import { Capture } from './capture.js';
import { icon } from './icons.js';
import { mapColors, mapOf, number } from './colors.js';

const $ = (id) => document.getElementById(id);
const speeds = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 0];
const speedText = (s) => (s === 0 ? 'max' : s < 1 ? `1/${1 / s}×` : `${s}×`);

for (const b of document.querySelectorAll('[data-icon]')) b.innerHTML = icon(b.dataset.icon);
for (const b of document.querySelectorAll('[data-tip]')) if (!b.textContent.trim()) b.setAttribute('aria-label', b.dataset.tip);

// What the test looks at, and a console too.
const studio = (window.studio = { pictures: 0, state: 'connecting', info: null, scene: null, log: [] });

document.body.classList.add('no-scene');
let view;
try {
  view = studio.view = new View($('view'));
} catch (error) {
  cover('This browser cannot draw in 3D', 'The studio needs WebGL 2. Try another browser, or allow software rendering.', String(error.message || error));
  throw error;
}

// A page that is one file holds what it plays; otherwise a simulation sends it.
const record = globalThis.pliant?.record;
document.body.classList.toggle('one-file', Boolean(record));
const soundtrack = (studio.soundtrack = new Soundtrack());
const link = (studio.link = record
  ? playRecord(record, { onMessage, onPicture, onState, sound: soundtrack })
  : connect({ onMessage, onPicture, onState, ahead: view.software ? 1 : 2 }));
const tools = (studio.tools = new Tools(view, link.send, note));
const panel = (studio.panel = new Panel($('panel'), view, link.send, note));
const inspector = (studio.inspector = new Inspector(view, $('inspect')));
tools.inspect = (hit) => inspector.choose(hit);
const capture = (studio.capture = new Capture($('view')));
const sound = (studio.sound = new Sound(soundtrack));
panel.drawBar = (canvas, range) => {
  const context = canvas.getContext('2d'), colors = mapColors(mapOf(range));
  for (let y = 0; y < canvas.height; ++y) {
    const k = 3 * Math.round(255 * (1 - y / (canvas.height - 1)));
    context.fillStyle = `rgb(${[0, 1, 2].map((c) => Math.round(255 * colors[k + c])).join()})`;
    context.fillRect(0, y, canvas.width, 1);
  }
};

let latest = null, scrubbing = false, keeping = false, speed = 1, shownAt = 0;

function onState(state) {
  studio.state = state;
  if (state === 'lost') {
    setStatus('lost', 'No connection');
    cover('The simulation does not answer', 'It was stopped, or the tunnel to it is closed. This page tries again by itself; a studio that was started anew has another address.', '');
  } else {
    view.epoch = -1;
    hideCover();
    setStatus('live', 'Connected');
    link.send({ op: 'view', ...panel.wants });
  }
}

function onMessage(m) {
  studio.log.push(m.type);
  if (m.type === 'hello') { studio.id = m.id; studio.version = m.version; if (m.start_page && !studio.scene) showStart(true); }
  else if (m.type === 'gallery') { studio.gallery = m.scenes; drawStart(); }
  else if (m.type === 'busy') { busy(m.text); }
  else if (m.type === 'scene') openScene(m);
  else if (m.type === 'error') showError(m);
  else if (m.type === 'note') { note(m.text); panel.log([m.text]); }
  else if (m.type === 'hand') {
    studio.holder = m.holder;
    $('take').hidden = m.holder === studio.id;
    document.body.classList.toggle('watching', m.holder !== studio.id);
  } else if (m.type === 'saved') { note(`Saved in ${m.text}. Look at it again with: pliant studio ${m.text}`, 8); panel.log([`Saved in ${m.text}`]); studio.saved = m.text; }
  else if (m.type === 'lua') copyLua(m.text);
  else if (m.type === 'voices') { showVoices(m); sound.setVoices(m.list).catch((error) => note(`No sound in this browser: ${error.message}`)); }
  else if (m.type === 'history') { if (m.series) panel.plots.setWhole(m.time, m.series); else panel.plots.setPast(m.frames); studio.history = m; }
  else if (m.type === 'compared') {
    panel.plots.setKept(m.on ? m : null);
    if (m.on && keeping) note('This run is kept as a shadow. Go back, change a number, and play: both are shown.', 8);
    studio.compared = m.on;
    keeping = false;
    $('keep').setAttribute('aria-pressed', m.on);
  }
  else if (m.type === 'knobs') panel.setKnobs(m.values);
  else if (m.type === 'tuning') sound.tune(m.list);
  else if (m.type === 'strikes') sound.strike(m.list, studio.info?.realtime || 1);
}

function openScene(scene) {
  // Another scene starts with its own settings; the same one, loaded anew, keeps them.
  if (studio.scene && studio.scene.file !== scene.file) { panel.resetView(); tools.reset(); inspector.choose(null); }
  studio.scene = scene;
  studio.firstVolume = undefined;
  document.body.classList.remove('no-scene', 'failed');
  $('keep').hidden = !scene.live;
  studio.error = null;
  $('scene-name').innerHTML = `${escape(scene.name)}<small>${escape(scene.live ? scene.file : `recorded run, ${scene.file}`)}</small>`;
  document.title = scene.recorded ? `${scene.name} – Pliant` : `${scene.name} – Pliant Studio`;
  if (scene.recorded) { tools.choose('look'); showSoundBox(Boolean(link.record?.sound)); }
  tools.masses = Object.fromEntries((scene.bodies || []).map((b) => [b.name, b.mass]));
  panel.setScene(scene);
  showStart(false);
  hideCover();
}

function onPicture(picture) {
  const start = performance.now();
  latest = picture;
  studio.info = picture.info;
  studio.time = picture.time;
  studio.index = picture.index;
  // The next one is asked for once this one is on the screen.
  view.ready.add(() => {
    ++studio.pictures;
    studio.ready = true;
    // Time waits for the first picture of a scene to be seen.
    if (studio.seenEpoch !== picture.epoch) { studio.seenEpoch = picture.epoch; link.send({ op: 'shown', epoch: picture.epoch }); }
    link.ready();
  });
  view.take(picture, studio.scene);
  if (view.drawnEpoch !== picture.epoch) { view.drawnEpoch = picture.epoch; tools.drawOptions(); }
  inspector.update(picture, Object.fromEntries((studio.scene?.bodies || []).map((b) => [b.name, b])));
  tools.pins = picture.info.pins;
  panel.listBodies(view.bodies);
  panel.setFields(picture.info.fields || []);
  panel.bar();
  panel.showForce(view.marks.longest);
  panel.info = picture.info;
  panel.plots.now = picture.time;
  // The numbers of a live scene come frame by frame, of those too that are never drawn.
  if (picture.info.live) panel.plots.addTimes(picture.time, picture.info);
  else if (!studio.scene?.live) panel.plots.add(picture.time, picture.info);
  showTime(picture);
  studio.handled = performance.now() - start;  // ms that a picture takes before it can be drawn
}

function showTime({ index, time, info }) {
  // Words that change faster than they can be read cost more than the picture.
  const now = performance.now();
  if (info.playing && now - shownAt < 90) return;
  shownAt = now;
  $('play').innerHTML = icon(info.playing ? 'pause' : 'play');
  $('play').setAttribute('aria-label', info.playing ? 'Pause' : 'Play');
  $('clock').textContent = `${time.toFixed(2)} s`;
  const scrub = $('scrub');
  scrub.min = info.first;
  scrub.max = Math.max(info.last, info.first + 1);
  if (!scrubbing) scrub.value = info.shown;
  scrub.style.setProperty('--at', `${(100 * (info.shown - info.first)) / Math.max(1, scrub.max - info.first)}%`);
  if (speed !== info.speed) { speed = info.speed; $('speed').value = speed; }
  $('rate').textContent = info.live && info.playing && info.realtime > 0.01 ? `${number(info.realtime, 2)}× real time` : '';
  if (!studio.error && studio.state === 'open')
    setStatus(info.playing ? 'live' : info.live ? 'paused' : 'past', info.playing ? (studio.scene?.live ? 'Live' : 'Playing') : info.live || !studio.scene?.live ? 'Paused' : 'In the past');
  const parts = [`<div><b>${index}</b>frame</div>`, `<div><b>${time.toFixed(3)} s</b>time</div>`];
  if (info.steps !== undefined) parts.splice(1, 0, `<div><b>${info.steps.toLocaleString('en')}</b>steps</div>`);
  if (!info.bodies) {
    // A frame of the past, or of a run on disk: from the picture itself.
    const bodies = view.bodies.filter((b) => b.movable && b.low), v = bodies.reduce((a, b) => a + b.volume(), 0);
    const rest = (studio.scene?.bodies || []).reduce((a, b) => a + b.rest_volume, 0) || (studio.firstVolume ??= v);
    if (v > 0) parts.push(`<div><b>${volumeText(v)}</b>volume</div>`, `<div><b>${changeText(v, rest)}</b>change</div>`);
  }
  if (info.bodies?.length) {
    const v = info.bodies.reduce((a, b) => a + b.volume, 0), r = info.bodies.reduce((a, b) => a + b.rest_volume, 0);
    parts.push(`<div><b>${volumeText(v)}</b>volume</div>`, `<div><b>${changeText(v, r)}</b>change</div>`);
    parts.push(`<div><b>${number(info.step_ms)} ms</b>per step</div>`, `<div><b>${info.contacts}</b>contacts</div>`);
  }
  $('frame-info').innerHTML = parts.join('');
}

const change = (percent) => (percent < 1000 ? percent.toFixed(2) : number(percent));
const changeText = (v, rest) => (rest > 0 ? `${change(Math.abs(100 * (v / rest - 1)))} %`.replace(/^(?!0\.00 )/, v >= rest ? '+' : '−') : '–');
function volumeText(v) { return v < 1e-3 ? `${number(1e6 * v)} cm³` : v < 1 ? `${number(1e3 * v)} l` : `${number(v)} m³`; }

function setStatus(kind, text) { const s = $('status'); s.className = `pill ${kind}`; s.textContent = text; }

// ---- covers, notes, start page --------------------------------------------------------------------------------------

function cover(title, text, detail, kind = '') {
  $('cover').innerHTML = `<div class="card ${kind}"><h2>${escape(title)}</h2><p>${escape(text)}</p>${detail ? `<pre>${escape(detail)}</pre>` : ''}</div>`;
  $('cover').hidden = false;
}
function hideCover() { $('cover').hidden = true; }
function busy(text) { showStart(false); if (!studio.error) cover(text, '', '', 'busy'); }

function showError(m) {
  studio.error = m;
  setStatus('error', 'Error');
  showStart(false);
  document.body.classList.add('failed');
  cover(sentence(m.message), m.remedy ? `${sentence(m.remedy).replace(/([^.?!])$/, '$1.')}` : '', m.where, 'error');
  if (m.line) $('cover').querySelector('pre').insertAdjacentHTML('beforeend', `<b>${escape(m.line)}</b>`);
  if (m.where) $('cover').querySelector('.card').insertAdjacentHTML('beforeend', '<small>Save the mended file: it is loaded again by itself.</small>');
  panel.log([`${m.where ? `${m.where}: ` : ''}${m.message}. ${m.remedy || ''}`]);
}
const sentence = (s) => s.charAt(0).toUpperCase() + s.slice(1);

function note(text, seconds = 4) {
  const p = document.createElement('p');
  p.textContent = text;
  $('notes').append(p);
  while ($('notes').children.length > 3) $('notes').firstChild.remove();
  setTimeout(() => p.remove(), 1000 * seconds);
}

const first = 'quickstart';  // scene of the start page
// Folders of the shipped scenes, in the order of the start page; others follow under their own name.
const chapters = [['', 'First steps'], ['virtual-materials', 'Virtual materials'], ['everts', 'Particles and springs'], ['modal', 'Modes'], ['sound', 'Sound'],
  ['brittle', 'Brittle fracture'], ['ductile', 'Ductile fracture'], ['virtual-nodes', 'Knives'], ['flow', 'Flow'], ['shells', 'Shells'], ['contact', 'Contact']];

function drawStart() {
  const scenes = studio.gallery || [], folder = (s) => s.name.split('/').slice(0, -1).join('/');
  const known = new Map(chapters);
  for (const s of scenes) if (!known.has(folder(s))) known.set(folder(s), folder(s).replaceAll('-', ' '));
  const card = (s) => `<button class="scene" data-scene="${escape(s.name)}">
      ${s.thumb ? `<img src="${escape(s.thumb)}" alt="" loading="lazy">` : '<div class="no-picture"></div>'}
      <b>${escape(s.name.split('/').pop().replaceAll('-', ' '))}</b><span>${escape(s.about)}</span></button>`;
  const chapter = ([path, title]) => {
    const list = scenes.filter((s) => folder(s) === path).sort((a, b) => (b.name === first) - (a.name === first));
    return list.length ? `<h2>${escape(title)}</h2><div class="scene-grid">${list.map(card).join('')}</div>` : '';
  };
  $('start').innerHTML = `<div class="start-page"><div class="start-head"><div><h1>Choose a scene</h1>
    <p>Each runs at once, and everything in it can be grabbed, pinned, pushed and warmed. Your own: <code>pliant studio mine.lua</code></p></div>
    <button class="icon" id="close-start" aria-label="Close" ${studio.scene || studio.error ? '' : 'hidden'}>${icon('close')}</button></div>
    ${scenes.length ? [...known].map(chapter).join('') : '<p class="empty">No scenes are installed beside the program.</p>'}</div>`;
}
function showStart(on) {
  if (on) drawStart();
  $('start').hidden = !on;
}
// A narrow window has these in its panel.
const narrow = matchMedia('(max-width: 860px)');
const wide = new Map(['scenes', 'volume', 'film', 'save', 'lua', 'theme', 'rate', 'keep'].map((id) => [id, { parent: $(id).parentElement, next: $(id).nextElementSibling }]));
function arrange() {
  // From the last to the first, so that each finds its neighbour in place.
  for (const [id, { parent, next }] of [...wide].reverse())
    if (narrow.matches) $('panel-top').prepend($(id)); else parent.insertBefore($(id), next);
}
narrow.onchange = arrange;
arrange();
$('start').onclick = (e) => {
  if (e.target.closest('#close-start')) return showStart(false);
  const card = e.target.closest('[data-scene]');
  if (!card) return;
  studio.error = null;
  link.send({ op: 'open', scene: card.dataset.scene });
  busy(`Building ${card.dataset.scene} …`);
};

// ---- buttons and keys -----------------------------------------------------------------------------------------------

const act = {
  play: () => link.send({ op: latest?.info.playing ? 'pause' : 'play' }),
  step: () => link.send({ op: 'step' }),
  back: () => link.send({ op: 'back' }),
  reset: () => link.send({ op: 'reset' }),
  reload: () => link.send({ op: 'reload' }),
  save: () => link.send({ op: 'save', name: '' }),
  keep: () => { keeping = !studio.compared; link.send({ op: 'keep', on: keeping }); },
  lua: () => link.send({ op: 'lua' }),
  take: () => link.send({ op: 'take' }),
  sound: () => { sound.setMuted(!sound.muted); showSound(); },
  scenes: () => showStart($('start').hidden),
  theme: () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    localStorage.setItem('pliant-theme', next);
    view.setTheme(next);
    panel.plots.restyle();
  },
  help: () => { $('help-page').hidden = !$('help-page').hidden; },
  drawer: () => { document.body.classList.toggle('no-panel'); document.body.classList.toggle('show-panel'); },
  film: async () => {
    if (capture.on) {
      $('film').innerHTML = icon('film');
      const film = (studio.film = await capture.stop());
      save(`${studio.scene?.name || 'pliant'}.webm`, film);
      note(`Film saved, ${(film.size / 1e6).toFixed(1)} MB.`);
      return;
    }
    try { capture.start(); } catch (error) { note(`No film: ${error.message}.`); return; }
    $('film').innerHTML = icon('stop');
    view.draw();
    note('Filming. Press again to save.');
  },
  shot: () => {
    const a = document.createElement('a');
    a.download = `${studio.scene?.name || 'pliant'}-${String(latest?.index ?? 0).padStart(4, '0')}.png`;
    a.href = view.still();
    a.click();
    note('Picture saved.');
  },
  faster: (by) => {
    const at = speeds.indexOf(speed);
    const next = speeds[Math.min(speeds.length - 1, Math.max(0, (at < 0 ? 4 : at) + by))];
    link.send({ op: 'speed', speed: next });
    note(next === 0 ? 'As fast as it goes' : `Speed ${speedText(next)}`, 1.5);
  },
};
for (const id of ['play', 'step', 'back', 'reset', 'save', 'lua', 'take', 'scenes', 'theme', 'help', 'drawer', 'shot', 'film', 'sound', 'keep']) $(id).onclick = () => act[id]();
// The slider may be in the panel, apart from its box.
function showSoundBox(on) { $('sound-box').hidden = $('volume').hidden = !on; }
function showVoices({ list, searching }) {
  showSoundBox(list.length > 0 || Boolean(searching));
  $('sound-box').classList.toggle('searching', Boolean(searching));
  $('sound').dataset.tip = searching ? 'Finding out how the bodies sound …' : 'Sound on or off (M)';
}
function showSound() { $('sound').innerHTML = icon(sound.muted || sound.volume === 0 ? 'mute' : 'sound'); $('sound').setAttribute('aria-pressed', !sound.muted); }
$('volume').value = sound.volume;
$('volume').oninput = (e) => { if (sound.muted) sound.setMuted(false); sound.setVolume(Number(e.target.value)); showSound(); };
showSound();
$('speed').innerHTML = speeds.map((s) => `<option value="${s}">${speedText(s)}</option>`).join('');
$('speed').value = 1;
$('speed').onchange = (e) => link.send({ op: 'speed', speed: Number(e.target.value) });
$('scrub').oninput = (e) => { scrubbing = true; link.send({ op: 'seek', index: Number(e.target.value) }); };
$('scrub').onchange = () => { scrubbing = false; $('scrub').blur(); };

addEventListener('keydown', (e) => {
  if (e.key === 'F1') { e.preventDefault(); return act.help(); }
  if (e.key === 'Escape') { $('help-page').hidden = true; if (studio.scene) showStart(false); return tools.letGo(); }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName) && document.activeElement.type !== 'range' && document.activeElement.type !== 'checkbox') return;
  if (e.ctrlKey && e.key.toLowerCase() === 'l') { e.preventDefault(); return act.reload(); }
  if (e.ctrlKey && e.key.toLowerCase() === 's') { e.preventDefault(); return act.save(); }
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const keys = { ' ': act.play, ArrowRight: act.step, ArrowLeft: act.back, Backspace: act.reset, '+': () => act.faster(1), '=': () => act.faster(1), '-': () => act.faster(-1),
    f: () => tools.frame(), F: () => tools.frame(), p: act.shot, m: act.sound };
  if (keys[e.key]) { e.preventDefault(); document.activeElement?.blur?.(); keys[e.key](); } else if (tools.key(e.key)) e.preventDefault();
});

async function copyLua(text) {
  studio.lua = text;
  if (/^-- Nothing was done yet\.$/m.test(text)) { note('There is nothing to copy yet: pull, push, pin or warm something first.'); return; }
  try { await navigator.clipboard.writeText(text); note('Copied as Lua. Paste it at the end of your scene.'); }
  catch { cover('What the hand did, as Lua', 'Copy it and paste it at the end of your scene. Escape closes this.', text); $('cover').onclick = (e) => { if (e.target === $('cover')) hideCover(); }; }
}

$('help-page').innerHTML = `<div class="card"><h2>Keys and mouse</h2><div class="help-grid">
  <dl><dt><kbd>Space</kbd></dt><dd>play or pause</dd><dt><kbd>→</kbd></dt><dd>one frame on</dd><dt><kbd>←</kbd></dt><dd>one frame back</dd>
  <dt><kbd>Backspace</kbd></dt><dd>start again</dd><dt><kbd>Ctrl</kbd> <kbd>L</kbd></dt><dd>load the scene again</dd><dt><kbd>+</kbd> <kbd>−</kbd></dt><dd>faster, slower</dd>
  <dt><kbd>F</kbd></dt><dd>show the body under the pointer, or everything</dd><dt><kbd>1</kbd> … <kbd>6</kbd></dt><dd>drag, push, pin, heat, look, inspect</dd><dt><kbd>Ctrl</kbd> <kbd>S</kbd></dt><dd>save the session</dd><dt><kbd>P</kbd></dt><dd>save a picture</dd><dt><kbd>M</kbd></dt><dd>sound on or off</dd><dt><kbd>F1</kbd></dt><dd>this page</dd></dl>
  <dl><dt>On a body</dt><dd>the chosen tool</dd><dt>Beside it, or <kbd>Alt</kbd></dt><dd>turn the camera</dd><dt>Right button, or <kbd>Shift</kbd></dt><dd>move sideways</dd><dt>Wheel, or pinch</dt><dd>come closer</dd><dt>Double click</dt><dd>turn about this point</dd></dl></div>
  <p>From a frame of the past, play or the hand goes on from there; what came later is forgotten, unless <i>Compare</i> keeps it as a shadow. Saving an edited scene file loads it again.</p></div>`;
$('help-page').onclick = (e) => { if (e.target === $('help-page')) $('help-page').hidden = true; };
