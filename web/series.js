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
