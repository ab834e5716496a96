"""Compares what a run exported with the OBJ that went in. Prints one line per check, fails on the first that is wrong.

    check_brick.py whole|broken|cut|from-ply|from-glb|cut-from-ply|cut-from-glb GIVEN.obj RUN

from-ply and from-glb: the OBJ went through that format before it went in, and what came of it broke in two or was cut.
"""
import glob
import math
import os
import sys
from collections import Counter

import mesh_readers as readers


def check(what, ok, detail=""):
    print(("ok    " if ok else "WRONG ") + what + (": " + str(detail) if detail != "" else ""))
    if not ok:
        sys.exit(1)


def distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def uv_area(mesh):
    """Area in the texture, by material, of the faces as they are turned."""
    areas = Counter()
    for face, material in zip(mesh.faces, mesh.material):
        area = 0
        for i in range(len(face)):
            (u0, v0), (u1, v1) = face[i][1], face[(i + 1) % len(face)][1]
            area += 0.5 * (u0 * v1 - u1 * v0)
        areas[material] += abs(area)
    return areas


def texture_area(faces):
    return sum(0.5 * (f[i][1][0] * f[(i + 1) % len(f)][1][1] - f[(i + 1) % len(f)][1][0] * f[i][1][1])
               for f in faces for i in range(len(f)))


def area(mesh, face):
    a, b, c = (mesh.points[corner[0]] for corner in face[:3])
    u, v = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
    cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return 0.5 * math.sqrt(sum(x * x for x in cross))


def same_mesh(what, given, found, normals=True):
    check(what + ", points in their order", len(found.points) == len(given.points)
          and max(distance(a, b) for a, b in zip(given.points, found.points)) < 1e-6, len(found.points))
    check(what + ", polygons as they were", [[c[0] for c in f] for f in found.faces] ==
          [[c[0] for c in f] for f in given.faces], dict(Counter(len(f) for f in found.faces)))
    check(what + ", materials", found.material == given.material, dict(Counter(found.material)))
    for name, at, most in (("texture coordinates", 1, 1e-6), ("normals", 2, 2e-4), ("colours", 3, 5e-3)):
        if name == "normals" and not normals:
            continue
        error = max(distance(a[at], b[at]) for f, g in zip(given.faces, found.faces) for a, b in zip(f, g))
        check(what + ", " + name, error < most, "largest difference %.2g" % error)


def triangles_of(what, given, found):
    """Triangles of the given polygons: every corner is one of a polygon of that material, and nothing is left out."""
    corners = {}
    for face, material in zip(given.faces, given.material):
        for point, uv, normal, color in face:
            corners.setdefault((material, round(uv[0], 5), round(uv[1], 5)), []).append((point, normal, color))
    order = {}
    for face, material in zip(found.faces, found.material):
        for vertex, uv, normal, color in face:
            options = [(p, n, c) for p, n, c in corners[material, round(uv[0], 5), round(uv[1], 5)]
                       if distance(given.points[p], found.points[vertex]) < 1e-6 and distance(n, normal) < 2e-4
                       and distance(c, color) < 5e-3]
            check_quiet(what, options, (material, uv, normal, color))
            order[vertex] = options[0][0]
    check(what + ", every corner with its texture, normal, colour and material", True, len(order))
    in_order = [order[v] for v in sorted(order)]
    check(what + ", vertices in the order of the points", in_order == sorted(in_order))
    a, b = uv_area(given), uv_area(found)
    check(what + ", texture covered once", set(a) == set(b) and all(abs(a[m] - b[m]) < 1e-5 for m in a), dict(b))


def check_quiet(what, ok, detail):
    if not ok:
        check(what, False, detail)


def edges_closed(mesh):
    uses = Counter()
    for face in mesh.faces:
        for i in range(len(face)):
            uses[face[i][0], face[(i + 1) % len(face)][0]] += 1
    return all(n == 1 and uses.get((b, a)) == 1 for (a, b), n in uses.items())


def components(mesh):
    parent = list(range(len(mesh.points)))

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for face in mesh.faces:
        for corner in face[1:]:
            parent[find(corner[0])] = find(face[0][0])
    return len({find(c[0]) for f in mesh.faces for c in f})


def unit(mesh):
    """How far normals are from unit length; faces of no area have none."""
    return max(abs(math.sqrt(sum(v * v for v in c[2])) - 1) for f in mesh.faces if area(mesh, f) > 1e-9 for c in f)


def broken_mesh(what, given, found, polygons=True, normals=True):
    areas, before = uv_area(found), uv_area(given)
    error = max(abs(areas[m] - before[m]) for m in before)
    check(what + ", texture of the outside neither lost nor doubled", error < 1e-4, "largest difference %.2g" % error)
    check(what + ", cracks have a slot of their own", set(found.material) == set(before) | {"inside"}, dict(Counter(found.material)))
    inside = [f for f, m in zip(found.faces, found.material) if m == "inside"]
    real = [f for f in inside if area(found, f) > 1e-9]
    check(what + ", cracks have coordinates", len(real) > 20 and
          all(-0.01 <= v <= 1.01 for f in inside for c in f for v in c[1]) and
          all(abs(texture_area([f])) > 0 for f in real), "%d faces" % len(real))
    # Colours of the outside are those of its place in the texture: red goes with u along the sides.
    error = 0
    for face, material in zip(found.faces, found.material):
        for point, uv, normal, color in face:
            if material == "stone" and abs(uv[0] * 12 - round(uv[0] * 12)) < 1e-6:
                error = max(error, abs(color[0] - readers.linear(uv[0])))
    check(what + ", colours follow the surface", error < 5e-3, "largest difference %.2g" % error)
    if polygons:
        check(what + ", closed after the break", edges_closed(found))
        check(what + ", in two", components(found) >= 2, components(found))
        def name(face):
            return tuple(sorted(tuple(round(x, 5) for x in c[1]) for c in face))
        old = {name(f) for f in given.faces}
        quads = [f for f in found.faces if len(f) > 3]
        check(what + ", polygons that no crack touches stay", len(quads) > 40 and
              all(name(f) in old for f in quads), len(quads))
        check(what + ", the first points are the given ones", len(found.points) > len(given.points))
    if not normals:
        return
    check(what + ", unit normals", unit(found) < 1e-3)
    # The bottom (v below a quarter) is flat and hard against the sides; the upper long edges are smooth.
    at_point = {}
    for face, material in zip(found.faces, found.material):
        strip = int(4 * sum(c[1][1] for c in face) / len(face))
        for point, uv, normal, color in face:
            if material == "stone" and area(found, face) > 1e-9:
                at_point.setdefault(tuple(round(x, 6) for x in found.points[point]), []).append((strip, normal))
    hard = smooth = 0
    for corners in at_point.values():
        strips = {}
        for strip, n in corners:
            strips.setdefault(strip, []).append(n)
        for a in strips:
            for b in strips:
                if a >= b:
                    continue
                dot = min(sum(x * y for x, y in zip(m, n)) for m in strips[a] for n in strips[b])
                if a == 0:
                    hard += 1
                    check_quiet(what + ", hard edges stay hard", dot < 0.3, dot)
                else:
                    smooth += 1
                    check_quiet(what + ", smooth edges stay smooth", dot > 0.99, dot)
    check(what + ", hard and smooth edges", hard > 10 and smooth > 10, "%d hard, %d smooth" % (hard, smooth))


def last_file(run, kind):
    return sorted(glob.glob(os.path.join(run, kind, "brick_*." + kind)))[-1]


def main(state, given_path, run):
    given = readers.read_obj(given_path)
    obj = readers.read_obj(last_file(run, "obj"))
    check("OBJ, name of the body", obj.name == "brick")
    frame = int(os.path.basename(last_file(run, "obj"))[6:12])
    usd_path, = glob.glob(os.path.join(run, "*.usda"))
    usd = readers.read_usd(usd_path, "brick", frame)
    prims = readers.usd_prims(usd_path)
    kinds = Counter(p["kind"] for p in prims.values())
    check("USD, camera, lights and ground", kinds["Camera"] == 1 and kinds["DistantLight"] == 1 and
          kinds["DomeLight"] == 1 and "/scene/__scenery__/ground" in prims)
    glb = readers.Glb(glob.glob(os.path.join(run, "*.glb"))[0])
    seconds = frame / 25
    gltf = glb.mesh_at("brick", seconds)
    ply = readers.read_ply(last_file(run, "ply"))
    if not state.endswith("from-ply"):  # which names materials alone
        check_textures(given_path, run, prims, glb)
    if state == "whole":
        same_mesh("OBJ", given, obj)
        same_mesh("USD", given, usd)
        same_mesh("PLY", given, ply, normals=False)
        triangles_of("glTF", given, gltf)
        check("USD, what does not change is said once", all(not isinstance(prims["/scene/brick"][k], dict) for k in
              ("faceVertexCounts", "faceVertexIndices", "primvars:st", "primvars:displayColor")))
        for kind in ("mdd", "pc2"):
            check_cache(os.path.join(run, kind, "brick." + kind), kind, given)
    elif state.startswith("cut"):
        # What is seen is the boundary of the tets, which end on the brick: everything but the polygons is where it was.
        for name, mesh in (("OBJ", obj), ("USD", usd), ("glTF", gltf)):
            broken_mesh(name, given, mesh, polygons=False, normals=state != "cut-from-ply")
        check("OBJ, closed after the cut", edges_closed(obj))
        check("OBJ, in two", components(obj) == 2, components(obj))
    elif state.startswith("from-"):
        # PLY has a normal for each point, and so no hard edges; glTF has triangles.
        for name, mesh in (("OBJ", obj), ("USD", usd), ("glTF", gltf)):
            broken_mesh(name, given, mesh, polygons=state == "from-ply" and name != "glTF", normals=state == "from-glb")
        check("OBJ, closed after the crack", edges_closed(obj))
    else:
        broken_mesh("OBJ", given, obj)
        broken_mesh("USD", given, usd)
        broken_mesh("PLY", given, ply, normals=False)
        broken_mesh("glTF", given, gltf, polygons=False)
        count = [sum(len(f) - 2 for f, m in zip(mesh.faces, mesh.material) if m == "inside")
                 for mesh in (obj, usd, ply, gltf)]
        check("the same cracks everywhere", len(set(count)) == 1, count)
        same_mesh("USD, the first frame", given, readers.read_usd(usd_path, "brick", 0))
        triangles_of("glTF, the first frame", given, glb.mesh_at("brick", 0))
        difference = max(distance(a, b) for a, b in zip(obj.points, usd.points))
        check("OBJ and USD agree", difference < 1e-6, difference)
        places = {tuple(round(x, 5) for x in p) for p in obj.points}
        far = [p for p in gltf.points if not any(tuple(round(x, 5) + d * 1e-5 for x in p) in places for d in (0,))]
        check("OBJ and glTF agree", len(far) <= 0.02 * len(gltf.points), "%d of %d points rounded apart" % (len(far), len(gltf.points)))


def check_textures(given_path, run, prims, glb):
    """The pictures of one material, to the byte, where each format says they are, and its numbers."""
    def read(*path):
        with open(os.path.join(*path), "rb") as file:
            return file.read()
    pictures = os.path.join(os.path.dirname(given_path), "my pictures")
    stone, rough, bumps = (read(pictures, name) for name in ("stone map.png", "rough.png", "bumps.png"))

    mtl = readers.read_mtl(os.path.join(run, "obj", "brick.mtl"))
    look = mtl.pop("stone")
    pictures_of_others = [word for m in mtl.values() for word in m if word not in ("Pr", "Pm")]
    check("OBJ, pictures of one material", not pictures_of_others, pictures_of_others)
    in_obj = {word: read(run, "obj", rest.split()[-1]) for word, rest in look.items() if word not in ("Pr", "Pm")}
    check("OBJ, the pictures themselves", in_obj == {"map_Kd": stone, "map_Pr": rough, "map_Pm": rough, "norm": bumps,
                                                     "map_Bump": bumps}, look)
    check("OBJ, their channels and strength", look["map_Pr"].startswith("-imfchan g ") and
          look["map_Pm"].startswith("-imfchan b ") and look["norm"].startswith("-bm 0.5 ") and look["map_Bump"] == look["norm"])
    check("OBJ, roughness and metal", float(look["Pr"]) == 0.75 and float(look["Pm"]) == 0.25)

    shaders = {path: p for path, p in prims.items() if p.get("info:id") == "UsdUVTexture"}
    scope = next(iter(shaders)).rsplit("/", 1)[0]
    surface = prims[scope + "/surface"]
    check("USD, pictures of one material", scope.endswith("/stone") and len(shaders) == 4, list(shaders))
    for attribute, output, picture, scale, raw in (
            ("diffuseColor", "rgb", stone, [0.5, 0.5, 0.45, 1], False), ("roughness", "g", rough, [0.75] * 3 + [1], True),
            ("metallic", "b", rough, [0.25] * 3 + [1], True), ("normal", "rgb", bumps, [1, 1, 2, 1], True)):
        path, _, channel = surface["inputs:" + attribute + ".connect"].rpartition(".outputs:")
        shader = shaders[path]
        check("USD, the picture of " + attribute, channel == output and read(run, shader["inputs:file"]) == picture and
              shader["inputs:scale"] == scale and (shader.get("inputs:sourceColorSpace") == "raw") == raw and
              shader["inputs:st.connect"] == scope + "/st.outputs:result", shader["inputs:file"])
    check("USD, normals from -1 to 1", shaders[scope + "/normal"]["inputs:bias"] == [-0.5, -0.5, -1, 0])
    check("USD, laid on by the texture coordinates", prims[scope + "/st"]["inputs:varname"] == "st")

    looks = {m["name"]: m for m in glb.json["materials"]}
    material = looks.pop("stone")
    pbr = material["pbrMetallicRoughness"]
    check("glTF, pictures of one material", not any("Texture" in key for m in looks.values()
          for key in (*m, *m["pbrMetallicRoughness"])) and len(glb.json["images"]) == 3)

    def image(texture):
        found = glb.json["images"][glb.json["textures"][texture["index"]]["source"]]
        return glb.view(found["bufferView"]) if found["mimeType"] == "image/png" else None
    check("glTF, the pictures themselves", image(pbr["baseColorTexture"]) == stone and
          image(pbr["metallicRoughnessTexture"]) == rough and image(material["normalTexture"]) == bumps)
    # On the long sides u grows along x, and v along z below and above, along y elsewhere.
    mesh = next(m for m in glb.json["meshes"] if m["name"].startswith("brick"))
    primitive = next(p for p in mesh["primitives"] if glb.json["materials"][p["material"]]["name"] == "stone")
    columns = {key: glb.accessor(index) for key, index in primitive["attributes"].items()}
    used = set(glb.accessor(primitive["indices"]))
    worst = 1
    for v in used:
        n, (x, y, z, side) = columns["NORMAL"][v], columns["TANGENT"][v]
        along_v = [side * c for c in (n[1] * z - n[2] * y, n[2] * x - n[0] * z, n[0] * y - n[1] * x)]
        worst = min(worst, x, along_v[2] if abs(n[1]) > 0.9 else along_v[1] if abs(n[2]) > 0.9 else 1)
    check("glTF, tangents along the picture", worst > 0.999, (len(used), worst))
    targets = primitive.get("targets", [])
    check("glTF, tangents move with the body", all("TANGENT" in target for target in targets), len(targets))
    check("glTF, roughness, metal and strength", (pbr["roughnessFactor"], pbr["metallicFactor"],
          material["normalTexture"]["scale"]) == (0.75, 0.25, 0.5))


def check_cache(path, kind, given):
    import struct
    data = open(path, "rb").read()
    if kind == "mdd":
        frames, points = struct.unpack_from(">ii", data)
        at, order = 8 + 4 * frames, ">"
    else:
        check("PC2, header", data[:12] == b"POINTCACHE2\0")
        version, points, start, rate, frames = struct.unpack_from("<iiffi", data, 12)
        at, order = 32, "<"
    check(kind.upper() + ", size", points == len(given.points) and len(data) == at + 12 * frames * points, (frames, points))
    row = struct.unpack_from(order + "%df" % (3 * points), data, len(data) - 12 * points)
    error = max(distance(p, row[3 * i:3 * i + 3]) for i, p in enumerate(given.points))
    check(kind.upper() + ", points", error < 1e-6, error)


if __name__ == "__main__":
    main(*sys.argv[1:])
