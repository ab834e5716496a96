// Modes of a box of tets: ours against ARPACK's shift-invert with CHOLMOD's supernodal factor, same matrix, same run.
// Built only where libarpack2-dev and libsuitesparse-dev are present; not part of the product (CHOLMOD is GPL).
//
//   pliant_bench_modes [cells along x] [modes] [threads] [--ours]      OPENBLAS_CORETYPE=Haswell helps the baseline

#include <cholmod.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numbers>
#include <vector>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/modal/decompose.hpp"

extern "C" {
void dsaupd_(int* ido, const char* bmat, int* n, const char* which, int* nev, double* tol, double* resid, int* ncv,
             double* v, int* ldv, int* iparam, int* ipntr, double* workd, double* workl, int* lworkl, int* info);
void dseupd_(int* rvec, const char* all, int* select, double* d, double* z, int* ldz, double* sigma, const char* bmat,
             int* n, const char* which, int* nev, double* tol, double* resid, int* ncv, double* v, int* ldv,
             int* iparam, int* ipntr, double* workd, double* workl, int* lworkl, int* info);
}

namespace {

using namespace pliant;

struct Watch {
    std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
    std::clock_t cpu = std::clock();
    double wall_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(); }
    double cpu_s() const { return static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC; }
};

// Mode 3 of ARPACK on (K − σM)⁻¹M with a diagonal M; eigenvalues ascending.
std::vector<double> baseline(const ModalSystem& s, int wanted, double shift) {
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.nmethods = 1, common.method[0].ordering = CHOLMOD_METIS, common.postorder = 1;
    const NodeMatrix a = shifted(s, shift);
    const int n = 3 * s.nodes();
    cholmod_triplet* t = cholmod_allocate_triplet(n, n, a.block.size(), -1, CHOLMOD_REAL, &common);
    int* row = static_cast<int*>(t->i);
    int* col = static_cast<int*>(t->j);
    double* value = static_cast<double*>(t->x);
    std::size_t count = 0;
    std::vector<double> mass(n, 0);
    for (int i = 0; i < s.nodes(); ++i)
        for (int e = a.pattern.begin[i]; e < a.pattern.begin[i + 1]; ++e) {
            if (a.pattern.column[e] == i)
                for (int k = 0; k < 3; ++k) mass[3 * i + k] = s.mass[e];
            for (int q = 0; q < 9; ++q) {
                const int r = 3 * i + q / 3, c = 3 * a.pattern.column[e] + q % 3;
                if (c > r) continue;
                row[count] = r, col[count] = c, value[count++] = a.block[9L * e + q];
            }
        }
    t->nnz = count;
    cholmod_sparse* matrix = cholmod_triplet_to_sparse(t, 0, &common);
    cholmod_free_triplet(&t, &common);
    Watch factoring;
    cholmod_factor* factor = cholmod_analyze(matrix, &common);
    cholmod_factorize(matrix, factor, &common);
    std::printf("  CHOLMOD: %.2f s wall, %.2f s cpu\n", factoring.wall_s(), factoring.cpu_s());

    int ido = 0, nev = wanted + 6, size = n, ncv = 2 * nev, ldv = n, lworkl = ncv * (ncv + 8), info = 0, solves = 0;
    int iparam[11] = {1, 0, 1000, 1, 0, 0, 3, 0, 0, 0, 0}, ipntr[11] = {};
    double tol = 1e-10;
    std::vector<double> resid(n), v(static_cast<std::size_t>(n) * ncv), workd(3 * static_cast<std::size_t>(n)),
        workl(lworkl);
    cholmod_dense* b = cholmod_zeros(n, 1, CHOLMOD_REAL, &common);
    cholmod_dense *x = nullptr, *y = nullptr, *e = nullptr;
    for (;;) {
        dsaupd_(&ido, "G", &size, "LM", &nev, &tol, resid.data(), &ncv, v.data(), &ldv, iparam, ipntr, workd.data(),
                workl.data(), &lworkl, &info);
        double *in = workd.data() + ipntr[0] - 1, *out = workd.data() + ipntr[1] - 1,
               *times = workd.data() + ipntr[2] - 1;
        if (ido == 2) {
            for (int i = 0; i < n; ++i) out[i] = mass[i] * in[i];
        } else if (ido == -1 || ido == 1) {
            double* right = static_cast<double*>(b->x);
            for (int i = 0; i < n; ++i) right[i] = ido == 1 ? times[i] : mass[i] * in[i];
            cholmod_solve2(CHOLMOD_A, factor, b, nullptr, &x, nullptr, &y, &e, &common);
            std::memcpy(out, x->x, sizeof(double) * n);
            ++solves;
        } else {
            break;
        }
    }
    std::vector<double> lambda(nev);
    std::vector<int> select(ncv);
    int vectors = 1;
    dseupd_(&vectors, "A", select.data(), lambda.data(), v.data(), &ldv, &shift, "G", &size, "LM", &nev, &tol,
            resid.data(), &ncv, v.data(), &ldv, iparam, ipntr, workd.data(), workl.data(), &lworkl, &info);
    std::printf("  ARPACK: %d solves, info %d\n", solves, info);
    cholmod_free_dense(&b, &common), cholmod_free_dense(&x, &common), cholmod_free_dense(&y, &common);
    cholmod_free_dense(&e, &common), cholmod_free_factor(&factor, &common), cholmod_free_sparse(&matrix, &common);
    cholmod_finish(&common);
    std::sort(lambda.begin(), lambda.end());
    return lambda;
}

}  // namespace

int main(int argc, char** argv) {
    const int cells = argc > 1 ? std::atoi(argv[1]) : 44, modes = argc > 2 ? std::atoi(argv[2]) : 200;
    const int threads = argc > 3 ? std::atoi(argv[3]) : 2;
    const bool ours_only = argc > 4 && std::strcmp(argv[4], "--ours") == 0;
    const TetMesh mesh = bar_mesh(cells, cells * 3 / 4, cells / 2, Vec3::Zero(), Vec3(1, 0.75, 0.5));
    const ElasticNumbers aluminium{6.9e10, 0.33, 2700};
    const ModalSystem s = assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped);
    std::printf("%d nodes, %d modes, %d threads\n", s.nodes(), modes, threads);
    Threads team(threads);
    ModeRequest request;
    request.count = modes;
    ModeReport report;
    Watch ours;
    const ModalBasis basis = decompose(s, request, team, &report, [](const ModeEstimate& e) {
        std::printf("estimate: %.0f MB\n", static_cast<double>(e.bytes()) / 1e6);
    });
    const double our_wall = ours.wall_s(), our_cpu = ours.cpu_s();
    std::printf(
        "ours: %.2f s wall, %.2f s cpu (plan %.2f, factor %.2f, iterate %.2f, count %.2f); residual %.1e, %s, basis "
        "%d, %d factorisations, %d modes below the shift\n",
        our_wall, our_cpu, report.plan_s, report.factor_s, report.iterate_s, report.verify_s, basis.residual,
        basis.complete ? "complete" : "not counted", report.basis, report.factorisations,
        static_cast<int>(std::lower_bound(basis.lambda.begin(), basis.lambda.end(), report.shift) -
                         basis.lambda.begin()));
    if (ours_only) return 0;
    Watch theirs;
    const std::vector<double> lambda = baseline(s, modes, -0.1 * basis.lambda[0]);  // positive definite
    std::printf("ARPACK + CHOLMOD: %.2f s wall, %.2f s cpu\n", theirs.wall_s(), theirs.cpu_s());
    double worst = 0;
    for (int i = 0; i < modes; ++i) worst = std::max(worst, std::abs(basis.lambda[i] / lambda[i + 6] - 1));
    std::printf("ratio %.2f by wall, %.2f by cpu; largest difference of eigenvalues %.1e\n", theirs.wall_s() / our_wall,
                theirs.cpu_s() / our_cpu, worst);
    return 0;
}
