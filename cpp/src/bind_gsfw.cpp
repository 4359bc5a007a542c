// Bindings of generalised stochastic Frank-Wolfe.
#include "fenchel/gsfw.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

// Runs the pass on the rows of the right kind; returns the entries read.
template <class Pass>
std::int64_t play(Pass&& pass, const AnyLines& rows, const OrderArray& order, std::size_t batch,
                  const fenchel::AnyLoss& loss, const InputArray& b, const InputArray& sample_weight,
                  const InputArray& step, const InputArray& weight, double clock, double mean_conjugate,
                  const InOutArray& prediction, const InOutArray& u, const InOutArray& v,
                  const InOutArray& u_total, const InOutArray& u_since, const InOutArray& dual) {
    const fenchel::LazyAverage average{view(u_total), view(u_since)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            fenchel::SubstituteGradient game{lines,
                                             view(order),
                                             batch,
                                             loss,
                                             view(b),
                                             view(sample_weight),
                                             view(step),
                                             view(weight),
                                             clock,
                                             mean_conjugate,
                                             view(prediction),
                                             view(u),
                                             view(v),
                                             average,
                                             view(dual)};
            pass(game);
            return game.entries_read;
        },
        rows.lines);
}

std::int64_t gsfw_vertex_pass(const AnyLines& rows, const OrderArray& order, std::size_t batch,
                              const fenchel::AnyLoss& loss, const InputArray& b,
                              const InputArray& sample_weight, const InputArray& step,
                              const InputArray& weight, double clock, double mean_conjugate,
                              const InOutArray& prediction, const InOutArray& u, const InOutArray& v,
                              const InOutArray& u_total, const InOutArray& u_since, const InOutArray& dual,
                              double radius, double penalty, bool is_signed, const InOutArray& numerator) {
    return play(
        [&](auto& game) { fenchel::gsfw_vertex_pass(game, radius, penalty, is_signed, view(numerator)); },
        rows, order, batch, loss, b, sample_weight, step, weight, clock, mean_conjugate, prediction, u, v,
        u_total, u_since, dual);
}

std::int64_t gsfw_ray_pass(const AnyLines& rows, const OrderArray& order, std::size_t batch,
                           const fenchel::AnyLoss& loss, const InputArray& b,
                           const InputArray& sample_weight, const InputArray& step, const InputArray& weight,
                           double clock, double mean_conjugate, const InOutArray& prediction,
                           const InOutArray& u, const InOutArray& v, const InOutArray& u_total,
                           const InOutArray& u_since, const InOutArray& dual, double radius, double l2,
                           const InOutArray& numerator, const InOutArray& held, const InOutArray& moves) {
    return play(
        [&](auto& game) {
            fenchel::gsfw_ray_pass(game, radius, l2, view(numerator), view(held), view(moves));
        },
        rows, order, batch, loss, b, sample_weight, step, weight, clock, mean_conjugate, prediction, u, v,
        u_total, u_since, dual);
}

} // namespace

void bind_gsfw(nb::module_& module) {
    module.def("gsfw_vertex_pass", &gsfw_vertex_pass, "rows"_a, "order"_a.noconvert(), "batch"_a, "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "step"_a.noconvert(),
               "weight"_a.noconvert(), "clock"_a, "mean_conjugate"_a, "prediction"_a.noconvert(),
               "u"_a.noconvert(), "v"_a.noconvert(), "u_total"_a.noconvert(), "u_since"_a.noconvert(),
               "dual"_a.noconvert(), "radius"_a, "penalty"_a, "is_signed"_a, "numerator"_a.noconvert());
    module.def("gsfw_ray_pass", &gsfw_ray_pass, "rows"_a, "order"_a.noconvert(), "batch"_a, "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "step"_a.noconvert(),
               "weight"_a.noconvert(), "clock"_a, "mean_conjugate"_a, "prediction"_a.noconvert(),
               "u"_a.noconvert(), "v"_a.noconvert(), "u_total"_a.noconvert(), "u_since"_a.noconvert(),
               "dual"_a.noconvert(), "radius"_a, "l2"_a, "numerator"_a.noconvert(), "held"_a.noconvert(),
               "moves"_a.noconvert());
}
