// Bindings of the scans of the active-set solver.
#include "fenchel/active_ascent.hpp"
#include "fenchel/active_sets.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

void take_best(const InputArray& scores, const Array<const bool>& barred, std::int64_t count,
               const Array<bool>& active, const StampArray& outside) {
    nb::gil_scoped_release release;
    fenchel::take_best(view(scores), view(barred), count, view(active), view(outside));
}

std::int64_t respond(const InputArray& l1, const InputArray& l2, const InputArray& lower, const InputArray& upper,
                     const InputArray& v, const Array<const bool>& zero, const OrderArray& counts,
                     const InOutArray& w) {
    nb::gil_scoped_release release;
    return fenchel::respond({view(l1), view(l2), view(lower), view(upper)}, view(v), view(zero), view(counts),
                            view(w));
}

void response_sizes(const InputArray& l1, const InputArray& l2, const InputArray& lower, const InputArray& upper,
                    double share, const InputArray& v, const InOutArray& sizes) {
    nb::gil_scoped_release release;
    fenchel::response_sizes({view(l1), view(l2), view(lower), view(upper)}, share, view(v), view(sizes));
}

void settle_rows(const fenchel::AnyLoss& loss, const InputArray& z, const InputArray& u, const InputArray& b,
                 const InputArray& spread, double reach, double slack, const Array<bool>& settled) {
    nb::gil_scoped_release release;
    fenchel::settle_rows(loss, view(z), view(u), view(b), view(spread), reach, slack, view(settled));
}

std::int64_t active_ascent(const AnyLines& rows, std::int64_t passes, const fenchel::AnyLoss& loss,
                           const InputArray& b, const InputArray& sample_weight, const InputArray& step,
                           const InputArray& l1, const InputArray& l2, const InputArray& inverse_l2,
                           const InputArray& lower, const InputArray& upper, bool bounded, const InputArray& none,
                           const InOutArray& v, const InOutArray& w, const InOutArray& u,
                           const InOutArray& before, const StampArray& order) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            const auto ascend = [&](const auto& response) {
                return loss.visit([&](const auto& phi) {
                    return fenchel::active_ascent(lines, passes, phi, view(b), view(sample_weight), view(step),
                                                  response, view(u), view(before), view(order));
                });
            };
            return bounded ? ascend(fenchel::FormResponse{form, view(none), view(none), view(v), view(w)})
                           : ascend(fenchel::ElasticResponse{view(l1), view(inverse_l2), view(v), view(w)});
        },
        rows.lines);
}

void ascent_steps(const AnyLines& rows, const InputArray& sample_weight, const InputArray& inverse_l2, double n,
                  const InOutArray& step) {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& lines) {
            fenchel::ascent_steps(lines, view(sample_weight), view(inverse_l2), n, view(step));
        },
        rows.lines);
}

std::int64_t take_moves(const OrderArray& named, const InputArray& fresh, const OrderArray& counts,
                        const InputArray& sample_weight, const InOutArray& u, const InOutArray& v,
                        const InOutArray& moves) {
    nb::gil_scoped_release release;
    return fenchel::take_moves(view(named), view(fresh), view(counts), view(sample_weight), view(u), view(v),
                               view(moves));
}

double active_gap(const AnyLines& rows, const fenchel::AnyLoss& loss, const InputArray& b,
                  const InputArray& sample_weight, double n, const InputArray& w, const InputArray& u) {
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return loss.visit([&](const auto& phi) {
                return fenchel::active_gap(lines, phi, view(b), view(sample_weight), n, view(w), view(u));
            });
        },
        rows.lines);
}

} // namespace

void bind_active_sets(nb::module_& module) {
    module.def("take_best", &take_best, "scores"_a.noconvert(), "barred"_a.noconvert(), "count"_a,
               "active"_a.noconvert(), "outside"_a.noconvert());
    module.def("respond", &respond, "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "v"_a.noconvert(), "zero"_a.noconvert(), "counts"_a.noconvert(),
               "w"_a.noconvert());
    module.def("response_sizes", &response_sizes, "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "share"_a, "v"_a.noconvert(), "sizes"_a.noconvert());
    module.def("settle_rows", &settle_rows, "loss"_a, "z"_a.noconvert(), "u"_a.noconvert(), "b"_a.noconvert(),
               "spread"_a.noconvert(), "reach"_a, "slack"_a, "settled"_a.noconvert());
    module.def("active_ascent", &active_ascent, "rows"_a, "passes"_a, "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "step"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "inverse_l2"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(), "bounded"_a,
               "none"_a.noconvert(), "v"_a.noconvert(), "w"_a.noconvert(), "u"_a.noconvert(),
               "before"_a.noconvert(), "order"_a.noconvert());
    module.def("ascent_steps", &ascent_steps, "rows"_a, "sample_weight"_a.noconvert(), "inverse_l2"_a.noconvert(),
               "n"_a, "step"_a.noconvert());
    module.def("take_moves", &take_moves, "named"_a.noconvert(), "fresh"_a.noconvert(), "counts"_a.noconvert(),
               "sample_weight"_a.noconvert(), "u"_a.noconvert(), "v"_a.noconvert(), "moves"_a.noconvert());
    module.def("active_gap", &active_gap, "rows"_a, "loss"_a, "b"_a.noconvert(), "sample_weight"_a.noconvert(),
               "n"_a, "w"_a.noconvert(), "u"_a.noconvert());
}
