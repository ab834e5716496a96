#ifdef PLIANT_WITH_SOUND

#include "mode_cache.hpp"

#include <cstdlib>

#include "pliant/core/hash.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/modes_file.hpp"
#include "pliant/modal/decompose.hpp"

namespace pliant {

namespace {

constexpr int format = 1;  // counts up when modes are computed differently

ModalBasis compute(const SoundingBody& body, Threads& threads, std::vector<std::string>& notes) {
    std::vector<ElasticNumbers> numbers;
    for (const ElementMaterial& m : body.material) numbers.push_back({m.young, m.poisson, m.density});
    const ModalSystem system = !body.quadratic.tets.empty() ? assemble_modal(body.quadratic, numbers)
                               : body.sound.quadratic       ? assemble_modal(quadratic_mesh(body.mesh), numbers)
                                                            : assemble_modal(body.mesh, numbers, MassKind::consistent);
    ModeRequest request;
    request.count = std::min(body.sound.modes, std::max(1, system.unknowns() - 6));
    request.verify = false;  // a missing mode would not be missed among so many; `pliant modes` counts
    request.damping = body.damping;
    ModeReport report;
    ModalBasis basis = decompose(system, request, threads, &report);
    for (const std::string& note : report.notes) notes.push_back(body.name + ": " + note);
    return basis;
}

}  // namespace

/// Everything the decomposition depends on, in the body's own frame and about the first node, so that a body that
/// starts elsewhere finds its modes again. Damping is not part of it.
std::uint64_t modes_hash(const SoundingBody& body) {
    Hash hash;
    hash.value(format);
    hash.value(body.sound.modes);
    hash.value(body.sound.quadratic);
    const auto nodes = [&](const std::vector<Vec3>& rest) {
        for (const Vec3& p : rest)
            for (int k = 0; k < 3; ++k) hash.value(static_cast<float>(p[k] - rest[0][k]));
    };
    nodes(body.quadratic.tets.empty() ? body.mesh.rest : body.quadratic.rest);
    for (const Tet10& tet : body.quadratic.tets) hash.value(tet);
    for (const Tet& tet : body.mesh.tets) hash.value(tet);
    for (const ElementMaterial& m : body.material) hash.value(m.young), hash.value(m.poisson), hash.value(m.density);
    return hash.digest();
}

std::filesystem::path default_mode_cache() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
        return std::filesystem::path(cache) / "pliant" / "modes";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::filesystem::path(home) / ".cache" / "pliant" / "modes";
    return {};
}

FoundModes find_modes(const SoundingBody& body, const std::filesystem::path& folder, Threads& threads) {
    FoundModes found;
    const double start = seconds_now();
    const std::vector<Vec3>& rest = body.quadratic.tets.empty() ? body.mesh.rest : body.quadratic.rest;
    std::filesystem::path file;
    if (!folder.empty()) {
        char name[32];
        std::snprintf(name, sizeof name, "%016llx.modes", static_cast<unsigned long long>(modes_hash(body)));
        file = folder / name;
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored)) {
            try {
                found.basis = read_modes(file.string());
                found.cached = found.basis.rest.size() >= rest.size();
            } catch (const UserError&) {
                found.notes.push_back(body.name + ": the cached modes were damaged and are computed anew");
            }
        }
    }
    if (!found.cached) {
        found.basis = compute(body, threads, found.notes);
        if (!file.empty()) try {
                ensure_directory(folder.string());
                write_modes(file.string(), found.basis);
                // The shapes come back in single precision; the first run must not differ from the second.
                found.basis = read_modes(file.string());
            } catch (const UserError& error) {
                found.notes.push_back("modes are not kept: " + error.message());
                found.basis = parse_modes(modes_bytes(found.basis), body.name);
            }
        else
            found.basis = parse_modes(modes_bytes(found.basis), body.name);
    }
    // The hash does not know where the body lies: nodes of the mesh come first, middles after them.
    const Vec3 moved = rest[0] - found.basis.rest[0];
    for (Vec3& p : found.basis.rest) p = body.pose * (p + moved);
    const Mat3 turn = body.pose.rotation.toRotationMatrix();
    for (int i = 0; i < found.basis.node_count(); ++i)
        found.basis.shape.middleRows<3>(3 * i) = turn * found.basis.shape.middleRows<3>(3 * i).eval();
    found.basis.alpha = body.damping.alpha, found.basis.beta = body.damping.beta;
    found.seconds = seconds_now() - start;
    return found;
}

}  // namespace pliant

#endif
