// Joints of a scene: points of two bodies that stay together. A hinge is two of them, some way apart.

#include "pliant/mesh/embedding.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

// b: a modal body, or a rigid one, numbered after these; -1: the world.
void pin_modal(World& w, int a, int b, const Vec3& at) {
    const auto place = [&](int body) { return embed_point(w.modal[static_cast<std::size_t>(body)].mesh, at); };
    ModalJoint joint;
    joint.a = a, joint.on_a = place(a);
    joint.b = b, joint.anchor = at;
    if (b >= 0 && b < static_cast<int>(w.modal.size())) joint.on_b = place(b);
    w.modal_joints.push_back(joint);
}

}  // namespace

void add_joints(World& w, const SceneDesc& desc) {
    const std::vector<int> number = body_numbers(desc);
    const auto kind = [&](int body) -> const std::string& { return desc.bodies[static_cast<std::size_t>(body)].kind; };
    for (const JointDesc& joint : desc.joints) {
        int one = joint.a, other = joint.b.value_or(-1);
        for (int body : {one, other})
            if (body >= 0 && kind(body) != "rigid" && kind(body) != "modal")
                throw UserError("a joint holds rigid and modal bodies, and '" +
                                    desc.bodies[static_cast<std::size_t>(body)].name + "' is neither",
                                joint.where, "Use fix or drag for the nodes of a fem_body");
        if (other >= 0 && kind(one) == "rigid" && kind(other) == "modal") std::swap(one, other);
        // Among the bodies of their kind.
        const auto place = [&](int body) {
            return number[static_cast<std::size_t>(body)] - (kind(body) == "rigid" ? body_count(w) : solved_count(w));
        };
        const bool rigid = kind(one) == "rigid";
        const int a = place(one), b = other >= 0 ? place(other) : -1;
        std::vector<Vec3> points{joint.at};
        if (joint.axis) {
            const Box box = rigid ? bounds(w.rigid.bodies[static_cast<std::size_t>(a)])
                                  : bounds(w.modal[static_cast<std::size_t>(a)]);
            const double half = 0.5 * (joint.width > 0 ? joint.width : 0.2 * box.diagonal());
            points = {joint.at - half * *joint.axis, joint.at + half * *joint.axis};
        }
        for (const Vec3& point : points) {
            if (rigid)
                w.rigid.joints.push_back({a, point, b});
            else
                pin_modal(w, a, b >= 0 && kind(other) == "rigid" ? static_cast<int>(w.modal.size()) + b : b, point);
        }
    }
}

}  // namespace pliant
