"""``fenchel certify``: honest models pass, models that claim too much do not."""

from dataclasses import replace

import numpy as np
import pytest

from fenchel.estimators.model_file import load_model, save_model


@pytest.fixture
def model(run, files):
    path = files.folder / "model.npz"
    assert run("fit", files.binary, "--l1", "0.01", "--tol", "1e-4", "--out", path).code == 0
    return path


def tamper(path, **changes):
    save_model(path, replace(load_model(path), **changes))


def claimed(path, **changes):
    tamper(path, claims=tuple(claim._replace(**changes) for claim in load_model(path).claims))


def test_an_honest_model_holds(run, files, model):
    done = run("certify", model, files.binary)
    assert (done.code, done.err) == (0, "")
    assert "holds" in done.out


def test_the_json_has_the_documented_fields(run, files, model):
    content = run("certify", model, files.binary, "--json").json
    assert set(content) == {"command", "model", "data", "problem", "holds", "problems"}
    (problem,) = content["problems"]
    assert set(problem) == {"class", "holds", "objections", "claimed", "recomputed"}
    assert set(problem["claimed"]) == {"primal", "dual", "gap", "relative_gap", "radius"}
    assert problem["claimed"]["primal"] == pytest.approx(problem["recomputed"]["primal"], rel=1e-12)
    assert content["holds"]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smoothed_hinge"])
def test_every_loss_of_classification(run, files, loss):
    path = files.folder / "other.npz"
    done = run(
        "fit", files.multiclass, "--loss", loss, "--l2", "0.1", "--class-weight", "balanced", "--out", path
    )
    assert done.code == 0
    assert run("certify", path, files.multiclass).code == 0


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "quantile", "epsilon_insensitive"])
def test_every_loss_of_regression(run, files, loss):
    path = files.folder / "other.npz"
    done = run(
        "fit", files.regression, "--loss", loss, "--l1", "0.01", "--l2", "0.1", "--standardize", "--out", path
    )
    assert done.code == 0
    assert run("certify", path, files.regression).code == 0


@pytest.mark.parametrize(
    "penalty",
    [
        ["--l1", "0"],
        ["--l1", "0.05max"],
        ["--l2", "0.1"],
        ["--l1", "0.01", "--l2", "0.1"],
        ["--l2", "0.1", "--nonnegative"],
        ["--lower", "-1", "--upper", "1", "--standardize"],
        ["--penalty", "none", "--upper", "1"],
        ["--penalty", "elastic_net:0.01:0.1", "--lower", "-1"],
        ["--penalty", "group_l2:0.1", "--groups"],
        ["--penalty", "squared_lp:1.2:0.1"],
        ["--penalty", "relative-entropy:0.1"],
        ["--constraint", "box:-1:1:0.01"],
        ["--constraint", "l1-ball:1", "--l1", "0.01"],
        ["--constraint", "l2_ball:1", "--l2", "0.01"],
        ["--constraint", "simplex"],
        ["--constraint", "solid_simplex:1"],
        ["--constraint", "group_l2_ball:1", "--groups"],
        ["--constraint", "group_l2_ball:1", "--penalty", "group_l2:0.01", "--groups"],
        ["--constraint", "l1_inf_ball:1"],
        ["--constraint", "nuclear_ball:1"],
        ["--constraint", "row_column_ball:1"],
    ],
)
def test_every_regularizer(run, files, penalty):
    path, groups = files.folder / "other.npz", files.folder / "groups.txt"
    groups.write_text("a\na\nb\nc\nc\n")
    options = [*penalty, groups] if "--groups" in penalty else penalty
    assert run("fit", files.binary, *options, "--max-passes", "50", "--out", path).code == 0
    assert run("certify", path, files.binary).code == 0


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        ({"gap": 0.0}, "gap"),
        ({"gap": float("nan")}, "gap"),
        ({"primal": 0.0}, "primal"),
        ({"primal": float("nan")}, "primal"),
        ({"dual": 10.0}, "dual"),
        ({"radius": 0.0}, "radius"),
    ],
)
def test_a_claim_that_is_too_good_is_refuted(run, files, model, changes, objection):
    claimed(model, **changes)
    done = run("certify", model, files.binary, "--json")
    assert done.code == 1
    assert not done.json["holds"]
    assert done.json["problems"][0]["objections"] == [objection]
    assert done.err.startswith("refuted: ")
    assert run("certify", model, files.binary).code == 1


def test_a_modest_claim_holds(run, files, model):
    claimed(model, primal=100.0, dual=-100.0, gap=200.0)
    assert run("certify", model, files.binary).code == 0


def test_changed_coefficients_are_refuted(run, files, model):
    tamper(model, coefficients=load_model(model).coefficients * 3.0)
    done = run("certify", model, files.binary, "--json")
    assert done.code == 1
    assert "primal" in done.json["problems"][0]["objections"]


def test_a_changed_dual_point_is_refuted(run, files, model):
    tamper(model, dual_points=np.zeros_like(load_model(model).dual_points))
    done = run("certify", model, files.binary, "--json")
    assert done.code == 1
    assert "dual" in done.json["problems"][0]["objections"]


def test_a_changed_strength_is_refuted(run, files, model):
    from fenchel.regularizers import L1

    tamper(model, regularizer=L1(0.5))
    assert run("certify", model, files.binary).code == 1


def test_coefficients_outside_the_bounds_are_refuted(run, files):
    path = files.folder / "bounded.npz"
    assert run("fit", files.binary, "--l2", "0.1", "--nonnegative", "--out", path).code == 0
    tamper(path, coefficients=-1.0 - load_model(path).coefficients)
    done = run("certify", path, files.binary, "--json")
    assert done.code == 1
    assert done.json["problems"][0]["recomputed"]["primal"] is None


ONE_A_CLASS = ("--multi-class", "one_vs_rest")


@pytest.mark.parametrize("loss", ["softmax", "multiclass_hinge"])
@pytest.mark.parametrize("no_intercept", [[], ["--no-intercept"]])
def test_all_classes_in_one_problem(run, files, loss, no_intercept):
    path = files.folder / "native.npz"
    options = ["--loss", loss, "--l1", "0.01", "--l2", "0.1", *no_intercept]
    assert run("fit", files.multiclass, *options, "--class-weight", "balanced", "--out", path).code == 0
    saved = load_model(path)
    assert saved.n_problems == 1
    assert saved.coefficients.shape == (3, 5)
    assert saved.dual_points.shape == (3, 60)
    done = run("certify", path, files.multiclass, "--json")
    assert done.code == 0
    (only,) = done.json["problems"]
    assert only["class"] is None
    assert only["recomputed"]["relative_gap"] <= 1e-6
    assert f"{loss} loss" in run("certify", path, files.multiclass).out
    tamper(path, claims=(saved.claims[0]._replace(dual=saved.claims[0].primal),))
    assert run("certify", path, files.multiclass).code == 1


def test_one_false_class_among_many_is_refuted(run, files):
    path = files.folder / "many.npz"
    assert run("fit", files.multiclass, "--l2", "0.1", *ONE_A_CLASS, "--out", path).code == 0
    claims = list(load_model(path).claims)
    claims[1] = claims[1]._replace(primal=0.0)
    tamper(path, claims=tuple(claims))
    done = run("certify", path, files.multiclass, "--json")
    assert done.code == 1
    assert [item["holds"] for item in done.json["problems"]] == [True, False, True]


@pytest.mark.parametrize("lines", [slice(1, None), slice(None, None, -1)])
def test_other_data_are_an_error(run, files, model, lines):
    other = files.folder / "other.svm"
    other.write_text("".join(files.binary.read_text().splitlines(keepends=True)[lines]))
    done = run("certify", model, other)
    assert done.code == 2
    assert "not the data that the model was fitted on" in done.err
    assert done.err.count("\n") == 1


def test_data_with_other_columns_are_an_error(run, files, model):
    other = files.folder / "wide.svm"
    other.write_text(files.binary.read_text().replace("\n", " 9:1\n", 1))
    done = run("certify", model, other)
    assert done.code == 2
    assert "9 columns, not 5" in done.err


def test_the_same_data_in_another_format_are_the_same_data(run, files, model):
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(files.binary)
    other = files.folder / "dense.npz"
    np.savez(other, X=X.toarray(), y=y)
    assert run("certify", model, other).code == 0


def test_the_reading_options_are_remembered(run, files):
    data, path = files.folder / "table.csv", files.folder / "named.npz"
    rows = ["label,a,b"] + [
        f"{label:g},{a:.17g},{b:.17g}" for label, (a, b) in zip(files.labels, files.X[:, :2], strict=True)
    ]
    data.write_text("\n".join([*rows, "0,1.0,2.0"]) + "\n")
    done = run("fit", data, "--target", "label", "--drop", "0", "--l2", "0.1", "--out", path, "--json")
    assert done.json["n_samples"] == 60
    assert run("certify", path, data).code == 0
