// Draws with probabilities in proportion to weights, from one uniform number in [0, 1) each.
//
// All draws follow one rule: the first index at which the running sum of the weights exceeds the uniform
// number times their total. What rounding leaves beyond the last weight goes to the last positive one.
#pragma once

#include <cstdint>
#include <span>

namespace fenchel {

// Where a draw ended: an index, and how far into its weight the threshold reached.
struct Drawn {
    std::int64_t index;
    double within;
};

// Scan weight(begin), ..., weight(end - 1) for the threshold.
template <class Weight>
Drawn scan(std::int64_t begin, std::int64_t end, double threshold, Weight&& weight) noexcept {
    Drawn last{-1, 0.0};
    for (std::int64_t i = begin; i < end; ++i) {
        const double w = weight(i);
        if (w <= 0)
            continue;
        if (threshold < w)
            return {i, threshold};
        threshold -= w;
        last = {i, w};
    }
    return last;
}

// The sums of consecutive weights, about sqrt(n) in each: a draw reads the sums and one block of weights,
// O(sqrt(n)), where every weight has changed since the last draw.
struct BlockSums {
    std::int64_t n, size;
    std::span<double> sums;

    double total() const noexcept {
        double sum = 0;
        for (const double part : sums)
            sum += part;
        return sum;
    }

    // Returns the total.
    template <class Weight>
    double fill(Weight&& weight) const noexcept {
        double total = 0;
        for (std::size_t block = 0; block < sums.size(); ++block) {
            const std::int64_t first = std::int64_t(block) * size, last = first + size < n ? first + size : n;
            double sum = 0;
            for (std::int64_t i = first; i < last; ++i)
                sum += weight(i);
            sums[block] = sum;
            total += sum;
        }
        return total;
    }

    template <class Weight>
    Drawn draw(double threshold, Weight&& weight) const noexcept {
        const Drawn block = scan(0, std::int64_t(sums.size()), threshold, [&](auto k) { return sums[k]; });
        if (block.index < 0)
            return block;
        const std::int64_t first = block.index * size, last = first + size < n ? first + size : n;
        return scan(first, last, block.within, weight);
    }
};

// A Fenwick tree: sums of weights of which few change between draws. O(log n) a change and a draw.
class FenwickTree {
public:
    // tree has n + 1 values.
    explicit FenwickTree(std::span<double> tree) noexcept : tree_(tree), n_(std::int64_t(tree.size()) - 1) {
        for (top_ = 1; 2 * top_ <= n_; top_ *= 2) {
        }
    }

    double total() const noexcept { return total_; }

    // O(n)
    template <class Weight>
    void fill(Weight&& weight) noexcept {
        total_ = 0;
        for (std::int64_t i = 1; i <= n_; ++i)
            total_ += tree_[i] = weight(i - 1);
        for (std::int64_t i = 1; i <= n_; ++i)
            if (const std::int64_t parent = i + (i & -i); parent <= n_)
                tree_[parent] += tree_[i];
    }

    void add(std::int64_t i, double change) noexcept {
        total_ += change;
        for (++i; i <= n_; i += i & -i)
            tree_[i] += change;
    }

    // Rounding of the changes may lead beyond the last weight: the last index then.
    Drawn draw(double threshold) const noexcept {
        std::int64_t at = 0;
        for (std::int64_t step = top_; step > 0; step /= 2)
            if (at + step <= n_ && tree_[at + step] <= threshold) {
                at += step;
                threshold -= tree_[at];
            }
        return {at < n_ ? at : n_ - 1, threshold};
    }

private:
    std::span<double> tree_;
    std::int64_t n_, top_;
    double total_ = 0;
};

} // namespace fenchel
