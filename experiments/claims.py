"""What a paper says, what was measured, and whether the one follows from the other."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = ["Claim", "claim_lines"]


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, the measured numbers in words, and whether they bear it out."""

    statement: str
    measured: str
    reproduced: bool

    def as_dict(self) -> dict[str, object]:
        """Return the claim in the types of JSON."""
        return asdict(self)


def claim_lines(claims: list[Claim]) -> list[str]:
    """Return the claims as text."""
    return [
        f"[{'reproduced' if claim.reproduced else 'not reproduced'}] {claim.statement}: {claim.measured}"
        for claim in claims
    ]
