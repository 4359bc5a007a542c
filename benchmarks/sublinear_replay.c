/* Steps of stochastic mirror descent in long double, along draws that are given.
 *
 * What a step multiplies everything by is kept as a scalar for SETTLE steps and then absorbed: so few that no sum
 * outgrows its terms even where a step changes scales e-fold. All sums of weights are taken afresh, none by
 * differences. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef long double real;

enum { SETTLE = 16 };

/* Numbers of a step: 2 gamma R L / n, R, and c = 2 gamma max(1, log k). */
struct step {
    double primal, radius, dual;
};

/* U = alpha times what is stored; w_total is that of the time when the sum of alphas since the last settling was
 * since. mass and sizes are sums of a class over features, as they are and times the size of the column. */
struct primal {
    int64_t d, k;
    real *U, *w_total, *since, *mass, *sizes;
    real alpha, sum;
};

/* Rows of V over their sums, or logits over decay. V_total is that of the time when B of the row, the sum of one over
 * the sum of the row, was since. */
struct dual {
    int64_t n, k;
    real *V, *V_total, *since, *B;
    real decay;
};

/* |V_j - e_y| for one row of V, or of logits over decay where that is not 0. */
static real distance(const real *row, int64_t k, int64_t own, real decay) {
    real top = 0, rest = 0, all = 0;
    for (int64_t l = 0; l < k; ++l)
        top = l == 0 || row[l] > top ? row[l] : top;
    for (int64_t l = 0; l < k; ++l) {
        const real weight = decay > 0 ? expl(decay * (row[l] - top)) : row[l];
        all += weight;
        rest += l == own ? 0 : weight;
    }
    return 2 * rest / all;
}

static void charge_class(struct primal *p, int64_t h) {
    const real *plus = p->U + h * p->d, *minus = plus + p->k * p->d;
    for (int64_t g = 0; g < p->d; ++g)
        p->w_total[h * p->d + g] += (plus[g] - minus[g]) * (p->sum - p->since[h]);
    p->since[h] = p->sum;
}

static void sum_class(struct primal *p, int64_t h, const double *column_size) {
    const real *plus = p->U + h * p->d, *minus = plus + p->k * p->d;
    p->mass[h] = p->sizes[h] = 0;
    for (int64_t g = 0; g < p->d; ++g) {
        p->mass[h] += plus[g] + minus[g];
        p->sizes[h] += column_size[g] * (plus[g] + minus[g]);
    }
}

static real sum_of(const real *x, int64_t count) {
    real sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += x[i];
    return sum;
}

static void settle_primal(struct primal *p, const double *column_size) {
    for (int64_t h = 0; h < p->k; ++h) {
        charge_class(p, h);
        p->since[h] = 0;
    }
    for (int64_t e = 0; e < 2 * p->k * p->d; ++e)
        p->U[e] *= p->alpha;
    for (int64_t h = 0; h < p->k; ++h)
        sum_class(p, h, column_size);
    p->alpha = 1;
    p->sum = 0;
}

static void settle_hinge(struct dual *q) {
    for (int64_t r = 0; r < q->n; ++r) {
        const real share = 1 / sum_of(q->V + r * q->k, q->k);
        for (int64_t e = r * q->k; e < (r + 1) * q->k; ++e) {
            q->V_total[e] += q->V[e] * (q->B[r] - q->since[e]);
            q->V[e] *= share;
            q->since[e] = 0;
        }
        q->B[r] = 0;
    }
}

static void settle_softmax(struct dual *q) {
    for (int64_t e = 0; e < q->n * q->k; ++e)
        q->V[e] *= q->decay;
    q->decay = 1;
}

/* A is (n, d), U is (2, k, d), V is (n, k) and under softmax holds logits. The sum of U_0 - U_1 before every step is
 * added to w_total and, under the hinge, that of V to V_total but for the own class of a row; a draw is (row, class,
 * feature or feature + d, class). */
void replay(const real *A, const int64_t *label, const double *row_size, const double *column_size, int64_t n,
            int64_t d, int64_t k, int hinge, const struct step *step, const int64_t *draws, int64_t count, real *U,
            real *V, real *w_total, real *V_total) {
    real *room = calloc(3 * k + n * k + n, sizeof(real));
    struct primal p = {d, k, U, w_total, room, room + k, room + 2 * k, 1, 0};
    struct dual q = {n, k, V, V_total, room + 3 * k, room + 3 * k + n * k, 1};
    const real drift = expl(-(real)step->dual);
    real row_sum = 0;
    for (int64_t j = 0; j < n; ++j)
        row_sum += row_size[j];
    settle_primal(&p, column_size);
    for (int64_t t = 0; t < count; ++t) {
        const int64_t *draw = draws + 4 * t, j = draw[0], h = draw[1], f = draw[2] % d, m = draw[3];
        const real down = (h == label[j] ? 1 : -1) * step->primal *
                          distance(V + j * k, k, label[j], hinge ? 0 : q.decay) * row_sum / row_size[j];
        const real up = (draw[2] < d ? 1 : -1) * step->dual * p.alpha * sum_of(p.sizes, k) / column_size[f];

        p.sum += p.alpha;
        charge_class(&p, h);
        for (int64_t g = 0; g < d; ++g) {
            const real factor = expl(down * A[j * d + g]);
            U[h * d + g] *= factor;
            U[(k + h) * d + g] /= factor;
        }
        sum_class(&p, h, column_size);
        const real onto_ball = step->radius / sum_of(p.mass, k);
        p.alpha = onto_ball < p.alpha ? onto_ball : p.alpha;

        for (int64_t r = 0; r < n; ++r) {
            const real logit = up * A[r * d + f];
            real *v = V + r * k;
            if (!hinge) {
                v[m] += logit / q.decay;
                continue;
            }
            q.B[r] += 1 / sum_of(v, k);
            V_total[r * k + m] += v[m] * (q.B[r] - q.since[r * k + m]);
            q.since[r * k + m] = q.B[r];
            v[m] *= expl(logit);
            v[label[r]] *= drift; /* not the average of its class, which is what the others leave */
        }
        q.decay /= 1 + (real)step->dual;
        if ((t + 1) % SETTLE == 0 || t + 1 == count) {
            settle_primal(&p, column_size);
            hinge ? settle_hinge(&q) : settle_softmax(&q);
        }
    }
    free(room);
}
