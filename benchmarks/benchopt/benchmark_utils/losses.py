"""The losses at scores z and targets b, and their conjugates at a slope u."""

import numpy as np
from scipy.special import entr, expit


class Logistic:
    """The loss log(1 + exp(-b z))."""

    @staticmethod
    def value(z, b):
        return np.logaddexp(0.0, -b * z)

    @staticmethod
    def gradient(z, b):
        return -b * expit(-b * z)

    @staticmethod
    def conjugate(u, b):
        p = np.clip(-b * u, 0.0, 1.0)
        return -entr(p) - entr(1.0 - p)


class Squared:
    """The loss (z - b)^2 / 2."""

    @staticmethod
    def value(z, b):
        return 0.5 * (z - b) ** 2

    @staticmethod
    def gradient(z, b):
        return z - b

    @staticmethod
    def conjugate(u, b):
        return 0.5 * u**2 + b * u


LOSSES = {"logistic": Logistic, "squared": Squared}
