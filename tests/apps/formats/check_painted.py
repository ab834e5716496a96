"""Paints a weak band on a brick, or finds where it broke.

    check_painted.py paint GIVEN.obj PAINTED.obj
    check_painted.py picture WEAK.png
    check_painted.py where RUN
"""
import glob
import os
import sys

import make_brick
import mesh_readers as readers


def main(what, *paths):
    if what == "paint":
        # Red where the band is, from x = −0.1 to 0 m; black elsewhere.
        with open(paths[0]) as given, open(paths[1], "w") as out:
            for line in given:
                if line.startswith("v "):
                    words = line.split()[:4]
                    red = 1 if -0.1 - 1e-6 <= float(words[1]) <= 1e-6 else 0
                    line = " ".join(words) + " %d 0 0\n" % red
                out.write(line)
        return 0
    if what == "picture":
        # The same band on the sides, whose texture runs from 0 to 1 along the brick.
        with open(paths[0], "wb") as out:
            out.write(make_brick.png(64, 4, lambda i, j: (255, 0, 0) if 16 <= i < 32 else (0, 0, 0)))
        return 0
    mesh = readers.read_obj(sorted(glob.glob(os.path.join(paths[0], "obj", "brick_*.obj")))[-1])
    # The piece that hangs on the left end, which is fixed.
    reached, grown = {min(range(len(mesh.points)), key=lambda i: mesh.points[i][0])}, True
    while grown:
        grown = False
        for face in mesh.faces:
            corners = {c[0] for c in face}
            if corners & reached and not corners <= reached:
                reached |= corners
                grown = True
    end = max(mesh.points[i][0] for i in reached)
    print("the left piece ends at x = %.4f m" % end)
    # A grid cell is 0.05 m: the crack is on a face of a tet whose centre is in the band.
    return 0 if -0.15 < end < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
