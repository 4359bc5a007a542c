"""The model file: what goes in comes out, without pickles, and damage is noticed."""

import json

import numpy as np
import pytest

from fenchel import Classifier, InvalidInputError, Regressor
from fenchel.estimators.conversion import from_estimator, to_estimator
from fenchel.estimators.model_file import load_model, save_model
from fenchel.estimators.penalty import Penalty
from fenchel.regularizers import Box, ElasticNet, GroupL2, GroupL2Ball, L1Ball, NuclearBall, RelativeEntropy
from fenchel.regularizers.standardized import Standardized


@pytest.fixture
def saved(files):
    estimator = Classifier(
        "smoothed_hinge", loss_parameters={"width": 0.5}, l1=0.01, l2=0.1, standardize=True, random_state=0
    ).fit(files.X, files.classes)
    model = from_estimator(
        estimator, files.X, files.classes, feature_names=tuple("abcde"), reading={"target": "y", "drop": 1.5}
    )
    path = files.folder / "model.npz"
    save_model(path, model)
    return path, model


def test_a_round_trip_keeps_everything(saved):
    path, model = saved
    again = load_model(path)
    for name in (
        "loss",
        "regularizer",
        "claims",
        "fit_intercept",
        "data",
        "class_weight",
        "feature_names",
        "reading",
    ):
        assert getattr(again, name) == getattr(model, name)
    for name in ("coefficients", "intercepts", "dual_points", "classes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert (again.status, again.version) == (model.status, model.version)
    assert isinstance(again.regularizer, Standardized)


@pytest.mark.parametrize(
    "penalty",
    [
        Box([-1.0, -2.0, -np.inf, 0.0, -1.0], 3.0, l2=0.1),
        ElasticNet(0.1, 0.2, weights=[0.0, 1.0, 2.0, 1.0, 1.0]),
        L1Ball(2.0, l1=0.1),
        GroupL2(0.1, groups=["a", "a", "b", "c", "c"], weights=[1.0, 2.0, 1.0]),
        GroupL2Ball(2.0, groups=["a", "a", "b", "c", "c"], l1=0.1),
        RelativeEntropy(prior=[1.0, 1.0, 1.0, 1.0, 4.0], strength=0.5),
        NuclearBall(2.0),
    ],
)
def test_parameters_by_feature(files, penalty):
    estimator = Regressor(**Penalty.parameters(penalty), random_state=0).fit(files.X, files.targets)
    path = files.folder / "model.npz"
    save_model(path, from_estimator(estimator, files.X, files.targets))
    again = load_model(path)
    assert again.regularizer == penalty
    assert to_estimator(again).set_params(random_state=0).fit(files.X, files.targets).regularizer_ == penalty


def test_the_file_holds_no_objects(saved):
    with np.load(saved[0], allow_pickle=False) as archive:
        assert all(archive[name].dtype != object for name in archive.files)


def test_the_estimator_predicts_the_same(saved, files):
    path, model = saved
    estimator = to_estimator(load_model(path))
    scores = files.X @ model.coefficients.T + model.intercepts
    np.testing.assert_allclose(estimator.decision_function(files.X), scores, rtol=1e-12)


def test_labels_of_text(files):
    words = np.where(files.labels > 0, "oui", "non").astype(object)
    estimator = Classifier(l2=0.1).fit(files.X, words)
    path = files.folder / "model.npz"
    save_model(path, from_estimator(estimator, files.X, words))
    assert load_model(path).classes.tolist() == ["non", "oui"]


def test_several_outputs_are_refused(files):
    targets = np.column_stack([files.targets, files.targets])
    estimator = Regressor(l2=0.1).fit(files.X, targets)
    with pytest.raises(InvalidInputError, match="one target a row"):
        from_estimator(estimator, files.X, targets)


def test_other_class_weights_are_refused(files):
    estimator = Classifier(l2=0.1, class_weight={-1.0: 2.0, 1.0: 1.0}).fit(files.X, files.labels)
    with pytest.raises(InvalidInputError, match="class_weight"):
        from_estimator(estimator, files.X, files.labels)


def damaged(path, **changes):
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(str(arrays["header"]))
    for name, value in changes.items():
        if name in header:
            header[name] = value
        elif value is None:
            del arrays[name]
        else:
            arrays[name] = value
    np.savez(path, **{**arrays, "header": np.array(json.dumps(header))})


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 99},
        {"loss": "unknown"},
        {"loss": "squared"},
        {"regularizer": ["unknown"]},
        {"regularizer": ["standardized"]},
        {"regularizer": []},
        {"data": {}},
        {"feature_names": ["a"]},
        {"coefficients": None},
        {"coefficients": np.zeros((3, 4))},
        {"coefficients": np.full((3, 5), np.nan)},
        {"dual_points": np.zeros((3, 59))},
        {"certificates": np.zeros((3, 3))},
        {"certificates": np.zeros((2, 4))},
        {"classes": np.array([0.0, 1.0])},
        {"classes": None},
    ],
)
def test_a_damaged_file_is_an_error(saved, changes):
    path, _ = saved
    damaged(path, **changes)
    with pytest.raises(InvalidInputError, match="not readable as a model"):
        load_model(path)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_file_is_an_error(saved, share):
    path, _ = saved
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(InvalidInputError, match="not readable as a model"):
        load_model(path)


def test_an_array_of_objects_is_not_unpickled(saved):
    path, _ = saved
    damaged(path, classes=np.array([0, "a", None], dtype=object))
    with pytest.raises(InvalidInputError, match="not readable as a model"):
        load_model(path)
