"""Readers of OBJ, PLY, USDA and GLB in plain Python, written from the formats' own descriptions and sharing nothing with
the program. Each gives meshes in one form: points, faces (lists of corners), and per corner the index of its point, its
texture coordinates, its normal and its colour."""
import json
import re
import struct


class Mesh:
    def __init__(self, name):
        self.name = name
        self.points, self.faces, self.material = [], [], []  # faces: lists of (point, uv, normal, color)
        self.slots = {}


def linear(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def read_obj(path):
    mesh, uvs, normals, colors, material = Mesh(""), [], [], [], None
    for line in open(path):
        word, *rest = line.split("#")[0].split() or [""]
        if word == "o":
            mesh.name = " ".join(rest)
        elif word == "v":
            mesh.points.append(tuple(map(float, rest[:3])))
            colors.append(tuple(linear(float(v)) for v in rest[3:6]) if len(rest) >= 6 else None)
        elif word == "vt":
            uvs.append(tuple(map(float, rest[:2])))
        elif word == "vn":
            normals.append(tuple(map(float, rest[:3])))
        elif word == "usemtl":
            material = rest[0]
        elif word == "f":
            face = []
            for corner in rest:
                v, t, n = (corner.split("/") + ["", ""])[:3]
                v = int(v) - 1
                face.append((v, uvs[int(t) - 1] if t else None, normals[int(n) - 1] if n else None, colors[v]))
            mesh.faces.append(face)
            mesh.material.append(material)
    return mesh


def read_mtl(path):
    """What each material has besides its colour: {material: {word: rest of the line}}."""
    materials = {}
    for line in open(path):
        word, _, rest = line.strip().partition(" ")
        if word == "newmtl":
            materials[rest] = current = {}
        elif word not in ("", "#", "Kd"):
            current[word] = rest
    return materials


def read_ply(path):
    data = open(path, "rb").read()
    head, body = data.split(b"end_header\n", 1)
    elements, slots = [], {}
    for line in head.decode().splitlines():
        word = line.split()
        if word[0] == "element":
            elements.append((word[1], int(word[2]), []))
        elif word[0] == "property":
            elements[-1][2].append(word[1:])
        elif word[:2] == ["comment", "material"]:
            slots[int(word[2])] = " ".join(word[3:])
    kinds = {"float": "f", "double": "d", "uchar": "B", "int": "i"}
    mesh, at = Mesh(""), 0

    def take(kind):
        nonlocal at
        value = struct.unpack_from("<" + kinds[kind], body, at)[0]
        at += struct.calcsize("<" + kinds[kind])
        return value

    vertices = []
    for name, count, properties in elements:
        for _ in range(count):
            entry = {}
            for p in properties:
                if p[0] == "list":
                    entry[p[3]] = [take(p[2]) for _ in range(take(p[1]))]
                else:
                    entry[p[1]] = take(p[0])
            if name == "vertex":
                vertices.append(entry)
                mesh.points.append((entry["x"], entry["y"], entry["z"]))
            elif name == "face":
                face, wedge = [], entry.get("texcoord")
                for i, v in enumerate(entry["vertex_indices"]):
                    e = vertices[v]
                    uv = (wedge[2 * i], wedge[2 * i + 1]) if wedge else (e["s"], e["t"]) if "s" in e else None
                    color = tuple(linear(e[c] / 255) for c in ("red", "green", "blue"))
                    face.append((v, uv, (e["nx"], e["ny"], e["nz"]) if "nx" in e else None, color))
                mesh.faces.append(face)
                mesh.material.append(slots.get(entry.get("material_index")))
    return mesh


# ---- USD's text form ----

def usd_prims(path):
    """Prims by path: {attribute: value or {time: value}}, with their kind under 'kind'."""
    text = open(path).read()
    prims, stack, at = {}, [], 0
    token = re.compile(r'\s*(?:(def)\s+(\w+)\s+"([^"]+)"|(\})|(\()|((?:custom |uniform |prepend )*[\w:\[\]]+ [\w:.]+)'
                       r'(?: = ([^\n]+))?)')
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        line = lines[i].strip()
        m = re.match(r'def (\w+) "([^"]+)"', line)
        if m:
            stack.append(m.group(2))
            prims["/" + "/".join(stack)] = {"kind": m.group(1)}
            while lines[i].strip() != "{":
                i += 1
        elif line == "}" and stack:
            stack.pop()
        elif stack and " = " in line or line.endswith("("):
            prim = prims.get("/" + "/".join(stack))
            m = re.match(r"((?:custom |uniform |rel )*)(?:([\w\[\]]+) )?([\w:.]+)(?: = (.*))?", line)
            if prim is not None and m and m.group(3):
                name, value = m.group(3), m.group(4)
                if name.endswith(".timeSamples"):
                    samples = {}
                    i += 1
                    while lines[i].strip() != "}":
                        time, v = lines[i].strip().split(": ", 1)
                        samples[float(time)] = usd_value(v.rstrip(","))
                        i += 1
                    prim[name[:-12]] = samples
                else:
                    if value:
                        prim[name] = usd_value(value[:-2] if value.endswith(" (") else value)
                    if line.endswith("("):
                        i += 1
                        while lines[i].strip() != ")":
                            m = re.match(r'interpolation = "(\w+)"', lines[i].strip())
                            if m:
                                prim[name + ":interpolation"] = m.group(1)
                            i += 1
        i += 1
    return prims


def usd_value(text):
    if text[:1] in ("<", "@", "\""):
        return text[1:-1]
    text = text.replace("(", "[").replace(")", "]")
    try:
        return json.loads(text)
    except ValueError:
        return text


def usd_at(value, time):
    """The sample that holds at a time."""
    if not isinstance(value, dict):
        return value
    before = [t for t in value if t <= time]
    return value[max(before)] if before else value[min(value)]


def read_usd(path, name, time):
    prims = usd_prims(path)
    prim_path = "/scene/" + name
    prim = prims[prim_path]
    assert prim["kind"] == "Mesh", prim["kind"]
    mesh = Mesh(prim["pliant:name"])
    mesh.points = [tuple(p) for p in usd_at(prim["points"], time)]
    counts, indices = usd_at(prim["faceVertexCounts"], time), usd_at(prim["faceVertexIndices"], time)
    assert sum(counts) == len(indices)

    def corner_values(key):
        if key not in prim:
            return [None] * len(indices)
        values, how = usd_at(prim[key], time), prim.get(key + ":interpolation", "constant")
        if key + ":indices" in prim:
            values = [values[i] for i in usd_at(prim[key + ":indices"], time)]
        if how == "faceVarying":
            assert len(values) == len(indices), (key, len(values), len(indices))
            return [tuple(v) for v in values]
        if how == "vertex":
            return [tuple(values[i]) for i in indices]
        return [tuple(values[0])] * len(indices)

    normals = "primvars:normals" if "primvars:normals" in prim else "normals"
    columns = [corner_values(k) for k in ("primvars:st", normals, "primvars:displayColor")]
    at = 0
    for n in counts:
        mesh.faces.append([(indices[c], columns[0][c], columns[1][c], columns[2][c]) for c in range(at, at + n)])
        at += n
    mesh.material = [None] * len(counts)
    for sub_path, sub in prims.items():
        if sub["kind"] != "GeomSubset" or not sub_path.startswith(prim_path + "/"):
            continue
        target = prims[sub["material:binding"]]
        assert target["kind"] == "Material"
        for face in usd_at(sub["indices"], time):
            assert mesh.material[face] is None, "a face with two materials"
            mesh.material[face] = sub["pliant:name"]
    return mesh


# ---- glTF ----

class Glb:
    def __init__(self, path):
        data = open(path, "rb").read()
        magic, version, length = struct.unpack_from("<4sII", data, 0)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<II", data, 12)
        assert kind == 0x4E4F534A
        self.json = json.loads(data[20:20 + size])
        self.binary = b""
        at = 20 + size
        if at < len(data):
            size, kind = struct.unpack_from("<II", data, at)
            assert kind == 0x004E4942
            self.binary = data[at + 8:at + 8 + size]

    def view(self, index):
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.binary[start:start + view["byteLength"]]

    def accessor(self, index):
        a = self.json["accessors"][index]
        n = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a["type"]]
        letter = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}[a["componentType"]]

        def unpack(data, letter, n, count):
            flat = struct.unpack_from("<%d%s" % (n * count, letter), data, 0)
            return [flat[i * n:i * n + n] for i in range(count)]

        rows = [(0.0,) * n] * a["count"]
        if "bufferView" in a:
            rows = unpack(self.view(a["bufferView"])[a.get("byteOffset", 0):], letter, n, a["count"])
        if "sparse" in a:
            s = a["sparse"]
            where = unpack(self.view(s["indices"]["bufferView"]), "I", 1, s["count"])
            for (i,), row in zip(where, unpack(self.view(s["values"]["bufferView"]), letter, n, s["count"])):
                rows[i] = row
        return [r[0] for r in rows] if n == 1 else rows

    def value_at(self, node, path, time):
        """What the animation gives at a time, or None."""
        for animation in self.json.get("animations", []):
            for channel in animation["channels"]:
                if channel["target"] != {"node": node, "path": path}:
                    continue
                sampler = animation["samplers"][channel["sampler"]]
                times, values = self.accessor(sampler["input"]), self.accessor(sampler["output"])
                n = len(values) // len(times)
                k = max([i for i, t in enumerate(times) if t <= time + 1e-6] or [0])
                row = values[k * n:(k + 1) * n]
                if k + 1 < len(times) and sampler["interpolation"] == "LINEAR" and time > times[k]:
                    share = (time - times[k]) / (times[k + 1] - times[k])
                    after = values[(k + 1) * n:(k + 2) * n]
                    row = [a + share * (b - a) for a, b in zip(row, after)]
                return row if path == "weights" else row[0]
        return None

    def mesh_at(self, name, time):
        """The body of a name as it is seen at a time: of all its nodes those that are not shrunk to nothing."""
        nodes = self.json["nodes"]
        root = next(i for i, n in enumerate(nodes) if n.get("name") == name)
        seen = []
        for i in nodes[root].get("children", [root]):
            scale = self.value_at(i, "scale", time) or nodes[i].get("scale", (1, 1, 1))
            if scale[0] == 1:
                seen.append(i)
        assert len(seen) == 1, (name, time, seen)
        node, mesh = nodes[seen[0]], Mesh(name)
        weights = self.value_at(seen[0], "weights", time)
        shift = self.value_at(seen[0], "translation", time) or node.get("translation", (0, 0, 0))
        for primitive in self.json["meshes"][node["mesh"]]["primitives"]:
            attributes = {k: self.accessor(v) for k, v in primitive["attributes"].items()}
            for key in ("POSITION", "NORMAL"):
                rows = [list(r) for r in attributes[key]]
                for weight, target in zip(weights or [], primitive.get("targets", [])):
                    if weight:
                        for row, more in zip(rows, self.accessor(target[key])):
                            for k in range(3):
                                row[k] += weight * more[k]
                attributes[key] = rows
            mesh.points = [tuple(p[k] + shift[k] for k in range(3)) for p in attributes["POSITION"]]
            uv, color = attributes.get("TEXCOORD_0"), attributes.get("COLOR_0")
            index = self.accessor(primitive["indices"])
            material = self.json["materials"][primitive["material"]]["name"]
            for t in range(0, len(index), 3):
                mesh.faces.append([(v, (uv[v][0], 1 - uv[v][1]) if uv else None, tuple(attributes["NORMAL"][v]),
                                    tuple(color[v][:3]) if color else None) for v in index[t:t + 3]])
                mesh.material.append(material)
        return mesh
