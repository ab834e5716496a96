#include "pliant/modal/decompose.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/solve/block_lanczos.hpp"
#include "pliant/solve/dense.hpp"
#include "pliant/solve/dense_kernels.hpp"
#include "pliant/solve/sparse_factor.hpp"

namespace pliant {

namespace {

constexpr double residual_goal = 1e-8;
constexpr int dense_limit = 400;  // unknowns up to which a full matrix is quicker than a sparse search
constexpr int inner_least = 48;   // modes from which on a shift among them is worth a guess
constexpr int guards = 3;         // pairs beyond the wanted ones, so that the count has a gap to stand in

double square_of_hz(double hz) { return std::pow(2 * std::numbers::pi * hz, 2); }

struct Clock {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double s = std::chrono::duration<double>(now - start).count();
        start = now;
        return s;
    }
};

MultiVector to_multi(const Eigen::MatrixXd& m) {
    MultiVector x;
    x.resize(static_cast<int>(m.rows()),
             std::max(1, static_cast<int>((m.cols() + widest_tile - 1) / widest_tile)) * widest_tile);
    for (int i = 0; i < m.rows(); ++i)
        for (int c = 0; c < m.cols(); ++c) x.row(i)[c] = m(i, c);
    return x;
}

struct Pairs {
    std::vector<double> lambda;
    MultiVector shape;  // at least as many columns
};

class Decomposition {
public:
    Decomposition(const ModalSystem& s, const ModeRequest& r, Threads& t, ModeReport& out,
                  const std::function<void(const ModeEstimate&)>& tell)
        : s_(s), request_(r), threads_(t), report_(out), tell_(tell) {}

    ModalBasis run() {
        rigid_ = rigid_motions(s_, &parts_);
        elastic_ = s_.unknowns() - static_cast<int>(rigid_.cols());
        describe();
        if (request_.count > elastic_)
            throw UserError(std::to_string(request_.count) + " modes were asked for, but the mesh has only " +
                                std::to_string(elastic_) + " elastic ones (" + std::to_string(s_.unknowns()) +
                                " degrees of freedom, of which " + std::to_string(rigid_.cols()) + " rigid)",
                            {}, "Ask for fewer, or use a finer mesh.");
        // Rounding of a full matrix is relative to its stiffest element; solves with the factor keep the low modes
        // apart.
        const bool sparse = !sliver_.empty() && elastic_ >= 128 && request_.count <= elastic_ / 4;
        const bool dense = !sparse && (elastic_ <= dense_limit || (request_.count > elastic_ / 4 && elastic_ <= 3000));
        Pairs pairs = dense ? by_full_matrix() : by_lanczos();
        return finish(pairs, dense);
    }

private:
    void describe() {
        if (parts_ > 1)
            report_.notes.push_back("the mesh has " + std::to_string(parts_) +
                                    " parts that share no node: " + std::to_string(rigid_.cols()) + " rigid motions");
        const std::vector<double> quality = tet_quality(s_.rest, s_.tets);
        const auto worst = std::min_element(quality.begin(), quality.end());
        if (worst == quality.end() || !(*worst < 1e-3)) return;
        const auto count = std::count_if(quality.begin(), quality.end(), [](double q) { return q < 1e-3; });
        sliver_ = "tet " + std::to_string(worst - quality.begin()) + " is a sliver: its quality is " +
                  short_number(*worst) + ", where a regular tet has 1 and " + std::to_string(count) +
                  (count == 1 ? " tet has" : " tets have") + " less than 0.001";
        report_.notes.push_back(sliver_ +
                                "; high modes and accuracy may suffer. Mesh the shape anew, for instance with `pliant "
                                "mesh`, or merge two nodes of it.");
    }

    [[noreturn]] void cannot_factor() const {
        throw UserError(
            "the stiffness matrix of this mesh cannot be factored" + (sliver_.empty() ? std::string() : ": " + sliver_),
            {},
            sliver_.empty() ? "Look for elements without volume or for extreme ratios of stiffness."
                            : "Mesh the shape anew, for instance with `pliant mesh`, or merge two nodes of it.");
    }

    void tell() {
        if (tell_) tell_(report_.estimate);
    }

    // ---- small systems -------------------------------------------------------------------------------------------

    Pairs by_full_matrix() {
        ModeEstimate& estimate = report_.estimate;
        const int n = s_.unknowns();
        estimate.unknowns = n, estimate.dense = true, estimate.modes = request_.count;
        estimate.work_bytes = 5 * sizeof(double) * static_cast<std::size_t>(n) * n;
        tell();
        Clock clock;
        std::vector<int> place(3 * s_.rest.size(), -1);
        for (int u = 0, k = 0; u < 3 * s_.nodes(); ++u)
            if (s_.fixed.empty() || !s_.fixed[u]) place[u] = k++;
        Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(n, n), mass = Eigen::MatrixXd::Zero(n, n);
        const NodePattern& p = s_.stiffness.pattern;
        for (int i = 0; i < s_.nodes(); ++i)
            for (int e = p.begin[i]; e < p.begin[i + 1]; ++e)
                for (int q = 0; q < 9; ++q) {
                    const int r = place[3 * i + q / 3], c = place[3 * p.column[e] + q % 3];
                    if (r < 0 || c < 0) continue;
                    stiffness(r, c) = s_.stiffness.block[9L * e + q];
                    if (q / 3 == q % 3) mass(r, c) = s_.mass[e];
                }
        // Rigid motions are lifted above everything else, out of the way.
        Eigen::MatrixXd z(n, rigid_.cols());
        for (int u = 0; u < 3 * s_.nodes(); ++u)
            if (place[u] >= 0) z.row(place[u]) = rigid_.row(u);
        const Eigen::MatrixXd mz = mass * z;
        double stiffest = 0;
        for (int i = 0; i < n; ++i) stiffest = std::max(stiffest, stiffness.row(i).cwiseAbs().sum() / mass(i, i));
        stiffness += (4 * stiffest) * mz * mz.transpose();
        Eigen::VectorXd values;
        Eigen::MatrixXd vectors;
        const bool converged = generalised_eigen(stiffness, mass, values, vectors);
        CHECK(converged, n);
        double low = -std::numeric_limits<double>::infinity(), high = -low;
        int most = elastic_;
        if (request_.count > 0) most = request_.count;
        if (request_.below_hz > 0) high = square_of_hz(request_.below_hz);
        if (request_.to_hz > 0) low = square_of_hz(request_.from_hz), high = square_of_hz(request_.to_hz);
        std::vector<int> chosen;
        for (int i = 0; i < elastic_ && static_cast<int>(chosen.size()) < most; ++i) {
            const double l = values[i];
            if (l > low && l < high) chosen.push_back(i);
        }
        Pairs pairs;
        Eigen::MatrixXd shape = Eigen::MatrixXd::Zero(3 * s_.nodes(), static_cast<Eigen::Index>(chosen.size()));
        for (std::size_t c = 0; c < chosen.size(); ++c) {
            pairs.lambda.push_back(values[chosen[c]]);
            for (int u = 0; u < 3 * s_.nodes(); ++u)
                if (place[u] >= 0) shape(u, static_cast<Eigen::Index>(c)) = vectors(place[u], chosen[c]);
        }
        pairs.shape = to_multi(shape);
        complete_ = true;
        report_.iterate_s = clock.lap();
        return pairs;
    }

    // ---- large systems -------------------------------------------------------------------------------------------

    // Rayleigh quotients of linear and quadratic displacement fields: an upper bound of the lowest eigenvalue, near
    // enough to say what "small" is.
    double lowest_bound() {
        Vec3 centre = Vec3::Zero();
        for (const Vec3& x : s_.rest) centre += x;
        centre /= s_.nodes();
        double size = 0;
        for (const Vec3& x : s_.rest) size = std::max(size, (x - centre).norm());
        constexpr int terms = 9;
        MultiVector fields;
        fields.resize(3 * s_.nodes(), 32);
        for (int i = 0; i < s_.nodes(); ++i) {
            const Vec3 r = (s_.rest[i] - centre) / size;
            const double p[terms] = {r[0],        r[1],        r[2],        r[0] * r[0], r[1] * r[1],
                                     r[2] * r[2], r[0] * r[1], r[1] * r[2], r[2] * r[0]};
            for (int t = 0; t < terms; ++t)
                for (int a = 0; a < 3; ++a)
                    if (s_.fixed.empty() || !s_.fixed[3 * i + a]) fields.row(3 * i + a)[3 * t + a] = p[t];
        }
        const std::vector<MultiVector> z = deflation();
        MultiVector mass_times, stiff_times;
        multiply_mass(s_, fields, mass_times, threads_);
        for (const MultiVector& d : z) {
            const std::vector<double> h = cross(d, mass_times, kernels_, threads_);
            MultiVector take;
            combine({&d}, h, fields.width, take, kernels_, threads_);
            for (std::size_t i = 0; i < fields.value.size(); ++i) fields.value[i] -= take.value[i];
        }
        multiply_mass(s_, fields, mass_times, threads_);
        multiply(s_.stiffness, fields, stiff_times, threads_);
        const std::vector<double> k = cross(fields, stiff_times, kernels_, threads_),
                                  m = cross(fields, mass_times, kernels_, threads_);
        double best = std::numeric_limits<double>::infinity(), largest = 0;
        for (int c = 0; c < 3 * terms; ++c) largest = std::max(largest, m[33 * c]);
        for (int c = 0; c < 3 * terms; ++c)
            if (m[33 * c] > 1e-8 * largest) best = std::min(best, k[33 * c] / m[33 * c]);
        return best;
    }

    std::vector<MultiVector> deflation() const {
        std::vector<MultiVector> z;
        for (Eigen::Index c = 0; c < rigid_.cols(); c += 32)
            z.push_back(to_multi(rigid_.middleCols(c, std::min<Eigen::Index>(32, rigid_.cols() - c))));
        return z;
    }

    // Factors K − shift·M; moves the shift a little when a pivot vanishes.
    double factor(double shift) {
        for (int attempt = 0; attempt < 5; ++attempt) {
            ++report_.factorisations;
            if (factor_->factor(shifted(s_, shift), threads_)) return factored_at_ = shift;
            shift *= 1 + 1e-5 * (attempt + 1);
        }
        cannot_factor();
    }

    // Elastic eigenvalues below the shift, rigid motions not counted.
    int count_below(double shift) {
        Clock clock;
        factor(shift);
        report_.verify_s += clock.lap();
        return factor_->negative_pivots() - static_cast<int>(rigid_.cols());
    }

    static int block_for(int wanted) { return wanted <= 400 ? 16 : wanted <= 1000 ? 32 : 64; }

    void estimate(int wanted) {
        ModeEstimate& e = report_.estimate;
        LanczosOptions options;
        options.wanted = wanted, options.block = block_for(wanted);
        const std::size_t rows = 3 * s_.rest.size() * sizeof(double);
        e.unknowns = s_.unknowns(), e.modes = wanted;
        e.factor_bytes = factor_->plan().factor_bytes() + factor_->plan().stack_bytes;
        e.factor_operations = factor_->plan().operations;
        e.basis_bytes = rows * (lanczos_capacity(options) + wanted);
        e.work_bytes = rows * (6 * options.block + rigid_.cols()) + 2 * s_.stiffness.block.size() * sizeof(double);
        tell();
    }

    // below: how many of the wanted lie below the shift; -1: they are the nearest on either side.
    Pairs search(double shift, int wanted, int below, const std::function<bool(double)>& accept, std::uint64_t seed) {
        Clock clock;
        ShiftInvert op;
        op.rows = 3 * s_.nodes();
        op.fixed = s_.fixed;
        op.solve = [&](MultiVector& x) { factor_->solve(x, threads_); };
        op.mass = [&](const MultiVector& x, MultiVector& y) { multiply_mass(s_, x, y, threads_); };
        LanczosOptions options;
        options.wanted = wanted, options.block = block_for(wanted), options.negative = below, options.shift = shift;
        options.capacity = std::min(lanczos_capacity(options), elastic_ / options.block * options.block);
        options.accept = accept, options.seed = seed;
        LanczosResult found = block_lanczos(op, options, deflation(), threads_);
        report_.steps += found.steps, report_.restarts += found.restarts, report_.basis = found.basis;
        if (!found.found)
            report_.notes.push_back("the search stopped before every mode had converged; see the residual");
        Pairs pairs;
        pairs.shape = std::move(found.vectors);
        for (double theta : found.theta) pairs.lambda.push_back(shift + 1 / theta);
        sort(pairs);
        for (int round = 0; round < 3 && worst_residual(pairs) > 0.5 * residual_goal; ++round) improve(pairs);
        report_.iterate_s += clock.lap();
        return pairs;
    }

    static void sort(Pairs& pairs) {
        std::vector<int> order(pairs.lambda.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return pairs.lambda[a] < pairs.lambda[b]; });
        if (std::is_sorted(order.begin(), order.end())) return;
        std::vector<double> lambda;
        for (int i : order) lambda.push_back(pairs.lambda[i]);
        pairs.lambda = lambda;
        std::vector<double> row(order.size());
        for (int i = 0; i < pairs.shape.rows; ++i) {
            double* v = pairs.shape.row(i);
            for (std::size_t c = 0; c < order.size(); ++c) row[c] = v[order[c]];
            std::copy(row.begin(), row.end(), v);
        }
    }

    // One step of inverse iteration on all pairs, then Rayleigh–Ritz among them.
    void improve(Pairs& pairs) {
        MultiVector right, x, kx, mx;
        multiply_mass(s_, pairs.shape, right, threads_);
        x = right;
        factor_->solve(x, threads_);
        // Refined once: in slender shapes 1e-8 of the lowest mode's force is next to the rounding of the stiffest one.
        multiply(s_.stiffness, x, kx, threads_);
        multiply_mass(s_, x, mx, threads_);
        for (std::size_t i = 0; i < x.value.size(); ++i) right.value[i] -= kx.value[i] - factored_at_ * mx.value[i];
        factor_->solve(right, threads_);
        for (std::size_t i = 0; i < x.value.size(); ++i) x.value[i] += right.value[i];
        for (const MultiVector& d : deflation()) {
            MultiVector take;
            multiply_mass(s_, x, mx, threads_);
            combine({&d}, cross(d, mx, kernels_, threads_), x.width, take, kernels_, threads_);
            for (std::size_t i = 0; i < x.value.size(); ++i) x.value[i] -= take.value[i];
        }
        const int n = static_cast<int>(pairs.lambda.size());
        multiply(s_.stiffness, x, kx, threads_);
        multiply_mass(s_, x, mx, threads_);
        const std::vector<double> k = cross(x, kx, kernels_, threads_), m = cross(x, mx, kernels_, threads_);
        Eigen::MatrixXd small_k(n, n), small_m(n, n);
        Eigen::VectorXd scale(n);
        for (int i = 0; i < n; ++i) scale[i] = 1 / std::sqrt(m[static_cast<std::size_t>(i) * x.width + i]);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const std::size_t ij = static_cast<std::size_t>(i) * x.width + j,
                                  ji = static_cast<std::size_t>(j) * x.width + i;
                small_k(i, j) = 0.5 * (k[ij] + k[ji]) * scale[i] * scale[j];
                small_m(i, j) = 0.5 * (m[ij] + m[ji]) * scale[i] * scale[j];
            }
        Eigen::VectorXd values;
        Eigen::MatrixXd vectors;
        CHECK(generalised_eigen(small_k, small_m, values, vectors), n);
        std::vector<double> weights(static_cast<std::size_t>(x.width) * x.width, 0.0);
        for (int j = 0; j < n; ++j) {
            pairs.lambda[j] = values[j];
            for (int i = 0; i < n; ++i) weights[static_cast<std::size_t>(i) * x.width + j] = scale[i] * vectors(i, j);
        }
        combine({&x}, weights, x.width, pairs.shape, kernels_, threads_);
    }

    double worst_residual(const Pairs& pairs) {
        MultiVector k, m;
        multiply(s_.stiffness, pairs.shape, k, threads_);
        multiply_mass(s_, pairs.shape, m, threads_);
        const std::size_t count = pairs.lambda.size();
        std::vector<double> miss(count, 0.0), scale(count, 0.0);
        for (int i = 0; i < k.rows; ++i) {
            if (!s_.fixed.empty() && s_.fixed[i]) continue;
            const double *left = k.row(i), *mass = m.row(i);
            for (std::size_t c = 0; c < count; ++c) {
                const double right = pairs.lambda[c] * mass[c], d = left[c] - right;
                miss[c] += d * d, scale[c] += right * right;
            }
        }
        double worst = 0;
        for (std::size_t c = 0; c < count; ++c) worst = std::max(worst, std::sqrt(miss[c] / scale[c]));
        return worst;
    }

    Pairs by_lanczos() {
        Clock clock;
        factor_ = std::make_unique<SparseFactor>(
            std::make_shared<const FactorPlan>(plan_factor(s_.stiffness.pattern, s_.fixed)), kernels_);
        report_.plan_s = clock.lap();
        if (request_.to_hz > 0) return band();
        int wanted = request_.count;
        if (request_.below_hz > 0) {
            estimate(0);
            wanted = count_below(square_of_hz(request_.below_hz));
            if (wanted <= 0)
                throw UserError("no mode lies below " + short_number(request_.below_hz) + " Hz", {},
                                "Raise the frequency, or ask for a number of modes.");
        } else {
            estimate(wanted);
        }
        if (wanted >= inner_least && elastic_ >= 12 * wanted) {
            Pairs pairs;
            if (from_within(wanted, pairs)) return pairs;
        }
        // Below zero, so that the matrix is positive definite; by little, so that the low modes stand out.
        report_.shift = -0.1 * lowest_bound();
        clock.lap();
        report_.shift = factor(report_.shift);
        if (factor_->negative_pivots() != 0) cannot_factor();  // rounding has made it indefinite
        report_.factor_s += clock.lap();
        const int searched = std::min(wanted + guards, elastic_);
        for (std::uint64_t attempt = 1;; ++attempt) {
            Pairs pairs = search(report_.shift, searched, -1, {}, attempt);
            int below = 0;
            const double cut = gap_after(pairs, wanted, below);
            if (!request_.verify) return keep(pairs, wanted);
            const int counted = count_below(cut);
            if (counted == below) {
                complete_ = true;
                return keep(pairs, wanted);
            }
            if (attempt == 3) {
                report_.notes.push_back("the count of eigenvalues says " + std::to_string(counted) + " below " +
                                        short_number(std::sqrt(cut) / (2 * std::numbers::pi)) +
                                        " Hz, the search found " + std::to_string(below));
                return keep(pairs, wanted);
            }
            factor(report_.shift);
        }
    }

    // A shift with about half of the wanted modes below it, factored and counted; -1: none found within three tries.
    // From there the wanted modes are nearest on both sides, and a search needs two thirds of the vectors it needs from
    // below. The guess is low by a quarter for solid bodies. Lower down (40 % below) it took 608 vectors instead of
    // 544: the crowd just above the last wanted mode is what converges last.
    int inner_shift(int wanted) {
        const double aim = 0.45 * wanted;
        double low = 0, high = 0, exponent = 1.5;
        double shift = weyl_guess(s_, aim), last_shift = 0, last_count = 0;
        for (int attempt = 0; attempt < 3; ++attempt) {
            Clock clock;
            shift = factor(shift);
            report_.factor_s += clock.lap();
            const int below = factor_->negative_pivots() - static_cast<int>(rigid_.cols());
            if (below >= 0.25 * wanted && below <= 0.75 * wanted) {
                report_.shift = shift;
                return below;
            }
            if (last_count > 0 && below > 0 && below != last_count)
                exponent = std::clamp(std::log(below / last_count) / std::log(shift / last_shift), 0.4, 2.5);
            (below < aim ? low : high) = shift;
            last_shift = shift, last_count = below;
            shift *= std::clamp(std::pow(aim / std::max(below, 1), 1 / exponent), 1e-2, 1e2);
            if (low > 0 && shift <= low) shift = high > 0 ? std::sqrt(low * high) : 2 * low;
            if (high > 0 && shift >= high) shift = low > 0 ? std::sqrt(low * high) : 0.5 * high;
        }
        return -1;
    }

    // The lowest modes from a shift among them: every eigenvalue below it, of which the count says how many there are,
    // and the nearest above.
    bool from_within(int wanted, Pairs& pairs) {
        const int below_shift = inner_shift(wanted);
        if (below_shift < 0) return false;
        const int searched = std::min(wanted + guards, elastic_);
        pairs = search(report_.shift, searched, below_shift, {}, 1);
        if (static_cast<int>(pairs.lambda.size()) < searched) return false;
        int below = 0;
        const double cut = gap_after(pairs, wanted, below);
        if (request_.verify) {
            if (count_below(cut) != below) return false;
            complete_ = true;
        }
        pairs = keep(pairs, wanted);
        return true;
    }

    // A place in the widest of the gaps after the wanted pairs, and how many pairs lie below it.
    static double gap_after(const Pairs& pairs, int wanted, int& below) {
        const int n = static_cast<int>(pairs.lambda.size());
        if (n <= wanted) {
            below = n;
            return pairs.lambda.back() * (1 + 1e-6);
        }
        below = wanted;
        double best = 0;
        for (int i = wanted; i < n; ++i) {
            const double gap = (pairs.lambda[i] - pairs.lambda[i - 1]) / pairs.lambda[i];
            if (gap > best * 1.0001) best = gap, below = i;
        }
        return 0.5 * (pairs.lambda[below - 1] + pairs.lambda[below]);
    }

    static Pairs keep(Pairs& pairs, int count) {
        pairs.lambda.resize(std::min<std::size_t>(pairs.lambda.size(), count));
        return std::move(pairs);
    }

    // All modes between two frequencies: counted at both ends, searched from a shift inside.
    Pairs band() {
        estimate(0);
        const double low = square_of_hz(request_.from_hz), high = square_of_hz(request_.to_hz);
        const int before = request_.from_hz > 0 ? count_below(low) : 0;
        const int wanted = count_below(high) - before;
        if (wanted <= 0)
            throw UserError("no mode lies between " + short_number(request_.from_hz) + " and " +
                                short_number(request_.to_hz) + " Hz",
                            {}, "Widen the band, or ask for a number of modes.");
        Clock clock;
        report_.shift = factor(0.5 * (low + high));
        report_.factor_s += clock.lap();
        const double shift = report_.shift;
        Pairs pairs = search(
            shift, wanted, -1,
            [=](double theta) {
                const double l = shift + 1 / theta;
                return l > low && l < high;
            },
            1);
        complete_ = static_cast<int>(pairs.lambda.size()) == wanted;
        return pairs;
    }

    // Parts that share one node or one edge only turn about it for free: such motions are rigid ones, too.
    int drop_hinges(Pairs& pairs) {
        // What counts as stiff is what half of the mesh is: a sliver would make all the rest seem free.
        std::vector<double> stiff;
        const NodePattern& p = s_.stiffness.pattern;
        for (int i = 0; i < s_.nodes(); ++i) {
            const int e = p.find(i, i);
            if (s_.mass[e] > 0)
                stiff.push_back(std::max({s_.stiffness.block[9L * e], s_.stiffness.block[9L * e + 4],
                                          s_.stiffness.block[9L * e + 8]}) /
                                s_.mass[e]);
        }
        const auto middle = stiff.begin() + static_cast<std::ptrdiff_t>(stiff.size() / 2);
        std::nth_element(stiff.begin(), middle, stiff.end());
        const double stiffest = sliver_.empty() ? *std::max_element(stiff.begin(), stiff.end()) : *middle;
        int hinges = 0;
        while (hinges < static_cast<int>(pairs.lambda.size()) && pairs.lambda[hinges] < 1e-12 * stiffest) ++hinges;
        if (hinges == 0) return 0;
        report_.notes.push_back("the mesh hangs together in single nodes or edges: " + std::to_string(hinges) +
                                " motions more cost no energy and count as rigid");
        pairs.lambda.erase(pairs.lambda.begin(), pairs.lambda.begin() + hinges);
        for (int i = 0; i < pairs.shape.rows; ++i) {
            double* row = pairs.shape.row(i);
            std::copy(row + hinges, row + pairs.shape.width, row);
            std::fill(row + pairs.shape.width - hinges, row + pairs.shape.width, 0.0);
        }
        if (pairs.lambda.empty())
            throw UserError("every mode that was found costs no energy" +
                                (sliver_.empty() ? std::string() : ", as far as rounding tells: " + sliver_),
                            {}, "Ask for more modes, or mesh the shape anew, for instance with `pliant mesh`.");
        return hinges;
    }

    ModalBasis finish(Pairs& pairs, bool dense) {
        if (pairs.lambda.empty())
            throw UserError("no mode lies in the range that was asked for", {},
                            "Widen it, or ask for a number of modes.");
        const int hinges = drop_hinges(pairs);
        ModalBasis basis;
        basis.residual = worst_residual(pairs);
        if (dense)
            for (int round = 0; round < 2 && basis.residual > residual_goal; ++round) {
                // Rounding of the full matrix is relative to its largest eigenvalue; polish the low ones.
                if (!factor_) {
                    factor_ = std::make_unique<SparseFactor>(
                        std::make_shared<const FactorPlan>(plan_factor(s_.stiffness.pattern, s_.fixed)), kernels_);
                    factor(-0.1 * pairs.lambda[0]);
                }
                improve(pairs);
                basis.residual = worst_residual(pairs);
            }
        if (basis.residual > residual_goal)
            report_.notes.push_back("the residual is " + short_number(basis.residual) +
                                    ": elements of very different size or stiffness limit the accuracy");
        const int count = static_cast<int>(pairs.lambda.size());
        basis.rest = s_.rest, basis.tets = s_.tets, basis.mass = s_.node_mass;
        basis.lambda = pairs.lambda;
        basis.shape.resize(3 * s_.nodes(), count);
        for (int i = 0; i < 3 * s_.nodes(); ++i)
            for (int c = 0; c < count; ++c) basis.shape(i, c) = pairs.shape.row(i)[c];
        for (int c = 0; c < count; ++c) {  // a sign that does not depend on rounding: the largest entry is positive
            Eigen::Index at;
            basis.shape.col(c).cwiseAbs().maxCoeff(&at);
            if (basis.shape(at, c) < 0) basis.shape.col(c) *= -1;
        }
        basis.rigid = static_cast<int>(rigid_.cols()) + hinges, basis.parts = parts_;
        basis.young = s_.first.young, basis.poisson = s_.first.poisson, basis.density = s_.first.density;
        basis.alpha = request_.damping.alpha, basis.beta = request_.damping.beta;
        basis.complete = complete_;
        if (!s_.fixed.empty()) {
            basis.held.resize(s_.rest.size());
            for (int i = 0; i < s_.nodes(); ++i)
                basis.held[i] = s_.fixed[3 * i] && s_.fixed[3 * i + 1] && s_.fixed[3 * i + 2];
        }
        return basis;
    }

    const ModalSystem& s_;
    const ModeRequest& request_;
    Threads& threads_;
    ModeReport& report_;
    const std::function<void(const ModeEstimate&)>& tell_;
    KernelLevel kernels_ = best_kernel_level();
    Eigen::MatrixXd rigid_;
    int parts_ = 0, elastic_ = 0;
    std::unique_ptr<SparseFactor> factor_;
    double factored_at_ = 0;  // shift of the present factor
    bool complete_ = false;
    std::string sliver_;  // what is wrong with the worst element; empty: nothing
};

}  // namespace

ModalBasis decompose(const ModalSystem& system, const ModeRequest& request, Threads& threads, ModeReport* report,
                     const std::function<void(const ModeEstimate&)>& on_estimate) {
    CHECK((request.count > 0) + (request.below_hz > 0) + (request.to_hz > 0) == 1, request.count, request.below_hz,
          request.to_hz);
    ModeReport local;
    return Decomposition(system, request, threads, report ? *report : local, on_estimate).run();
}

}  // namespace pliant
