// pliant bench: how fast it is here, against baselines measured in the same run.

#include <algorithm>
#include <cstdio>
#include <thread>

#include "bench/bench.hpp"
#include "commands.hpp"

namespace pliant {

namespace {

std::string number(const std::optional<double>& value, const char* format = "%.6g") {
    if (!value) return "null";
    char text[40];
    std::snprintf(text, sizeof text, format, *value);
    return text;
}

std::string json(const std::vector<bench::Row>& rows) {
    std::string out = "{\"rows\":[";
    for (const bench::Row& row : rows) {
        out += &row == rows.data() ? "\n" : ",\n";
        out += "{\"case\":\"" + row.name + "\",\"tets\":" + std::to_string(row.tets) +
               ",\"threads\":" + std::to_string(row.threads) + ",\"iterations\":" + std::to_string(row.iterations) +
               ",\"ms\":" + number(row.ms) + ",\"stages\":{";
        for (const auto& [name, ms] : row.stages)
            out += (&name == &row.stages.front().first ? "\"" : ",\"") + name + "\":" + number(ms);
        out += "},\"eigen_ms\":" + number(row.eigen_ms) + ",\"bullet_ms\":" + number(row.bullet_ms) +
               ",\"limit_fraction\":" + number(row.limit_fraction) + ",\"bytes_per_tet\":" + number(row.bytes_per_tet) +
               ",\"tip\":" + number(row.tip, "%.12g") + "}";
    }
    return out + "\n]}\n";
}

std::string ratio(const std::optional<double>& baseline, double ms) {
    return baseline ? number(*baseline, "%.2f") + " (" + number(*baseline / ms, "%.1f") + "x)" : "-";
}

void print(const std::vector<bench::Row>& rows) {
    std::printf("%-28s %9s %2s %5s %10s %18s %18s %6s %7s  %s\n", "case", "tets", "t", "iter", "ms", "Eigen ms (ratio)",
                "Bullet ms (ratio)", "limit", "B/tet", "stages, ms");
    for (const bench::Row& row : rows) {
        std::string stages;
        for (const auto& [name, ms] : row.stages) stages += name + " " + number(ms, "%.3g") + "  ";
        std::printf("%-28s %9d %2d %5d %10.3f %18s %18s %6s %7s  %s\n", row.name.c_str(), row.tets, row.threads,
                    row.iterations, row.ms, ratio(row.eigen_ms, row.ms).c_str(), ratio(row.bullet_ms, row.ms).c_str(),
                    row.limit_fraction ? number(row.limit_fraction, "%.2f").c_str() : "-",
                    row.bytes_per_tet ? number(row.bytes_per_tet, "%.0f").c_str() : "-", stages.c_str());
    }
}

std::vector<bench::Row> machine_rows(const std::vector<int>& threads) {
    std::vector<bench::Row> rows;
    for (int count : threads) {
        bench::Row row{.name = "machine", .threads = count};
        for (double megabytes : {1.0, 24.0, 96.0, 400.0})
            row.stages.emplace_back("triad GB/s at " + number(megabytes, "%.0f") + " MB",
                                    bench::triad_bytes_per_second(megabytes, count) / 1e9);
        row.stages.emplace_back("GFLOP/s double", bench::flops_per_second(count) / 1e9);
        rows.push_back(row);
    }
    return rows;
}

int run_bench(const Args& args) {
    bench::Options options;
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    if (args.has("threads"))
        options.threads = {static_cast<int>(args.integer("threads", 1, 1024))};
    else if (cores > 1)
        options.threads = {1, std::min(cores, 2)};
    options.largest = static_cast<int>(args.integer("largest", 1));
    options.baselines = !args.has("no-baselines");
    const std::string wanted = args.words().empty() ? "step" : args.words()[0];
    std::vector<bench::Row> rows;
    bool found = wanted == "all" || wanted == "machine";
    if (found) rows = machine_rows(options.threads);
    std::string names = "machine, all";
    for (const bench::Case& one : bench::cases()) {
        names = one.name + ", " + names;
        if (wanted != "all" && wanted != one.name) continue;
        found = true;
        if (!args.has("json")) std::printf("%s: %s\n", one.name.c_str(), one.doc.c_str()), std::fflush(stdout);
        one.run(options, rows);
    }
    if (!found) throw UsageError("there is no case '" + wanted + "'; there are " + names);
    if (args.has("json"))
        std::fputs(json(rows).c_str(), stdout);
    else
        print(rows);
    return 0;
}

}  // namespace

Command bench_command() {
    std::string about = "Cases:\n  machine        bandwidth and flops of this machine\n  all            everything\n";
    for (const bench::Case& one : bench::cases()) {
        std::string line = "  " + one.name;
        about += line + std::string(line.size() < 17 ? 17 - line.size() : 1, ' ') + one.doc + "\n";
    }
    about +=
        "Times are the lowest of several runs; steps with plastic flow or splits and those without are taken in turn,\n"
        "and medians shown. Eigen: a plain textbook implementation; Bullet: its deformable bodies, both on the same\n"
        "mesh in the same run with one thread. limit: the share of the time that memory bandwidth alone would take.";
    return {.name = "bench",
            .arguments = "[CASE]",
            .least_words = 0,
            .most_words = 1,
            .summary = "Measures the speed of this machine with this program.",
            .about = about,
            .flags = {{.name = "threads",
                       .value = "N",
                       .help = "Measures with so many threads only; otherwise with 1 and 2."},
                      {.name = "largest", .value = "TETS", .fallback = "600000", .help = "Leaves out larger meshes."},
                      {.name = "no-baselines", .help = "Leaves out Eigen and Bullet, which take most of the time."},
                      {.name = "json", .help = "Prints {\"rows\": […]} for other programs."}},
            .examples = {{"pliant bench step", "Milliseconds per step against the size of the mesh."},
                         {"pliant bench stiff --json", "Multigrid and Jacobi, for a program to read."}},
            .run = run_bench};
}

}  // namespace pliant
