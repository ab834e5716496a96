#include "pliant/material/heat_table.hpp"

#include <cmath>

namespace pliant {

namespace {

std::optional<double> between(const std::optional<double>& a, const std::optional<double>& b, double s) {
    if (!a || !b) return {};
    if (*a > 0 && *b > 0) return *a * std::pow(*b / *a, s);
    return *a + s * (*b - *a);
}

}  // namespace

HeatRow HeatTable::at(double temperature) const {
    HeatRow row;
    if (!rows.empty()) {
        std::size_t next = 0;
        while (next < rows.size() && rows[next].temperature <= temperature) ++next;
        if (next == 0 || next == rows.size()) {
            row = rows[next == 0 ? 0 : next - 1];
        } else {
            const HeatRow &a = rows[next - 1], &b = rows[next];
            const double s = (temperature - a.temperature) / (b.temperature - a.temperature);
            row.young = between(a.young, b.young, s);
            row.yield = between(a.yield, b.yield, s);
            row.rate = between(a.rate, b.rate, s);
        }
    }
    row.temperature = temperature;
    return row;
}

}  // namespace pliant
