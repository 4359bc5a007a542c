// Array types of the bindings and the functions that fill the module.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "fenchel/lines.hpp"

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InputArray = Array<const double>;
using InOutArray = Array<double>;
using OrderArray = Array<const std::int64_t>;
using StampArray = Array<std::int64_t>;
using BitsArray = Array<const std::uint32_t>;

template <class T>
std::span<T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}

// Lines of either kind and precision. The Python object keeps the arrays alive.
struct AnyLines {
    std::variant<fenchel::DenseLines<float>, fenchel::DenseLines<double>, fenchel::SparseLines<float>,
                 fenchel::SparseLines<double>>
        lines;
};

void bind_loops(nb::module_& module);
void bind_lines(nb::module_& module);
void bind_losses(nb::module_& module);
void bind_certificate(nb::module_& module);
void bind_coordinate(nb::module_& module);
void bind_active_sets(nb::module_& module);
void bind_apcg(nb::module_& module);
void bind_doubly_greedy(nb::module_& module);
void bind_block_products(nb::module_& module);
void bind_products(nb::module_& module);
void bind_row_gradient(nb::module_& module);
void bind_psgd(nb::module_& module);
void bind_proximal_newton(nb::module_& module);
void bind_spd1(nb::module_& module);
void bind_spd1_vr(nb::module_& module);
void bind_spd1_vr_blocks(nb::module_& module);
void bind_multiclass_sdca(nb::module_& module);
void bind_mirror_dense(nb::module_& module);
void bind_mirror_sparse(nb::module_& module);
void bind_subgradient_rows(nb::module_& module);
void bind_gsfw(nb::module_& module);
void bind_dual_ascent(nb::module_& module);
void bind_primal_mirror(nb::module_& module);
void bind_prox_newton(nb::module_& module);
