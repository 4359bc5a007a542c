// Bindings of the primal methods for interpolation problems.
#include "fenchel/primal_mirror.hpp"

#include "bindings.hpp"
#include "interpolation.hpp"

using namespace nb::literals;

namespace {

std::int64_t primal_mirror_pass(const AnyLines& rows, const OrderArray& order, SetTag set, const InputArray& first,
                                const InputArray& second, const InputArray& inverse_slack, const InputArray& step,
                                MapTag map, double q, double inverse_strength, const InputArray& log_prior,
                                std::int64_t k, const InOutArray& a, const InOutArray& t,
                                const InOutArray& scratch, const Array<std::int32_t>& positions,
                                const InputArray& zero) {
    const Room room(scratch.data(), positions.data(), std::int64_t(positions.size()), k);
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return with_set(set, k, first, second, inverse_slack, room.work, [&](const auto& sets) {
                const fenchel::Towards move{sets, view(step), zero.data()};
                return with_map(map, q, inverse_strength, log_prior, t, k, room, [&](auto response) {
                    return fenchel::primal_mirror_pass(lines, view(order), move, response, k, view(a), room.point);
                });
            });
        },
        rows.lines);
}

std::int64_t perceptron_pass(const AnyLines& rows, const OrderArray& order, const InputArray& labels,
                             const InputArray& step, double margin, MapTag map, double q, double inverse_strength,
                             const InputArray& log_prior, const InOutArray& a, const InOutArray& t,
                             const InOutArray& scratch, const Array<std::int32_t>& positions) {
    const Room room(scratch.data(), positions.data(), std::int64_t(positions.size()), 1);
    const fenchel::Mistake move{view(labels), view(step), margin};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return with_map(map, q, inverse_strength, log_prior, t, 1, room, [&](auto response) {
                return fenchel::primal_mirror_pass(lines, view(order), move, response, 1, view(a), room.point);
            });
        },
        rows.lines);
}

} // namespace

void bind_primal_mirror(nb::module_& module) {
    module.def("primal_mirror_pass", &primal_mirror_pass, "rows"_a, "order"_a.noconvert(), "set"_a,
               "first"_a.noconvert(), "second"_a.noconvert(), "inverse_slack"_a.noconvert(), "step"_a.noconvert(),
               "map"_a, "q"_a, "inverse_strength"_a, "log_prior"_a.noconvert(), "k"_a, "a"_a.noconvert(),
               "t"_a.noconvert(), "scratch"_a.noconvert(), "positions"_a.noconvert(), "zero"_a.noconvert());
    module.def("perceptron_pass", &perceptron_pass, "rows"_a, "order"_a.noconvert(), "labels"_a.noconvert(),
               "step"_a.noconvert(), "margin"_a, "map"_a, "q"_a, "inverse_strength"_a, "log_prior"_a.noconvert(),
               "a"_a.noconvert(), "t"_a.noconvert(), "scratch"_a.noconvert(), "positions"_a.noconvert());
}
