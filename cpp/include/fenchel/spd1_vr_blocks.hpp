// SPD1-VR on a dense matrix, one contiguous block of entries at a time.
//
// It works on the saddle function, convex in w and concave in u,
//     L(w, u) = g(w) + (1/n) sum_i s_i (u_i <a_i, w> - phi_i*(u_i))
//             + sum_j alpha_j/2 (w_j - centre_w_j)^2 - (1/n) sum_i s_i beta/2 (u_i - centre_u_i)^2,
//     g(w) = sum_j g_j(w_j),   g_j(x) = l1_j |x| + l2_j/2 x^2 + 1[lower_j <= x <= upper_j].
// alpha = 0 and beta = 0 is the method itself; the two terms are a step of the proximal point method.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "fenchel/coordinate.hpp"

namespace fenchel {

// No block has more rows or columns than this: the numbers of a step live on the stack.
inline constexpr std::int64_t largest_block = 256;

// The consecutive rows, or columns, of a block.
struct Range {
    std::int64_t begin, end;

    std::int64_t size() const noexcept { return end - begin; }
};

// Block k is bounds[k] .. bounds[k + 1].
struct Partition {
    Order bounds;

    Range operator[](std::int64_t k) const noexcept { return {bounds[k], bounds[k + 1]}; }
};

// The blocks of every step: (row, column) of the step itself, and the others of the first half step.
struct BlockDraws {
    Partition row_blocks, column_blocks;
    Order row, other_row, column, other_column;

    BlockDraws part(std::size_t begin, std::size_t count) const noexcept {
        return {row_blocks,
                column_blocks,
                row.subspan(begin, count),
                other_row.subspan(begin, count),
                column.subspan(begin, count),
                other_column.subspan(begin, count)};
    }
};

// The steps eta (D) and tau (n), and the proximal terms.
struct SaddleSteps {
    Input eta, tau, alpha, centre_w;
    double beta;
    Input centre_u;
};

// The snapshot (ws, us), and gx = A'(s us)/n, gy = A ws/D.
struct Snapshot {
    Input w, u, gx, gy;
};

// How a step reads and writes the points: alone, or while other threads do the same.
struct OwnMemory {
    static double load(const double& x) noexcept { return x; }
    static void store(double& x, double value) noexcept { x = value; }
};

struct SharedMemory {
    static double load(double& x) noexcept { return std::atomic_ref(x).load(std::memory_order_relaxed); }
    static void store(double& x, double value) noexcept {
        std::atomic_ref(x).store(value, std::memory_order_relaxed);
    }
};

using BlockVector = std::array<double, largest_block>;

// One step of SPD1-VR on the blocks I, I' of rows and J, J' of columns.
template <class Memory, class T>
class SPD1VRBlockStep {
public:
    SPD1VRBlockStep(const DenseLines<T>& rows, const AnyLoss& loss, Input b, Input sample_weight,
                    const CoordinateForm& form, const SaddleSteps& steps, InOut w, InOut u,
                    const Snapshot& snapshot) noexcept
        : rows_(rows), loss_(loss), b_(b), sample_weight_(sample_weight), form_(form), steps_(steps), w_(w),
          u_(u), snapshot_(snapshot), stored_(rows.ones == Ones::none ? rows.length : rows.length - 1) {}

    // Returns the entries read.
    std::int64_t operator()(Range I, Range other_I, Range J, Range other_J) const noexcept {
        BlockVector u, w, u_bar, w_bar, u_change, w_change;
        load(u_, other_I, u_bar);
        load(w_, other_J, w_bar);
        dual_change(other_I, u_bar, u_change);
        primal_change(other_J, w_bar, w_change);
        load(u_, I, u);
        load(w_, J, w);
        primal_step(other_I, J, u_change, w, w_bar);
        dual_step(I, other_J, w_change, u, u, u_bar);
        dual_change(I, u_bar, u_change);
        primal_change(J, w_bar, w_change);
        primal_step(I, J, u_change, w, w);
        dual_step(I, J, w_change, u, u_bar, u);
        store(u, I, u_);
        store(w, J, w_);
        return other_I.size() * J.size() + I.size() * other_J.size() + I.size() * J.size();
    }

private:
    static void load(InOut from, Range range, BlockVector& to) noexcept {
        for (std::int64_t k = 0; k < range.size(); ++k)
            to[k] = Memory::load(from[range.begin + k]);
    }

    static void store(const BlockVector& from, Range range, InOut to) noexcept {
        for (std::int64_t k = 0; k < range.size(); ++k)
            Memory::store(to[range.begin + k], from[k]);
    }

    // s_i (u_i - us_i) / |I|
    void dual_change(Range I, const BlockVector& u, BlockVector& out) const noexcept {
        const double share = 1 / double(I.size());
        for (std::int64_t k = 0; k < I.size(); ++k)
            out[k] = share * sample_weight_[I.begin + k] * (u[k] - snapshot_.u[I.begin + k]);
    }

    // (w_j - ws_j) / |J|
    void primal_change(Range J, const BlockVector& w, BlockVector& out) const noexcept {
        const double share = 1 / double(J.size());
        for (std::int64_t k = 0; k < J.size(); ++k)
            out[k] = share * (w[k] - snapshot_.w[J.begin + k]);
    }

    // w_J <- prox_{eta g_J}(w_J - eta (A_IJ' u_change + gx_J))
    void primal_step(Range I, Range J, const BlockVector& u_change, const BlockVector& w,
                     BlockVector& out) const noexcept {
        BlockVector slope;
        for (std::int64_t k = 0; k < J.size(); ++k)
            slope[k] = snapshot_.gx[J.begin + k];
        const std::int64_t stored = stored_columns(J);
        for (std::int64_t i = 0; i < I.size(); ++i) {
            const T* entry = rows_.data + (I.begin + i) * stored_ + J.begin;
            for (std::int64_t k = 0; k < stored; ++k)
                slope[k] += double(entry[k]) * u_change[i];
            if (stored < J.size())
                slope[stored] += u_change[i];
        }
        for (std::int64_t k = 0; k < J.size(); ++k) {
            const std::int64_t j = J.begin + k;
            const double inverse = 1 / steps_.eta[j];
            const double linear = inverse * w[k] - slope[k] + steps_.alpha[j] * steps_.centre_w[j];
            out[k] = form_.minimiser(j, linear, inverse + steps_.alpha[j]);
        }
    }

    // u_I <- prox_{(tau/D) phi_I*}(u_I + tau (A_IJ w_change + gy_I)), expected at near_I.
    // Rows of weight 0 stay.
    void dual_step(Range I, Range J, const BlockVector& w_change, const BlockVector& u,
                   const BlockVector& near, BlockVector& out) const noexcept {
        BlockVector slope;
        const std::int64_t stored = stored_columns(J);
        for (std::int64_t k = 0; k < I.size(); ++k) {
            const T* entry = rows_.data + (I.begin + k) * stored_ + J.begin;
            slope[k] = snapshot_.gy[I.begin + k] + dot(entry, w_change, stored);
            if (stored < J.size())
                slope[k] += w_change[stored];
        }
        loss_.visit([&](const auto& phi) {
            for (std::int64_t k = 0; k < I.size(); ++k) {
                const std::int64_t i = I.begin + k;
                const double h = steps_.tau[i] / double(rows_.length), shrink = 1 / (1 + h * steps_.beta);
                const double moved = u[k] + steps_.tau[i] * slope[k] + h * steps_.beta * steps_.centre_u[i];
                const double b = b_[i], c = shrink * h;
                out[k] = sample_weight_[i] > 0 ? prox_conjugate_near(phi, shrink * moved, b, c,
                                                                     prox_start(phi, near[k], b, c))
                                               : u[k];
            }
        });
    }

    // All columns but the intercept, which is 1 in every row and is not stored.
    std::int64_t stored_columns(Range J) const noexcept { return std::min(J.end, stored_) - J.begin; }

    // Four running sums: a single one would wait for every addition.
    static double dot(const T* entry, const BlockVector& x, std::int64_t size) noexcept {
        constexpr std::int64_t width = 4;
        double partial[width] = {};
        std::int64_t k = 0;
        for (; k + width <= size; k += width)
            for (std::int64_t l = 0; l < width; ++l)
                partial[l] += double(entry[k + l]) * x[k + l];
        for (; k < size; ++k)
            partial[0] += double(entry[k]) * x[k];
        return (partial[0] + partial[2]) + (partial[1] + partial[3]);
    }

    const DenseLines<T> rows_;
    const AnyLoss loss_;
    const Input b_, sample_weight_;
    const CoordinateForm form_;
    const SaddleSteps steps_;
    const InOut w_, u_;
    const Snapshot snapshot_;
    const std::int64_t stored_;
};

// The inner steps of SPD1-VR, with blocks of entries.
//
// Problem: min_w max_u L(w, u), from the snapshot (ws, us) with gx = A'(s us)/n and gy = A ws/D.
// Update, for the drawn blocks I, I' of rows and J, J' of columns, all from the old w_J and u_I:
//     wbar_J = prox_{eta g}(w_J - eta (A_I'J' (s (u - us))_I' / |I'| + gx_J))
//     ubar_I = prox_{(tau/D) phi*}(u_I + tau (A_IJ' (w - ws)_J' / |J'| + gy_I))
//     w_J <- prox_{eta g}(w_J - eta (A_IJ' (s (ubar - us))_I / |I| + gx_J))
//     u_I <- prox_{(tau/D) phi*}(u_I + tau (A_IJ (wbar - ws)_J / |J| + gy_I))
// where prox has the proximal terms too. With a block drawn in proportion to its size the brackets are
// unbiased. Blocks of one entry are the method of the paper. A row of weight 0 keeps its u_i.
// Source: Tan, Zhang, Ma and Liu, "Stochastic Primal-Dual Method for Empirical Risk Minimization with O(1)
// Per-Iteration Complexity", NeurIPS 2018, Algorithm 2 with gy inside of the step, as its proof has it;
// blocks are named there as future work.
// Cost of a step: 3 |I| |J| entries in runs of |J|, 2 |J| shrinkages and 2 |I| prox of the conjugate.
template <class Memory, class T>
std::int64_t spd1_vr_block_steps(const SPD1VRBlockStep<Memory, T>& step, const BlockDraws& draws) noexcept {
    std::int64_t entries_read = 0;
    for (std::size_t t = 0; t < draws.row.size(); ++t)
        entries_read += step(draws.row_blocks[draws.row[t]], draws.row_blocks[draws.other_row[t]],
                             draws.column_blocks[draws.column[t]], draws.column_blocks[draws.other_column[t]]);
    return entries_read;
}

// The same by several threads, each with its part of the draws, on the same points.
//
// A step may read what another thread has half written, and overwrite it: the result depends on their
// speeds. A saddle point still is a fixed point, whatever the order.
template <class T>
std::int64_t spd1_vr_block_steps(const SPD1VRBlockStep<SharedMemory, T>& step, const BlockDraws& draws,
                                 std::size_t threads) {
    std::vector<std::int64_t> entries_read(threads);
    {
        std::vector<std::jthread> workers;
        for (std::size_t k = 0; k < threads; ++k)
            workers.emplace_back([&, k] {
                const std::size_t begin = k * draws.row.size() / threads;
                const std::size_t end = (k + 1) * draws.row.size() / threads;
                entries_read[k] = spd1_vr_block_steps(step, draws.part(begin, end - begin));
            });
    }
    std::int64_t total = 0;
    for (const std::int64_t count : entries_read)
        total += count;
    return total;
}

} // namespace fenchel
