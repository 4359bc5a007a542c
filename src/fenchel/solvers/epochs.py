"""How long an epoch is, for the solvers whose epochs are passes."""

__all__ = ["LONGEST", "epoch_length"]

LONGEST = 10


def epoch_length(epoch: int) -> int:
    """The passes of an epoch: one at first, so that a quick run ends early, and up to ten later.

    A certificate costs two passes, and with one after every pass it would be most of a long run.
    """
    return min(LONGEST, 1 + epoch // 3)
