"""Writes an artist's brick: quads, one hexagon, texture coordinates with seams, three materials, hard edges, colours, and
pictures for one of the materials (its colour, its roughness and metal, its normals) in a folder with a blank in its name.

    make_brick.py OUT.obj

The bar lies along x, 0.4 × 0.1 × 0.1 m. Its ends are 'red' and 'blue' caps with one polygon ring each, its sides are
'stone', smooth across the four long edges of the upper half and hard at all others, so that both kinds of edge are in it.
"""
import os
import struct
import sys
import zlib

NX, NY = 12, 3  # quads along, across
L, W = 0.4, 0.1


def main(path):
    points, colors, index = [], [], {}
    uvs, normals, faces = [], [], []

    def point(i, j, k):
        if (i, j, k) not in index:
            index[i, j, k] = len(points) + 1
            points.append((L * i / NX - L / 2, W * j / NY, W * k / NY - W / 2))
            colors.append((i / NX, j / NY, k / NY))
        return index[i, j, k]

    def listed(values, value):
        if value in values:
            return values.index(value) + 1
        values.append(value)
        return len(values)

    def face(material, corners, normal_of, uv_of):
        faces.append((material, [(point(*c), listed(uvs, uv_of(c)), listed(normals, normal_of(c))) for c in corners]))

    def side(axis, at, flip, first_v):
        """A long side: j or k is constant."""
        sign = 1 if at else -1

        def uv(c):
            return (c[0] / NX, (first_v + c[2 if axis == 1 else 1] / NY) / 4)

        def normal(c):
            n = [0.0, 0.0, 0.0]
            n[axis] = float(sign)
            # The top's long edges are smooth: their normals are half-way to the sides'.
            if c[1] == NY and c[2] in (0, NY) and not (axis == 1 and not at):
                n = [0.0, 0.7071068, 0.7071068 if c[2] else -0.7071068]
            return tuple(n)

        for i in range(NX):
            for m in range(NY):
                def at_corner(a, b):
                    return (a, at, b) if axis == 1 else (a, b, at)
                loop = [at_corner(i, m), at_corner(i + 1, m), at_corner(i + 1, m + 1), at_corner(i, m + 1)]
                face("stone", loop[::-1] if flip else loop, normal, uv)

    side(1, 0, False, 0)
    side(1, NY, True, 1)
    side(2, 0, True, 2)
    side(2, NY, False, 3)
    for i, material in ((0, "red"), (NX, "blue")):
        x = -1.0 if i == 0 else 1.0
        # The end as one polygon of all points on its rim.
        rim = [(i, 0, k) for k in range(NY)] + [(i, j, NY) for j in range(NY)]
        rim += [(i, NY, NY - k) for k in range(NY)] + [(i, NY - j, 0) for j in range(NY)]
        if i != 0:
            rim = rim[::-1]
        face(material, rim, lambda c: (x, 0.0, 0.0), lambda c: (c[2] / NY, c[1] / NY))
    with open(path, "w") as out:
        out.write("# an artist's brick\nmtllib brick.mtl\no brick\n")
        for p, c in zip(points, colors):
            out.write("v %.9g %.9g %.9g %.4f %.4f %.4f\n" % (*p, *c))
        for uv in uvs:
            out.write("vt %.7g %.7g\n" % uv)
        for n in normals:
            out.write("vn %.7g %.7g %.7g\n" % n)
        last = None
        for material, corners in faces:
            if material != last:
                out.write("usemtl %s\n" % material)
                last = material
            out.write("f " + " ".join("%d/%d/%d" % c for c in corners) + "\n")
    with open(path[:-4] + ".mtl", "w") as out:
        out.write("newmtl red\nKd 0.8 0.1 0.1\nnewmtl blue\nKd 0.1 0.2 0.8\nnewmtl stone\nKd 0.5 0.5 0.45\n"
                  "Pr 0.75\nPm 0.25\nmap_Pr -imfchan g my pictures/rough.png\n"
                  "map_Pm -imfchan b my pictures/rough.png\nnorm -bm 0.5 my pictures/bumps.png\n"
                  "map_Kd -s 1 1 1 -clamp on my pictures\\stone map.png\n")
    folder = os.path.join(os.path.dirname(path), "my pictures")
    os.makedirs(folder, exist_ok=True)
    for name, color in (("stone map.png", lambda i, j: (255 * i // 15, 255 * j // 15, 128)),
                        ("rough.png", lambda i, j: (0, 255 - 8 * i, 16 * j)),
                        ("bumps.png", lambda i, j: (128 + 40 * (i % 3 - 1), 128, 250))):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(png(16, 16, color))


def png(width, height, color):
    """A picture of 8 bits per channel, upper row first."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(c for i in range(width) for c in color(i, j)) for j in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main(sys.argv[1])
