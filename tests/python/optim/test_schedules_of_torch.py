"""Schedules that go on from states that PyTorch 2.15 saved, and have the same keys in their own."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard import nn, optim
from garboard.optim import lr_scheduler as schedules
from garboard.optim import swa_utils

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# After three steps of Adam at a rate of 0.5: the schedule, its state, and what it wrote.
SHARED = {
    "last_epoch": 3,
    "_step_count": 4,
    "_is_initial": False,
    "_get_lr_called_within_step": False,
}


def phase(*values: Any) -> dict[str, Any]:
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    return dict(zip(names, values, strict=True))


STATES: list[tuple[Any, dict[str, Any], dict[str, Any], list[tuple[float, float]]]] = [
    (
        lambda of: schedules.CyclicLR(of, 0.1, 0.2, step_size_up=3),
        {
            "max_lrs": [0.2],
            "total_size": 6.0,
            "step_ratio": 0.5,
            "mode": "triangular",
            "gamma": 1.0,
            "scale_mode": "cycle",
            "cycle_momentum": True,
            "use_beta1": True,
            "base_momentums": [0.8],
            "max_momentums": [0.9],
            "base_lrs": [0.1],
            "_last_lr": [0.2],
            "_scale_fn_custom": None,
        },
        {"lr": 0.2, "betas": (0.8, 0.999), "max_momentum": 0.9, "base_momentum": 0.8},
        [(0.16666667, 0.83333333), (0.13333333, 0.86666667), (0.1, 0.9), (0.13333333, 0.86666667)],
    ),
    (
        lambda of: schedules.OneCycleLR(of, 0.1, 8, anneal_strategy="linear", three_phase=True),
        {
            "total_steps": 8,
            "_schedule_phases": [
                phase(1.4, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                phase(2.8, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                phase(7, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ],
            "_anneal_func_type": "linear",
            "cycle_momentum": True,
            "use_beta1": True,
            "base_lrs": [0.004],
            "_last_lr": [0.003809542857142857],
        },
        {"lr": 0.003809542857142857, "max_lr": 0.1, "min_lr": 4e-07, "max_momentum": 0.95},
        [(0.00285726, 0.95), (0.00190497, 0.95), (0.00095269, 0.95), (4e-07, 0.95)],
    ),
    (
        lambda of: swa_utils.SWALR(of, 0.1, 4, "linear"),
        {
            "_anneal_strategy": "linear",
            "anneal_epochs": 4,
            "base_lrs": [0.5],
            "_last_lr": [0.2],
        },
        {"lr": 0.2, "swa_lr": 0.1, "initial_lr": 0.5},
        [(0.1, 0.9), (0.1, 0.9)],
    ),
]


def adam() -> optim.Adam:
    return optim.Adam([nn.Parameter(gb.ones(1))], lr=0.5)


@pytest.mark.parametrize(("make", "state", "options", "wanted"), STATES)
def test_a_schedule_goes_on_from_a_state_of_torch(make, state, options, wanted):
    optimizer = adam()
    schedule = make(optimizer)
    optimizer.param_groups[0].update(options)

    schedule.load_state_dict({**SHARED, **state})
    found = []
    for _ in wanted:
        optimizer.step()
        schedule.step()
        group = optimizer.param_groups[0]
        found.append((group["lr"], group["betas"][0]))

    assert [it for pair in found for it in pair] == pytest.approx(
        [it for pair in wanted for it in pair], abs=1e-8
    )


@pytest.mark.parametrize(("make", "state", "options", "wanted"), STATES)
def test_a_state_is_that_of_torch(make, state, options, wanted):
    optimizer = adam()
    schedule = make(optimizer)
    for _ in range(3):
        optimizer.step()
        schedule.step()

    found = schedule.state_dict()

    assert found.keys() == {**SHARED, **state}.keys()
    for name, value in {**SHARED, **state}.items():
        assert found[name] == (pytest.approx(value) if name.endswith("lr") else value), name
    assert options.keys() <= optimizer.param_groups[0].keys()


def test_a_plateau_keeps_what_torch_keeps():
    found = schedules.ReduceLROnPlateau(adam(), "max", min_lr=0.1).state_dict()

    assert (found["default_min_lr"], found["mode_worse"]) == (0.1, -float("inf"))


def test_a_height_is_scaled_by_an_object_whose_attributes_are_kept():
    class Scale:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __call__(self, cycle: float) -> float:
            return self.factor

    def cycle(scale: Any) -> schedules.CyclicLR:
        return schedules.CyclicLR(adam(), 0.1, 0.2, scale_fn=scale, cycle_momentum=False)

    saved = cycle(Scale(0.5)).state_dict()
    scale = Scale(1.0)
    cycle(scale).load_state_dict(saved)

    assert saved["_scale_fn_custom"] == {"factor": 0.5}
    assert scale.factor == 0.5
    assert cycle(lambda it: it).state_dict()["_scale_fn_custom"] is None


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda of: schedules.StepLR(of, 2), [0.5, 0.05, 0.05]),
        (lambda of: schedules.MultiStepLR(of, [1, 2]), [0.05, 0.005, 0.005]),
        (lambda of: schedules.ExponentialLR(of, 0.9), [0.426907, 0.405, 0.345795]),
        (lambda of: schedules.LinearLR(of), [0.266667, 0.3, 0.4]),
        (lambda of: schedules.CosineAnnealingLR(of, 3), [0.25, 0.125, 0.033494]),
        (lambda of: schedules.OneCycleLR(of, 0.1, 10), [0.085941, 0.1, 0.089092]),
    ],
)
def test_a_schedule_goes_to_a_fraction_of_an_epoch(make, wanted):
    found = []
    for epoch in (1.5, 2.0, 3.5):
        optimizer = adam()
        schedule = make(optimizer)
        schedule.step(epoch)
        found.append(optimizer.param_groups[0]["lr"])
        assert schedule.last_epoch == epoch

    assert found == pytest.approx(wanted, abs=1e-6)
    with pytest.raises(TypeError, match="step: epoch is of type str; a number is needed"):
        make(adam()).step("two")
