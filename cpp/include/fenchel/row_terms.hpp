// What a row of a smooth loss gives to a quadratic model of it.
#pragma once

namespace fenchel {

struct RowTerms {
    double value, gradient, curvature;
    double damping_curvature; // see Loss.damping_curvature in Python
};

// All zeros for a loss with kinks, which has no such model. Inlined: a loop with a call in it is no vector code.
template <class Loss>
[[gnu::always_inline]] inline RowTerms row_terms(const Loss& loss, double z, double b) noexcept {
    if constexpr (requires { loss.terms(z, b); })
        return loss.terms(z, b);
    else if constexpr (requires { loss.curvature(z, b); })
        return {loss.value(z, b), loss.gradient(z, b), loss.curvature(z, b), loss.damping_curvature(z, b)};
    else
        return {};
}

} // namespace fenchel
