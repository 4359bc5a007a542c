/* What a pass over sparse data costs at least: to read its arrays, and to fetch an entry of a vector for each index. */
#include <stdint.h>

/* The sum of n values: eight running sums, none of which waits for another. */
double stream(const double *values, int64_t n) {
    double sum[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int lane = 0; lane < 8; ++lane)
            sum[lane] += values[i + lane];
    for (; i < n; ++i)
        sum[0] += values[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* The sum of vector[indices[k]] over k, without the values that would multiply them. */
double gather(const double *vector, const int32_t *indices, int64_t n) {
    double sum[8] = {0};
    int64_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int lane = 0; lane < 8; ++lane)
            sum[lane] += vector[indices[k + lane]];
    for (; k < n; ++k)
        sum[0] += vector[indices[k]];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}
