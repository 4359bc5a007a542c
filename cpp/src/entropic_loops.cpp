// The loops of entropic_loops.hpp at every level, and the choice of one.
#include "fenchel/entropic_loops.hpp"

#include <bit>
#include <cmath>

#include "fenchel/entropic.hpp"
#include "fenchel/levels.hpp"
#include "fenchel/wide_weight.hpp"

namespace fenchel {

namespace {

// In the form that becomes a minimum and a maximum of vectors.
FENCHEL_INLINE double between(double x, double lower, double upper) noexcept {
    x = x > lower ? x : lower;
    return x < upper ? x : upper;
}

// a b + c: with one rounding where it is asked for. The file is compiled without other fused products, since sums
// over time take the same product off that they took on.
template <bool fused>
FENCHEL_INLINE double fused_sum(double a, double b, double c) noexcept {
    if constexpr (fused)
        return __builtin_fma(a, b, c);
    else
        return a * b + c;
}

// scale (1 + rest), |rest| < 1/2 and scale a power of two.
struct Power {
    double scale, rest;
};

// exp(clip(x, -300, 300)) without branches or calls: x = k log 2 + r with |r| <= log(2) / 2, the Taylor
// polynomial of exp(r) - 1, and k in the exponent. Adding 1.5 2^52 rounds to an integer, which then stands in the
// low bits.
template <bool fused>
FENCHEL_INLINE Power power(double x) noexcept {
    constexpr double shift = 0x1.8p52, inverse_log2 = 0x1.71547652b82fep0;
    constexpr double log2_high = 0x1.62e42fee00000p-1, log2_low = 0x1.a39ef35793c76p-33;
    x = between(x, -longest, longest);
    const double rounded = fused_sum<fused>(x, inverse_log2, shift), k = rounded - shift;
    const double r = fused_sum<fused>(-k, log2_low, fused_sum<fused>(-k, log2_high, x));
    double p = fused_sum<fused>(r, 1 / 6227020800.0, 1 / 479001600.0);
    p = fused_sum<fused>(r, fused_sum<fused>(r, p, 1 / 39916800.0), 1 / 3628800.0);
    p = fused_sum<fused>(r, fused_sum<fused>(r, p, 1 / 362880.0), 1 / 40320.0);
    p = fused_sum<fused>(r, fused_sum<fused>(r, p, 1 / 5040.0), 1 / 720.0);
    p = fused_sum<fused>(r, fused_sum<fused>(r, p, 1 / 120.0), 1 / 24.0);
    p = fused_sum<fused>(r, fused_sum<fused>(r, fused_sum<fused>(r, p, 1 / 6.0), 0.5), 1.0);
    return {std::bit_cast<double>((std::bit_cast<std::uint64_t>(rounded) + 1023) << 52), r * p};
}

template <bool fused>
FENCHEL_INLINE double vector_exp(double x) noexcept {
    const Power at = power<fused>(x);
    return fused_sum<fused>(at.scale, at.rest, at.scale);
}

constexpr std::int64_t lanes = 8;

FENCHEL_INLINE double sum_of(const double (&part)[lanes]) noexcept {
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

namespace baseline {
constexpr bool fused = false;
#define FENCHEL_LEVEL
#include "entropic_loops_at_level.hpp"
#undef FENCHEL_LEVEL
} // namespace baseline

#ifdef FENCHEL_X86_LEVELS

namespace avx2 {
constexpr bool fused = true;
#define FENCHEL_LEVEL FENCHEL_AVX2
#include "entropic_loops_at_level.hpp"
#undef FENCHEL_LEVEL
} // namespace avx2

namespace avx512 {
constexpr bool fused = true;
#define FENCHEL_LEVEL FENCHEL_AVX512_WIDEST
#include "entropic_loops_at_level.hpp"
#undef FENCHEL_LEVEL
} // namespace avx512

const EntropicLoops& table_of(Level level) noexcept {
    return level == Level::avx512 ? avx512::table : level == Level::avx2 ? avx2::table : baseline::table;
}

#else

const EntropicLoops& table_of(Level) noexcept { return baseline::table; }

#endif

} // namespace

const EntropicLoops* entropic_loops = &baseline::table;

void use_entropic_level(Level level) noexcept { entropic_loops = &table_of(level); }

} // namespace fenchel
