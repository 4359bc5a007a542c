r"""
A picture from a fifth of its pixels
====================================

Matrix completion in a nuclear-norm ball: the singular values of the matrix have a bounded sum, so that few of
them are not zero, and the entries that nobody saw follow from those that were seen. The matrix stays in
factors; nothing of its full size is formed. The budget is chosen on held-out entries, and every model of the
path comes with a certificate.
"""

import matplotlib.pyplot as plt
import numpy as np

from fenchel import MatrixCompletion

# %%
# A smooth picture of rank 5, seen at random places through noise.

rng = np.random.default_rng(0)
m, p = 150, 200
rows, columns = np.linspace(0, 1, m)[:, None], np.linspace(0, 1, p)
waves = [(3, 2, 1.0), (5, 7, 0.6), (2, 9, 0.5), (8, 4, 0.4), (11, 12, 0.25)]
picture = sum(size * np.sin(a * np.pi * rows) * np.cos(b * np.pi * columns) for a, b, size in waves)
seen = rng.permutation(m * p)[: m * p // 5]
pairs = np.column_stack(np.divmod(seen, p))
values = picture.ravel()[seen] + 0.1 * rng.normal(size=len(seen))

# %%
# A tenth of the observations decides about the radius. Every fit starts from the one before.

kept = rng.random(len(seen)) < 0.9
path = MatrixCompletion(center="mean", tol=1e-4, random_state=0).path(
    np.linspace(40, 260, 12), pairs[kept], values[kept], held_out=(pairs[~kept], values[~kept])
)
for point in path[::2]:
    certificate = point.model.certificate_
    print(
        f"radius {point.model.radius:.0f}: rank {point.model.rank_}, held-out error {point.held_out:.3f}, "
        f"relative gap {certificate.relative_gap:.0e}, fails with probability {certificate.failure:.0f}"
    )
best = min(path, key=lambda point: point.held_out).model

# %%
# The completed picture, and the price of a budget that is too small or too large.

completed = best.offset_ + best.matrix_.toarray()
error = np.sqrt(np.mean((completed - picture) ** 2))
print(
    f"rank {best.rank_} at radius {best.radius:.0f}: error {error:.3f} on all pixels, where the noise is 0.1"
)

figure, axes = plt.subplots(2, 2, figsize=(8, 6), layout="constrained")
holes = np.full(m * p, np.nan)
holes[seen] = values
for ax, image, title in (
    (axes[0, 0], picture, "the picture"),
    (axes[0, 1], holes.reshape(m, p), "what was seen"),
    (axes[1, 0], completed, f"completed, rank {best.rank_}"),
):
    ax.imshow(image, vmin=-2, vmax=2, cmap="RdBu", interpolation="nearest")
    ax.set(title=title, xticks=[], yticks=[])
radii = [point.model.radius for point in path]
axes[1, 1].plot(radii, [point.observed for point in path], "k--", label="observed")
axes[1, 1].plot(radii, [point.held_out for point in path], "k", label="held out")
axes[1, 1].axvline(best.radius, color="grey", linestyle=":")
axes[1, 1].set(xlabel="radius of the nuclear ball", ylabel="root mean square error", ylim=(0, None))
axes[1, 1].legend()
plt.show()
