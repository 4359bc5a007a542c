// Bindings of the coordinate passes.
#include "fenchel/coordinate.hpp"

#include <tuple>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "fenchel/form_conjugate.hpp"
#include "fenchel/gram_sdca.hpp"

using namespace nb::literals;

namespace {

std::pair<std::int64_t, double> primal_cd_pass(const AnyLines& columns, const OrderArray& order,
                                               const fenchel::AnyLoss& loss, const InputArray& b,
                                               const InputArray& sample_weight, const InputArray& l1,
                                               const InputArray& l2, const InputArray& lower,
                                               const InputArray& upper, const InputArray& curvature,
                                               const InputArray& centre, const InOutArray& w,
                                               const InOutArray& z, const InOutArray& u) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    const auto report = std::visit(
        [&](const auto& lines) {
            return fenchel::primal_cd_pass(lines, view(order), loss, view(b), view(sample_weight), form,
                                           view(curvature), view(centre), view(w), view(z), view(u));
        },
        columns.lines);
    return {report.entries_read, report.largest_change};
}

std::int64_t sdca_pass(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                       const InputArray& b, const InputArray& sample_weight, const InputArray& step,
                       const InputArray& l1, const InputArray& l2, const InputArray& lower,
                       const InputArray& upper, const InputArray& alpha, const InputArray& anchor,
                       const InOutArray& v, const InOutArray& w, const InOutArray& u) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return fenchel::sdca_pass(
                lines, view(order), view(sample_weight), view(step),
                fenchel::FormResponse{form, view(alpha), view(anchor), view(v), view(w)}, view(u),
                fenchel::exact_steps(loss, view(b), view(step), view(u)), [](std::int64_t) {});
        },
        rows.lines);
}

std::int64_t rough_sdca_pass(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                             const InputArray& b, const InputArray& sample_weight, const InputArray& step,
                             double l2, const InOutArray& w, const InOutArray& u) {
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return loss.visit([&](const auto& phi) {
                return fenchel::sdca_pass(lines, view(order), view(sample_weight), view(step),
                                          fenchel::RidgeResponse{l2, view(w)}, view(u),
                                          fenchel::rough_steps(phi, view(b), view(step)),
                                          [](std::int64_t) {});
            });
        },
        rows.lines);
}

// The round under any form, and under a ridge.
std::tuple<std::int64_t, std::int64_t> sdca_round(
    const AnyLines& rows, const StampArray& order, const fenchel::AnyLoss& loss, const InputArray& b,
    const InputArray& sample_weight, const InputArray& step, const InputArray& l1, const InputArray& l2,
    const InputArray& lower, const InputArray& upper, const InputArray& alpha, const InputArray& anchor,
    std::int64_t repeats, std::int64_t most, const BitsArray& draws, const InOutArray& v, const InOutArray& w,
    const InOutArray& u, const InOutArray& total) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    const auto report = std::visit(
        [&](const auto& lines) {
            return fenchel::sdca_round(
                lines, view(order), loss, view(b), view(sample_weight), view(step),
                fenchel::FormResponse{form, view(alpha), view(anchor), view(v), view(w)}, repeats, most,
                view(draws), view(u), view(total));
        },
        rows.lines);
    return {report.entries_read, report.passes_added};
}

std::tuple<std::int64_t, std::int64_t> ridge_sdca_round(
    const AnyLines& rows, const StampArray& order, const fenchel::AnyLoss& loss, const InputArray& b,
    const InputArray& sample_weight, const InputArray& step, double l2, std::int64_t repeats, std::int64_t most,
    const BitsArray& draws, const InOutArray& w, const InOutArray& u, const InOutArray& total) {
    nb::gil_scoped_release release;
    const auto report = std::visit(
        [&](const auto& lines) {
            return loss.visit([&](const auto& phi) {
                return fenchel::sdca_round(lines, view(order), phi, view(b), view(sample_weight), view(step),
                                           fenchel::RidgeResponse{l2, view(w)}, repeats, most, view(draws),
                                           view(u), view(total));
            });
        },
        rows.lines);
    return {report.entries_read, report.passes_added};
}

std::tuple<std::int64_t, bool> gram_sdca(const InputArray& matrix, const fenchel::AnyLoss& loss,
                                         const InputArray& b, const InputArray& sample_weight,
                                         const InputArray& step, double l2, std::int64_t repeats,
                                         std::int64_t most, double precision, double share,
                                         const BitsArray& draws, const InOutArray& z, const InOutArray& u,
                                         const StampArray& order, const InOutArray& work) {
    const auto n = std::int64_t(z.size());
    const fenchel::GramRows rows{{{n, n, fenchel::Ones::none}, matrix.data()}};
    nb::gil_scoped_release release;
    const auto report = loss.visit([&](const auto& phi) {
        return fenchel::gram_sdca(rows, phi, view(b), view(sample_weight), view(step), l2, repeats, most, precision,
                                  share, view(draws), view(z), view(u), view(order), view(work));
    });
    return {report.entries_read, report.closed};
}

void row_shares(const fenchel::AnyLoss& loss, const InputArray& z, const InputArray& u, const InputArray& b,
                const InputArray& sample_weight, const InOutArray& shares) {
    nb::gil_scoped_release release;
    fenchel::row_shares(loss, view(z), view(u), view(b), view(sample_weight), view(shares));
}

double form_conjugate(const InputArray& l1, const InputArray& l2, const InputArray& lower,
                      const InputArray& upper, const InputArray& v) {
    nb::gil_scoped_release release;
    return fenchel::form_conjugate({view(l1), view(l2), view(lower), view(upper)}, view(v));
}

double largest_scale(const InputArray& lower, const InputArray& upper, const InputArray& v) {
    nb::gil_scoped_release release;
    return fenchel::largest_scale(view(lower), view(upper), view(v));
}

std::tuple<double, double, double, double> form_excess(const InputArray& l1, const InputArray& l2,
                                                       const InputArray& lower, const InputArray& upper,
                                                       const InputArray& v) {
    nb::gil_scoped_release release;
    const auto excess = fenchel::form_excess({view(l1), view(l2), view(lower), view(upper)}, view(v));
    return {excess.largest[0], excess.outside[0], excess.largest[1], excess.outside[1]};
}

} // namespace

void bind_coordinate(nb::module_& module) {
    module.def("primal_cd_pass", &primal_cd_pass, "columns"_a, "order"_a.noconvert(), "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "curvature"_a.noconvert(),
               "centre"_a.noconvert(), "w"_a.noconvert(), "z"_a.noconvert(), "u"_a.noconvert());
    module.def("sdca_pass", &sdca_pass, "rows"_a, "order"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "step"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "alpha"_a.noconvert(), "anchor"_a.noconvert(),
               "v"_a.noconvert(), "w"_a.noconvert(), "u"_a.noconvert());
    module.def("rough_sdca_pass", &rough_sdca_pass, "rows"_a, "order"_a.noconvert(), "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "step"_a.noconvert(), "l2"_a,
               "w"_a.noconvert(), "u"_a.noconvert());
    module.def("sdca_round", &sdca_round, "rows"_a, "order"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "step"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "alpha"_a.noconvert(), "anchor"_a.noconvert(),
               "repeats"_a, "most"_a, "draws"_a.noconvert(), "v"_a.noconvert(), "w"_a.noconvert(),
               "u"_a.noconvert(), "total"_a.noconvert());
    module.def("ridge_sdca_round", &ridge_sdca_round, "rows"_a, "order"_a.noconvert(), "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "step"_a.noconvert(), "l2"_a, "repeats"_a,
               "most"_a, "draws"_a.noconvert(), "w"_a.noconvert(), "u"_a.noconvert(), "total"_a.noconvert());
    module.def("gram_sdca", &gram_sdca, "matrix"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "step"_a.noconvert(), "l2"_a, "repeats"_a, "most"_a, "precision"_a, "share"_a,
               "draws"_a.noconvert(), "z"_a.noconvert(), "u"_a.noconvert(), "order"_a.noconvert(),
               "work"_a.noconvert());
    module.def("form_conjugate", &form_conjugate, "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "v"_a.noconvert());
    module.def("largest_scale", &largest_scale, "lower"_a.noconvert(), "upper"_a.noconvert(),
               "v"_a.noconvert());
    module.def("form_excess", &form_excess, "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "v"_a.noconvert());
    module.def("row_shares", &row_shares, "loss"_a, "z"_a.noconvert(), "u"_a.noconvert(), "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "shares"_a.noconvert());
}
