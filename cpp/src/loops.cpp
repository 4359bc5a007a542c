// The loops of fenchel/loops.hpp at every level, and the choice of one.
//
// Everything here is local to this file, and nothing that other files share is inlined into a function of a
// higher level: no such code can end where a CPU would not know it.
#include "fenchel/loops.hpp"

#include "fenchel/entropic_loops.hpp"
#include "fenchel/levels.hpp"

#ifdef FENCHEL_X86_LEVELS
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace fenchel {
namespace {

using Index = std::int32_t;
using Count = std::int64_t;

// Four running sums: a single one would wait for every addition.
template <class A, class X>
FENCHEL_INLINE double gather_dot_of(const A* a, const Index* index, Count count, const X* x) noexcept {
    double sum[4] = {};
    Count e = 0;
    for (; e + 4 <= count; e += 4)
        for (int lane = 0; lane < 4; ++lane)
            sum[lane] += double(a[e + lane] * x[index[e + lane]]);
    for (; e < count; ++e)
        sum[0] += double(a[e] * x[index[e]]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The rest of the products after the last 32 goes eight at a time, and what is left by itself: one sum of them all would
// be most of the time of a short line, whose sum is waited for.
template <class A, class T>
FENCHEL_INLINE double dense_dot_of(const A* a, const T* x, Count count) noexcept {
    constexpr Count lanes = 32, block = 1024, few = 8;
    double total[few] = {};
    Count i = 0;
    while (i + lanes <= count) {
        T sum[lanes] = {};
        const Count last = count < i + block ? count : i + block;
        for (; i + lanes <= last; i += lanes)
            for (Count lane = 0; lane < lanes; ++lane)
                sum[lane] += T(a[i + lane]) * x[i + lane];
        T half[lanes / 2];
        for (Count lane = 0; lane < lanes / 2; ++lane)
            half[lane] = sum[lane] + sum[lane + lanes / 2];
        for (Count lane = 0; lane < few; ++lane)
            total[lane] += double(half[lane]) + double(half[lane + few]);
    }
    for (; i + few <= count; i += few)
        for (Count lane = 0; lane < few; ++lane)
            total[lane] += double(T(a[i + lane]) * x[i + lane]);
    double rest = 0;
    for (; i < count; ++i)
        rest += double(T(a[i]) * x[i]);
    return (((total[0] + total[4]) + (total[1] + total[5])) + ((total[2] + total[6]) + (total[3] + total[7]))) + rest;
}

template <class A, class T>
FENCHEL_INLINE void dense_add_of(T factor, const A* a, T* x, Count count) noexcept {
    for (Count i = 0; i < count; ++i)
        x[i] += factor * T(a[i]);
}

// Without wide registers for twelve sums: one product after the other.
void tile_of_dots(const float* a, const float* b, Count stride, Count count, float* out) noexcept {
    for (Count r = 0; r < tile_height; ++r)
        for (Count c = 0; c < tile_width; ++c)
            out[r * tile_width + c] = float(dense_dot_of(a + r * stride, b + c * stride, count));
}

namespace baseline {
template <class A, class X>
double gather(const A* a, const Index* index, Count count, const X* x) noexcept {
    return gather_dot_of(a, index, count, x);
}
template <class A, class T>
double dot(const A* a, const T* x, Count count) noexcept {
    return dense_dot_of(a, x, count);
}
template <class A, class T>
void add(T factor, const A* a, T* x, Count count) noexcept {
    dense_add_of(factor, a, x, count);
}
constexpr Loops table{gather<double, double>, gather<float, double>, gather<float, float>,
                      dot<double, double>,    dot<float, double>,    dot<float, float>,
                      add<double, double>,    add<float, double>,    add<float, float>,
                      tile_of_dots};
} // namespace baseline

#ifdef FENCHEL_X86_LEVELS

// Of AVX2 the sparse loop takes nothing: many of its CPUs gather more slowly than they load one by one.
namespace avx2 {
template <class A, class T>
FENCHEL_AVX2 double dot(const A* a, const T* x, Count count) noexcept {
    return dense_dot_of(a, x, count);
}
template <class A, class T>
FENCHEL_AVX2 void add(T factor, const A* a, T* x, Count count) noexcept {
    dense_add_of(factor, a, x, count);
}

// A tile whose sums stay in twelve registers: of loops over arrays the compiler keeps them in memory.
FENCHEL_AVX2 float sum_of(__m256 x) noexcept {
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}
FENCHEL_AVX2 void tile(const float* a, const float* b, Count stride, Count count, float* out) noexcept {
    __m256 sum[tile_height][tile_width];
#pragma GCC unroll 4
    for (Count r = 0; r < tile_height; ++r)
#pragma GCC unroll 3
        for (Count c = 0; c < tile_width; ++c)
            sum[r][c] = _mm256_setzero_ps();
    for (Count k = 0; k < count; k += 8) {
        __m256 left[tile_height];
#pragma GCC unroll 4
        for (Count r = 0; r < tile_height; ++r)
            left[r] = _mm256_loadu_ps(a + r * stride + k);
#pragma GCC unroll 3
        for (Count c = 0; c < tile_width; ++c) {
            const __m256 right = _mm256_loadu_ps(b + c * stride + k);
#pragma GCC unroll 4
            for (Count r = 0; r < tile_height; ++r)
                sum[r][c] = _mm256_fmadd_ps(left[r], right, sum[r][c]);
        }
    }
#pragma GCC unroll 4
    for (Count r = 0; r < tile_height; ++r)
#pragma GCC unroll 3
        for (Count c = 0; c < tile_width; ++c)
            out[r * tile_width + c] = sum_of(sum[r][c]);
}
constexpr Loops table{baseline::table.gather_double, baseline::table.gather_mixed, baseline::table.gather_float,
                      dot<double, double>, dot<float, double>, dot<float, float>,
                      add<double, double>, add<float, double>, add<float, float>,
                      tile};
} // namespace avx2

namespace avx512 {

FENCHEL_AVX512 inline __m512d products(__mmask8 kept, const double* a, __m256i index, const double* x) noexcept {
    const __m512d none = _mm512_setzero_pd();
    return _mm512_mul_pd(_mm512_maskz_loadu_pd(kept, a), _mm512_mask_i32gather_pd(none, kept, index, x, 8));
}
FENCHEL_AVX512 inline __m512d products(__mmask8 kept, const float* a, __m256i index, const double* x) noexcept {
    const __m512d none = _mm512_setzero_pd(), wide = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(kept, a));
    return _mm512_mul_pd(wide, _mm512_mask_i32gather_pd(none, kept, index, x, 8));
}
FENCHEL_AVX512 inline __m512d products(__mmask8 kept, const float* a, __m256i index, const float* x) noexcept {
    const __m256 none = _mm256_setzero_ps(), from = _mm256_mmask_i32gather_ps(none, kept, index, x, 4);
    return _mm512_cvtps_pd(_mm256_mul_ps(_mm256_maskz_loadu_ps(kept, a), from));
}

// Eight entries at once; the mask leaves out what is behind the last.
template <class A, class X>
FENCHEL_AVX512 double gather(const A* a, const Index* index, Count count, const X* x) noexcept {
    __m512d sum = _mm512_setzero_pd();
    Count e = 0;
    for (; e + 8 <= count; e += 8) {
        const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index + e));
        sum = _mm512_add_pd(sum, products(0xff, a + e, at, x));
    }
    if (e < count) {
        const __mmask8 kept = __mmask8((1u << (count - e)) - 1);
        sum = _mm512_add_pd(sum, products(kept, a + e, _mm256_maskz_loadu_epi32(kept, index + e), x));
    }
    return _mm512_reduce_add_pd(sum);
}
template <class A, class T>
FENCHEL_AVX512 double dot(const A* a, const T* x, Count count) noexcept {
    return dense_dot_of(a, x, count);
}
template <class A, class T>
FENCHEL_AVX512 void add(T factor, const A* a, T* x, Count count) noexcept {
    dense_add_of(factor, a, x, count);
}
constexpr Loops table{gather<double, double>, gather<float, double>, gather<float, float>,
                      dot<double, double>,    dot<float, double>,    dot<float, float>,
                      add<double, double>,    add<float, double>,    add<float, float>,
                      avx2::tile};
} // namespace avx512

const Loops& table_of(Level level) noexcept {
    return level == Level::avx512 ? avx512::table : level == Level::avx2 ? avx2::table : baseline::table;
}

#else

const Loops& table_of(Level) noexcept { return baseline::table; }

#endif

Level used = Level::baseline;

// Gathers of eight pay since Sapphire Rapids, whose feature AVX512_FP16 (leaf 7, edx, bit 23) tells. Mended
// microcode made them slow on the Intel CPUs before, and those of AMD take them apart.
bool gathers_quickly() noexcept {
#ifdef FENCHEL_X86_LEVELS
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx >> 23 & 1);
#else
    return false;
#endif
}

} // namespace

const Loops* loops = &baseline::table;

bool runs([[maybe_unused]] Level level) noexcept {
#ifdef FENCHEL_X86_LEVELS
    if (level == Level::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && runs(Level::avx2);
    if (level == Level::avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return level == Level::baseline;
}

Level best_level() noexcept {
    const bool wide = runs(Level::avx512) && gathers_quickly();
    return wide ? Level::avx512 : runs(Level::avx2) ? Level::avx2 : Level::baseline;
}

void use_level(Level level) noexcept {
    used = level;
    loops = &table_of(level);
    use_entropic_level(level);
}

Level used_level() noexcept { return used; }

} // namespace fenchel
