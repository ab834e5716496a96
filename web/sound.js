// Bodies with a voice are heard as they are struck. Their modes come once, then every blow (see studio_sound.hpp).

const latency = 0.03;  // s from a blow's message to its sound: room for the messages to come unevenly

export class Sound {
  // track: the sound of a recorded run, which is as loud.
  constructor(track) {
    this.track = track;
    this.voices = [];
    this.loudest = 0;   // of all blows of this scene: the level follows it, as volume flows differ by orders
    this.strikes = 0;   // heard of so far
    this.volume = Number(localStorage.getItem('pliant-volume') ?? 0.7);
    this.muted = localStorage.getItem('pliant-muted') === 'yes';
    this.track?.setVolume(this.muted ? 0 : this.volume * this.volume);
    // Browsers let a page sound only after its user has touched it.
    const wake = () => this.context?.state === 'suspended' && this.context.resume();
    for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, wake);
  }

  // The chain from modes to ears in any audio context. strikes: those that are known beforehand.
  static async build(context, voices, strikes) {
    await context.audioWorklet.addModule(globalThis.pliant?.address('voices.js') ?? new URL('./voices.js', import.meta.url));
    const node = new AudioWorkletNode(context, 'voices', { numberOfInputs: 0, outputChannelCount: [1], processorOptions: { voices: voices.map((v) => v.modes), strikes } });
    const level = new GainNode(context, { gain: 0 }), master = new GainNode(context, { gain: 1 });
    const limiter = new DynamicsCompressorNode(context, { threshold: -6, knee: 6, ratio: 12, attack: 0.002, release: 0.15 });
    node.connect(level).connect(limiter).connect(master).connect(context.destination);
    return { node, level, master };
  }

  async setVoices(list) {
    this.voices = list;
    this.loudest = 0;
    this.chain?.node.disconnect();
    this.chain = null;
    if (!list.length) return;
    this.context ??= new AudioContext({ latencyHint: 'interactive' });
    const chain = await Sound.build(this.context, list);
    if (this.voices !== list) return;  // another scene meanwhile
    this.chain = chain;
    this.tune(list.flatMap((v, i) => (v.factors ? [[i, ...v.factors]] : [])));  // what came meanwhile
    this.setVolume(this.volume);
  }

  // Heat has changed pitches: [voice, factors of its modes…].
  tune(list) {
    for (const [voice, ...factors] of list) if (this.voices[voice]) this.voices[voice].factors = factors;
    this.chain?.node.port.postMessage({ tune: list });
  }

  // rate: simulated seconds per second.
  strike(list, rate) {
    this.strikes += list.length;
    const now = (this.context?.currentTime ?? 0) + latency, blows = [];
    for (const [voice, since, ...strength] of list) {
      const loudness = Sound.loudness(strength);
      if (loudness > this.loudest) { this.loudest = loudness; this.hardest = { voice, strength }; }
      blows.push({ voice, at: now + Math.min(0.5, since / Math.max(0.05, rate)), strength });
    }
    if (!this.chain || this.context.state !== 'running') return;
    this.chain.level.gain.setTargetAtTime(Sound.level(this.loudest), this.context.currentTime, 0.004);
    this.chain.node.port.postMessage(blows);
  }

  static loudness(strength) { return Math.sqrt(strength.reduce((a, s) => a + s * s, 0)); }
  static level(loudest) { return loudest > 0 ? 0.4 / loudest : 0; }

  setVolume(volume) {
    this.volume = volume;
    localStorage.setItem('pliant-volume', volume);
    this.track?.setVolume(this.muted ? 0 : volume * volume);
    // Ears count in ratios: the square makes the slider feel even.
    this.chain?.master.gain.setTargetAtTime(this.muted ? 0 : volume * volume, this.context.currentTime, 0.01);
  }
  setMuted(muted) {
    this.muted = muted;
    localStorage.setItem('pliant-muted', muted ? 'yes' : 'no');
    this.setVolume(this.volume);
  }
}
