// Colours of fields, and numbers for people.

const rising = [0x2e3192, 0x6b2fa0, 0xb23a8e, 0xe25a66, 0xf79646, 0xf9d962];
const around = [0x1f4e9c, 0x5f9bd1, 0xedebe6, 0xeb9069, 0xa9283a];

export const toLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const parts = (hex) => [(hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];

// 256 colours, sRGB 0 … 1, blended in linear light.
function table(stops) {
  const list = new Float32Array(256 * 3);
  for (let i = 0; i < 256; ++i) {
    const at = (i / 255) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(at)), f = at - k;
    const a = parts(stops[k]), b = parts(stops[k + 1]);
    for (let c = 0; c < 3; ++c) list[3 * i + c] = a[c] + f * (b[c] - a[c]);
  }
  return list;
}
const tables = { rising: table(rising), around: table(around) };
const linear = Object.fromEntries(Object.entries(tables).map(([k, t]) => [k, t.map(toLinear)]));

export const mapOf = (range) => (range[0] < 0 && range[1] > 0 ? 'around' : 'rising');
export const mapColors = (map) => tables[map];

export function paint(values, range, out) {
  const map = linear[mapOf(range)], scale = 255 / (range[1] - range[0] || 1);
  for (let i = 0; i < values.length; ++i) {
    let k = Math.round((values[i] - range[0]) * scale);
    k = k > 0 ? (k < 255 ? k : 255) : 0;
    out[3 * i] = map[3 * k]; out[3 * i + 1] = map[3 * k + 1]; out[3 * i + 2] = map[3 * k + 2];
  }
}

// The range that nearly all values lie in; a few wild ones must not make the rest one colour.
export function rangeOf(lists) {
  const sample = [];
  for (const list of lists) {
    const stride = Math.max(1, Math.floor(list.length / 4000));
    for (let i = 0; i < list.length; i += stride) if (Number.isFinite(list[i])) sample.push(list[i]);
  }
  if (!sample.length) return null;
  sample.sort((a, b) => a - b);
  return [sample[Math.floor(0.004 * (sample.length - 1))], sample[Math.ceil(0.996 * (sample.length - 1))]];
}

// Round ends: 0 where the range comes near it, both signs alike where both appear.
export function tidy([low, high]) {
  if (low < 0 && high > 0) {
    if (Math.min(-low, high) > 0.05 * Math.max(-low, high)) { high = Math.max(-low, high); low = -high; }
    else if (-low < high) low = 0; else high = 0;
  }
  if (low > 0 && low < 0.5 * high) low = 0;
  if (high < 0 && high > 0.5 * low) high = 0;
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(high - low > 1e-6 * size)) return size > 0 ? [low - 0.05 * size, low + 0.05 * size] : [0, 1];
  const step = 10 ** Math.floor(Math.log10(high - low)) / 2;
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

// The golden angle keeps neighbouring labels apart in hue.
export function labelColor(label) {
  const h = (0.08 + label * 0.381966) % 1, l = 0.56 + 0.06 * ((label % 3) - 1), s = 0.55;
  const f = (n) => { const k = (n + 12 * h) % 12; return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1)); };
  return [f(0), f(8), f(4)].map(toLinear);
}

const prefixes = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
const scalable = new Set(['Pa', 'N', 'J', 'N/m', 'W', 's', 'm', 'm/s']);

export function number(v, digits = 3) {
  if (v === null || v === undefined || !Number.isFinite(v)) return '–';
  if (v === 0) return '0';
  const a = Math.abs(v);
  if (a >= 1e5 || a < 1e-3) {
    const e = Math.floor(Math.log10(a)), m = (v / 10 ** e).toFixed(Math.max(0, digits - 1)).replace(/\.?0+$/, '');
    return `${m}·10${String(e).replace(/./g, (c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)])}`;
  }
  return String(Number(v.toPrecision(digits))).replace('-', '−');
}

// [how many of the unit, its name] that numbers of about this size are best told in: 1e3, 'kPa'.
export function unitFor(size, unit) {
  if (!unit || unit === '1') return [1, ''];
  if (!scalable.has(unit) || !(Math.abs(size) > 0 && Number.isFinite(size))) return [1, unit];
  const a = Math.abs(size) * (1 + 1e-9), [scale, letter] = prefixes.find(([s]) => a >= s) || [1e-9, 'n'];
  return [scale, letter + unit];
}

export function withUnit(v, unit, digits = 3) {
  const [scale, name] = unitFor(v, unit);
  return `${number(v / scale, digits)} ${name}`.trimEnd();
}
