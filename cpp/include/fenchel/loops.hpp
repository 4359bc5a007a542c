// The innermost loops that gain from instructions beyond the platform's baseline, compiled for several levels.
//
// One level serves the whole process, chosen when the module is imported (fenchel._kernels.simd). Levels add in
// different orders and may fuse a product with its sum: they differ in rounding, and in nothing else.
#pragma once

#include <cstdint>

namespace fenchel {

enum class Level { baseline, avx2, avx512 };

// The levels that this CPU can run, and the one that is quick on it.
bool runs(Level level) noexcept;
Level best_level() noexcept;

// For use before any other thread runs a kernel.
void use_level(Level level) noexcept;
Level used_level() noexcept;

struct Loops {
    double (*gather_double)(const double*, const std::int32_t*, std::int64_t, const double*) noexcept;
    double (*gather_mixed)(const float*, const std::int32_t*, std::int64_t, const double*) noexcept;
    double (*gather_float)(const float*, const std::int32_t*, std::int64_t, const float*) noexcept;
    double (*dot_double)(const double*, const double*, std::int64_t) noexcept;
    double (*dot_mixed)(const float*, const double*, std::int64_t) noexcept;
    double (*dot_float)(const float*, const float*, std::int64_t) noexcept;
    void (*add_double)(double, const double*, double*, std::int64_t) noexcept;
    void (*add_mixed)(double, const float*, double*, std::int64_t) noexcept;
    void (*add_float)(float, const float*, float*, std::int64_t) noexcept;
    void (*tile)(const float*, const float*, std::int64_t, std::int64_t, float*) noexcept;
};

extern const Loops* loops;

// sum_e a_e x[index_e], products in the wider type of the two, sums in double.
inline double gather_dot(const double* a, const std::int32_t* index, std::int64_t count, const double* x) noexcept {
    return loops->gather_double(a, index, count, x);
}
inline double gather_dot(const float* a, const std::int32_t* index, std::int64_t count, const double* x) noexcept {
    return loops->gather_mixed(a, index, count, x);
}
inline double gather_dot(const float* a, const std::int32_t* index, std::int64_t count, const float* x) noexcept {
    return loops->gather_float(a, index, count, x);
}

// sum_i a_i x_i: sums of at most 32 products in the wider type of the two in each of 32 lanes, sums of these in double.
inline double dense_dot(const double* a, const double* x, std::int64_t count) noexcept {
    return loops->dot_double(a, x, count);
}
inline double dense_dot(const float* a, const double* x, std::int64_t count) noexcept {
    return loops->dot_mixed(a, x, count);
}
inline double dense_dot(const float* a, const float* x, std::int64_t count) noexcept {
    return loops->dot_float(a, x, count);
}

// x_i += factor a_i
inline void dense_add(double factor, const double* a, double* x, std::int64_t count) noexcept {
    loops->add_double(factor, a, x, count);
}
inline void dense_add(double factor, const float* a, double* x, std::int64_t count) noexcept {
    loops->add_mixed(factor, a, x, count);
}
inline void dense_add(float factor, const float* a, float* x, std::int64_t count) noexcept {
    loops->add_float(factor, a, x, count);
}

// out_rc = <a_r, b_c> for 4 lines a_r and 3 lines b_c of 8 k entries, lines `stride` apart: sums in float, 8 or more of
// each. Seven readings serve twelve products.
inline constexpr std::int64_t tile_height = 4, tile_width = 3;
inline void tile_products(const float* a, const float* b, std::int64_t stride, std::int64_t count,
                          float* out) noexcept {
    loops->tile(a, b, stride, count, out);
}

} // namespace fenchel
