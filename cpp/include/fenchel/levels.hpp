// How single functions are compiled for other instructions than the baseline: by GCC and Clang on x86-64;
// elsewhere the baseline serves.
#pragma once

#if defined(__GNUC__) && defined(__x86_64__)
#define FENCHEL_X86_LEVELS
#define FENCHEL_AVX2 [[gnu::target("avx2,fma")]]
#define FENCHEL_AVX512_FEATURES "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"
#define FENCHEL_AVX512 [[gnu::target(FENCHEL_AVX512_FEATURES)]]
// The same, and loops that the compiler turns into vector code take the widest ones.
#if defined(__clang__)
#define FENCHEL_AVX512_WIDEST FENCHEL_AVX512
#else
#define FENCHEL_AVX512_WIDEST [[gnu::target(FENCHEL_AVX512_FEATURES ",prefer-vector-width=512")]]
#endif
#endif
#if defined(__GNUC__)
#define FENCHEL_INLINE [[gnu::always_inline]] inline
#else
#define FENCHEL_INLINE inline
#endif
