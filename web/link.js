// The WebSocket to the simulation: JSON both ways in words, pictures as bytes (the layout is in studio_stream.hpp).

// ahead: pictures on their way while one is drawn. Two keep a fast page busy; for a slow one they would only be older.
export function connect({ onMessage, onPicture, onState, ahead }) {
  const url = new URL('live', location.href);
  url.protocol = 'ws:';
  let socket, wait = 500, closed = false;

  function open() {
    socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => { wait = 500; onState('open'); for (let i = 0; i < ahead; ++i) ready(); };
    socket.onmessage = (event) => {
      if (typeof event.data === 'string') onMessage(JSON.parse(event.data));
      else onPicture(decode(event.data));
    };
    socket.onclose = () => {
      onState('lost');
      if (!closed) setTimeout(open, wait);
      wait = Math.min(8000, 2 * wait);
    };
  }
  function send(message) {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }
  // The server sends the newest picture there is when it hears this, and nothing before.
  function ready() { send({ op: 'ready' }); }
  open();
  return { send, ready, close: () => { closed = true; socket.close(); }, raw: () => socket };
}

export function decode(buffer) {
  const bytes = new Uint8Array(buffer, 0, 8);
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== 'PLNT') throw new Error('not a picture');
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const start = 8 + length;
  const floats = ([offset, count]) => new Float32Array(buffer, start + offset, count);
  const indices = ([offset, count]) => new Uint32Array(buffer, start + offset, count);
  for (const body of header.bodies) {
    if (body.points16) body.points16 = new Uint16Array(buffer, start + body.points16[0], body.points16[1]);
    for (const name of ['points', 'nodes', 'values', 'tet_values', 'node_values', 'crack', 'piece', 'cell_weight', 'uv', 'colors'])
      if (body[name]) body[name] = floats(body[name]);
    for (const name of ['triangles', 'tets', 'cell_tet', 'cell_begin', 'cell_inner', 'cell_outer', 'slot', 'shading']) if (body[name]) body[name] = indices(body[name]);
  }
  for (const [number, [offset, count]] of Object.entries(header.pictures || {})) header.pictures[number] = new Uint8Array(buffer, start + offset, count).slice();
  if (header.contacts) header.contacts = floats(header.contacts);
  return header;
}
