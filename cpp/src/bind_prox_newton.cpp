// Bindings of the quadratic models of prox-Newton: the rows, the scaled columns, and the steps on them.
#include "fenchel/prox_newton.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "fenchel/coordinate_newton.hpp"
#include "fenchel/gram_newton.hpp"
#include "fenchel/line_search.hpp"
#include "fenchel/row_model.hpp"
#include "fenchel/row_newton.hpp"

using namespace nb::literals;

namespace {

using PlaceArray = Array<std::int64_t>;
using Form = fenchel::CoordinateForm;

// The copies in single or double precision. The Python object keeps the arrays alive.
template <class T>
struct AnyColumns {
    std::variant<fenchel::SparseColumns<T>, fenchel::DenseColumns<T>> columns;

    std::int64_t n_rows() const {
        return std::visit([](const auto& known) { return known.n_rows; }, columns);
    }
};

template <class T>
void construct_sparse(AnyColumns<T>* self, const Array<T>& data, const Array<std::int32_t>& rows,
                      const PlaceArray& starts, std::int64_t n_rows) {
    new (self) AnyColumns<T>{fenchel::SparseColumns<T>{data.data(), rows.data(), starts.data(), n_rows}};
}

template <class T>
void construct_dense(AnyColumns<T>* self, const Array<T>& data, std::int64_t n_rows) {
    new (self) AnyColumns<T>{fenchel::DenseColumns<T>{data.data(), n_rows}};
}

// Sparse lines make sparse copies, dense lines dense ones; fenchel._kernels passes no others.
template <class T>
void copy_scaled(const AnyColumns<T>& self, const AnyLines& lines, const OrderArray& named,
                 const InputArray& root, const InOutArray& squares, const InOutArray& cross) {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& from, const auto& to) {
            if constexpr (requires { fenchel::copy_scaled(from, view(named), view(root), to, {}); })
                fenchel::copy_scaled(from, view(named), view(root), to, {view(squares), view(cross)});
        },
        lines.lines, self.columns);
}

template <class T>
std::tuple<std::int64_t, std::int64_t, double, double>
descend(const AnyColumns<T>& self, const PlaceArray& list, std::int64_t left, const InputArray& c,
        const InputArray& H, const InputArray& l1, const InputArray& l2, const InputArray& lower,
        const InputArray& upper, double derivative, double curvature, const InputArray& cross, int passes,
        double tolerance, double before, double moment, const InOutArray& x, const Array<T>& v) {
    nb::gil_scoped_release release;
    const auto report = std::visit(
        [&](const auto& columns) {
            return fenchel::model_descent(columns, view(list), left, view(c), view(H),
                                          Form{view(l1), view(l2), view(lower), view(upper)},
                                          fenchel::Intercept{derivative, curvature, view(cross)}, passes,
                                          tolerance, before, moment, view(x), view(v));
        },
        self.columns);
    return {report.entries_read, report.left, report.violation, report.moment};
}

template <class T>
void along(const AnyColumns<T>& self, const OrderArray& face, const Array<const T>& v, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& columns) { fenchel::model_along(columns, view(face), view(v), view(out)); },
               self.columns);
}

template <class T>
void across(const AnyColumns<T>& self, const OrderArray& face, const InputArray& factor, const Array<T>& v) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& columns) { fenchel::model_across(columns, view(face), view(factor), view(v)); },
               self.columns);
}

template <class T>
std::pair<int, double> face_step(const AnyColumns<T>& self, const OrderArray& face, const InputArray& diagonal,
                                 const InputArray& l2, double curvature, const InputArray& cross,
                                 int iterations, double tolerance, const InOutArray& slope,
                                 const InOutArray& step, const InOutArray& work, const Array<T>& image,
                                 const Array<T>& image_work) {
    nb::gil_scoped_release release;
    const auto report = std::visit(
        [&](const auto& columns) {
            return fenchel::face_step(columns, view(face), view(diagonal), view(l2),
                                      fenchel::Intercept{0, curvature, view(cross)}, iterations, tolerance,
                                      view(slope), view(step), view(work), view(image), view(image_work));
        },
        self.columns);
    return {report.steps, report.residual};
}

template <class T>
void bind_columns(nb::module_& module, const char* name) {
    nb::class_<AnyColumns<T>>(module, name)
        .def("__init__", &construct_sparse<T>, "data"_a.noconvert(), "rows"_a.noconvert(),
             "starts"_a.noconvert(), "n_rows"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 4>())
        .def("__init__", &construct_dense<T>, "data"_a.noconvert(), "n_rows"_a, nb::keep_alive<1, 2>())
        .def("copy_scaled", &copy_scaled<T>, "lines"_a, "named"_a.noconvert(), "root"_a.noconvert(),
             "squares"_a.noconvert(), "cross"_a.noconvert())
        .def("descend", &descend<T>, "list"_a.noconvert(), "left"_a, "c"_a.noconvert(), "H"_a.noconvert(),
             "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
             "derivative"_a, "curvature"_a, "cross"_a.noconvert(), "passes"_a, "tolerance"_a, "before"_a,
             "moment"_a, "x"_a.noconvert(), "v"_a.noconvert())
        .def("along", &along<T>, "face"_a.noconvert(), "v"_a.noconvert(), "out"_a.noconvert())
        .def("across", &across<T>, "face"_a.noconvert(), "factor"_a.noconvert(), "v"_a.noconvert())
        .def("face_step", &face_step<T>, "face"_a.noconvert(), "diagonal"_a.noconvert(), "l2"_a.noconvert(),
             "curvature"_a, "cross"_a.noconvert(), "iterations"_a, "tolerance"_a, "slope"_a.noconvert(),
             "step"_a.noconvert(), "work"_a.noconvert(), "image"_a.noconvert(), "image_work"_a.noconvert());
}

double row_model(const fenchel::AnyLoss& loss, const InputArray& z, const InputArray& b,
                 const InputArray& sample_weight, double damping, const InOutArray& u,
                 const InOutArray& root) {
    nb::gil_scoped_release release;
    return fenchel::row_model(loss, view(z), view(b), view(sample_weight), damping, view(u), view(root));
}

std::tuple<double, double, double> line_search(const fenchel::AnyLoss& loss, const InputArray& b,
                                      const InputArray& sample_weight, const InputArray& l1,
                                      const InputArray& l2, const InputArray& lower, const InputArray& upper,
                                      const InputArray& w, const InputArray& dw, const InputArray& z,
                                      const InputArray& dz, double slope, double value) {
    nb::gil_scoped_release release;
    const fenchel::Direction direction{
        {view(l1), view(l2), view(lower), view(upper)}, view(w), view(dw), view(z), view(dz), slope};
    const auto step = fenchel::line_search(loss, view(b), view(sample_weight), direction, value);
    return {step.length, step.fall, step.penalty};
}

std::int64_t coordinate_newton_pass(const AnyLines& columns, const OrderArray& order,
                                    const fenchel::AnyLoss& loss, const InputArray& b,
                                    const InputArray& sample_weight, const InputArray& l1,
                                    const InputArray& l2, const InputArray& lower, const InputArray& upper,
                                    int steps, double tolerance, const InOutArray& w, const InOutArray& z) {
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return fenchel::coordinate_newton_pass(lines, view(order), loss, view(b), view(sample_weight),
                                                   Form{view(l1), view(l2), view(lower), view(upper)}, steps,
                                                   tolerance, view(w), view(z));
        },
        columns.lines);
}

std::pair<int, double> row_newton_step(const AnyLines& rows, const OrderArray& order, const InputArray& h,
                                       const InputArray& l2, int iterations, double tolerance,
                                       const InOutArray& slope, const InOutArray& step, const InOutArray& work) {
    nb::gil_scoped_release release;
    const auto report = std::visit(
        [&](const auto& lines) {
            return fenchel::row_newton_step(lines, view(order), view(h), view(l2), iterations, tolerance,
                                            view(slope), view(step), view(work));
        },
        rows.lines);
    return {report.steps, report.residual};
}

double violations(const InputArray& l1, const InputArray& l2, const InputArray& lower, const InputArray& upper,
                  const InputArray& c, const InputArray& w, const InOutArray& falls) {
    nb::gil_scoped_release release;
    return fenchel::violations({view(l1), view(l2), view(lower), view(upper)}, view(c), view(w), view(falls));
}

double share_of_change(const InputArray& old, const InputArray& root) {
    nb::gil_scoped_release release;
    return fenchel::share_of_change(view(old), view(root));
}

std::tuple<int, bool, bool, std::int64_t, double, double, double>
gram_newton(const AnyLines& columns, const OrderArray& chosen, const OrderArray& rare, const fenchel::AnyLoss& loss,
            const InputArray& b, const InputArray& sample_weight, const InputArray& l1, const InputArray& l2,
            const InputArray& lower, const InputArray& upper, bool intercept, const InOutArray& matrix,
            const InputArray& cross, double total, const InputArray& made, double oldest, int steps, double solved,
            double precision, double least, int block, int passes, int iterations, double rare_precision,
            int rare_steps, const InOutArray& w, const InOutArray& z, const InOutArray& u, const InOutArray& root,
            const InOutArray& c, const InOutArray& w_before, const InOutArray& c_before, bool known, double value,
            double last, double damping, const InOutArray& work) {
    nb::gil_scoped_release release;
    fenchel::GramPoint at{view(w),        view(z),        view(u), view(root), view(c),
                          view(w_before), view(c_before), value,   last,       damping, known};
    const auto report = std::visit(
        [&](const auto& lines) {
            const fenchel::GramSet<std::decay_t<decltype(lines)>> set{
                lines, view(chosen), view(rare), loss, view(b), view(sample_weight),
                {view(l1), view(l2), view(lower), view(upper)}, intercept, view(matrix), view(cross), total,
                view(made), oldest};
            return fenchel::gram_newton(
                set, {steps, solved, precision, least, block, passes, iterations, rare_precision, rare_steps}, at,
                view(work));
        },
        columns.lines);
    return {report.steps, report.stale, report.refused, report.entries_read, at.value, at.last, at.damping};
}

} // namespace

void bind_prox_newton(nb::module_& module) {
    bind_columns<float>(module, "ScaledColumns32");
    bind_columns<double>(module, "ScaledColumns64");
    module.def("row_model", &row_model, "loss"_a, "z"_a.noconvert(), "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "damping"_a, "u"_a.noconvert(), "root"_a.noconvert());
    module.def("line_search", &line_search, "loss"_a, "b"_a.noconvert(), "sample_weight"_a.noconvert(),
               "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
               "w"_a.noconvert(), "dw"_a.noconvert(), "z"_a.noconvert(), "dz"_a.noconvert(), "slope"_a,
               "value"_a);
    module.def("coordinate_newton_pass", &coordinate_newton_pass, "columns"_a, "order"_a.noconvert(), "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "steps"_a, "tolerance"_a, "w"_a.noconvert(),
               "z"_a.noconvert());
    module.def("row_newton_step", &row_newton_step, "rows"_a, "order"_a.noconvert(), "h"_a.noconvert(),
               "l2"_a.noconvert(), "iterations"_a, "tolerance"_a, "slope"_a.noconvert(), "step"_a.noconvert(),
               "work"_a.noconvert());
    module.def("violations", &violations, "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "c"_a.noconvert(), "w"_a.noconvert(), "falls"_a.noconvert());
    module.def("share_of_change", &share_of_change, "old"_a.noconvert(), "root"_a.noconvert());
    module.def("gram_newton", &gram_newton, "columns"_a, "chosen"_a.noconvert(), "rare"_a.noconvert(), "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "intercept"_a, "matrix"_a.noconvert(),
               "cross"_a.noconvert(), "total"_a, "made"_a.noconvert(), "oldest"_a, "steps"_a, "solved"_a,
               "precision"_a, "least"_a, "block"_a, "passes"_a, "iterations"_a, "rare_precision"_a, "rare_steps"_a,
               "w"_a.noconvert(), "z"_a.noconvert(), "u"_a.noconvert(), "root"_a.noconvert(), "c"_a.noconvert(),
               "w_before"_a.noconvert(), "c_before"_a.noconvert(), "known"_a, "value"_a, "last"_a, "damping"_a,
               "work"_a.noconvert());
}
