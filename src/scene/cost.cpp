#include "pliant/scene/cost.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "pliant/core/text.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/meshing/shape_surface.hpp"

namespace pliant {

namespace {

constexpr double worth_saying_seconds = 5;
constexpr double worth_saying_share = 0.5;  // of the memory there is

std::string time_text(double seconds) {
    if (seconds < 90) return short_number(std::ceil(seconds)) + " s";
    if (seconds < 90 * 60) return short_number(std::round(seconds / 60)) + " min";
    if (seconds < 48 * 3600) return short_number(std::round(seconds / 3600)) + " h";
    if (seconds < 1000 * 86400.0) return short_number(std::round(seconds / 86400)) + " days";
    return short_number(seconds / 31557600) + " years";
}

std::string memory_text(double bytes) {
    const auto rounded = [](double n) { return short_number(n < 10 ? std::ceil(10 * n) / 10 : std::round(n)); };
    return bytes < 1e9 ? rounded(bytes / 1e6) + " MB" : rounded(bytes / 1e9) + " GB";
}

}  // namespace

double machine_memory() {
    double bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
    double allowed = 0;  // "max" where a container sets no limit
    if (std::ifstream("/sys/fs/cgroup/memory.max") >> allowed && allowed > 0) bytes = std::min(bytes, allowed);
    return bytes;
}

void check_cost(const BuildLimits& limits, const std::string& part, const Cost& cost, const Where& where,
                const std::string& remedy) {
    const double memory = limits.bytes > 0 ? limits.bytes : machine_memory();
    if (cost.bytes > memory)
        throw UserError(
            part + " would need about " + memory_text(cost.bytes) + " of memory, and there are " + memory_text(memory),
            where, remedy);
    if (cost.seconds > limits.seconds)
        throw UserError(part + " would take about " + time_text(cost.seconds) + " to make, and " +
                            time_text(limits.seconds) + " are allowed",
                        where,
                        remedy + ", or allow it with world { patience = " +
                            number_text(std::ceil(1.5 * cost.seconds / 60) * 60) + " }");
    if (limits.say && (cost.seconds > worth_saying_seconds || cost.bytes > worth_saying_share * memory))
        limits.say(part + ": about " + time_text(cost.seconds) + " and " + memory_text(cost.bytes) + " of memory");
}

Cost surface_cost(const SurfaceDesc& surface) {
    if (!surface.shape) return {};
    const double edge = surface.edge > 0 ? surface.edge : default_edge(*surface.shape);
    SurfaceCost cost = surface_cost(*surface.shape, edge);
    if (surface.triangles > 0 && cost.triangles > 0) {
        // The first try has the usual edge; two more approach the number wanted.
        const SurfaceCost usual = cost;
        const double wanted = static_cast<double>(surface.triangles);
        cost = surface_cost(*surface.shape, edge * std::sqrt(cost.triangles / wanted));
        cost.triangles = std::max(cost.triangles, wanted), cost.seconds = usual.seconds + 2 * cost.seconds;
    }
    const Cost after = triangles_cost(cost.triangles);
    return {cost.seconds + after.seconds, std::max(cost.bytes, after.bytes)};
}

Cost triangles_cost(double triangles) { return {2.5e-6 * triangles, 330 * triangles}; }

Cost tets_cost(double tets) { return {2e-6 * tets, 600 * tets}; }

Cost grid_cost(const std::array<int, 3>& cells) { return tets_cost(6.0 * cells[0] * cells[1] * cells[2]); }

Cost modes_cost(int modes, const TetMesh& mesh, std::size_t surface_points) {
    // Nested dissection fills in n^(4/3) numbers and takes n² operations; Lanczos keeps every vector it finds
    // orthogonal to the others, which takes n·modes² operations.
    const double n = 3.0 * mesh.node_count(), m = std::min<double>(modes, n);
    const double seen = 3.0 * static_cast<double>(surface_points);
    return {1.2e-9 * n * n + 2.7e-9 * n * m * m, 320 * std::pow(n, 4.0 / 3) + 8 * m * (6 * n + seen)};
}

Cost leap_frog_cost(double dt, double own_dt, std::size_t tets) {
    return {std::ceil(dt / own_dt) * (2e-7 + 2e-8 * static_cast<double>(tets)), 0};
}

Cost explicit_cost(double dt, double own_dt, std::size_t tets) {
    return {std::ceil(dt / own_dt) * (2e-6 + 1e-7 * static_cast<double>(tets)), 0};
}

void say_own_steps(const BuildLimits& limits, const std::string& body, const std::string& integrator, double steps,
                   double seconds) {
    if (limits.say && seconds > worth_saying_seconds)
        limits.say(body + ": the run is " + short_number(steps) + " steps of " + integrator + ", which take about " +
                   time_text(seconds));
}

void call_for_each(const BuildLimits& limits, const std::string& part, std::size_t count, const Where& where,
                   const std::function<void(std::size_t)>& each) {
    const std::size_t tried = std::min<std::size_t>(count, 1 + count / 1000);
    const double start = seconds_now();
    std::size_t done = 0;
    // A thousandth of the calls, but no more of them than a second allows.
    while (done < tried && seconds_now() - start < 1) each(done++);
    const double each_s = (seconds_now() - start) / static_cast<double>(std::max<std::size_t>(1, done));
    check_cost(limits, part, {each_s * static_cast<double>(count - done), 0}, where,
               "Use fewer elements, or make the function shorter");
    while (done < count) each(done++);
}

}  // namespace pliant
