// What the kernels of entropic (mirror) steps share: the numbers of a step, and the guards of its factors.
#pragma once

#include <cmath>
#include <cstdint>

#include "fenchel/scalar.hpp"

namespace fenchel {

// The numbers of a step of size gamma on the ball of this radius; L = max(1, log 2dk), n rows.
struct EntropicStep {
    double primal; // 2 gamma R L / n, over the number of draws that are averaged
    double decline; // 2 gamma lambda R L
    double radius; // R
    double dual;   // 2 gamma max(1, log k)
    double window; // by how much a scale may change before what it multiplies is flushed
    std::int64_t draws;
};

// A factor of a single step is within exp(+-300), and a weight of the primal side within exp(+-650). Steps that
// are far too long lose their sense by this, but no number does.
inline constexpr double longest = 300;
inline constexpr double largest_weight = 0x1.af11c8c4dd193p+937; // exp(650)

// A sum that is so many times smaller than it was has lost digits to the differences that made it.
inline constexpr double cancelled = 16;

inline double bounded_exp(double x) noexcept { return std::exp(clip(x, -longest, longest)); }

inline double primal_weight(double w) noexcept { return clip(w, 1 / largest_weight, largest_weight); }

// Whether a scale has left [base / window, base window].
inline bool left_window(double scale, double base, double window) noexcept {
    return !(scale * window >= base && scale <= base * window);
}

} // namespace fenchel
