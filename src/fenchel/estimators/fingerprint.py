"""What tells one dataset from another: its size and its targets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.errors import InvalidInputError

__all__ = ["Fingerprint"]


@dataclass(frozen=True)
class Fingerprint:
    """The size of a data matrix and a checksum of its targets, whatever the format they came in.

    Attributes
    ----------
    n_samples, n_features : int
    n_entries : int
        The entries other than zero.
    targets : str
        SHA-256 of the targets: of their float64 bytes when they are numbers, of their text otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.estimators.fingerprint import Fingerprint
    >>> print_ = Fingerprint.of(np.eye(2), np.array([1, -1]))
    >>> print_.n_entries, print_ == Fingerprint.of(np.eye(2), np.array([1.0, -1.0]))
    (2, True)
    """

    n_samples: int
    n_features: int
    n_entries: int
    targets: str

    @classmethod
    def of(cls, X: Any, y: Any) -> Fingerprint:
        """Read every entry once."""
        n_samples, n_features = X.shape
        entries = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
        return cls(int(n_samples), int(n_features), int(entries), _checksum(np.asarray(y)))

    def check(self, X: Any, y: Any, name: str) -> None:
        """Raise InvalidInputError unless ``X`` and ``y`` look like the data that were fingerprinted."""
        other = Fingerprint.of(X, y)
        if other == self:
            return
        for attribute, words in _WORDS.items():
            expected, found = getattr(self, attribute), getattr(other, attribute)
            if expected != found:
                what = "other targets" if attribute == "targets" else f"{found} {words}, not {expected}"
                raise InvalidInputError(
                    f"{name}: these are not the data that the model was fitted on: they have {what}. "
                    "A certificate holds for its own data only; pass the training file."
                )


_WORDS = {
    "n_samples": "rows",
    "n_features": "columns",
    "n_entries": "entries other than zero",
    "targets": "targets",
}


def _checksum(y: np.ndarray[Any, Any]) -> str:
    if y.dtype.kind in "biuf":
        # Adding zero turns -0.0 into 0.0, which is the same target.
        content = np.ascontiguousarray(y, dtype="<f8") + 0.0
        return hashlib.sha256(content.tobytes()).hexdigest()
    text = "\0".join(str(item) for item in y.ravel().tolist())
    return hashlib.sha256(text.encode()).hexdigest()
