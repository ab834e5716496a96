// The sound of a recorded run, played along with it from any moment and at any speed.

export class Soundtrack {
  constructor() {
    this.volume = 0.7;
    this.wanted = null;  // what should be heard once the browser allows it
    this.heard = 0;      // s that were played
    const wake = () => {
      if (this.context?.state !== 'suspended') return;
      this.context.resume().then(() => { if (this.wanted) this.play(this.wanted.at + (performance.now() / 1000 - this.wanted.since) * this.wanted.speed, this.wanted.speed); });
    };
    for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, wake);
  }

  // samples: 16-bit, interleaved.
  load({ rate, channels, samples }) {
    this.context = new AudioContext();
    const frames = samples.length / channels;
    this.buffer = this.context.createBuffer(channels, Math.max(1, frames), rate);
    for (let c = 0; c < channels; ++c) {
      const out = this.buffer.getChannelData(c);
      for (let i = 0; i < frames; ++i) out[i] = samples[channels * i + c] / 32768;
    }
    this.master = new GainNode(this.context, { gain: 0 });
    this.meter = new AnalyserNode(this.context, { fftSize: 2048 });
    this.master.connect(this.meter).connect(this.context.destination);
    this.setVolume(this.volume);
  }

  play(at, speed) {
    if (!this.buffer) return;
    this.stop();
    this.wanted = { at, speed, since: performance.now() / 1000 };
    if (this.context.state !== 'running' || at >= this.buffer.duration) return;
    this.source = new AudioBufferSourceNode(this.context, { buffer: this.buffer, playbackRate: speed });
    this.source.connect(this.master);
    this.source.start(0, Math.max(0, at));
  }

  stop() {
    this.wanted = null;
    this.source?.stop();
    this.source?.disconnect();
    this.source = null;
  }

  setVolume(gain) {
    this.volume = gain;
    this.master?.gain.setTargetAtTime(gain, this.context.currentTime, 0.01);
  }

  // The loudest sample that goes out just now.
  level() {
    if (!this.meter) return 0;
    const list = new Float32Array(this.meter.fftSize);
    this.meter.getFloatTimeDomainData(list);
    return list.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  }
}
