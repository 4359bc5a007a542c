"""The program as a whole: formats, errors, exit codes, help, and true processes."""

import bz2
import gzip
import lzma
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel._kernels.simd import used_level
from fenchel.estimators.model_file import load_model

COMMANDS = ["fit", "certify", "predict", "info", "separable", "demo"]
A9A = Path(__file__).parents[2] / ".." / "shared" / "data" / "a9a.svm.bz2"


def program(*arguments, **options):
    command = [sys.executable, "-c", "from fenchel.cli.app import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def write(files, form):
    """Write the binary data in one of the formats."""
    path = files.folder / f"data.{form}"
    text = files.binary.read_bytes()
    if form == "svm.gz":
        path.write_bytes(gzip.compress(text))
    elif form == "svm.bz2":
        path.write_bytes(bz2.compress(text))
    elif form == "svm.xz":
        path.write_bytes(lzma.compress(text))
    elif form == "npz":
        np.savez(path, X=files.X, y=files.labels)
    elif form == "csr.npz":
        matrix = sp.csr_matrix(files.X)
        np.savez(
            path,
            data=matrix.data,
            indices=matrix.indices,
            indptr=matrix.indptr,
            shape=matrix.shape,
            y=files.labels,
        )
    else:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(files.X, columns=list("abcde")).assign(y=files.labels)
        if form == "csv":
            frame.to_csv(path, index=False)
        else:
            pytest.importorskip("pyarrow")
            frame.to_parquet(path)
    return path


@pytest.mark.parametrize("form", ["svm.gz", "svm.bz2", "svm.xz", "npz", "csr.npz", "csv", "parquet"])
def test_every_format(run, files, form):
    data, model = write(files, form), files.folder / "model.npz"
    assert run("fit", data, "--l2", "0.1", "--out", model).code == 0
    assert run("certify", model, data).code == 0
    assert run("predict", model, data).out.count("\n") == 61
    assert run("info", data, "--json").json["n"] == 60


def test_unicode_paths(run, files):
    folder = files.folder / "données ∂"
    folder.mkdir()
    data, model = folder / "é.svm", folder / "modèle.npz"
    data.write_bytes(files.binary.read_bytes())
    done = run("fit", data, "--l2", "0.1", "--out", model, "--json")
    assert done.json["model"] == str(model)
    assert run("certify", model, data).code == 0


def errors(files):
    """Arguments that no command can use, with a part of the message."""
    absent, garbage = files.folder / "absent", files.folder / "garbage.npz"
    garbage.write_bytes(b"PK\x03\x04 not an archive")
    data = files.binary
    model = files.folder / "m.npz"
    return {
        "no data": (["fit", absent], "no such file"),
        "folder as data": (["fit", files.folder], "no such file"),
        "garbage data": (["fit", garbage], "not readable"),
        "garbage info": (["info", garbage], "not readable"),
        "no model": (["certify", absent, data], "no such file"),
        "garbage model": (["certify", garbage, data], "not readable as a model"),
        "data as model": (["predict", data, data], "not readable as a model"),
        "bad l1": (["fit", data, "--l1", "much"], "l1='much'"),
        "negative l2": (["fit", data, "--l2", "-1"], "l2=-1"),
        "continuous labels": (["fit", files.regression], "continuous"),
        "wrong task": (["fit", data, "--loss", "squared", "--class-weight", "balanced"], "for regression"),
        "loss parameter": (["fit", data, "--threshold", "1"], "'threshold'"),
        "unsupported": (["fit", data, "--loss", "hinge", "--solver", "primal_cd"], "Lipschitz gradient"),
        "no folder": (["fit", absent, "--out", absent / "m.npz"], "does not exist"),
        "folder as output": (["fit", data, "--out", files.folder], "this is a folder"),
        "overwrites input": (["fit", data, "--out", data], "overwrite an input"),
        "no checkpoint folder": (["fit", data, "--checkpoint", absent / "c.npz"], "does not exist"),
        "no scores folder": (["predict", model, data, "--out", absent / "s.csv"], "does not exist"),
        "no resume": (["fit", data, "--resume", absent], "not a checkpoint"),
        "classes of reals": (
            ["fit", files.regression, "--loss", "squared", "--multi-class", "native"],
            "--multi-class native needs classes",
        ),
        "no native form": (
            ["fit", files.multiclass, "--loss", "squared_hinge", "--multi-class", "native"],
            "no form for all classes",
        ),
        "many classes": (
            ["fit", files.multiclass, "--multi-class", "one_vs_rest", "--checkpoint", model],
            "serves one problem",
        ),
        "no weights": (["fit", data, "--penalty-weights", absent], "no such file"),
        "bad weights": (["fit", data, "--penalty-weights", data], "not readable as numbers"),
        "bound file": (["fit", data, "--lower", absent], "no such file"),
        "two lower bounds": (["fit", data, "--lower", "1", "--nonnegative"], "Give one of them"),
        "empty box": (["fit", data, "--lower", "1", "--upper", "0"], "no number lies between"),
        "unknown constraint": (["fit", data, "--constraint", "l1:5"], "--constraint l1:5: the name 'l1' is"),
        "unknown penalty": (["fit", data, "--penalty", "l1_ball:5"], "the name 'l1_ball' is unknown"),
        "no radius": (["fit", data, "--constraint", "l1_ball"], "Use l1_ball:RADIUS:L1"),
        "no number": (["fit", data, "--constraint", "l1_ball:five"], "not the numbers of L1Ball"),
        "many numbers": (["fit", data, "--penalty", "group_l2:1:2"], "Use group_l2:STRENGTH"),
        "bad radius": (["fit", data, "--constraint", "l1_ball:-1"], "L1Ball cannot use radius=-1.0"),
        "two penalties": (["fit", data, "--penalty", "l1:1", "--l1", "1"], "together with l1=1.0"),
        "groups of nothing": (["fit", data, "--groups", absent], "not readable as labels"),
        "groups alone": (["fit", data, "--groups", data], "neither a penalty nor a constraint of groups"),
        "few groups": (["fit", data, "--penalty", "group_l2:1", "--groups", data], "group labels with 5"),
        "svmlight target": (["fit", data, "--target", "y"], "one target"),
        "bad tolerance": (["fit", data, "--tol", "-1"], "-1"),
    }


CASES = """
no data
folder as data
garbage data
garbage info
no model
garbage model
data as model
bad l1
negative l2
continuous labels
wrong task
loss parameter
unsupported
no folder
folder as output
overwrites input
no checkpoint folder
no scores folder
no resume
classes of reals
no native form
many classes
no weights
bad weights
bound file
two lower bounds
empty box
unknown constraint
unknown penalty
no radius
no number
many numbers
bad radius
two penalties
groups of nothing
groups alone
few groups
svmlight target
bad tolerance
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_an_error_is_one_line_and_code_2(run, files, case):
    arguments, message = errors(files)[case]
    done = run(*arguments)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    "arguments", [["fit"], ["fit", "x", "--loss", "none"], ["unknown"], ["fit", "x", "--tol", "a"]]
)
def test_a_usage_error_is_code_2(run, arguments):
    assert run(*arguments).code == 2


def test_a_file_without_targets_is_an_error(run, files):
    data = files.folder / "bare.npz"
    np.savez(data, X=files.X)
    done = run("fit", data)
    assert done.code == 2
    assert "there are no targets" in done.err
    assert run("info", data, "--json").json["target"] == "none"


def test_values_that_are_not_finite_are_an_error(run, files):
    data = files.folder / "nan.npz"
    np.savez(data, X=np.where(files.X > 2, np.nan, files.X), y=files.labels)
    done = run("fit", data)
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_info(run, files):
    done = run("info", files.binary)
    assert done.code == 0
    assert "binary" in done.out
    content = run("info", files.binary, "--json").json
    assert content["command"] == "info"
    assert (content["n"], content["d"]) == (60, 5)
    assert sum(content["class_counts"].values()) == 60


def test_demo(run):
    done = run("demo")
    assert done.code == 0
    assert done.out.count("holds") == 2
    assert "fenchel certify" in done.out


def test_version(run):
    assert run("--version").out == f"fenchel {version('fenchel')} ({used_level()} kernels)\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_documents_every_option(run, command):
    import typer

    from fenchel.cli.app import app

    assert run(command, "--help").code == 0
    parameters = typer.main.get_command(app).commands[command].params
    assert all(parameter.help for parameter in parameters if parameter.name != "help")


def test_the_names_of_the_registries_are_on_the_command_line():
    from fenchel.cli.choices import LossName, SolverName
    from fenchel.losses.registry import LOSSES
    from fenchel.solvers.registry import SOLVERS

    # A file has one target a row, and a fit has finite values.
    single = {
        name
        for name, loss in LOSSES.items()
        if (loss.task != "regression" or not loss.vector_output) and not loss.indicator
    }
    assert {item.value for item in LossName} == single
    assert {item.value for item in SolverName} == {"auto", *SOLVERS}


def test_processes(files):
    model = files.folder / "model.npz"
    fitted = program("fit", files.binary, "--l1", "0.01", "--out", model)
    assert (fitted.returncode, fitted.stderr) == (0, "")
    assert program("certify", model, files.binary).returncode == 0
    failed = program("certify", model, files.multiclass)
    assert failed.returncode == 2
    assert failed.stderr.startswith("error: ")
    assert "Traceback" not in failed.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_ctrl_c_in_a_process(tmp_path, rng):
    # Columns of very different scales: this solver cannot be done before the signal comes.
    data, model = tmp_path / "scales.npz", tmp_path / "model.npz"
    X = rng.standard_normal((200, 20)) * np.logspace(0, 5, 20)
    np.savez(data, X=X, y=np.where(rng.random(200) < 0.5, 1.0, -1.0))
    command = [sys.executable, "-c", "from fenchel.cli.app import main; main()", "fit", data]
    options = [
        "--l1",
        "1e-5",
        "--tol",
        "0",
        "--max-passes",
        "1e12",
        "--verbose",
        "--solver",
        "proximal_gradient",
    ]
    process = subprocess.Popen(
        [*map(str, command), *options, "--out", str(model)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # What a shell starts in the background ignores the signal, and its children with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("pass ")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert load_model(model).status == "INTERRUPTED"


@pytest.mark.skipif(not A9A.exists(), reason="the a9a dataset is not in ../shared/data")
def test_a9a(run, tmp_path):
    model = tmp_path / "model.npz"
    options = ["--l1", "0.05max", "--max-passes", "30", "--time-limit", "10"]
    content = run("fit", A9A, *options, "--out", model, "--json").json
    assert (content["n_samples"], content["n_features"]) == (32561, 123)
    assert run("certify", model, A9A).code == 0
    test_split = A9A.with_name("a9a.t.svm.bz2")
    done = run("predict", model, test_split)
    assert done.code == 0
    assert done.out.count("\n") == 16282
