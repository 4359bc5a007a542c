// Bindings of the products with several vectors.
#include "fenchel/block_products.hpp"
#include "fenchel/row_products.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> view(const Matrix<T>& matrix) {
    return {matrix.data(), matrix.size()};
}

std::int64_t products_along(const AnyLines& lines, const Matrix<const double>& C, const Matrix<double>& out) {
    const auto width = std::int64_t(C.shape(1));
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& all) { return fenchel::products_along(all, view(C), width, view(out)); }, lines.lines);
}

std::int64_t products_across(const AnyLines& lines, const Matrix<const double>& C, const Matrix<double>& out,
                             const InOutArray& values, const Array<std::int32_t>& places) {
    const auto width = std::int64_t(C.shape(1));
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& all) {
            return fenchel::products_across(all, view(C), width, view(out), values.data(), places.data());
        },
        lines.lines);
}

template <class T>
void row_products(const Matrix<const T>& A, const InputArray& length, const Array<float>& block,
                  const Matrix<double>& out) {
    const auto n = std::int64_t(A.shape(0)), d = std::int64_t(A.shape(1));
    nb::gil_scoped_release release;
    fenchel::row_products(A.data(), n, d, length.data(), block.data(), out.data());
}

} // namespace

void bind_block_products(nb::module_& module) {
    module.def("products_along", &products_along, "lines"_a, "C"_a.noconvert(), "out"_a.noconvert());
    module.def("products_across", &products_across, "lines"_a, "C"_a.noconvert(), "out"_a.noconvert(),
               "values"_a.noconvert(), "places"_a.noconvert());
    module.def("row_products", &row_products<double>, "A"_a.noconvert(), "length"_a.noconvert(), "block"_a.noconvert(),
               "out"_a.noconvert());
    module.def("row_products", &row_products<float>, "A"_a.noconvert(), "length"_a.noconvert(), "block"_a.noconvert(),
               "out"_a.noconvert());
    module.def("row_products_work", [](std::int64_t n) { return fenchel::product_work(n); },
               "n"_a);
}
