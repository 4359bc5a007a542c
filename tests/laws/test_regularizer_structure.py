"""Laws of convexity, separability, weights and object identity."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from cases_regularizers import (
    N_FEATURES,
    REGULARIZERS,
    WEIGHTS,
    each_regularizer,
    each_separable,
    inner,
    into_domain,
    into_set,
    law,
    points,
    vectors,
)
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers import (
    L1,
    Box,
    ElasticNet,
    NonNegative,
    NoPenalty,
    Ridge,
    Separable,
    Standardized,
    make_regularizer,
)
from fenchel.regularizers.registry import REGULARIZERS as REGISTRY


@each_regularizer
@law
@given(p=points, t=st.floats(0.0, 1.0))
def test_declared_strong_convexity_holds(g, p, t):
    x, y = into_set(g, p.a), into_set(g, p.b)
    modulus = g.strong_convexity(N_FEATURES)
    chord = t * g.value(x) + (1 - t) * g.value(y) - 0.5 * modulus * t * (1 - t) * inner(x - y, x - y)
    # The segment is moved into the set again, because its rounding can leave it.
    middle = t * x + (1 - t) * y
    inside = np.clip(middle, np.minimum(x, y), np.maximum(x, y))
    assert g.value(inside) <= chord + 1e-9


def test_strong_convexity_is_the_smallest_curvature():
    assert Ridge(2.0).strong_convexity(3) == 2.0
    assert Ridge(2.0, weights=[1.0, 0.5]).strong_convexity(2) == 1.0
    assert ElasticNet(1.0, 0.25, weights=[1.0, 0.0]).strong_convexity(2) == 0.0
    assert Ridge(2.0).strong_convexity(0) == 0.0


@each_separable
@law
@given(w=vectors(3), v=vectors(3), step=st.sampled_from([0.5, 2.0]))
def test_outputs_are_summed_column_by_column(g, w, v, step):
    w, v = g.prox(w, 1.0), into_domain(g, v)
    assert g.value(w) == pytest.approx(sum(g.value(column) for column in w.T))
    assert g.conjugate(v) == pytest.approx(sum(g.conjugate(column) for column in v.T))
    np.testing.assert_array_equal(g.prox(v, step), np.stack([g.prox(column, step) for column in v.T], axis=1))
    np.testing.assert_array_equal(g.lmo(v), np.stack([g.lmo(column) for column in v.T], axis=1))


@each_separable
def test_coordinate_form_is_ready_for_the_kernels(g):
    assert isinstance(g, Separable)
    form = g.coordinate_form(N_FEATURES)
    for array in (form.l1, form.l2, form.lower, form.upper):
        assert array.dtype == np.float64
        assert array.shape == (N_FEATURES,)
        assert array.flags.c_contiguous


def test_l2_ball_is_not_separable():
    assert not isinstance(REGULARIZERS["l2_ball"], Separable)


@pytest.mark.parametrize("g", [L1(0.5, WEIGHTS), Ridge(0.5, WEIGHTS), ElasticNet(1.0, 2.0, WEIGHTS)])
def test_zero_weight_leaves_a_feature_free(g):
    form = g.coordinate_form(N_FEATURES)
    np.testing.assert_array_equal(form.free, [True, False, False, False])
    w = np.array([5.0, 0.0, 0.0, 0.0])
    assert g.value(w) == 0.0
    np.testing.assert_array_equal(g.prox(w, 10.0), w)
    assert g.conjugate(1e-9 * w) == np.inf


def test_zero_weight_keeps_the_bounds():
    g = NonNegative(1.0, 1.0, weights=[0.0, 1.0])
    assert not g.coordinate_form(2).free.any()
    np.testing.assert_array_equal(g.prox(np.array([-1.0, -1.0]), 1.0), [0.0, 0.0])


def test_unit_weights_change_nothing():
    ones = np.ones(N_FEATURES)
    w = np.linspace(-2.0, 2.0, N_FEATURES)
    for plain, weighted in ((L1(0.5), L1(0.5, ones)), (ElasticNet(0.5, 1.0), ElasticNet(0.5, 1.0, ones))):
        assert plain.value(w) == weighted.value(w)
        np.testing.assert_array_equal(plain.prox(w, 1.0), weighted.prox(w, 1.0))


def test_special_cases_agree():
    w = np.linspace(-2.0, 2.0, N_FEATURES)
    pairs = [
        (ElasticNet(0.5, 0.0), L1(0.5)),
        (ElasticNet(0.0, 2.0), Ridge(2.0)),
        (Box(0.0, np.inf, 0.5, 1.0), NonNegative(0.5, 1.0)),
        (Box(-np.inf, np.inf), NoPenalty()),
    ]
    for one, other in pairs:
        assert one.value(w) == other.value(w)
        assert one.conjugate(w) == other.conjugate(w)
        np.testing.assert_array_equal(one.prox(w, 0.5), other.prox(w, 0.5))


def test_free_coordinates_are_appended():
    form = Box(-1.0, 1.0, l1=1.0, l2=1.0).coordinate_form(2).extended_by_free(1)
    np.testing.assert_array_equal(form.free, [False, False, True])
    assert form.strong_convexity == 0.0
    assert isinstance(form, CoordinateForm)


COPIES = {
    "pickle": lambda g: pickle.loads(pickle.dumps(g)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "clone": lambda g: clone(g, safe=False),
    "constructor": lambda g: type(g)(**{field.name: getattr(g, field.name) for field in fields(g)}),
}


@each_regularizer
@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_are_equal_and_read_only(g, duplicate):
    other = duplicate(g)
    assert other == g
    assert hash(other) == hash(g)
    assert repr(other) == repr(g)
    for field in fields(other):
        value = getattr(other, field.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable
        with pytest.raises(FrozenInstanceError):
            setattr(other, field.name, value)


def test_rows_of_the_table_are_all_different():
    assert len(set(REGULARIZERS.values())) == len(REGULARIZERS)


def test_equality_looks_at_class_and_every_field():
    assert L1(1) == L1(1.0)
    assert L1(1.0, weights=[0.0]) == L1(1.0, weights=np.array([-0.0]))
    assert L1(1.0, weights=[1.0]) != L1(1.0, weights=[2.0])
    assert L1(1.0, weights=[1.0]) != L1(1.0)
    assert L1(1.0) != Ridge(1.0)
    assert L1(1.0) != 1.0


def test_arguments_are_copied():
    weights = np.ones(2)
    g = L1(1.0, weights)
    weights[0] = 9.0
    assert g == L1(1.0, [1.0, 1.0])


def test_registry_holds_every_class_of_the_table_under_its_name():
    # A name alone cannot make the one that wraps another.
    assert set(REGISTRY.values()) == {type(g) for g in REGULARIZERS.values()} - {Standardized}
    assert all(cls.name == name for name, cls in REGISTRY.items())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, NoPenalty()),
        ({"l1": 0.5}, L1(0.5)),
        ({"l2": 0.5, "weights": [1.0]}, Ridge(0.5, [1.0])),
        ({"l1": 0.5, "l2": 1.0}, ElasticNet(0.5, 1.0)),
        ({"l1": 0.5, "lower": 0.0}, NonNegative(0.5)),
        ({"lower": 0.0, "upper": 1.0}, Box(0.0, 1.0)),
        ({"lower": [0.0, 1.0]}, Box([0.0, 1.0], np.inf)),
        ({"l2": 2.0, "upper": 1.0}, Box(-np.inf, 1.0, l2=2.0)),
    ],
)
def test_make_regularizer_picks_the_simplest_class(arguments, expected):
    assert make_regularizer(**arguments) == expected
