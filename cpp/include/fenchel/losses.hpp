// A loss chosen at run time among those of losses.def.
//
// The tags, the switch and the Python enumeration are all expanded from that one list.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "fenchel/losses/absolute.hpp"
#include "fenchel/losses/epsilon_insensitive.hpp"
#include "fenchel/losses/hinge.hpp"
#include "fenchel/losses/huber.hpp"
#include "fenchel/losses/logistic.hpp"
#include "fenchel/losses/quantile.hpp"
#include "fenchel/losses/smoothed_hinge.hpp"
#include "fenchel/losses/squared.hpp"
#include "fenchel/losses/squared_hinge.hpp"

namespace fenchel {

enum class LossTag : int {
#define FENCHEL_LOSS(name, type, n_parameters) name,
#include "fenchel/losses.def"
#undef FENCHEL_LOSS
};

constexpr std::size_t loss_parameter_count(LossTag tag) noexcept {
    switch (tag) {
#define FENCHEL_LOSS(name, type, n_parameters)                                                               \
    case LossTag::name:                                                                                      \
        return n_parameters;
#include "fenchel/losses.def"
#undef FENCHEL_LOSS
    }
    return 0;
}

// What a search for the prox near y can begin with; nothing for the losses whose prox needs no search.
template <class Loss>
auto prox_start(const Loss& loss, double y, double b, double step) noexcept {
    if constexpr (requires { loss.near(y, b, step); })
        return loss.near(y, b, step);
    else
        return 0;
}

// prox_conjugate, where the answer is expected near the point that the start was made from.
template <class Loss>
double prox_conjugate_near(const Loss& loss, double v, double b, double step, const auto& start) noexcept {
    if constexpr (requires { loss.prox_conjugate_near(v, b, step, start); })
        return loss.prox_conjugate_near(v, b, step, start);
    else
        return loss.prox_conjugate(v, b, step);
}

// A point near prox_conjugate, where that is quicker to have; in the domain.
template <class Loss>
double prox_conjugate_rough(const Loss& loss, double v, double b, double step) noexcept {
    if constexpr (requires { loss.prox_conjugate_rough(v, b, step); })
        return loss.prox_conjugate_rough(v, b, step);
    else
        return loss.prox_conjugate(v, b, step);
}

struct AnyLoss {
    LossTag tag;
    std::array<double, 4> params;

    // Calls f with the concrete loss. Kernels visit once a step and loop inside, so that the switch
    // costs nothing and the loop is compiled for the loss.
    template <class F>
    decltype(auto) visit(F&& f) const {
        switch (tag) {
#define FENCHEL_LOSS(name, type, n_parameters)                                                               \
    case LossTag::name:                                                                                      \
        return f(make<type>(std::make_index_sequence<n_parameters>{}));
#include "fenchel/losses.def"
#undef FENCHEL_LOSS
        }
        return f(Squared{}); // not reached: the tags are exactly those above
    }

    double gradient(double z, double b) const noexcept {
        return visit([&](const auto& loss) { return loss.gradient(z, b); });
    }

    double prox_conjugate(double v, double b, double step) const noexcept {
        return visit([&](const auto& loss) { return loss.prox_conjugate(v, b, step); });
    }

    Interval conjugate_slopes(double y, double b) const noexcept {
        return visit([&](const auto& loss) { return loss.conjugate_slopes(y, b); });
    }

private:
    template <class Loss, std::size_t... Index>
    Loss make(std::index_sequence<Index...>) const noexcept {
        return Loss{params[Index]...};
    }
};

} // namespace fenchel
