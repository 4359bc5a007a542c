// The best response w = grad g*(t) to an image t = sum_i x_i a_i' of shape (D, k), as seen along single rows.
//
//     half the squared lp norm   g*(t) = ||t||_q^2 / (2 strength)
//     relative entropy           g*(t) = strength log sum_jl exp(log_prior_j + t_jl / strength)
//
// For p < 2 and the entropy g* depends on t through one sum over all entries. It is kept up to date while rows
// move t, so that a row costs its own entries alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/scalar.hpp"

namespace fenchel {

// g* along t + x_i delta', for one row i: its value, and for one output its first two derivatives; the sum that
// it depends on is sum, in units of the term of base.
struct LinePoint {
    double value, slope, curvature, sum, base;
};

// What a row needs: its entries, the values of t that it touches, and the scores of k outputs.
struct RowScratch {
    double *entries, *held, *slopes; // D, D k and k
    std::int32_t* positions;         // D
};

// scores <- factor value' x_i, where value(j k + l) is the entry (j, l) of a (D, k) matrix.
template <class Lines, class Value>
void row_scores(const Lines& rows, std::int64_t i, std::int64_t k, double factor, double* scores,
                Value&& value) noexcept {
    if (k == 1) {
        scores[0] = factor * rows.sum(i, 0, value);
        return;
    }
    std::fill(scores, scores + k, 0.0);
    rows.for_each(i, [&](std::int64_t j, double x) {
        for (std::int64_t l = 0; l < k; ++l)
            scores[l] += factor * x * value(j * k + l);
    });
}

// p = 2: w = t / strength. Cost of a look and of a move: the entries of the row, times k.
class EuclideanMap {
  public:
    static constexpr bool curved = false;

    EuclideanMap(double inverse_strength, std::span<double> t, std::int64_t k, double* slopes) noexcept
        : inverse_(inverse_strength), t_(t), k_(k), slopes_(slopes) {}

    void refresh() noexcept {}
    void begin(std::span<const double>) noexcept {}
    void end(std::span<double>) const noexcept {}
    const double* slopes() const noexcept { return slopes_; }

    // slopes <- w' x_i
    template <class Lines>
    void look(const Lines& rows, std::int64_t i) noexcept {
        row_scores(rows, i, k_, inverse_, slopes_, [&](std::int64_t m) { return t_[m]; });
    }

    // t <- t + x_i delta'
    template <class Lines>
    void move(const Lines& rows, std::int64_t i, const double* delta) noexcept {
        rows.for_each(i, [&](std::int64_t j, double x) {
            for (std::int64_t l = 0; l < k_; ++l)
                t_[j * k_ + l] += x * delta[l];
        });
    }

  private:
    double inverse_;
    std::span<double> t_;
    std::int64_t k_;
    double* slopes_;
};

// g*(t) = N^2 / (2 strength), N = base (sum (|t_jl| / base)^q)^(1/q); the base is the largest |t_jl| at first.
struct PowerTerms {
    static constexpr double absent = 0, lowest = 0;
    double q, inverse_strength;

    double height(std::int64_t, double t) const noexcept { return std::abs(t); }
    double term(double height, double base) const noexcept { return std::pow(height / base, q); }

    // What an entry x at t adds to the sums of first and second derivatives, its term being given.
    void add(double x, double t, double base, double term, double& first, double& second) const noexcept {
        if (term > 0) {
            const double pull = x * base / t;
            first += term * pull;
            second += term * pull * pull;
        }
    }

    // From the sums over the row. At t = 0, where the second derivative depends on the direction, it is flat.
    void finish(double first, double second, double flat, LinePoint& point) const noexcept {
        if (!(point.sum > 0)) {
            point.value = point.slope = 0;
            point.curvature = flat / (q - 1);
            return;
        }
        const double scale = inverse_strength * std::pow(point.sum, 2 / q - 1);
        point.value = 0.5 * scale * point.sum * point.base * point.base;
        point.slope = scale * point.base * first;
        point.curvature = scale * ((q - 1) * second - (q - 2) * first * first / point.sum);
    }

    double slope(double first, const LinePoint& point) const noexcept {
        return point.sum > 0 ? inverse_strength * std::pow(point.sum, 2 / q - 1) * point.base * first : 0.0;
    }
};

// g*(t) = strength (base + log sum exp(height_jl - base)), height_jl = log_prior_j + t_jl / strength
struct EntropyTerms {
    static constexpr double absent = -infinity, lowest = -infinity;
    std::span<const double> log_prior;
    double inverse_strength;

    double height(std::int64_t j, double t) const noexcept { return log_prior[j] + t * inverse_strength; }
    double term(double height, double base) const noexcept { return std::exp(height - base); }

    void add(double x, double, double, double term, double& first, double& second) const noexcept {
        first += term * x;
        second += term * x * x;
    }

    void finish(double first, double second, double, LinePoint& point) const noexcept {
        const double mean = first / point.sum;
        point.value = (point.base + std::log(point.sum)) / inverse_strength;
        point.slope = mean;
        point.curvature = inverse_strength * std::max(second / point.sum - mean * mean, 0.0);
    }

    double slope(double first, const LinePoint& point) const noexcept { return first / point.sum; }
};

// The map of either kind of terms. A term below the largest by more than rounding counts for nothing, so that
// base and sum overflow nowhere; the sum without a row's own terms is the difference, unless what is left is so
// little that rounding could be seen: then it is summed anew.
// Cost of a look, of a trial and of a move: a power or exponential an entry of the row and output.
template <class Terms>
class TiltedMap {
  public:
    static constexpr bool curved = true;

    TiltedMap(const Terms& terms, std::span<double> t, std::int64_t k, const RowScratch& scratch) noexcept
        : terms_(terms), t_(t), k_(k), row_(scratch) {}

    // base and sum as end() has left them in tilt for this t, or from t where tilt holds no sum.
    void begin(std::span<const double> tilt) noexcept {
        if (tilt[1] > 0)
            base_ = tilt[0], sum_ = most_ = tilt[1];
        else
            refresh();
    }

    void end(std::span<double> tilt) const noexcept { tilt[0] = base_, tilt[1] = sum_; }

    // base and sum from t. Cost O(D k).
    void refresh() noexcept {
        sum_all(base_, sum_);
        most_ = sum_;
    }

    const double* slopes() const noexcept { return row_.slopes; }

    // Takes in row i; flat is its L_i. slopes <- w' x_i.
    template <class Lines>
    LinePoint look(const Lines& rows, std::int64_t i, double flat) noexcept {
        count_ = 0;
        rows.for_each(i, [&](std::int64_t j, double x) {
            row_.positions[count_] = std::int32_t(j);
            row_.entries[count_] = x;
            for (std::int64_t l = 0; l < k_; ++l)
                row_.held[count_ * k_ + l] = t_[j * k_ + l];
            count_ += x != 0;
        });
        flat_ = flat;
        LinePoint point{0, 0, 0, 0, base_};
        add_row(nullptr, point);
        rest_ = std::max(sum_ - point.sum, 0.0), rest_base_ = base_, exact_ = false;
        point.sum = sum_;
        finish(point);
        return point;
    }

    // The point delta away along the row. slopes <- w' x_i there.
    LinePoint at(const double* delta) noexcept {
        double largest_rest = 0;
        LinePoint point = with_rest(delta, largest_rest);
        constexpr double visible = 1e-3;
        if (!exact_ && point.sum < visible * largest_rest) {
            sum_others();
            point = with_rest(delta, largest_rest);
        }
        finish(point);
        return point;
    }

    // t <- t + x_i delta', where point = at(delta).
    void take(const double* delta, const LinePoint& point) noexcept {
        for (std::int64_t e = 0; e < count_; ++e)
            for (std::int64_t l = 0; l < k_; ++l)
                t_[row_.positions[e] * k_ + l] = row_.held[e * k_ + l] + row_.entries[e] * delta[l];
        const double carried = base_ > Terms::lowest && !exact_ ? most_ * terms_.term(base_, point.base) : 0.0;
        base_ = point.base, sum_ = point.sum;
        most_ = std::max(sum_, carried);
    }

  private:
    double moved(std::int64_t e, std::int64_t l, const double* delta) const noexcept {
        return row_.held[e * k_ + l] + (delta ? row_.entries[e] * delta[l] : 0.0);
    }

    void sum_all(double& base, double& sum) const noexcept {
        base = Terms::lowest, sum = 0;
        const std::int64_t D = std::int64_t(t_.size()) / k_;
        for (std::int64_t j = 0; j < D; ++j)
            for (std::int64_t l = 0; l < k_; ++l)
                base = std::max(base, terms_.height(j, t_[j * k_ + l]));
        for (std::int64_t j = 0; j < D && base > Terms::lowest; ++j)
            for (std::int64_t l = 0; l < k_; ++l)
                if (t_[j * k_ + l] != Terms::absent)
                    sum += terms_.term(terms_.height(j, t_[j * k_ + l]), base);
    }

    // rest <- the sum over the entries that the row does not touch. Cost O(D k).
    void sum_others() noexcept {
        for (std::int64_t e = 0; e < count_; ++e)
            std::fill_n(t_.data() + row_.positions[e] * k_, k_, Terms::absent);
        sum_all(rest_base_, rest_);
        exact_ = true;
        for (std::int64_t e = 0; e < count_; ++e)
            std::copy_n(row_.held + e * k_, k_, t_.data() + row_.positions[e] * k_);
    }

    // base and sum of the point, and the largest sum that its rounding can come from, in its units.
    LinePoint with_rest(const double* delta, double& largest) noexcept {
        LinePoint point{0, 0, 0, 0, rest_base_};
        for (std::int64_t e = 0; e < count_; ++e)
            for (std::int64_t l = 0; l < k_; ++l)
                point.base = std::max(point.base, terms_.height(row_.positions[e], moved(e, l, delta)));
        const double unit = rest_base_ > Terms::lowest ? terms_.term(rest_base_, point.base) : 0.0;
        point.sum = rest_ > 0 ? rest_ * unit : 0.0;
        largest = most_ * unit;
        add_row(delta, point);
        return point;
    }

    // The terms of the row, added to the sum; slopes and curvature hold the sums that finish needs.
    void add_row(const double* delta, LinePoint& point) noexcept {
        std::fill(row_.slopes, row_.slopes + k_, 0.0);
        if (!(point.base > Terms::lowest))
            return;
        for (std::int64_t e = 0; e < count_; ++e)
            for (std::int64_t l = 0; l < k_; ++l) {
                const double t = moved(e, l, delta);
                const double term = terms_.term(terms_.height(row_.positions[e], t), point.base);
                point.sum += term;
                terms_.add(row_.entries[e], t, point.base, term, row_.slopes[l], point.curvature);
            }
    }

    void finish(LinePoint& point) noexcept {
        const double first = row_.slopes[0], second = point.curvature;
        terms_.finish(first, second, flat_, point);
        for (std::int64_t l = 0; l < k_; ++l)
            row_.slopes[l] = terms_.slope(row_.slopes[l], point);
    }

    Terms terms_;
    std::span<double> t_;
    std::int64_t k_;
    RowScratch row_;
    std::int64_t count_ = 0;
    double base_ = Terms::lowest, sum_ = 0, most_ = 0; // of t; most: the largest sum since the last refresh
    double rest_base_ = Terms::lowest, rest_ = 0, flat_ = 0;
    bool exact_ = false;
};

} // namespace fenchel
