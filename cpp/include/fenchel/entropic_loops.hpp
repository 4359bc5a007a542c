// The loops over all features, all classes or many draws of a dense step, compiled for the levels of loops.hpp.
#pragma once

#include <cstdint>

#include "fenchel/loops.hpp"

namespace fenchel {

struct EntropicLoops {
    void (*fill_factors_double)(const double* x, const std::int32_t* place, const double* exponent,
                                std::int64_t count, double* factors) noexcept;
    void (*fill_factors_float)(const float* x, const std::int32_t* place, const double* exponent, std::int64_t count,
                               double* factors) noexcept;
    void (*move_primal_double)(std::int64_t count, const double* x, double exponent, double weight, double* w,
                               double* total, double* plus, double* minus, double* group_plus,
                               double* group_minus) noexcept;
    void (*move_primal_float)(std::int64_t count, const float* x, double exponent, double weight, double* w,
                              double* total, double* plus, double* minus, double* group_plus,
                              double* group_minus) noexcept;

    // Multiply the weights (wide_weight.hpp) of a row of the dual side by a factor, having added them times sum to
    // owed. Returns how many of them need the other form now.
    std::int64_t (*settle_weights)(std::int64_t count, double sum, double factor, double* w, double* owed) noexcept;

    // powers_i = exp(scale x_i - the largest of them).
    void (*fill_powers)(std::int64_t count, double scale, const double* x, double* powers) noexcept;

    // The sums of the positive weights over blocks of so many; returns their sum.
    double (*sum_positive)(std::int64_t count, std::int64_t block, const double* w, double* sums) noexcept;

    // A line w that has missed so many soft thresholds: makes up for them, adds gamma times the points since the
    // last one to total, and x w to z.
    void (*read_line)(std::int64_t count, double missed, double threshold, double gamma, double x, double* w,
                      double* total, double* z) noexcept;

    // w = soft(w - step u, threshold); returns what the sum of |w| has grown by.
    double (*step_line)(std::int64_t count, double step, double threshold, const double* u, double* w) noexcept;

    // With p = exp(H - offset) - exp(-H - offset): add missed p to total, and x p to z.
    void (*read_powers)(std::int64_t count, double offset, const double* H, double missed, double x, double* total,
                        double* z) noexcept;

    // H -= step u; returns what the sum of exp(H - offset) + exp(-H - offset) has grown by, and raises largest to
    // |H|.
    double (*step_powers)(std::int64_t count, double offset, double step, const double* u, double* H,
                          double& largest) noexcept;

    // The sums of size (plus + minus) over blocks of so many; returns the sum of plus + minus.
    double (*sum_blocks)(std::int64_t count, std::int64_t block, const double* size, const double* plus,
                         const double* minus, double* sums) noexcept;
};

extern const EntropicLoops* entropic_loops;

// Follows use_level.
void use_entropic_level(Level level) noexcept;

// factors_i = exp(clip(exponent_i x_{place_i}, -300, 300)), to two units in the last place.
inline void fill_factors(const double* x, const std::int32_t* place, const double* exponent, std::int64_t count,
                         double* factors) noexcept {
    entropic_loops->fill_factors_double(x, place, exponent, count, factors);
}
inline void fill_factors(const float* x, const std::int32_t* place, const double* exponent, std::int64_t count,
                         double* factors) noexcept {
    entropic_loops->fill_factors_float(x, place, exponent, count, factors);
}

// Multiply the weights w of a class of the primal side by exp(clip(exponent x, -300, 300)), within exp(+-650),
// having added (w - 1/w) weight to total. plus and minus, group_plus and group_minus are sums of w and of 1/w.
inline void move_primal(std::int64_t count, const double* x, double exponent, double weight, double* w,
                        double* total, double* plus, double* minus, double* group_plus, double* group_minus) noexcept {
    entropic_loops->move_primal_double(count, x, exponent, weight, w, total, plus, minus, group_plus, group_minus);
}
inline void move_primal(std::int64_t count, const float* x, double exponent, double weight, double* w, double* total,
                        double* plus, double* minus, double* group_plus, double* group_minus) noexcept {
    entropic_loops->move_primal_float(count, x, exponent, weight, w, total, plus, minus, group_plus, group_minus);
}

} // namespace fenchel
