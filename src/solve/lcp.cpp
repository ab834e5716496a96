#include "pliant/solve/lcp.hpp"

#include <algorithm>

#include "pliant/core/error.hpp"

namespace pliant {

LcpResult solve_lcp(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const std::vector<std::uint8_t>& bilateral) {
    const int n = static_cast<int>(b.size());
    CHECK(a.rows() == n && a.cols() == n && (bilateral.empty() || static_cast<int>(bilateral.size()) == n), a.rows(),
          n);
    LcpResult result;
    result.f = Eigen::VectorXd::Zero(n);
    if (n == 0) {
        result.solved = true;
        return result;
    }
    const double scale = std::max(a.diagonal().cwiseAbs().maxCoeff(), 1e-300);
    Eigen::MatrixXd regular = a;
    regular.diagonal().array() += 1e-9 * scale;
    auto free = [&](int i) { return !bilateral.empty() && bilateral[i]; };
    // The passive set: rows whose f is free to act and whose w is zero. It grows by the worst row and is cut back where
    // forces would pull, so its matrix never holds more rows than the bodies have ways to move.
    std::vector<int> passive;
    for (int i = 0; i < n; ++i)
        if (free(i)) passive.push_back(i);
    auto forces = [&] {
        const int m = static_cast<int>(passive.size());
        Eigen::MatrixXd part(m, m);
        Eigen::VectorXd right(m);
        for (int i = 0; i < m; ++i) {
            right[i] = -b[passive[i]];
            for (int j = 0; j < m; ++j) part(i, j) = regular(passive[i], passive[j]);
        }
        return m > 0 ? Eigen::VectorXd(part.ldlt().solve(right)) : Eigen::VectorXd();
    };
    const double tiny = 1e-9 * b.cwiseAbs().maxCoeff();
    std::vector<char> barred(n, 0);  // rows that were thrown out at once when they came in: rounding, not contact
    if (!passive.empty()) {
        const Eigen::VectorXd f = forces();
        for (std::size_t i = 0; i < passive.size(); ++i) result.f[passive[i]] = f[i];
    }
    for (; result.pivots < 20 + 10 * n; ++result.pivots) {
        const Eigen::VectorXd w = regular * result.f + b;
        int worst = -1;
        for (int i = 0; i < n; ++i)
            if (!free(i) && !barred[i] && result.f[i] == 0 && w[i] < -tiny && (worst < 0 || w[i] < w[worst])) worst = i;
        if (worst < 0) {
            result.solved = true;
            break;
        }
        passive.push_back(worst);
        for (;;) {
            const Eigen::VectorXd f = forces();
            double step = 1;
            int out = -1;
            for (std::size_t i = 0; i < passive.size(); ++i) {
                const int row = passive[i];
                if (free(row) || f[i] > 0) continue;
                const double part = result.f[row] > 0 ? result.f[row] / (result.f[row] - f[i]) : 0.0;
                if (part < step) step = part, out = static_cast<int>(i);
            }
            for (std::size_t i = 0; i < passive.size(); ++i)
                result.f[passive[i]] += step * (f[i] - result.f[passive[i]]);
            if (out < 0) break;
            const int gone = passive[out];
            result.f[gone] = 0;
            if (gone == worst) barred[gone] = 1;
            passive.erase(passive.begin() + out);
        }
    }
    for (int i = 0; i < n; ++i)
        if (!free(i)) result.f[i] = std::max(0.0, result.f[i]);
    return result;
}

}  // namespace pliant
