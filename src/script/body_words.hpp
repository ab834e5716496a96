#pragma once
// Words that every kind of body shares: surface, volume, placement, motion at the start, regions of other material.

#include <functional>

#include "pliant/script/verbs.hpp"

namespace pliant::script {

/// The keys of all bodies, with those of one kind behind them.
std::vector<Key> body_keys(const std::string& surface_doc, const std::string& volume_doc, std::vector<Key> own);
Key collide_key();
Key contact_distance_key();

/// Reads the keys of all bodies. `verb` for messages, `tets` of the lattice when there is no volume.
BodyDesc read_body(const Params& params, const std::string& verb, long long tets);

/// Names the body and adds it to the scene. Returns its handle.
Value add_body(Loader& loader, BodyDesc body, const Params& params);

/// The keys cell and tets of volumes made of cells, and the volume they say.
std::vector<Key> cell_keys(const std::string& cell_doc);
Value volume_of_cells(const Params& params, const std::string& verb, VolumeDesc::Kind kind);

/// The table damping = { mass, stiffness } of a material.
const Schema& damping_schema();

/// A table { inside = shape, … } of a material's regions.
Schema region_schema(std::vector<Key> numbers);
Schema vary_schema(std::vector<Key> numbers);
/// The keys regions and vary of a material.
std::vector<Key> local_material_keys();

/// The function `vary` of a material: numbers for a place of the body.
template <class Numbers>
std::function<Numbers(const Vec3&)> vary_of(const Params& params, const Schema& schema,
                                            Numbers (*numbers_of)(const Params&)) {
    if (!params.has("vary")) return {};
    return [function = params.function("vary"), place = params.where("vary"), &schema, numbers_of](const Vec3& p) {
        const Value arguments[3] = {Value(p.x()), Value(p.y()), Value(p.z())};
        const Value result = function(arguments);
        if (result.nil()) return Numbers{};
        if (result.kind() != Value::Kind::table)
            throw UserError("vary must return a table, not " + result.kind_text(), place,
                            "Return { young = 1e5 }, for example");
        return numbers_of(schema.check(result));
    };
}

}  // namespace pliant::script
