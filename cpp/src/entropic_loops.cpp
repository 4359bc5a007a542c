// The loops of entropic_loops.hpp, once for every x86-64 processor and once for those with AVX2. Without fused
// multiply-adds both give the same bits.
#include "fenchel/entropic_loops.hpp"

#include <bit>
#include <cmath>

#include "fenchel/entropic.hpp"
#include "fenchel/wide_weight.hpp"

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

template <class T>
[[gnu::always_inline]] inline void fill_factors_of(const T* x, const std::int32_t* place, const double* exponent,
                                                   std::int64_t count, double* __restrict factors) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
        factors[i] = vector_exp(exponent[i] * double(x[place[i]]));
}

template <class T>
[[gnu::always_inline]] inline void move_primal_of(std::int64_t count, const T* x, double exponent, double weight,
                                                  double* __restrict w, double* __restrict total,
                                                  double* __restrict plus, double* __restrict minus,
                                                  double* __restrict group_plus,
                                                  double* __restrict group_minus) noexcept {
    constexpr double largest = largest_weight, least = 1 / largest_weight;
    for (std::int64_t f = 0; f < count; ++f) {
        const double factor = vector_exp(exponent * double(x[f]));
        const double inverse = 1 / w[f], moved = between(w[f] * factor, least, largest);
        total[f] += (w[f] - inverse) * weight;
        const double more = moved - w[f], less = 1 / moved - inverse;
        plus[f] += more;
        minus[f] += less;
        group_plus[f] += more;
        group_minus[f] += less;
        w[f] = moved;
    }
}

constexpr std::int64_t lanes = 4;

double sum_of(const double (&part)[lanes]) noexcept { return (part[0] + part[2]) + (part[1] + part[3]); }

} // namespace

FENCHEL_WIDE void fill_factors(const double* x, const std::int32_t* place, const double* exponent,
                               std::int64_t count, double* factors) noexcept {
    fill_factors_of(x, place, exponent, count, factors);
}

FENCHEL_WIDE void fill_factors(const float* x, const std::int32_t* place, const double* exponent,
                               std::int64_t count, double* factors) noexcept {
    fill_factors_of(x, place, exponent, count, factors);
}

FENCHEL_WIDE void move_primal(std::int64_t count, const double* x, double exponent, double weight, double* w,
                              double* total, double* plus, double* minus, double* group_plus,
                              double* group_minus) noexcept {
    move_primal_of(count, x, exponent, weight, w, total, plus, minus, group_plus, group_minus);
}

FENCHEL_WIDE void move_primal(std::int64_t count, const float* x, double exponent, double weight, double* w,
                              double* total, double* plus, double* minus, double* group_plus,
                              double* group_minus) noexcept {
    move_primal_of(count, x, exponent, weight, w, total, plus, minus, group_plus, group_minus);
}

FENCHEL_WIDE std::int64_t settle_weights(std::int64_t count, double sum, double factor, double* __restrict w,
                                         double* __restrict owed) noexcept {
    std::int64_t misplaced = 0;
    for (std::int64_t l = 0; l < count; ++l) {
        const double moved = w[l] * factor;
        owed[l] += (w[l] > 0 ? w[l] : 0) * sum;
        misplaced += ((moved > 0) & (moved < least_kept)) | (moved < -largest_low) | ((moved > -least_low) & (moved < 0));
        w[l] = moved;
    }
    return misplaced;
}

FENCHEL_WIDE void fill_powers(std::int64_t count, double scale, const double* __restrict x,
                              double* __restrict powers) noexcept {
    double top[lanes] = {-largest_weight, -largest_weight, -largest_weight, -largest_weight};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::int64_t j = 0; j < lanes; ++j)
            top[j] = x[i + j] > top[j] ? x[i + j] : top[j];
    for (; i < count; ++i)
        top[0] = x[i] > top[0] ? x[i] : top[0];
    for (std::int64_t j = 1; j < lanes; ++j)
        top[0] = top[j] > top[0] ? top[j] : top[0];
    for (i = 0; i < count; ++i)
        powers[i] = vector_exp(scale * x[i] - scale * top[0]);
}

FENCHEL_WIDE double sum_positive(std::int64_t count, std::int64_t block, const double* w,
                                 double* sums) noexcept {
    double total = 0;
    for (std::int64_t first = 0; first < count; first += block) {
        const std::int64_t last = first + block < count ? first + block : count;
        double part[lanes] = {};
        std::int64_t l = first;
        for (; l + lanes <= last; l += lanes)
            for (std::int64_t i = 0; i < lanes; ++i)
                part[i] += w[l + i] > 0 ? w[l + i] : 0;
        for (; l < last; ++l)
            part[0] += w[l] > 0 ? w[l] : 0;
        total += sums[first / block] = sum_of(part);
    }
    return total;
}

FENCHEL_WIDE void read_line(std::int64_t count, double missed, double threshold, double gamma, double x,
                            double* __restrict w, double* __restrict total, double* __restrict z) noexcept {
    if (missed == 0) { // sum and threshold of no steps
        for (std::int64_t l = 0; l < count; ++l) {
            total[l] += gamma * w[l];
            z[l] += x * w[l];
        }
        return;
    }
    for (std::int64_t l = 0; l < count; ++l) {
        // m = 0, ..., missed: the first `terms` of the soft(w, m threshold) are not 0.
        const double size = std::fabs(w[l]), left = size - missed * threshold;
        const double all = missed + 1, some = threshold > 0 ? std::ceil(size / threshold) : all;
        const double terms = some < all ? some : all;
        total[l] += gamma * std::copysign(terms * size - 0.5 * threshold * terms * (terms - 1), w[l]);
        w[l] = left > 0 ? std::copysign(left, w[l]) : 0;
        z[l] += x * w[l];
    }
}

FENCHEL_WIDE double step_line(std::int64_t count, double step, double threshold, const double* __restrict u,
                              double* __restrict w) noexcept {
    double grown[lanes] = {};
    const auto move = [&](std::int64_t l, double& sum) {
        const double to = w[l] - step * u[l], left = std::fabs(to) - threshold, size = left > 0 ? left : 0;
        sum += size - std::fabs(w[l]);
        w[l] = std::copysign(size, to);
    };
    std::int64_t l = 0;
    for (; l + lanes <= count; l += lanes)
        for (std::int64_t i = 0; i < lanes; ++i)
            move(l + i, grown[i]);
    for (; l < count; ++l)
        move(l, grown[0]);
    return sum_of(grown);
}

FENCHEL_WIDE void read_powers(std::int64_t count, double offset, const double* __restrict H, double missed,
                              double x, double* __restrict total, double* __restrict z) noexcept {
    for (std::int64_t l = 0; l < count; ++l) {
        const double p = vector_exp(H[l] - offset) - vector_exp(-H[l] - offset);
        total[l] += missed * p;
        z[l] += x * p;
    }
}

FENCHEL_WIDE double step_powers(std::int64_t count, double offset, double step, const double* __restrict u,
                                double* __restrict H, double& largest) noexcept {
    double grown = 0, most = largest;
    for (std::int64_t l = 0; l < count; ++l) {
        if (u[l] == 0) // most classes under the hinge
            continue;
        const double to = H[l] - step * u[l], size = std::fabs(to);
        grown += (vector_exp(to - offset) - vector_exp(H[l] - offset)) +
                 (vector_exp(-to - offset) - vector_exp(-H[l] - offset));
        most = size > most ? size : most;
        H[l] = to;
    }
    largest = most;
    return grown;
}

FENCHEL_WIDE double sum_blocks(std::int64_t count, std::int64_t block, const double* size, const double* plus,
                               const double* minus, double* sums) noexcept {
    double mass[lanes] = {};
    for (std::int64_t first = 0; first < count; first += block) {
        const std::int64_t last = first + block < count ? first + block : count;
        double weighted[lanes] = {};
        std::int64_t f = first;
        for (; f + lanes <= last; f += lanes)
            for (std::int64_t i = 0; i < lanes; ++i) {
                const double both = plus[f + i] + minus[f + i];
                mass[i] += both;
                weighted[i] += size[f + i] * both;
            }
        for (; f < last; ++f) {
            mass[0] += plus[f] + minus[f];
            weighted[0] += size[f] * (plus[f] + minus[f]);
        }
        sums[first / block] = sum_of(weighted);
    }
    return sum_of(mass);
}

} // namespace fenchel
