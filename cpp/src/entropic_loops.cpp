// The loops of entropic_loops.hpp, once for every x86-64 processor and once for those with AVX2. Without fused
// multiply-adds both give the same bits.
#include "fenchel/entropic_loops.hpp"

#include <bit>

#include "fenchel/entropic.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#define FENCHEL_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define FENCHEL_WIDE
#endif

namespace fenchel {

namespace {

// In the form that becomes a minimum and a maximum of vectors.
[[gnu::always_inline]] inline double between(double x, double lower, double upper) noexcept {
    x = x > lower ? x : lower;
    return x < upper ? x : upper;
}

// exp(clip(x, -300, 300)) without branches or calls: x = k log 2 + r with |r| <= log(2) / 2, the Taylor
// polynomial of exp(r), and k in the exponent. Adding 1.5 2^52 rounds to an integer, which then stands in the
// low bits.
[[gnu::always_inline]] inline double vector_exp(double x) noexcept {
    constexpr double shift = 0x1.8p52, inverse_log2 = 0x1.71547652b82fep0;
    constexpr double log2_high = 0x1.62e42fee00000p-1, log2_low = 0x1.a39ef35793c76p-33;
    x = between(x, -longest, longest);
    const double rounded = x * inverse_log2 + shift, k = rounded - shift;
    const double r = (x - k * log2_high) - k * log2_low;
    double p = 1 / 479001600.0 + r * (1 / 6227020800.0);
    p = 1 / 3628800.0 + r * (1 / 39916800.0 + r * p);
    p = 1 / 40320.0 + r * (1 / 362880.0 + r * p);
    p = 1 / 720.0 + r * (1 / 5040.0 + r * p);
    p = 1 / 24.0 + r * (1 / 120.0 + r * p);
    p = 1 + r * (1 + r * (0.5 + r * (1 / 6.0 + r * p)));
    return p * std::bit_cast<double>((std::bit_cast<std::uint64_t>(rounded) + 1023) << 52);
}

} // namespace

FENCHEL_WIDE void fill_factors(const double* x, std::int64_t count, double exponent,
                               double* __restrict factors) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
        factors[i] = vector_exp(exponent * x[i]);
}

FENCHEL_WIDE void fill_factors(const float* x, std::int64_t count, double exponent,
                               double* __restrict factors) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
        factors[i] = vector_exp(exponent * double(x[i]));
}

FENCHEL_WIDE void move_primal(std::int64_t count, const double* __restrict factors, double weight,
                              double* __restrict w, double* __restrict total, double* __restrict plus,
                              double* __restrict minus, double* __restrict group_plus,
                              double* __restrict group_minus) noexcept {
    constexpr double largest = largest_weight, least = 1 / largest_weight;
    for (std::int64_t f = 0; f < count; ++f) {
        const double inverse = 1 / w[f], moved = between(w[f] * factors[f], least, largest);
        total[f] += (w[f] - inverse) * weight;
        const double more = moved - w[f], less = 1 / moved - inverse;
        plus[f] += more;
        minus[f] += less;
        group_plus[f] += more;
        group_minus[f] += less;
        w[f] = moved;
    }
}

FENCHEL_WIDE std::int64_t move_dual(std::int64_t count, const double* __restrict factors, double drift,
                                    double least, double window, const double* __restrict sum,
                                    double* __restrict v,
                                    double* __restrict owed, double* __restrict group,
                                    double* __restrict own, double* __restrict scale,
                                    double* __restrict left) noexcept {
    std::int64_t outside = 0;
    for (std::int64_t r = 0; r < count; ++r) {
        const double moved = dual_weight(v[r] * factors[r]), kept = dual_weight(own[r] * drift);
        const double lost = v[r] - moved;
        owed[r] += lost * sum[r];
        group[r] -= lost;
        left[r] = 1 - scale[r] * (lost + (own[r] - kept));
        scale[r] /= left[r];
        outside += !(left[r] >= least) | !(scale[r] * window >= 1) | !(scale[r] <= window);
        v[r] = moved;
        own[r] = kept;
    }
    return outside;
}

FENCHEL_WIDE double sum_blocks(std::int64_t count, std::int64_t block, const double* size, const double* plus,
                               const double* minus, double* sums) noexcept {
    constexpr std::int64_t width = 4;
    double mass[width] = {};
    for (std::int64_t first = 0; first < count; first += block) {
        const std::int64_t last = first + block < count ? first + block : count;
        double weighted[width] = {};
        std::int64_t f = first;
        for (; f + width <= last; f += width)
            for (std::int64_t i = 0; i < width; ++i) {
                const double both = plus[f + i] + minus[f + i];
                mass[i] += both;
                weighted[i] += size[f + i] * both;
            }
        for (; f < last; ++f) {
            mass[0] += plus[f] + minus[f];
            weighted[0] += size[f] * (plus[f] + minus[f]);
        }
        sums[first / block] = (weighted[0] + weighted[2]) + (weighted[1] + weighted[3]);
    }
    return (mass[0] + mass[2]) + (mass[1] + mass[3]);
}

} // namespace fenchel
