"""A loss is a frozen value: equality, hash, pickle, parameters, registry."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest

import cases
import fenchel.losses
from cases import ConstraintCase, LossCase, MulticlassCase
from fenchel.errors import InvalidInputError
from fenchel.losses import (
    LOSSES,
    BallConstraint,
    EpsilonInsensitive,
    EqualityConstraint,
    Huber,
    IntervalConstraint,
    Loss,
    SquaredDistance,
    get_loss,
)

Case = LossCase | MulticlassCase | ConstraintCase
CASES: tuple[Case, ...] = (*cases.LOSSES, *cases.MULTICLASS_LOSSES, *cases.CONSTRAINTS)
INVALID = [(type(case.loss), arguments) for case in CASES for arguments in case.invalid]


def arguments_of(loss: Loss) -> dict[str, Any]:
    return {field.name: getattr(loss, field.name) for field in fields(loss)}


def wraps(loss: Loss) -> bool:
    """Whether it holds another loss, so that no name alone can make it."""
    return any(isinstance(value, Loss) for value in arguments_of(loss).values())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_loss_is_a_value(case: Case) -> None:
    twin = type(case.loss)(**arguments_of(case.loss))
    for other in (twin, pickle.loads(pickle.dumps(case.loss)), copy.deepcopy(case.loss)):
        assert other == case.loss
        assert hash(other) == hash(case.loss)
        assert type(other) is type(case.loss)
    assert sum(case.loss == other.loss for other in CASES) == 1


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_loss_is_frozen(case: Case) -> None:
    with pytest.raises(FrozenInstanceError):
        case.loss.threshold = 3.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_parameters_are_the_fields_in_order(case: Case) -> None:
    values = [
        value.parameters if isinstance(value, Loss) else (value,)
        for value in arguments_of(case.loss).values()
    ]
    assert case.loss.parameters == sum(values, ())
    assert all(type(value) is float for value in case.loss.parameters)
    assert eval(repr(case.loss), vars(fenchel.losses)) == case.loss


@pytest.mark.parametrize("case", CASES, ids=str)
def test_class_attributes(case: Case) -> None:
    assert case.loss.task in {"classification", "multiclass", "regression"}
    assert case.loss.vector_output or case.loss.task != "multiclass"
    assert get_loss(case.loss) is case.loss
    if not wraps(case.loss):
        assert LOSSES[case.loss.name] is type(case.loss)
        assert get_loss(case.loss.name, **arguments_of(case.loss)) == case.loss
    assert not (case.loss.compiled and case.loss.vector_output)


@pytest.mark.parametrize(
    ("cls", "arguments"), INVALID, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_invalid_parameters_are_refused(cls: type[Loss], arguments: dict[str, Any]) -> None:
    ((parameter, value),) = arguments.items()
    others = {"constraint": EqualityConstraint()} if cls is SquaredDistance else {}
    with pytest.raises(InvalidInputError) as caught:
        cls(**others, **arguments)
    message = str(caught.value)
    assert message.startswith(f"{cls.__name__} cannot use {parameter}={value!r}")


def test_every_registered_loss_has_a_row_and_its_defaults_are_valid() -> None:
    assert {case.loss.name for case in CASES if not wraps(case.loss)} == set(LOSSES)
    assert {cls() for cls in LOSSES.values()} <= {case.loss for case in CASES}


def test_whole_numbers_become_floats() -> None:
    assert Huber(threshold=2) == Huber(threshold=2.0)
    assert repr(Huber(threshold=2)) == "Huber(threshold=2.0)"


SCALAR = [get_loss(name) for name, loss in LOSSES.items() if not loss.vector_output]
WITHOUT_INSIDE = (EpsilonInsensitive(margin=0.0), IntervalConstraint(epsilon=0.0))


@pytest.mark.parametrize("loss", [*SCALAR, *WITHOUT_INSIDE], ids=repr)
def test_a_sparse_dual_is_a_flat_stretch_of_the_loss(loss: Loss) -> None:
    z = np.linspace(-5.0, 5.0, 201)
    for b in (-1.0, 1.0):
        rest = loss.gradient(z, np.full(201, b)) == 0.0
        assert bool(np.any(rest[1:] & rest[:-1])) == loss.sparse_dual


@pytest.mark.parametrize("radius", [0.0, 0.5])
def test_a_ball_has_an_inside_where_it_is_no_point(radius: float) -> None:
    loss, z = BallConstraint(radius=radius), np.linspace(-5.0, 5.0, 201)[:, None]
    rest = np.all(loss.gradient(z, np.zeros((201, 1))) == 0.0, axis=1)
    assert bool(np.any(rest[1:] & rest[:-1])) == loss.sparse_dual
