// A loop over rows compiled for several levels of instructions, and run at the one that the process uses.
#pragma once

#include "fenchel/loops.hpp"

namespace fenchel {

// GCC and Clang on x86-64 compile single functions for other instructions; elsewhere the baseline serves. All that f
// calls is inlined here, and f is no function of its own: no code of a higher level ends where a CPU does not know it.
#if defined(__GNUC__) && defined(__x86_64__)
#define FENCHEL_AT_LEVELS
#if defined(__clang__)
#define FENCHEL_WIDE "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"
#else
#define FENCHEL_WIDE "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512"
#endif
namespace levels {
template <class F>
[[gnu::target("avx2,fma"), gnu::flatten]] auto avx2(const F& f) noexcept {
    return f();
}
template <class F>
[[gnu::target(FENCHEL_WIDE), gnu::flatten]] auto avx512(const F& f) noexcept {
    return f();
}
} // namespace levels
#endif

// f(), for a function object whose loops gain from wide vectors.
template <class F>
auto at_level(const F& f) noexcept {
#ifdef FENCHEL_AT_LEVELS
    if (used_level() == Level::avx512)
        return levels::avx512(f);
    if (used_level() == Level::avx2)
        return levels::avx2(f);
#endif
    return f();
}

} // namespace fenchel
