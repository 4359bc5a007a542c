"""``fenchel fit``: what it computes, prints and saves."""

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from fenchel import Classifier, Regressor
from fenchel.estimators.model_file import load_model
from fenchel.regularizers import GroupL2Ball

NUMBERS = {"primal", "dual", "gap", "relative_gap", "radius"}
FIELDS = NUMBERS | {
    "command",
    "data",
    "model",
    "status",
    "solved",
    "message",
    "loss",
    "regularizer",
    "problem",
    "n_samples",
    "n_features",
    "classes",
    "nonzeros",
    "n_coefficients",
    "passes",
    "seconds",
    "solver",
    "problems",
}


def test_the_json_has_the_documented_fields(run, files):
    out = files.folder / "model.npz"
    done = run("fit", files.binary, "--l1", "0.01", "--out", out, "--json")
    assert (done.code, done.err) == (0, "")
    content = done.json
    assert set(content) == FIELDS
    assert content["solved"]
    assert content["status"] == "solved"
    assert content["relative_gap"] <= 1e-6
    assert content["gap"] == pytest.approx(content["primal"] - content["dual"], abs=1e-15)
    assert content["classes"] == [-1, 1]
    assert [set(item) for item in content["problems"]] == [NUMBERS | {"class", "nonzeros"}]
    assert content["model"] == str(out)


def test_the_table_shows_the_certificate_and_the_solver(run, files):
    done = run("fit", files.binary, "--l2", "0.1")
    assert done.code == 0
    for word in ("objective", "certified gap", "relative gap", "nonzeros", "passes", "time", "solver"):
        assert word in done.out
    assert done.err == ""


def test_quiet_prints_nothing(run, files):
    done = run("fit", files.binary, "--l2", "0.1", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_verbose_prints_one_line_a_certificate_on_stderr(run, files):
    done = run("fit", files.binary, "--l2", "0.1", "--verbose", "--json")
    lines = done.err.splitlines()
    assert lines
    assert all(line.startswith("pass ") for line in lines)
    assert done.json["solved"]


def test_a_forced_progress_bar_goes_to_stderr(run, files):
    done = run("fit", files.binary, "--l2", "0.1", "--json", "--progress")
    assert "passes" in done.err
    assert done.json["solved"]


def test_the_model_is_that_of_the_estimator(run, files):
    out = files.folder / "model.npz"
    options = ["--l1", "0.02", "--l2", "0.1", "--standardize", "--class-weight", "balanced", "--seed", "3"]
    assert run("fit", files.binary, *options, "--out", out).code == 0
    X, y = load_svmlight_file(str(files.binary))
    parameters = {"l1": 0.02, "l2": 0.1, "standardize": True, "class_weight": "balanced", "random_state": 3}
    expected = Classifier(**parameters).fit(X, y)
    model = load_model(out)
    np.testing.assert_allclose(model.coefficients, expected.coef_, rtol=1e-12)
    np.testing.assert_allclose(model.intercepts, expected.intercept_, rtol=1e-12)
    assert model.regularizer == expected.regularizer_
    assert model.class_weight == "balanced"


@pytest.mark.parametrize(
    ("loss", "option", "value", "name"),
    [
        ("huber", "--threshold", 2.0, "threshold"),
        ("quantile", "--level", 0.9, "level"),
        ("epsilon_insensitive", "--margin", 0.3, "margin"),
    ],
)
def test_the_parameters_of_a_loss(run, files, loss, option, value, name):
    out = files.folder / "model.npz"
    done = run("fit", files.regression, "--loss", loss, option, value, "--l2", "0.1", "--out", out)
    assert done.code == 0
    assert getattr(load_model(out).loss, name) == value


def test_regression(run, files):
    done = run("fit", files.regression, "--loss", "squared", "--l2", "0.1", "--tol", "1e-11", "--json")
    assert done.json["classes"] is None
    expected = Regressor(l2=0.1, tol=1e-11, random_state=0).fit(files.X, files.targets)
    assert done.json["primal"] == pytest.approx(expected.certificate_.primal, rel=1e-11)


def test_many_classes_are_one_problem(run, files):
    content = run("fit", files.multiclass, "--l2", "0.1", "--json").json
    assert (content["loss"], content["classes"]) == ("softmax", [0, 1, 2])
    assert [item["class"] for item in content["problems"]] == [None]
    assert content["problems"][0]["nonzeros"] == content["nonzeros"] == content["n_coefficients"] == 15
    expected = Classifier(l2=0.1, random_state=0).fit(files.X, files.classes)
    assert content["primal"] == pytest.approx(expected.certificate_.primal, rel=1e-12)
    assert "One problem a class" not in run("fit", files.multiclass, "--l2", "0.1").out


def test_many_classes_as_one_problem_each(run, files):
    options = ["--l2", "0.1", "--multi-class", "one_vs_rest"]
    content = run("fit", files.multiclass, *options, "--json").json
    assert [item["class"] for item in content["problems"]] == [0, 1, 2]
    assert content["primal"] == pytest.approx(sum(item["primal"] for item in content["problems"]))
    assert content["problem"].endswith("each class against the rest")
    assert "One problem a class" in run("fit", files.multiclass, *options).out


def test_l1_as_a_share_of_the_maximum(run, files):
    assert run("fit", files.binary, "--l1", "1max", "--json").json["nonzeros"] == 0
    assert run("fit", files.binary, "--l1", "0.05max", "--json").json["nonzeros"] > 0


def test_bounds_hold(run, files):
    out = files.folder / "model.npz"
    assert run("fit", files.binary, "--l2", "0.01", "--nonnegative", "--out", out).code == 0
    assert load_model(out).coefficients.min() >= 0
    uppers = files.folder / "upper.txt"
    uppers.write_text("0.1\n" * 5)
    done = run("fit", files.binary, "--l2", "0.01", "--lower", "-0.2", "--upper", uppers, "--out", out)
    assert done.code == 0
    coefficients = load_model(out).coefficients
    assert coefficients.min() >= -0.2
    assert coefficients.max() <= 0.1


def test_a_constraint_is_that_of_the_estimator(run, files):
    out, groups = files.folder / "model.npz", files.folder / "groups.npy"
    np.save(groups, np.array([2, 2, 1, 1, 0]))
    options = ["--constraint", "group-l2-ball:0.5", "--groups", groups, "--penalty", "group_l2:0.01"]
    done = run("fit", files.binary, *options, "--out", out)
    assert done.code == 0
    assert "constraint group_l2_ball(radius=0.5, groups by feature, l1=0.01)" in " ".join(done.out.split())
    model = load_model(out)
    assert model.regularizer == GroupL2Ball(0.5, [2, 2, 1, 1, 0], l1=0.01)
    expected = Classifier(constraint=model.regularizer, random_state=0).fit(files.X, files.labels)
    np.testing.assert_allclose(model.coefficients, expected.coef_, rtol=1e-9)


def test_penalty_weights_and_no_intercept(run, files):
    out, weights = files.folder / "model.npz", files.folder / "weights.npy"
    np.save(weights, np.array([0.0, 1.0, 1.0, 1.0, 1.0]))
    done = run(
        "fit", files.regression, "--loss", "squared", "--l1", "100", "--penalty-weights", weights,
        "--no-intercept", "--out", out,
    )  # fmt: skip
    assert done.code == 0
    model = load_model(out)
    assert np.flatnonzero(model.coefficients).tolist() == [0]
    assert not model.fit_intercept
    assert model.intercepts.tolist() == [0.0]


@pytest.mark.parametrize(
    ("option", "status"), [("--max-passes", "max_passes"), ("--time-limit", "time_limit")]
)
def test_an_early_stop_is_a_valid_model(run, files, option, status):
    out = files.folder / "model.npz"
    content = run("fit", files.binary, "--l1", "0.01", option, "0", "--out", out, "--json")
    assert content.code == 0
    assert content.json["status"] == status
    assert not content.json["solved"]
    assert run("certify", out, files.binary).code == 0


@pytest.mark.parametrize("solver", ["primal_cd", "sdca", "proximal_gradient"])
def test_the_solver_that_was_asked_for(run, files, solver):
    content = run("fit", files.binary, "--l2", "0.1", "--solver", solver, "--max-passes", "20", "--json").json
    assert content["solver"] == solver


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_resuming_continues_bit_for_bit(run, files, kind):
    data = getattr(files, kind)
    whole, part, state = (files.folder / name for name in ("whole.npz", "part.npz", "state.npz"))
    options = ["--loss", "logistic", "--l1", "0.001", "--tol", "1e-12", "--seed", "1"]
    assert run("fit", data, *options, "--checkpoint", state, "--max-passes", "3").code == 0
    done = run("fit", data, *options, "--resume", state, "--max-passes", "9", "--out", part, "--json")
    assert done.code == 0
    again = files.folder / "unused.npz"
    assert run("fit", data, *options, "--checkpoint", again, "--max-passes", "9", "--out", whole).code == 0
    one, other = load_model(whole), load_model(part)
    np.testing.assert_array_equal(one.coefficients, other.coefficients)
    np.testing.assert_array_equal(one.dual_points, other.dual_points)
    assert run("certify", part, data).code == 0


def test_an_interrupted_fit_saves_its_best_model(run, files, monkeypatch):
    from fenchel.solvers.coordinate.primal_cd import PrimalCD

    epochs = PrimalCD.run_epoch
    calls = []

    def interrupted(self, problem, state):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        epochs(self, problem, state)

    monkeypatch.setattr(PrimalCD, "run_epoch", interrupted)
    out = files.folder / "model.npz"
    done = run("fit", files.binary, "--l1", "1e-4", "--tol", "0", "--solver", "primal_cd", "--out", out)
    assert done.code == 130
    assert done.err.startswith("interrupted: ")
    assert load_model(out).status == "INTERRUPTED"
    assert run("certify", out, files.binary).code == 0


def test_an_interrupt_before_there_is_a_result(run, files, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("fenchel.datasets.readers.load_data", interrupted)
    done = run("fit", files.binary)
    assert done.code == 130
    assert done.err == "error: interrupted before there was a result\n"
