// Bindings of the products with several vectors.
#include "fenchel/block_products.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

using OutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Sparse = fenchel::SparseLines<double>;
using Dense = fenchel::DenseLines<double>;

std::span<double> view(const OutMatrix& matrix) { return {matrix.data(), matrix.size()}; }

// The coefficients are float64 lines: fenchel._kernels has checked it.
template <class Product>
std::int64_t with_coefficients(const AnyLines& coefficients, Product&& product) {
    if (const auto* sparse = std::get_if<Sparse>(&coefficients.lines))
        return product(*sparse);
    return product(std::get<Dense>(coefficients.lines));
}

std::int64_t products_along(const AnyLines& lines, const AnyLines& coefficients, const OutMatrix& out) {
    nb::gil_scoped_release release;
    return with_coefficients(coefficients, [&](const auto& rows) {
        return std::visit([&](const auto& all) { return fenchel::products_along(all, rows, view(out)); },
                          lines.lines);
    });
}

std::int64_t products_across(const AnyLines& lines, const AnyLines& coefficients, const OutMatrix& out) {
    nb::gil_scoped_release release;
    return with_coefficients(coefficients, [&](const auto& rows) {
        return std::visit([&](const auto& all) { return fenchel::products_across(all, rows, view(out)); },
                          lines.lines);
    });
}

} // namespace

void bind_block_products(nb::module_& module) {
    module.def("products_along", &products_along, "lines"_a, "coefficients"_a, "out"_a.noconvert());
    module.def("products_across", &products_across, "lines"_a, "coefficients"_a, "out"_a.noconvert());
}
