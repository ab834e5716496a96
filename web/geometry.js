// Normals and areas of triangles.

let scratch = new Float32Array(0);

// Per triangle, twice its area times its unit normal. The array is lent until the next call.
export function faceNormals(points, index) {
  if (scratch.length < index.length) scratch = new Float32Array(index.length);
  const out = scratch;
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    out[t] = uy * vz - uz * vy; out[t + 1] = uz * vx - ux * vz; out[t + 2] = ux * vy - uy * vx;
  }
  return out;
}

// Per vertex, weighted by area. Their length does not matter: the shader makes them unit vectors. Three's own version
// makes an object per corner.
export function vertexNormals(points, index, out) {
  const face = faceNormals(points, index);
  out.fill(0);
  for (let t = 0; t < index.length; t += 3)
    for (let k = 0; k < 3; ++k) {
      const v = 3 * index[t + k];
      out[v] += face[t]; out[v + 1] += face[t + 1]; out[v + 2] += face[t + 2];
    }
}
