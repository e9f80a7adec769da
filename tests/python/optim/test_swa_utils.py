"""Averages of models: what they keep, how they are updated, and their statistics."""

from __future__ import annotations

import copy

import garboard as gb
import numpy as np
import pytest
from garboard.optim import swa_utils

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def model_of(weight: float) -> gb.nn.Linear:
    layer = gb.nn.Linear(1, 1, bias=False)
    gb.nn.init.constant_(layer.weight, weight)
    return layer


@pytest.mark.parametrize(
    ("options", "mean"),
    [
        ({}, 4.0),
        ({"avg_fn": swa_utils.get_swa_avg_fn()}, 4.0),
        ({"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()}, 4.0),
        ({"avg_fn": swa_utils.get_ema_avg_fn(0.5)}, 5.0),
        ({"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)}, 5.0),
        ({"avg_fn": lambda mean, now, count: mean + now * count}, 20.0),
    ],
)
def test_parameters_are_averaged(options, mean):
    averaged = swa_utils.AveragedModel(model_of(9.0), **options)

    with gb.dispose_scope():
        for value in (0.0, 4.0, 8.0):
            averaged.update_parameters(model_of(value))

    assert averaged.module.weight.item() == mean
    assert averaged.n_averaged.item() == 3
    assert averaged(gb.ones(1, 1)).item() == mean
    assert list(averaged.state_dict()) == ["n_averaged", "module.weight"]


@pytest.mark.parametrize(("use_buffers", "mean"), [(False, 8.0), (True, 4.0)])
def test_buffers_are_copied_or_averaged(use_buffers, mean):
    model = gb.nn.BatchNorm1d(1)
    averaged = swa_utils.AveragedModel(model, use_buffers=use_buffers)

    for value in (0.0, 8.0):
        model.running_mean.fill_(value)
        model.num_batches_tracked.fill_(int(value))
        averaged.update_parameters(model)

    assert averaged.module.running_mean.item() == mean
    assert averaged.module.num_batches_tracked.item() == int(mean)


def test_the_average_is_a_copy_that_can_be_saved_and_copied():
    model = model_of(1.0)
    averaged = swa_utils.AveragedModel(model, device="cpu")
    averaged.update_parameters(model)
    gb.nn.init.constant_(model.weight, 5.0)

    other = copy.deepcopy(averaged)
    other.update_parameters(model)
    averaged.load_state_dict(other.state_dict())

    assert averaged.module.weight.item() == 3.0
    assert averaged.n_averaged.item() == 2


def test_running_statistics_become_means_over_the_batches():
    model = gb.nn.Sequential(gb.nn.BatchNorm1d(2, momentum=0.3), gb.nn.Dropout(0.0)).eval()
    rows = np.random.default_rng(3).standard_normal((3, 4, 2)).astype(np.float32)
    loader = [(gb.tensor(batch), None) for batch in rows]

    swa_utils.update_bn(loader, model, "cpu")

    np.testing.assert_allclose(model[0].running_mean, rows.mean((0, 1)), rtol=1e-5)
    np.testing.assert_allclose(model[0].running_var, rows.var(1, ddof=1).mean(0), rtol=1e-5)
    assert (model[0].momentum, model.training, model[0].training) == (0.3, False, False)


@pytest.mark.parametrize(
    ("strategy", "epochs", "rates"),
    [
        ("linear", 2, [1.0, 0.6, 0.2, 0.2]),
        ("cos", 3, [1.0, 0.8, 0.4, 0.2, 0.2]),
        ("linear", 0, [0.2, 0.2]),
    ],
)
def test_rates_are_brought_to_a_constant_one(strategy, epochs, rates):
    optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=1.0)
    schedule = swa_utils.SWALR(optimizer, [0.2], epochs, strategy)

    found = [schedule.get_last_lr()[0]]
    for _ in rates[1:]:
        optimizer.step()
        schedule.step()
        found += schedule.get_last_lr()

    assert found == pytest.approx(rates)


def test_the_callers_tensor_is_not_kept():
    optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=1.0)
    given = gb.tensor(0.2)

    schedule = swa_utils.SWALR(optimizer, given, 1)
    given.fill_(7.0)
    optimizer.step()
    schedule.step()

    assert float(schedule.get_last_lr()[0]) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: swa_utils.AveragedModel(gb.ones(1)), TypeError, "a Module"),
        (
            lambda: swa_utils.AveragedModel(
                model_of(1.0),
                avg_fn=swa_utils.get_swa_avg_fn(),
                multi_avg_fn=swa_utils.get_swa_multi_avg_fn(),
            ),
            ValueError,
            "one of the two",
        ),
        (lambda: swa_utils.AveragedModel(model_of(1.0), avg_fn=3), TypeError, "a function"),
        (
            lambda: swa_utils.AveragedModel(model_of(1.0)).update_parameters(gb.nn.Linear(2, 1)),
            gb.ShapeError,
            "the same sizes",
        ),
        (lambda: swa_utils.get_ema_avg_fn(1.5), ValueError, r"\[0, 1\]"),
        (lambda: swa_utils.update_bn(3, gb.nn.BatchNorm1d(1)), TypeError, "batches"),
        (
            lambda: swa_utils.SWALR(gb.optim.SGD([gb.ones(1)]), 0.1, anneal_strategy="step"),
            ValueError,
            "'cos' or 'linear'",
        ),
        (lambda: swa_utils.SWALR(gb.optim.SGD([gb.ones(1)]), [0.1, 0.2]), ValueError, "1 are"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
