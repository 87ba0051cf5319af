"""The benchmark `recurrent`: its steps, its summary, a tiny run."""

import json
import math

import keras
import numpy as np
import pytest

from devtools.benchmarks import recurrent
from devtools.benchmarks.recurrent import Settings
from devtools.benchmarks.recurrent_steps import STEPS
from devtools.benchmarks.recurrent_steps import TorchSteps
from devtools.benchmarks.recurrent_steps import Work

BACKEND = keras.backend.backend()
MODES = recurrent.DEFAULT_MODES[BACKEND]


@pytest.fixture(scope="module")
def steps():
    return STEPS[BACKEND](cores=2, tf32=False)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("to_inputs", [False, True])
def test_a_training_step_gives_outputs_and_gradients(steps, mode, to_inputs):
    from devtools.benchmarks.recurrent_models import build

    rng = np.random.default_rng(1)
    text = rng.normal(size=(2, 4, 3)).astype(np.float32)
    upstream = rng.normal(size=(2, 4, 6)).astype(np.float32)
    model = build("conv", units=2)
    model([text], [None])
    kernel = keras.ops.convert_to_numpy(model.layer.kernel)
    work = Work(model, [steps.place(text)], [None], mode)
    work.upstream, work.to_inputs = [steps.place(upstream)], to_inputs
    outputs, gradients = steps.training(work)()
    assert kernel.shape == (2, 3, 6)
    before = np.concatenate([np.zeros((2, 1, 3)), text[:, :-1]], axis=1)
    expected = [
        before @ kernel[0] + text @ kernel[1],
        np.stack(
            [np.einsum("btm,btd->md", x, upstream) for x in (before, text)]
        ),
    ]
    if to_inputs:
        later = np.concatenate([upstream[:, 1:], np.zeros((2, 1, 6))], axis=1)
        expected.append(upstream @ kernel[1].T + later @ kernel[0].T)
    found = [steps.array(array) for array in [*outputs, *gradients]]
    assert len(found) == len(expected)
    for array, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(array, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_inference_gives_the_states_of_a_qrnn(steps, mode):
    from devtools.benchmarks.recurrent_models import build

    gates = np.random.default_rng(2).normal(size=(2, 4, 9)).astype(np.float32)
    model = build("recurrence", units=3)
    model([gates], [None])
    work = Work(model, [steps.place(gates)], [None], mode)
    (states,) = steps.inference(work)()
    z, f, o = np.split(gates, 3, axis=-1)
    cell = np.zeros((2, 3))
    for t in range(4):
        forget = 1 / (1 + np.exp(-f[:, t]))
        cell = forget * cell + (1 - forget) * np.tanh(z[:, t])
        np.testing.assert_allclose(
            steps.array(states)[:, t],
            cell / (1 + np.exp(-o[:, t])),
            rtol=1e-4,
            atol=1e-6,
        )


@pytest.mark.once
def test_pytorchs_own_lstm_takes_the_same_steps():
    torch = pytest.importorskip("torch")
    steps = TorchSteps(cores=2, tf32=False)
    model = steps.lstm(features=3, units=2)
    rng = np.random.default_rng(3)
    text = steps.place(rng.normal(size=(2, 4, 3)).astype(np.float32))
    upstream = steps.place(rng.normal(size=(2, 4, 2)).astype(np.float32))
    work = Work(model, [text], [None], "eager", [upstream])
    outputs, gradients = steps.training(work)()
    (states,) = steps.inference(work)()
    torch.testing.assert_close(outputs[0], states)
    (model([text], [None])[0] * upstream).sum().backward()
    expected = [weight.grad for weight in model.parameters()]
    torch.testing.assert_close(list(gradients), expected)


def test_variants_are_measured_at_the_size_nearest_to_the_bounds():
    assert Settings().headline() == (800, 50)
    settings = Settings(units=(16, 512), lengths=(25, 200))
    assert settings.headline() == (512, 25)
    for case in settings.cases():
        jobs = recurrent.make_jobs(settings, case, ("graph", "xla"))
        found = {job.workload for job in jobs}
        assert {"training", "inference"} <= found
        assert ("masked" in found) == ("inputs" in found) == (case == (512, 25))
        modes = {
            name: {job.mode for job in jobs if job.contender == name}
            for name in ("qrnn", "torch-lstm")
        }
        assert modes == {"qrnn": {"graph", "xla"}, "torch-lstm": {"eager"}}


def measured_by_hand():
    training = {
        "conv": {"graph": [0.1, 0.1, 0.1]},
        # XLA has the lower median.
        "qrnn": {"graph": [0.3, 0.3, 0.3], "xla": [0.1, 0.2, 0.4]},
        "lstm": {"graph": [0.5, 0.8, 2.4]},
        "qrnn-pair": {"xla": [0.2, 0.2, 0.2]},
        "ctrn": {"xla": [0.3, 0.3, 0.4]},
        "ap-bilstm": {"xla": [2.4, 2.4, 2.4]},
        "recurrence": {"xla": [0.001, 0.002, 0.003]},
    }
    inference = {
        "recurrence": {"xla": [0.001, 0.001, 0.001]},
        "copy": {"eager": [0.01, 0.02, 0.03]},
    }
    case = {
        "units": 800,
        "length": 50,
        "seconds": {"training": training, "inference": inference},
        "checks": [],
        "failures": {"training lstm xla": "ValueError: too long"},
    }
    devices = {"keras": ["cpu", "cpu"], "torch": ["cpu", "cpu"]}
    return {"backend": "tensorflow", "devices": devices, "cases": [case]}


def test_ratios_bounds_and_bandwidth_by_hand(capsys):
    settings = Settings(
        units=(800,), lengths=(50,), batch_size=10, copied_numbers=10**8
    )
    measured = measured_by_hand()
    summary = recurrent.summarise(settings, measured)
    (case,) = summary["cases"]
    qrnn = case["training"]["qrnn"]
    assert (qrnn["mode"], qrnn["seconds"]) == ("xla", 0.2)
    assert qrnn["quartiles"] == pytest.approx([0.15, 0.3])
    # 5, 4 and 6 times in the three rounds.
    assert case["training"]["lstm"]["relative"] == pytest.approx(5)
    assert case["training"]["ctrn"]["relative"] == pytest.approx(1.5)
    # 400,000 numbers in each array; 13 arrays to train, 4 to infer.
    assert case["bandwidth"] == pytest.approx(
        {
            "copy": 8e8 / 0.02,
            "training": 4 * 13 * 4e5 / 0.002,
            "training_share": 0.26,
            "inference": 4 * 4 * 4e5 / 0.001,
            "inference_share": 0.16,
        }
    )
    bounds = {
        (bound["slower"], bound["faster"]): (bound["ratio"], bound["reached"])
        for bound in summary["bounds"]
    }
    # PyTorch's LSTM was not measured, so its bound is missing.
    assert bounds == {
        ("lstm", "qrnn"): (pytest.approx(5), True),
        ("qrnn", "conv"): (pytest.approx(2), False),
        ("ctrn", "qrnn-pair"): (pytest.approx(1.5), True),
        ("ap-bilstm", "ctrn"): (pytest.approx(8), True),
        ("ap-bilstm", "qrnn-pair"): (pytest.approx(12), True),
    }
    recurrent.report(settings, measured, summary)
    printed = capsys.readouterr().out
    assert "at most 1.35     2.00  NOT reached" in printed
    assert "not measured: training lstm xla: ValueError: too long" in printed
    assert "10.4 GB/s in training (26%)" in printed


def test_a_small_run_gives_no_verdict():
    measured = measured_by_hand()
    measured["cases"][0]["units"] = 400
    summary = recurrent.summarise(
        Settings(units=(400,), lengths=(50,)), measured
    )
    assert {bound["reached"] for bound in summary["bounds"]} == {None}


def test_finished_figures_are_read_and_drawn(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    settings = {"units": [800], "lengths": [50], "modes": []}
    figures = tmp_path / "figures.json"
    figures.write_text(json.dumps({"settings": settings, **measured_by_hand()}))
    picture = tmp_path / "picture.png"
    arguments = ["--read", str(figures), "--picture", str(picture)]
    assert recurrent.main(arguments) == 0
    assert "CTRN / QRNN on both texts" in capsys.readouterr().out
    drawn = imread(picture)
    assert drawn.shape[1] == 960
    assert drawn[..., :3].std() > 0.05


def test_modes_of_another_backend_are_refused(monkeypatch, capsys):
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    with pytest.raises(SystemExit):
        recurrent.main(["--modes", "graph"])
    assert "Received: ['graph']" in capsys.readouterr().err


def check_run(tmp_path, capsys, *options):
    output = tmp_path / "result.json"
    arguments = ["--smoke", "--json", str(output), *options]
    assert recurrent.main(arguments) == 0
    assert "Bounds on the ratio" in capsys.readouterr().out
    (case,) = json.loads(output.read_text())["cases"]
    assert case["failures"] == {}
    values = {}
    for check in case["checks"]:
        if "loss" not in check:
            continue
        assert math.isfinite(check["loss"])
        # A step computes the same in every mode.
        key = check["workload"], check["contender"]
        pair = [check["loss"], check.get("gradient", 0)]
        np.testing.assert_allclose(
            pair, values.setdefault(key, pair), rtol=1e-3, atol=1e-5
        )
    return case


@pytest.mark.once
@pytest.mark.large
def test_all_contenders_train(tmp_path, capsys):
    options = ["--workloads", "training", "--modes", MODES[0]]
    case = check_run(tmp_path, capsys, *options)
    (training,) = case["seconds"].values()
    assert set(training) == set(recurrent.CONTENDERS) - {"copy"}
    for modes in training.values():
        for seconds in modes.values():
            assert len(seconds) == 2
            assert min(seconds) > 0


@pytest.mark.large
def test_all_contenders_in_all_workloads_and_modes(tmp_path, capsys):
    case = check_run(tmp_path, capsys)
    assert set(case["seconds"]) == set(recurrent.WORKLOADS)
