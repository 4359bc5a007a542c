// The lq norms of the lines of a matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace fenchel {

// norms_i <- (sum_j |x_ij|^q)^(1/q) for q >= 1, infinite or not. Entries are divided by the largest of their line, so
// that no power overflows. Cost: two readings of the matrix, and a power an entry unless q is 2 or infinite.
template <class Lines>
void row_norms(const Lines& rows, double q, std::span<double> norms) noexcept {
    for (std::int64_t i = 0; i < rows.n_lines; ++i) {
        double largest = 0, sum = 0;
        rows.for_each(i, [&](std::int64_t, double x) { largest = std::max(largest, std::abs(x)); });
        if (std::isfinite(q) && largest > 0)
            rows.for_each(i, [&](std::int64_t, double x) {
                const double share = std::abs(x) / largest;
                sum += q == 2 ? share * share : std::pow(share, q);
            });
        norms[i] = std::isfinite(q) ? largest * std::pow(sum, 1 / q) : largest;
    }
}

} // namespace fenchel
