#pragma once
// How a material takes up and passes on heat, and how its numbers follow the temperature.

#include <optional>
#include <vector>

namespace pliant {

/// Temperatures are in °C, or in any other scale that a scene uses throughout: only differences count.
struct HeatNumbers {
    double conductivity = 0.25;   ///< W/(m·K)
    double specific_heat = 2000;  ///< J/(kg·K)
    double ambient = 20;          ///< temperature of the air
    double initial = 20;          ///< temperature at the start
    double cooling = 10;          ///< Newton's heat transfer between skin and air, W/(m²·K)
};

/// Numbers at one temperature; what is not set stays what the material says.
struct HeatRow {
    double temperature = 20;
    std::optional<double> young;  ///< Pa
    std::optional<double> yield;  ///< 1
    std::optional<double> rate;   ///< 1/s
};

/// Between rows, numbers follow a straight line in their logarithm (they span decades), or plainly where one of them
/// is zero; beyond the first and last row they stay. Rows go up in temperature, and each sets the same numbers.
struct HeatTable {
    std::vector<HeatRow> rows;

    /// The numbers at a temperature; without rows, nothing is set.
    HeatRow at(double temperature) const;
};

}  // namespace pliant
