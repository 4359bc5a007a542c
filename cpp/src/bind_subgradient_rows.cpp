// Bindings of the composite stochastic subgradient method for several classes.
#include "fenchel/subgradient_rows.hpp"

#include <vector>

#include "bindings.hpp"

using namespace nb::literals;

namespace {

// What both geometries take.
struct SubgradientRows {
    AnyLines lines;
    bool hinge;
    std::int64_t k;
    OrderArray label;
    InOutArray u_total, u_weight;

    template <class Point>
    std::int64_t take(const OrderArray& order, double gamma, const Point& point, double& stopped) const {
        const fenchel::ClassRows rows{k, hinge, label.data(), u_total.data(), u_weight.data(), gamma};
        std::vector<double> z(std::size_t(k), 0.0);
        nb::gil_scoped_release release;
        return std::visit(
            [&](const auto& data) {
                return fenchel::subgradient_steps(data, view(order), rows, point, z, stopped);
            },
            lines.lines);
    }
};

void construct_rows(SubgradientRows* self, const AnyLines& rows, bool hinge, std::int64_t k, const OrderArray& label,
                    const InOutArray& u_total, const InOutArray& u_weight) {
    new (self) SubgradientRows{rows, hinge, k, label, u_total, u_weight};
}

// scalars: the norm, and whether the call has stopped for it.
std::int64_t euclidean_subgradient_steps(const SubgradientRows& rows, const OrderArray& order, double gamma,
                                         double threshold, double radius, std::int64_t time, const InOutArray& w,
                                         const InOutArray& total, const StampArray& seen, const InOutArray& scalars) {
    double* number = scalars.data();
    const fenchel::EuclideanLines point{w.data(), total.data(), seen.data(), time, threshold, radius, number[0]};
    return rows.take(order, gamma, point, number[1]);
}

// scalars: the scale, its sum, the mass, and whether the call has stopped.
std::int64_t entropic_subgradient_steps(const SubgradientRows& rows, const OrderArray& order, double gamma,
                                        double shrinkage, double radius, double offset, double base, double band,
                                        double range, const InOutArray& H, const InOutArray& total,
                                        const InOutArray& seen, const InOutArray& scalars) {
    double* number = scalars.data();
    const fenchel::EntropicLines point{H.data(), total.data(), seen.data(), offset,    base,      shrinkage, radius,
                                       band,     range,        number[0],   number[1], number[2]};
    return rows.take(order, gamma, point, number[3]);
}

} // namespace

void bind_subgradient_rows(nb::module_& module) {
    nb::class_<SubgradientRows>(module, "SubgradientRows")
        .def("__init__", &construct_rows, "rows"_a, "hinge"_a, "n_classes"_a, "label"_a.noconvert(),
             "u_total"_a.noconvert(), "u_weight"_a.noconvert());
    module.def("euclidean_subgradient_steps", &euclidean_subgradient_steps, "rows"_a, "order"_a.noconvert(),
               "gamma"_a, "threshold"_a, "radius"_a, "time"_a, "w"_a.noconvert(), "w_total"_a.noconvert(),
               "seen"_a.noconvert(), "scalars"_a.noconvert());
    module.def("entropic_subgradient_steps", &entropic_subgradient_steps, "rows"_a, "order"_a.noconvert(), "gamma"_a,
               "shrinkage"_a, "radius"_a, "offset"_a, "base"_a, "band"_a, "range"_a, "H"_a.noconvert(),
               "w_total"_a.noconvert(), "seen"_a.noconvert(), "scalars"_a.noconvert());
}
