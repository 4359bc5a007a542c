// The compiled module. Arguments are checked in fenchel._kernels, not here.
#include "bindings.hpp"

NB_MODULE(_core, module) {
    bind_loops(module);
    bind_lines(module);
    bind_losses(module);
    bind_certificate(module);
    bind_coordinate(module);
    bind_active_sets(module);
    bind_apcg(module);
    bind_doubly_greedy(module);
    bind_block_products(module);
    bind_products(module);
    bind_row_gradient(module);
    bind_psgd(module);
    bind_proximal_newton(module);
    bind_spd1(module);
    bind_spd1_vr(module);
    bind_spd1_vr_blocks(module);
    bind_multiclass_sdca(module);
    bind_mirror_dense(module);
    bind_mirror_sparse(module);
    bind_subgradient_rows(module);
    bind_gsfw(module);
    bind_dual_ascent(module);
    bind_primal_mirror(module);
    bind_prox_newton(module);
}
