"""Opens an exported .glb in Blender, plays it and looks at what is there.

    blender --background --factory-startup --python open_in_blender.py -- FILE.glb FILE.obj
"""
import sys

import bpy
import numpy

numpy.bool = bool  # which Blender 3.4 still asks for
glb, obj = sys.argv[sys.argv.index("--") + 1:]
scene = bpy.context.scene
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
scene.render.fps = 25
bpy.ops.import_scene.gltf(filepath=glb)
failed = False


def check(what, ok, detail=""):
    global failed
    print(("ok    " if ok else "WRONG ") + what + (": " + str(detail) if detail != "" else ""))
    failed = failed or not ok


body = bpy.data.objects["brick"]
meshes = [o for o in [body, *body.children_recursive] if o.type == "MESH"]
check("Blender has the body by its name", len(meshes) >= 2, [o.name for o in meshes])
check("Blender has the materials", {m.name for o in meshes for m in o.data.materials} == {"red", "blue", "stone", "inside"})
check("Blender has texture coordinates and colours", all(o.data.uv_layers and o.data.color_attributes for o in meshes))


def pictures_of(material):
    """The inputs of a material's shader that pictures lead to, through whatever nodes: {input: file}."""
    shader, = (n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")

    def picture(socket):
        for link in socket.links:
            node = link.from_node
            if node.type == "TEX_IMAGE":
                return node.image.name
            for other in node.inputs:
                if picture(other):
                    return picture(other)
        return None
    found = {s.name: picture(s) for s in shader.inputs}
    return {name: file.split(".")[0] for name, file in found.items() if file}


stone = pictures_of(bpy.data.materials["stone"])
check("Blender has the pictures of colour, metal, roughness and normals", stone ==
      {"Base Color": "stone map", "Metallic": "rough", "Roughness": "rough", "Normal": "bumps"}, stone)


def right_end(frame):
    """The largest x of what is seen; a mesh that is shrunk to nothing is not."""
    scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    ends = []
    for o in meshes:
        seen = o.evaluated_get(graph)
        if seen.matrix_world.to_scale().x < 0.5:
            continue
        mesh = seen.to_mesh()
        ends.append(max((seen.matrix_world @ v.co).x for v in mesh.vertices))
        seen.to_mesh_clear()
    return ends


for seconds in (0.0, 0.2, 0.5, 0.58, 0.6):  # 0.58 s lies between two frames of the run
    ends, wanted = right_end(25 * seconds), 0.2 + 0.3 * max(0, seconds - 0.08)
    check("Blender plays it to %g s" % seconds, len(ends) == 1 and abs(ends[0] - wanted) < 2e-4, (ends, wanted))

# The OBJ of one frame, by Blender's own reader.
before = set(bpy.data.objects)
bpy.ops.wm.obj_import(filepath=obj)
made, = [o for o in bpy.data.objects if o not in before]
sizes = {len(p.vertices) for p in made.data.polygons}
check("Blender has the polygons of the OBJ", sizes == {3, 4, 12}, sizes)
stone = pictures_of(next(m for m in made.data.materials if m.name.startswith("stone")))
check("Blender has the pictures of the OBJ", stone ==
      {"Base Color": "stone_map", "Metallic": "rough", "Roughness": "rough", "Normal": "bumps"}, stone)
check("Blender has its four materials", len(made.data.materials) == 4, [m.name for m in made.data.materials])
check("Blender has its texture coordinates, colours and normals",
      made.data.uv_layers and made.data.color_attributes and made.data.has_custom_normals)
sys.exit(1 if failed else 0)
