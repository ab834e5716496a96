// Plays a record that the page itself holds. It answers what the page asks as the simulation would, so that the page does
// not know the difference (see link.js).

import { readRecord, bodyAt, fieldsOf } from './record.js';

export function playRecord(buffer, { onMessage, onPicture, onState, sound }) {
  const record = readRecord(buffer), last = record.time.length - 1;
  let wants = { field: '', inside: false }, shown = 0, playing = false, speed = 1, serial = 0, asked = 0, due = true;
  let from = { frame: 0, at: 0 };  // playing: which frame was shown at which time of the clock, s
  const known = [];
  let timer;
  const now = () => performance.now() / 1000, fields = fieldsOf(record);

  function picture() {
    const bodies = record.bodies.map((body, i) => {
      const { out, span } = bodyAt(body, shown, wants, known[i]);
      known[i] = span;
      return out;
    });
    const measures = {};
    for (const [name, list] of Object.entries(record.measures)) if (list[shown] !== null) measures[name] = list[shown];
    return { serial: ++serial, epoch: 1, index: record.index[shown], time: record.time[shown], field: wants.field, bodies, pictures: record.pictures,
      info: { playing, speed, first: 0, last, shown, live: false, fields, measures } };
  }
  // At most as many as the page has asked for.
  function show() {
    due = true;
    if (!(asked > 0)) return;
    due = false;
    --asked;
    onPicture(picture());
  }
  function hear() { playing && speed > 0 ? sound.play(record.time[shown] - record.time[0], speed) : sound.stop(); }
  function set(frame, on) {
    shown = Math.min(last, Math.max(0, frame));
    playing = on;
    from = { frame: shown, at: now() };
    hear();
    show();
  }
  // The frame that the clock asks for; frames that nobody would see in time are left out.
  function tick() {
    if (!playing) return;
    const t = record.time[from.frame] + (now() - from.at) * speed;
    let frame = speed > 0 ? shown : Math.min(last, shown + (asked > 0 ? 1 : 0));
    while (frame < last && speed > 0 && record.time[frame + 1] <= t) ++frame;
    if (frame === shown && frame < last) return;
    if (frame === shown) { set(last, false); return; }
    shown = frame;
    if (shown === last) set(last, false); else show();
  }

  function send({ op, ...m }) {
    if (op === 'view') { wants = m; show(); }
    else if (op === 'ready') { asked = Math.min(2, asked + 1); if (due) show(); }
    else if (op === 'play') set(shown === last ? 0 : shown, true);
    else if (op === 'pause') set(shown, false);
    else if (op === 'step') set(shown + 1, false);
    else if (op === 'back') set(shown - 1, false);
    else if (op === 'seek') set(m.index, false);
    else if (op === 'reset' || op === 'reload') set(0, playing);
    else if (op === 'speed') { speed = m.speed; set(shown, playing); }
  }

  // What is true of the whole run: the plots need not wait until it was played.
  const series = Object.entries(record.measures).map(([name, list]) => ({ title: name, unit: '', values: { [name]: list } }));
  const moving = record.bodies.filter((b) => b.volume?.some((v) => v > 0) && b.kind !== 'rigid').slice(0, 7);
  if (moving.length)
    series.push({ title: 'Volume change', unit: '%', values: Object.fromEntries(moving.map((b) => [b.name, b.volume.map((v) => 100 * (v / b.volume[0] - 1))])) });
  setTimeout(() => {
    onState('open');
    onMessage({ type: 'hello', id: 1, version: record.version, start_page: false });
    onMessage({ type: 'scene', epoch: 1, name: record.name, file: record.scene.split('/').pop(), live: false, recorded: true, camera: record.camera, fps: record.fps });
    onMessage({ type: 'hand', holder: 1, watchers: 1 });
    onMessage({ type: 'history', time: record.time, series });
    if (record.sound) sound.load(record.sound);
    for (let i = 0; i < 2; ++i) send({ op: 'ready' });
    if (!record.sound) send({ op: 'play' });
    timer = setInterval(tick, 4);
  });
  return { send, ready: () => send({ op: 'ready' }), close: () => clearInterval(timer), raw: () => null, record };
}
