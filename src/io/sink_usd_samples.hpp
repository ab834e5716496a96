#pragma once
// Where the text of every time sample of a USD stage is. USD wants all samples of an attribute in one block, a run
// makes them frame by frame: so each frame's samples go to a small file of their own (a part), and the stage is
// assembled from the stage before it and the parts since. Texts are copied from file to file, never kept in memory.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "pliant/world/frame.hpp"

namespace pliant {

/// What a stage of ours says of itself; a run goes on with no other.
inline constexpr const char* usd_tag = "meshes with time samples, 3";

/// The attributes of a body that change with time.
enum UsdAttribute : int {
    usd_extent,
    usd_counts,
    usd_indices,
    usd_normals,
    usd_corner_normals,
    usd_normal_indices,
    usd_points,
    usd_crack,
    usd_piece,
    usd_flat,
    usd_uv,
    usd_color,
    usd_translate,
    usd_orient,
    usd_attributes
};

struct UsdAttributeKind {
    const char* declaration;  ///< type and name
    bool held;                ///< between samples the earlier one holds; else values are blended
    const char* interpolation = "";
};
inline constexpr std::array<UsdAttributeKind, usd_attributes> usd_kinds = {{
    {"float3[] extent", false},
    {"int[] faceVertexCounts", true},
    {"int[] faceVertexIndices", true},
    {"normal3f[] normals", false, "vertex"},
    {"normal3f[] primvars:normals", false,
     "faceVarying"},                           // instead, of bodies with hard edges or cracks: once for all
    {"int[] primvars:normals:indices", true},  // corners at a point that share one, and who has which
    {"point3f[] points", false},
    {"int[] primvars:crack", true, "uniform"},  // 1 on crack faces
    {"int[] primvars:piece", true, "uniform"},
    {"int[] primvars:flat", true, "uniform"},  // 1 on faces that are shaded flat
    {"texCoord2f[] primvars:st", true, "faceVarying"},
    {"color3f[] primvars:displayColor", true, "faceVarying"},  // where colours were brought
    {"double3 xformOp:translate", false},                      // of bodies that move as a whole
    {"quatf xformOp:orient", false},
}};

/// The value at one frame: `size` bytes at `offset` of a file.
struct UsdSample {
    int frame = 0;
    int file = 0;  ///< in UsdSamples::files
    std::uint64_t offset = 0, size = 0;
    std::uint64_t digest = 0;  ///< of the text; equal texts need not be repeated
};

/// What a material looks like, as the stage has it.
struct UsdLook {
    std::string color;                                             ///< "(r, g, b)"
    std::string roughness, metallic, normal_strength;              ///< numbers; the pictures are multiplied by them
    std::string texture, roughness_map, metallic_map, normal_map;  ///< paths of pictures; empty: none
};
/// What of it the stage keeps beside the colour, for a resumed run: the strings pliant:NAME of a subset.
inline constexpr std::array<std::pair<const char*, std::string UsdLook::*>, 7> usd_look_words{{
    {"roughness", &UsdLook::roughness},
    {"metallic", &UsdLook::metallic},
    {"normalStrength", &UsdLook::normal_strength},
    {"texture", &UsdLook::texture},
    {"roughnessMap", &UsdLook::roughness_map},
    {"metallicMap", &UsdLook::metallic_map},
    {"normalMap", &UsdLook::normal_map},
}};

/// The faces of one material of a body.
struct UsdSubset {
    std::string stem, name;  ///< as of UsdBody
    UsdLook look;
    std::vector<UsdSample> samples;  ///< lists of faces; begins where the material first has one
};

struct UsdBody {
    std::string stem;                                            ///< the prim's name
    std::string name;                                            ///< the user's, escaped for USD
    std::string color;                                           ///< "(r, g, b)"
    std::string width;                                           ///< of the points of a body without triangles
    std::array<std::vector<UsdSample>, usd_attributes> samples;  ///< one per frame the body is there, ascending
    std::vector<UsdSubset> subsets;                              ///< by material; none: the whole body has one look

    UsdSubset& subset(const std::string& stem);
};

struct UsdSamples {
    std::vector<std::filesystem::path> files;
    std::vector<UsdBody> bodies;  ///< in order of first appearance
    int first_frame = 0, last_frame = -1;
    Box bounds;  ///< of all points, for camera and ground

    UsdBody& body(const std::string& stem);
    void add_frame(int frame);
};

/// One body's values at one frame, as they go into a part.
struct UsdPartBody {
    std::string stem, name, color, width;
    struct Value {
        enum State : std::uint8_t { absent, as_before, given } state = absent;
        std::string text;
    };
    std::array<Value, usd_attributes> values;
    struct Subset {
        std::string stem, name;
        UsdLook look;
        Value faces;
    };
    std::vector<Subset> subsets;
};

/// Writes a part and adds its samples.
void write_usd_part(const std::filesystem::path& path, int frame, const Box& bounds,
                    const std::vector<UsdPartBody>& bodies, UsdSamples& samples);
/// Adds the samples of a part. UserError when it is damaged.
void read_usd_part(const std::filesystem::path& path, UsdSamples& samples);

/// What a sample says.
std::string sample_text(const UsdSamples& samples, const UsdSample& sample);

/// The samples of frames before `end` in a stage that assemble_usd() wrote. UserError when it is something else.
UsdSamples read_usd_stage(const std::filesystem::path& path, int end);

/// Writes the stage, durably; afterwards all samples are in it and no other file is needed.
void assemble_usd(const std::filesystem::path& path, const RunInfo& info, UsdSamples& samples);

}  // namespace pliant
