// The loops over all rows or all features of a dense step, apart from their callers so that they can be
// compiled for wider vectors too.
#pragma once

#include <cstdint>

namespace fenchel {

// factors_i = exp(clip(exponent x_i, -300, 300)), to two units in the last place.
void fill_factors(const double* x, std::int64_t count, double exponent, double* factors) noexcept;
void fill_factors(const float* x, std::int64_t count, double exponent, double* factors) noexcept;

// Multiply the weights w of a class of the primal side by the factors, within exp(+-300), having added
// (w - 1/w) weight to total. plus and minus, group_plus and group_minus are sums of w and of 1/w.
void move_primal(std::int64_t count, const double* factors, double weight, double* w, double* total,
                 double* plus, double* minus, double* group_plus, double* group_minus) noexcept;

// Multiply the weights v of a class of the dual side by the factors and all own weights by drift, not below
// 1e-300; add what v loses, times sum, to owed, and take it from group. Scales are one over the sums of all
// weights of a row: what is left of that sum goes to left. Returns how many rows have less left than
// least, or a scale outside [1 / window, window].
std::int64_t move_dual(std::int64_t count, const double* factors, double drift, double least, double window,
                       const double* sum, double* v, double* owed, double* group, double* own, double* scale,
                       double* left) noexcept;

// The sums of size (plus + minus) over blocks of so many; returns the sum of plus + minus.
double sum_blocks(std::int64_t count, std::int64_t block, const double* size, const double* plus,
                  const double* minus, double* sums) noexcept;

} // namespace fenchel
