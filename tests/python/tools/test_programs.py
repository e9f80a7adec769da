"""Usual programs, written once for both libraries: PyTorch's losses, in flat memory."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# PyTorch's losses of the first, the fifth and the twelfth step.
LOSSES = {
    "diffusion": (0.716410, 0.460146, 0.305387),
    "fourier": (0.091197, 0.041842, 0.020107),
    "graph": (1.593921, 1.247921, 1.026276),
    "mlp": (1.173757, 0.932942, 0.715578),
    "seq2seq": (2.692503, 2.622509, 2.398579),
    "transformer": (3.234506, 2.939715, 3.032559),
    "unet": (1.206122, 0.436644, 0.104318),
    "vae": (50.904613, 46.495056, 42.825962),
    "words": (4.198807, 3.804850, 3.166685),
}


def step_of(lib: Any, name: str) -> Any:
    lib.manual_seed(0)
    return import_module(f"tests.programs.{name}").build(lib)


@pytest.mark.parametrize("name", LOSSES)
def test_a_program_has_the_losses_of_pytorch_in_flat_memory(name):
    step, losses, live = step_of(gb, name), [], []

    for number in range(12):
        losses.append(step(number))
        live.append(gb.memory.live())

    assert [losses[0], losses[4], losses[11]] == pytest.approx(LOSSES[name], rel=1e-3)
    assert len(set(live[2:])) == 1


@pytest.mark.parametrize("name", LOSSES)
def test_a_step_in_a_scope_leaves_nothing(name):
    step = step_of(gb, name)
    for number in range(2):
        step(number)

    with gb.leaks.no_leaks(), gb.dispose_scope("step"):
        step(2)


@pytest.mark.parametrize("name", LOSSES)
def test_pytorch_agrees_where_it_is_installed(name):
    torch = pytest.importorskip("torch")
    ours, theirs = step_of(gb, name), step_of(torch, name)

    for number in range(12):
        assert ours(number) == pytest.approx(theirs(number), rel=1e-3)
