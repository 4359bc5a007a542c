/* The naive steps of stochastic mirror descent in long double, along draws that are given. */
#include <math.h>
#include <stdint.h>

typedef long double real;

/* Numbers of a step: 2 gamma R L / n, R, and c = 2 gamma max(1, log k). */
struct step {
    double primal, radius, dual;
};

/* |V_j - e_y| for one row of V, or of logits where they are given. */
static real distance(const real *row, int64_t k, int64_t own, int logits) {
    real top = 0, rest = 0, all = 0;
    for (int64_t l = 0; l < k && logits; ++l)
        top = l == 0 || row[l] > top ? row[l] : top;
    for (int64_t l = 0; l < k; ++l) {
        const real weight = logits ? expl(row[l] - top) : row[l];
        all += weight;
        rest += l == own ? 0 : weight;
    }
    return 2 * rest / all;
}

/* A is (n, d), U is (2, k, d), V is (n, k) and under softmax holds logits. Each step adds U_0 - U_1 to w_total and,
 * under the hinge, V to V_total, then takes its draw (row, class, feature or feature + d, class). */
void replay(const real *A, const int64_t *label, const double *row_size, const double *column_size, int64_t n,
            int64_t d, int64_t k, int hinge, const struct step *step, const int64_t *draws, int64_t count, real *U,
            real *V, real *w_total, real *V_total) {
    const int64_t half = k * d;
    const real drift = expl(-(real)step->dual);
    real row_sum = 0;
    for (int64_t j = 0; j < n; ++j)
        row_sum += row_size[j];
    for (const int64_t *draw = draws; draw < draws + 4 * count; draw += 4) {
        const int64_t j = draw[0], h = draw[1], f = draw[2] % d, m = draw[3];
        for (int64_t e = 0; e < half; ++e)
            w_total[e] += U[e] - U[half + e];
        for (int64_t e = 0; e < n * k && hinge; ++e)
            V_total[e] += V[e];
        real sizes = 0, mass = 0;
        for (int64_t e = 0; e < 2 * half; ++e)
            sizes += column_size[e % d] * U[e];
        const real down = (h == label[j] ? 1 : -1) * step->primal * distance(V + j * k, k, label[j], !hinge) *
                          row_sum / row_size[j];
        const real up = (draw[2] < d ? 1 : -1) * step->dual * sizes / column_size[f];

        for (int64_t g = 0; g < d; ++g) {
            const real factor = expl(down * A[j * d + g]);
            U[h * d + g] *= factor;
            U[half + h * d + g] /= factor;
        }
        for (int64_t e = 0; e < 2 * half; ++e)
            mass += U[e];
        const real shrink = step->radius < mass ? step->radius / mass : 1;
        for (int64_t e = 0; e < 2 * half; ++e)
            U[e] *= shrink;

        for (int64_t r = 0; r < n; ++r) {
            real *row = V + r * k, total = 0;
            const real logit = up * A[r * d + f];
            if (!hinge) {
                row[m] += logit;
                for (int64_t l = 0; l < k; ++l)
                    row[l] /= 1 + (real)step->dual;
                continue;
            }
            row[m] *= expl(logit);
            row[label[r]] *= drift;
            for (int64_t l = 0; l < k; ++l)
                total += row[l];
            for (int64_t l = 0; l < k; ++l)
                row[l] /= total;
        }
    }
}
