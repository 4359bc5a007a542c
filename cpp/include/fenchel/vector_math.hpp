// exp and log without branches or calls, so that loops over classes become vector instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace fenchel {

inline constexpr double least_exponent = -700;

// exp(x) for least_exponent <= x <= 0, to a few units in the last place: x = n log 2 + r, the Taylor
// polynomial of degree 13 in r (|r| <= log(2)/2, the rest is below 1e-17), and n put into the exponent.
inline double exp_of_negative(double x) noexcept {
    constexpr double shift = 0x1.8p52; // adding it rounds to an integer, which is then in the low bits
    const double shifted = x * 1.4426950408889634074 + shift;
    const double n = shifted - shift;
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double y = 1.0 / 6227020800;
    y = y * r + 1.0 / 479001600;
    y = y * r + 1.0 / 39916800;
    y = y * r + 1.0 / 3628800;
    y = y * r + 1.0 / 362880;
    y = y * r + 1.0 / 40320;
    y = y * r + 1.0 / 5040;
    y = y * r + 1.0 / 720;
    y = y * r + 1.0 / 120;
    y = y * r + 1.0 / 24;
    y = y * r + 1.0 / 6;
    y = y * r + 0.5;
    y = y * r + 1.0;
    y = y * r + 1.0;
    const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return y * std::bit_cast<double>(exponent);
}

// log(x) for normal x > 0, to a few units in the last place: x = 2^e (1 + f) with sqrt(1/2) < 1 + f <= sqrt(2),
// and log(1 + f) by the series in s = f / (2 + f). Coefficients: fdlibm, e_log.c.
inline double log_of_normal(double x) noexcept {
    constexpr double shift = 0x1p52;
    constexpr std::uint64_t mantissa = (std::uint64_t(1) << 52) - 1;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const double stored = std::bit_cast<double>((bits >> 52) | std::bit_cast<std::uint64_t>(shift)) - shift;
    const double m = std::bit_cast<double>((bits & mantissa) | std::bit_cast<std::uint64_t>(1.0));
    const bool large = m > 1.41421356237309504880;
    const double e = stored - (large ? 1022.0 : 1023.0);
    const double f = m * (large ? 0.5 : 1.0) - 1;
    const double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double R = 1.479819860511658591e-01;
    R = R * z + 1.531383769920937332e-01;
    R = R * z + 1.818357216161805012e-01;
    R = R * z + 2.222219843214978396e-01;
    R = R * z + 2.857142874366239149e-01;
    R = R * z + 3.999999999940941908e-01;
    R = R * z + 6.666666666666735130e-01;
    R *= z;
    return e * 6.93147180369123816490e-01 - ((half - (s * (half + R) + e * 1.90821492927058770002e-10)) - f);
}

} // namespace fenchel
