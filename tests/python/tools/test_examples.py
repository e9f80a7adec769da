"""The examples: they learn, and leave each step's bytes as they found them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import garboard as gb
import numpy as np
import pytest

from examples import shared, small_gpt
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

NAMES = sorted(
    file.stem
    for file in Path(shared.__file__).parent.glob("*.py")
    if file.stem not in ("__init__", "shared")
)
STEPS = {"grid_dqn": 60}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_learns_in_flat_memory(name):
    module = import_module(f"examples.{name}")

    losses, live = shared.run(module.build, gb, STEPS.get(name, 12))

    assert np.isfinite(losses).all()
    if name not in ("digits_gan", "grid_dqn"):  # whose losses are no measure of what is learnt
        assert np.mean(losses[-3:]) < losses[0]
    assert len(set(live[2:])) == 1


def test_what_a_transformer_writes_does_not_depend_on_its_cache():
    model = small_gpt.network(gb)
    start = [105, 109, 112]

    found = small_gpt.written(gb, model, start, 8)

    with gb.no_grad():
        for length in range(3, 11):
            whole = model(gb.tensor([found[:length]]))
            assert found[length] == whole[0, -1].argmax().item()
