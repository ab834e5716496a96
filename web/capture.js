// Films the view as it is drawn, into a WebM file.

export class Capture {
  constructor(canvas) { this.canvas = canvas; }
  get on() { return Boolean(this.recorder); }

  start() {
    const kind = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((k) => globalThis.MediaRecorder?.isTypeSupported(k));
    if (!kind) throw new Error('this browser cannot film a page');
    const parts = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = (e) => { if (e.data.size) parts.push(e.data); };
    this.done = new Promise((done) => { this.recorder.onstop = () => done(new Blob(parts, { type: 'video/webm' })); });
    this.recorder.start(250);
  }

  // Gives the film.
  async stop() {
    this.recorder.stop();
    this.recorder = null;
    return this.done;
  }
}
