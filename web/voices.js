// Runs in the audio thread: the modes of bodies as damped phasors, struck by blows.
//
// A mode is a phasor that turns and shrinks by r = exp((−decay + 2πi·hz)/rate) per sample; what is heard is its imaginary
// part. A blow adds its strength to the real part, so that a sound starts without a click.

class Voices extends AudioWorkletProcessor {
  constructor({ processorOptions: { voices, strikes = [] } }) {
    super();
    this.voices = voices.map((modes) => {
      const v = { modes, re: new Float64Array(modes.length), im: new Float64Array(modes.length), c: new Float64Array(modes.length), s: new Float64Array(modes.length), loud: 0, loudest: 0 };
      this.tune(v, []);
      return v;
    });
    this.waiting = strikes;  // { voice, at (s of the audio clock), strength }
    this.port.onmessage = ({ data }) => {
      if (data.tune) for (const [voice, ...factors] of data.tune) { if (this.voices[voice]) this.tune(this.voices[voice], factors); }
      else this.waiting.push(...data);
    };
  }

  // factors: of the frequencies. What rings goes on ringing, higher or lower.
  tune(v, factors) {
    v.modes.forEach(([cold, decay], i) => {
      const hz = cold * (factors[i] ?? 1), heard = hz < 0.499 * sampleRate;  // would fold down into what is heard
      const shrink = heard ? Math.exp(-decay / sampleRate) : 0, angle = (2 * Math.PI * hz) / sampleRate;
      v.c[i] = shrink * Math.cos(angle);
      v.s[i] = shrink * Math.sin(angle);
    });
  }

  process(_, [[out]]) {
    const start = currentTime, rate = sampleRate, end = start + out.length / rate;
    const due = this.waiting.filter((s) => s.at < end).sort((a, b) => a.at - b.at);
    if (due.length) this.waiting = this.waiting.filter((s) => s.at >= end);
    let from = 0;
    for (const strike of due) {
      const at = Math.min(out.length, Math.max(from, Math.floor((strike.at - start) * rate)));
      this.ring(out, from, at);
      from = at;
      const v = this.voices[strike.voice];
      if (!v) continue;
      for (let i = 0; i < v.re.length; ++i) v.re[i] += strike.strength[i] || 0;
      v.loud = Infinity;
    }
    this.ring(out, from, out.length);
    for (const v of this.voices) {
      if (v.loud === 0) continue;
      let sum = 0;
      for (let i = 0; i < v.re.length; ++i) sum += v.re[i] * v.re[i] + v.im[i] * v.im[i];
      v.loudest = Math.max(v.loudest, sum);
      v.loud = sum > 1e-12 * v.loudest ? sum : 0;
      if (v.loud === 0) { v.re.fill(0); v.im.fill(0); }
    }
    return true;
  }

  ring(out, from, to) {
    for (const v of this.voices) {
      if (v.loud === 0) continue;
      for (let i = 0; i < v.re.length; ++i) {
        let re = v.re[i], im = v.im[i];
        const c = v.c[i], s = v.s[i];
        for (let n = from; n < to; ++n) {
          out[n] += im;
          const next = re * c - im * s;
          im = re * s + im * c;
          re = next;
        }
        v.re[i] = re; v.im[i] = im;
      }
    }
  }
}

registerProcessor('voices', Voices);
