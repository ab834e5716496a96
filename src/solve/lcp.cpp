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
    regular.diagonal().array() += 1e-10 * scale;
    auto free = [&](int i) { return !bilateral.empty() && bilateral[i]; };
    std::vector<char> basic(n);  // f is free to be positive there, w is zero
    for (int i = 0; i < n; ++i) basic[i] = free(i) || b[i] < 0;
    Eigen::VectorXd w(n);
    const double tiny_w = 1e-12 * b.cwiseAbs().maxCoeff();
    int best = n + 1, patience = 8;
    for (result.pivots = 0; result.pivots < 50 + 10 * n; ++result.pivots) {
        std::vector<int> in;
        for (int i = 0; i < n; ++i)
            if (basic[i]) in.push_back(i);
        const int m = static_cast<int>(in.size());
        Eigen::MatrixXd part(m, m);
        Eigen::VectorXd right(m);
        for (int i = 0; i < m; ++i) {
            right[i] = -b[in[i]];
            for (int j = 0; j < m; ++j) part(i, j) = regular(in[i], in[j]);
        }
        const Eigen::VectorXd f = m > 0 ? Eigen::VectorXd(part.ldlt().solve(right)) : Eigen::VectorXd();
        result.f.setZero();
        for (int i = 0; i < m; ++i) result.f[in[i]] = f[i];
        w = regular * result.f + b;
        const double tiny_f = 1e-12 * (m > 0 ? f.cwiseAbs().maxCoeff() : 0);
        std::vector<int> wrong;
        for (int i = 0; i < n; ++i)
            if (!free(i) && (basic[i] ? result.f[i] < -tiny_f : w[i] < -tiny_w)) wrong.push_back(i);
        if (wrong.empty()) {
            result.solved = true;
            break;
        }
        if (static_cast<int>(wrong.size()) < best)
            best = static_cast<int>(wrong.size()), patience = 8;
        else
            --patience;
        if (patience > 0)
            for (int i : wrong) basic[i] = !basic[i];
        else
            basic[wrong.back()] = !basic[wrong.back()];
    }
    for (int i = 0; i < n; ++i)
        if (!free(i)) result.f[i] = std::max(0.0, result.f[i]);
    return result;
}

}  // namespace pliant
