// A loop over rows compiled for several levels of instructions, and run at the one that the process uses.
#pragma once

#include "fenchel/levels.hpp"
#include "fenchel/loops.hpp"

namespace fenchel {

// All that f calls is inlined here, and f is no function of its own: no code of a higher level ends where a CPU does
// not know it.
#ifdef FENCHEL_X86_LEVELS
namespace levels {
template <class F>
FENCHEL_AVX2 [[gnu::flatten]] auto avx2(const F& f) noexcept {
    return f();
}
template <class F>
FENCHEL_AVX512_WIDEST [[gnu::flatten]] auto avx512(const F& f) noexcept {
    return f();
}
} // namespace levels
#endif

// f(), for a function object whose loops gain from wide vectors.
template <class F>
auto at_level(const F& f) noexcept {
#ifdef FENCHEL_X86_LEVELS
    if (used_level() == Level::avx512)
        return levels::avx512(f);
    if (used_level() == Level::avx2)
        return levels::avx2(f);
#endif
    return f();
}

} // namespace fenchel
