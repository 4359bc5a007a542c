// Bindings of the lines of a data matrix.
#include "bindings.hpp"

using namespace nb::literals;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The stored lines are one fewer than the lines exactly when the ones are a line.
fenchel::LinesShape shape(std::int64_t n_lines, std::int64_t length, bool ones, std::int64_t stored_lines) {
    using fenchel::Ones;
    return {n_lines, length, !ones ? Ones::none : (stored_lines < n_lines ? Ones::line : Ones::entry)};
}

template <class T>
void construct_dense(AnyLines* self, const Matrix<T>& data, std::int64_t n_lines, std::int64_t length,
                     bool ones) {
    const auto stored = std::int64_t(data.shape(0));
    new (self) AnyLines{fenchel::DenseLines<T>{shape(n_lines, length, ones, stored), data.data()}};
}

template <class T>
void construct_sparse(AnyLines* self, const Array<const T>& data, const Array<const std::int32_t>& indices,
                      const Array<const std::int64_t>& indptr, std::int64_t n_lines, std::int64_t length,
                      bool ones) {
    const auto stored = std::int64_t(indptr.size()) - 1;
    new (self) AnyLines{fenchel::SparseLines<T>{shape(n_lines, length, ones, stored), data.data(),
                                                indices.data(), indptr.data()}};
}

template <class T>
void add_constructors(nb::class_<AnyLines>& lines) {
    lines.def("__init__", &construct_dense<T>, "data"_a.noconvert(), "n_lines"_a, "length"_a, "ones"_a,
              nb::keep_alive<1, 2>());
    lines.def("__init__", &construct_sparse<T>, "data"_a.noconvert(), "indices"_a.noconvert(),
              "indptr"_a.noconvert(), "n_lines"_a, "length"_a, "ones"_a, nb::keep_alive<1, 2>(),
              nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());
}

} // namespace

void bind_lines(nb::module_& module) {
    nb::class_<AnyLines> lines(module, "Lines");
    add_constructors<float>(lines);
    add_constructors<double>(lines);
}
