// Many prox steps of one coordinate at once.
//
// Rows that do not touch column k leave the gradient of w_k alone, so that its steps between two touches
// are those of a map of one variable, and have a closed form. SPDC, SVRG and SAGA make them only when a row
// touches the column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fenchel/scalar.hpp"

namespace fenchel {

// m prox steps x <- S(x - h v, h l1) / (1 + h l2) at once, for a constant v; rate = log(1 + h l2).
//
// While the sign sg of x holds, with pull = v + sg l1 and decay = 1/(1 + h l2),
//     x_m = x - (1 - decay^m) (x + pull / l2),   or   x_m = x - m h pull   where l2 = 0.
// The path is monotone, so it changes its sign at most once: the last step before zero is found from the
// logarithm, the step across is done as it stands, and the path stays at zero or goes on with the new
// sign. Because it is monotone, clipping its end is the same as clipping every step.
struct LazyCoordinate {
    double v, l1, l2, h, rate;

    double step(double x) const noexcept { return soft_threshold(x - h * v, h * l1) / (1 + h * l2); }

    double along(double x, double pull, double m) const noexcept {
        return l2 > 0 ? x + std::expm1(-m * rate) * (x + pull / l2) : x - m * h * pull;
    }

    // How many steps the path stays above zero; one less, because it is rounded.
    double steps_before_zero(double x, double pull) const noexcept {
        return (l2 > 0 ? std::log1p(x * l2 / pull) / rate : x / (h * pull)) - 1;
    }

    double run(double x, std::int64_t m) const noexcept {
        if (m == 1)
            return step(x);
        if (l1 == 0)
            return along(x, v, double(m)); // the sign plays no part
        while (m > 0) {
            if (x == 0 && std::abs(v) <= l1)
                return 0.0;
            const double sg = x != 0 ? sign(x) : -sign(v), pull = v + sg * l1;
            const double end = along(x, pull, double(m));
            if (sg * end > 0 || !(sg * pull > 0))
                return end;
            const double kept = std::floor(std::min(std::max(steps_before_zero(x, pull), 0.0), double(m)));
            x = along(x, pull, kept);
            m -= std::int64_t(kept);
            for (int tries = 0; m > 0 && sg * x > 0 && tries < 4; ++tries, --m)
                x = step(x);
        }
        return x;
    }
};

} // namespace fenchel
