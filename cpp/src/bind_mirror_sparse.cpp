// Bindings of stochastic mirror descent on sparse data.
#include "fenchel/mirror_sparse.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

// A table of classes as Python holds it; without keys it is a full one.
struct ClassArrays {
    InOutArray values;
    StampArray key, next, head, count, size;
    std::int64_t k, width;

    fenchel::FullClasses full() const { return {k, width, values.data()}; }
    fenchel::HashedClasses hashed() const {
        return {k,           width,       std::int64_t(key.size()), values.data(), key.data(),
                next.data(), head.data(), count.data(),             *size.data()};
    }
};

struct Scalars {
    double *alpha, *mass, *time, *decay;

    explicit Scalars(const InOutArray& scalars)
        : alpha(scalars.data()), mass(alpha + 3), time(alpha + 4), decay(alpha + 5) {}
};

template <class Classes>
fenchel::SparsePrimal<Classes> primal_of(const Classes& classes, const InOutArray& sums,
                                         std::span<double> tree, const Scalars& scalars) {
    return {classes,
            std::int64_t(sums.size()) / 2,
            sums.data(),
            fenchel::FenwickTree(tree),
            fenchel::PrimalClock(scalars.alpha),
            *scalars.mass};
}

template <class Classes>
fenchel::SparseHinge<Classes> hinge_of(const Classes& classes, const OrderArray& label,
                                       const InOutArray& rows, const Scalars& scalars, double decay,
                                       double window) {
    return {classes,
            std::int64_t(label.size()),
            label.data(),
            reinterpret_cast<fenchel::HingeRow*>(rows.data()),
            *scalars.time,
            decay,
            window};
}

template <class Classes>
fenchel::SparseSoftmax<Classes> softmax_of(const Classes& classes, const OrderArray& label,
                                           const Scalars& scalars) {
    return {classes, std::int64_t(label.size()), label.data(), *scalars.time, *scalars.decay, *scalars.decay, 0};
}

// Calls f with the tables of both sides, which are of one kind.
template <class F>
auto with_classes(const ClassArrays& primal, const ClassArrays& dual, F&& f) {
    return primal.key.size() > 0 ? f(primal.hashed(), dual.hashed()) : f(primal.full(), dual.full());
}

std::int64_t mirror_sparse_steps(const AnyLines& rows, const AnyLines& columns, bool hinge,
                                 const OrderArray& label, const InputArray& row_size,
                                 const InputArray& column_size, double weight_sum, double primal_step,
                                 double decline, double radius, double dual_step, double window,
                                 std::int64_t draws, const ClassArrays& primal, const InOutArray& sums,
                                 const ClassArrays& dual, const InOutArray& dual_rows,
                                 const InOutArray& scalars, const OrderArray& order,
                                 const InputArray& uniforms, const StampArray& drawn, const InOutArray& tree,
                                 const InOutArray& classes, const InOutArray& coefficient) {
    const fenchel::EntropicStep step{primal_step, decline, radius, dual_step, window, draws};
    const fenchel::SparseScratch scratch{classes.data(), view(coefficient)};
    const Scalars numbers(scalars);
    nb::gil_scoped_release release;
    const auto run = [&]<class T>(const fenchel::SparseLines<T>& lines) {
        const fenchel::SparseGame<T> game{lines,
                                          std::get<fenchel::SparseLines<T>>(columns.lines),
                                          primal.k,
                                          view(label),
                                          view(row_size),
                                          view(column_size),
                                          weight_sum};
        return with_classes(primal, dual, [&](const auto& of_features, const auto& of_rows) {
            const auto take = [&](const auto& of_dual) {
                return fenchel::mirror_sparse_steps(
                    game, step, primal_of(of_features, sums, view(tree), numbers), of_dual, view(order),
                    view(uniforms), view(drawn), scratch);
            };
            return hinge ? take(hinge_of(of_rows, label, dual_rows, numbers, dual_step, window))
                         : take(softmax_of(of_rows, label, numbers));
        });
    };
    return std::holds_alternative<fenchel::SparseLines<float>>(rows.lines)
               ? run(std::get<fenchel::SparseLines<float>>(rows.lines))
               : run(std::get<fenchel::SparseLines<double>>(rows.lines));
}

// dual_step is that of the steps since the last flush.
void mirror_sparse_flush(bool hinge, const OrderArray& label, double dual_step, double window,
                         const ClassArrays& primal, const InOutArray& sums, const ClassArrays& dual,
                         const InOutArray& dual_rows, const InOutArray& scalars) {
    const Scalars numbers(scalars);
    nb::gil_scoped_release release;
    with_classes(primal, dual, [&](const auto& of_features, const auto& of_rows) {
        primal_of(of_features, sums, {}, numbers).flush();
        hinge ? hinge_of(of_rows, label, dual_rows, numbers, dual_step, window).flush()
              : softmax_of(of_rows, label, numbers).flush();
        return 0;
    });
}

void move_classes(const ClassArrays& old, const ClassArrays& larger) {
    nb::gil_scoped_release release;
    larger.hashed().fill_from(old.hashed(), std::int64_t(old.head.size()));
}

void construct_classes(ClassArrays* self, const InOutArray& values, const StampArray& key,
                       const StampArray& next, const StampArray& head, const StampArray& count,
                       const StampArray& size, std::int64_t k, std::int64_t width) {
    new (self) ClassArrays{values, key, next, head, count, size, k, width};
}

} // namespace

void bind_mirror_sparse(nb::module_& module) {
    nb::class_<ClassArrays>(module, "ClassArrays")
        .def("__init__", &construct_classes, "values"_a.noconvert(), "key"_a.noconvert(),
             "next"_a.noconvert(), "head"_a.noconvert(), "count"_a.noconvert(), "size"_a.noconvert(), "k"_a,
             "width"_a);
    module.def("mirror_sparse_steps", &mirror_sparse_steps, "rows"_a, "columns"_a, "hinge"_a,
               "label"_a.noconvert(), "row_size"_a.noconvert(), "column_size"_a.noconvert(), "weight_sum"_a,
               "primal_step"_a, "decline"_a, "radius"_a, "dual_step"_a, "window"_a, "draws"_a, "primal"_a,
               "sums"_a.noconvert(), "dual"_a, "dual_rows"_a.noconvert(), "scalars"_a.noconvert(),
               "order"_a.noconvert(), "uniforms"_a.noconvert(), "drawn"_a.noconvert(), "tree"_a.noconvert(),
               "classes"_a.noconvert(), "coefficient"_a.noconvert());
    module.def("mirror_sparse_flush", &mirror_sparse_flush, "hinge"_a, "label"_a.noconvert(), "dual_step"_a,
               "window"_a, "primal"_a, "sums"_a.noconvert(), "dual"_a, "dual_rows"_a.noconvert(),
               "scalars"_a.noconvert());
    module.def("move_classes", &move_classes, "old"_a, "larger"_a);
}
