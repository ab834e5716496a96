// Numbers over time: what plots draw and tables hold.

export class Series {
  constructor() { this.names = []; this.data = [[]]; }
  get times() { return this.data[0]; }

  // Values at a time; what was said of later times is forgotten, as time was set back.
  add(t, values) {
    for (const n of Object.keys(values))
      if (!this.names.includes(n)) { this.names.push(n); this.data.push(new Array(this.times.length).fill(null)); }
    this.cutFrom(t);
    this.times.push(t);
    this.names.forEach((n, i) => this.data[i + 1].push(values[n] ?? null));
  }

  cutFrom(t) { while (this.times.length && this.times[this.times.length - 1] >= t) for (const d of this.data) d.pop(); }

  // All of a run at once.
  set(times, values) {
    this.names = Object.keys(values);
    this.data = [[...times], ...Object.values(values).map((list) => [...list])];
  }

  // Place of the last sample that is not later than t; 0 before the first one.
  at(t) {
    let low = 0, high = this.times.length - 1;
    while (low < high) { const mid = (low + high + 1) >> 1; if (this.times[mid] <= t + 1e-9) low = mid; else high = mid - 1; }
    return Math.max(0, low);
  }
}

// A series and another one over the times of both, as uPlot wants it: the times, what the first has, what the second has.
export function joined(one, other) {
  const data = [[], ...one.names.map(() => []), ...other.names.map(() => [])];
  for (let i = 0, k = 0; i < one.times.length || k < other.times.length;) {
    const t = Math.min(one.times[i] ?? Infinity, other.times[k] ?? Infinity), here = one.times[i] === t, there = other.times[k] === t;
    data[0].push(t);
    one.names.forEach((_, n) => data[1 + n].push(here ? one.data[1 + n][i] : null));
    other.names.forEach((_, n) => data[1 + one.names.length + n].push(there ? other.data[1 + n][k] : null));
    if (here) ++i;
    if (there) ++k;
  }
  return data;
}

// Several series as one table with a column per name and a row per time that any of them knows.
export function csv(list) {
  const rows = new Map(), columns = [];
  for (const { title, unit, series } of list)
    series.names.forEach((n, i) => {
      const column = columns.push(`${n === title ? n : `${title}: ${n}`}${unit ? ` (${unit})` : ''}`) - 1;
      series.times.forEach((t, k) => { if (!rows.has(t)) rows.set(t, []); rows.get(t)[column] = series.data[i + 1][k]; });
    });
  const quoted = (s) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  const lines = [['time (s)', ...columns].map(quoted).join()];
  for (const t of [...rows.keys()].sort((a, b) => a - b)) lines.push([t, ...columns.map((_, i) => rows.get(t)[i] ?? '')].join());
  return `${lines.join('\n')}\n`;
}
