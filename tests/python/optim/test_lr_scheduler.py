"""Schedules of learning rates beside stored ones of PyTorch's, saved, loaded and misused."""

from __future__ import annotations

import math
import warnings

import garboard as gb
import pytest
from garboard import nn, optim
from garboard.optim import lr_scheduler as schedules

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def sgd(**options: float) -> optim.Optimizer:
    return optim.SGD([nn.Parameter(gb.ones(1))], **{"lr": 0.1, "momentum": 0.9, **options})


def rates(of: optim.Optimizer, schedule: schedules.LRScheduler, count: int) -> list[float]:
    found = []
    for _ in range(count):
        found.append(of.param_groups[0]["lr"])
        assert schedule.get_last_lr() == [of.param_groups[0]["lr"]]
        of.step()
        schedule.step()
    return found


# PyTorch 2.15 with lr=0.1, over nine steps.
RATES = [
    (
        lambda of: schedules.LambdaLR(of, lambda epoch: 0.9**epoch / (1 + epoch)),
        [
            0.10000000,
            0.04500000,
            0.02700000,
            0.01822500,
            0.01312200,
            0.00984150,
            0.00759201,
            0.00597871,
            0.00478297,
        ],
    ),
    (
        lambda of: schedules.MultiplicativeLR(of, lambda epoch: 1 - epoch / 20),
        [
            0.10000000,
            0.09500000,
            0.08550000,
            0.07267500,
            0.05814000,
            0.04360500,
            0.03052350,
            0.01984028,
            0.01190416,
        ],
    ),
    (
        lambda of: schedules.StepLR(of, 3, 0.5),
        [
            0.10000000,
            0.10000000,
            0.10000000,
            0.05000000,
            0.05000000,
            0.05000000,
            0.02500000,
            0.02500000,
            0.02500000,
        ],
    ),
    (
        lambda of: schedules.MultiStepLR(of, [2, 5, 5], 0.3),
        [
            0.10000000,
            0.10000000,
            0.03000000,
            0.03000000,
            0.03000000,
            0.00270000,
            0.00270000,
            0.00270000,
            0.00270000,
        ],
    ),
    (
        lambda of: schedules.ConstantLR(of, 0.3, 4),
        [
            0.03000000,
            0.03000000,
            0.03000000,
            0.03000000,
            0.10000000,
            0.10000000,
            0.10000000,
            0.10000000,
            0.10000000,
        ],
    ),
    (
        lambda of: schedules.LinearLR(of, 0.1, 0.7, 6),
        [
            0.01000000,
            0.02000000,
            0.03000000,
            0.04000000,
            0.05000000,
            0.06000000,
            0.07000000,
            0.07000000,
            0.07000000,
        ],
    ),
    (
        lambda of: schedules.ExponentialLR(of, 0.9),
        [
            0.10000000,
            0.09000000,
            0.08100000,
            0.07290000,
            0.06561000,
            0.05904900,
            0.05314410,
            0.04782969,
            0.04304672,
        ],
    ),
    (
        lambda of: schedules.PolynomialLR(of, 6, 2.0),
        [
            0.10000000,
            0.06944444,
            0.04444444,
            0.02500000,
            0.01111111,
            0.00277778,
            0.00000000,
            0.00000000,
            0.00000000,
        ],
    ),
    (
        lambda of: schedules.CosineAnnealingLR(of, 4, 0.01),
        [
            0.10000000,
            0.08681981,
            0.05500000,
            0.02318019,
            0.01000000,
            0.02318019,
            0.05500000,
            0.08681981,
            0.10000000,
        ],
    ),
    (
        lambda of: schedules.CosineAnnealingWarmRestarts(of, 2, 2, 0.01),
        [
            0.10000000,
            0.05500000,
            0.10000000,
            0.08681981,
            0.05500000,
            0.02318019,
            0.10000000,
            0.09657458,
            0.08681981,
        ],
    ),
    (
        lambda of: schedules.CyclicLR(of, 0.01, 0.1, 3, 2, mode="triangular2"),
        [
            0.01000000,
            0.04000000,
            0.07000000,
            0.10000000,
            0.05500000,
            0.01000000,
            0.02500000,
            0.04000000,
            0.05500000,
        ],
    ),
    (
        lambda of: schedules.CyclicLR(of, 0.01, 0.1, 3, mode="exp_range", gamma=0.9),
        [
            0.01000000,
            0.03700000,
            0.05860000,
            0.07561000,
            0.04936600,
            0.02771470,
            0.01000000,
            0.02434891,
            0.03582803,
        ],
    ),
    (
        lambda of: schedules.OneCycleLR(of, 0.5, total_steps=10),
        [
            0.02000000,
            0.26000000,
            0.50000000,
            0.47524232,
            0.40587283,
            0.30563101,
            0.19437099,
            0.09412917,
            0.02475968,
        ],
    ),
    (
        lambda of: schedules.OneCycleLR(
            of, 0.5, epochs=2, steps_per_epoch=5, three_phase=True, anneal_strategy="linear"
        ),
        [
            0.02000000,
            0.26000000,
            0.50000000,
            0.26000000,
            0.02000000,
            0.01600040,
            0.01200080,
            0.00800120,
            0.00400160,
        ],
    ),
    (
        lambda of: schedules.SequentialLR(
            of, [schedules.LinearLR(of, 0.1, 1.0, 3), schedules.CosineAnnealingLR(of, 6)], [3]
        ),
        [
            0.01000000,
            0.04000000,
            0.07000000,
            0.10000000,
            0.09330127,
            0.07500000,
            0.05000000,
            0.02500000,
            0.00669873,
        ],
    ),
    (
        lambda of: schedules.ChainedScheduler(
            [schedules.ConstantLR(of, 0.1, 4), schedules.ExponentialLR(of, 0.9)]
        ),
        [
            0.01000000,
            0.00900000,
            0.00810000,
            0.00729000,
            0.06561000,
            0.05904900,
            0.05314410,
            0.04782969,
            0.04304672,
        ],
    ),
]


@pytest.mark.parametrize(("make", "expected"), RATES)
class TestEverySchedule:
    def test_gives_pytorchs_rates_and_goes_on_where_it_was_saved(self, make, expected):
        first, second = sgd(), sgd()
        before, after = make(first), make(second)

        found = rates(first, before, 4)
        after.load_state_dict(before.state_dict())
        second.load_state_dict(first.state_dict())
        found += rates(second, after, 5)

        assert found == pytest.approx(expected, abs=1e-8)

    def test_refuses_to_go_on_with_an_optimizer_that_has_ended(self, make, expected):
        optimizer = sgd()
        schedule = make(optimizer)
        optimizer.dispose()

        with pytest.raises(gb.DisposedError, match=r"step: its optimizer is disposed; make both"):
            schedule.step()


def test_a_cycle_of_momentum_goes_the_other_way():
    for optimizer in (sgd(), optim.Adam([nn.Parameter(gb.ones(1))])):
        schedules.CyclicLR(optimizer, 0.1, 0.2, 2, base_momentum=0.5, max_momentum=0.75).step(1)
        group = optimizer.param_groups[0]
        assert group.get("momentum", group.get("betas", [0])[0]) == pytest.approx(0.625)


def test_groups_have_rates_of_their_own():
    a, b = nn.Parameter(gb.ones(1)), nn.Parameter(gb.ones(1))
    optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1)

    schedule = schedules.LambdaLR(optimizer, [lambda epoch: 2.0, lambda epoch: 0.5])

    assert schedule.get_last_lr() == [0.2, 0.25]


def test_a_factor_that_is_an_object_is_saved_with_its_attributes():
    class Factor:
        scale = 1.0

        def __call__(self, epoch: int) -> float:
            return self.scale

    first, second = Factor(), Factor()
    first.scale = 3.0
    saved = schedules.LambdaLR(sgd(), first).state_dict()

    schedules.LambdaLR(sgd(), second).load_state_dict(saved)

    assert second.scale == 3.0


def test_some_go_to_an_epoch():
    optimizer = sgd()
    schedule = schedules.StepLR(optimizer, 2, 0.5)

    schedule.step(5)

    assert schedule.get_last_lr() == [0.025]


# PyTorch 2.15 where three steps are seen and the rate is 0.05: the rate now, and after a step.
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda of, at: schedules.LambdaLR(of, lambda k: 0.9**k, at), [0.0729, 0.06561]),
        (lambda of, at: schedules.MultiplicativeLR(of, lambda k: k / 10, at), [0.05, 0.02]),
        (lambda of, at: schedules.StepLR(of, 2, 0.5, at), [0.05, 0.025]),
        (lambda of, at: schedules.MultiStepLR(of, [4], 0.5, at), [0.05, 0.025]),
        (lambda of, at: schedules.ConstantLR(of, 0.5, 4, at), [0.05, 0.1]),
        (lambda of, at: schedules.LinearLR(of, 0.5, 1.0, 9, at), [0.05, 0.0541666667]),
        (lambda of, at: schedules.ExponentialLR(of, 0.9, at), [0.05, 0.045]),
        (lambda of, at: schedules.PolynomialLR(of, 9, 1.0, at), [0.05, 0.0416666667]),
        (lambda of, at: schedules.CosineAnnealingLR(of, 9, 0.0, at), [0.05, 0.0391216059]),
        (
            lambda of, at: schedules.CosineAnnealingWarmRestarts(of, 2, 2, 0.0, at),
            [0.0853553391, 0.05],
        ),
    ],
)
def test_one_that_goes_on_leaves_the_rate_that_was_reached(make, expected):
    optimizer = sgd()
    optimizer.param_groups[0].update(initial_lr=0.1, lr=0.05)

    schedule = make(optimizer, 2)

    assert schedule.last_epoch == 3
    assert rates(optimizer, schedule, 2) == pytest.approx(expected)


def test_a_product_that_begins_later_multiplies_at_its_first_epoch_too():
    optimizer = sgd()
    schedule = schedules.SequentialLR(
        optimizer,
        [
            schedules.StepLR(optimizer, 9),
            schedules.MultiplicativeLR(optimizer, lambda epoch: 0.5),
        ],
        [1],
    )

    assert rates(optimizer, schedule, 3) == pytest.approx([0.1, 0.05, 0.025])


def test_chains_nest():
    optimizer = sgd()
    chained = schedules.ChainedScheduler([schedules.ExponentialLR(optimizer, 0.5)])
    schedule = schedules.SequentialLR(
        optimizer, [schedules.ConstantLR(optimizer, 0.5, 9), chained], [2]
    )

    assert rates(optimizer, schedule, 4) == pytest.approx([0.05, 0.05, 0.1, 0.05])


@pytest.mark.parametrize(
    ("options", "metrics", "expected"),
    [
        ({"patience": 1}, [1.0, 1.0, 1.0, 0.5, 0.5], [0.1, 0.1, 0.01, 0.01, 0.01]),
        ({"patience": 0, "mode": "max"}, [1.0, 2.0, 2.0], [0.1, 0.1, 0.01]),
        ({"patience": 0, "min_lr": 0.05}, [1.0, 1.0, 1.0], [0.1, 0.05, 0.05]),
        ({"patience": 0, "cooldown": 1}, [1.0, 1.0, 1.0, 1.0], [0.1, 0.01, 0.01, 0.001]),
        ({"patience": 0, "threshold": 0.5, "threshold_mode": "abs"}, [1.0, 0.6], [0.1, 0.01]),
        ({"patience": 0}, [math.nan, 1.0], [0.01, 0.01]),
    ],
)
def test_a_plateau_lowers_the_rate(options, metrics, expected):
    optimizer = sgd()
    schedule = schedules.ReduceLROnPlateau(optimizer, **options)
    found = []

    for metric in metrics:
        saved = schedule.state_dict()
        schedule = schedules.ReduceLROnPlateau(optimizer, **options)
        schedule.load_state_dict(saved)
        schedule.step(gb.tensor(metric))
        found += schedule.get_last_lr()

    assert found == pytest.approx(expected)


def test_calling_it_before_the_optimizer_warns_once():
    schedule = schedules.ExponentialLR(sgd(), 0.9)

    with pytest.warns(UserWarning, match="ExponentialLR.step: called before the optimizer's first"):
        schedule.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule.step()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda of: schedules.StepLR(3, 2), TypeError, "StepLR: optimizer is of type int; a Opt"),
        (lambda of: schedules.StepLR(of, 0), ValueError, "StepLR: step_size 0; 1 or more"),
        (lambda of: schedules.StepLR(of, 2, "a"), TypeError, "StepLR: gamma is of type str"),
        (lambda of: schedules.LambdaLR(of, 3), TypeError, r"LambdaLR: lr_lambda\[0\] is of type"),
        (lambda of: schedules.LambdaLR(of, [abs, abs]), ValueError, "2 functions; 1 are needed"),
        (lambda of: schedules.MultiStepLR(of, 3), TypeError, "MultiStepLR: milestones is of type"),
        (lambda of: schedules.LinearLR(of, 0), ValueError, "LinearLR: start_factor 0; a positive"),
        (lambda of: schedules.LinearLR(of, 2), ValueError, "LinearLR: start_factor 2; it must lie"),
        (lambda of: schedules.PolynomialLR(of, -1), ValueError, "total_iters -1; 0 or more"),
        (lambda of: schedules.CosineAnnealingLR(of, 0), ValueError, "T_max 0; another number"),
        (
            lambda of: schedules.CosineAnnealingWarmRestarts(of, 2).step(-1),
            ValueError,
            "epoch -1; 0 or more",
        ),
        (lambda of: schedules.CyclicLR(of, 0.1, 0.2, 0), ValueError, "0.0 steps up and 0.0 down"),
        (lambda of: schedules.CyclicLR(of, [1, 2], 3), ValueError, "2 base_lr; 1 are needed"),
        (
            lambda of: schedules.CyclicLR(optim.Adagrad([nn.Parameter()]), 1, 2),
            ValueError,
            "an optimizer without momentum and betas; cycle_momentum=False is needed",
        ),
        (lambda of: schedules.OneCycleLR(of, 1), ValueError, "OneCycleLR: no number of steps"),
        (lambda of: schedules.OneCycleLR(of, 1, 2).step(9), ValueError, r"step 9 of 2; a cycle"),
        (lambda of: schedules.ExponentialLR(of, 1, 5), KeyError, "group 0 has no 'initial_lr'"),
        (lambda of: schedules.ChainedScheduler([]), ValueError, "no schedulers; at least one"),
        (
            lambda of: schedules.ChainedScheduler([schedules.ReduceLROnPlateau(of)]),
            ValueError,
            r"schedulers\[0\] asks for a metric",
        ),
        (
            lambda of: schedules.SequentialLR(of, [schedules.StepLR(sgd(), 1)], []),
            ValueError,
            r"schedulers\[0\] is of another optimizer",
        ),
        (
            lambda of: schedules.SequentialLR(of, [schedules.StepLR(of, 1)], [1]),
            ValueError,
            "1 milestones of 1 schedulers; 0 are needed",
        ),
        (lambda of: schedules.ReduceLROnPlateau(of, factor=1), ValueError, "factor 1; one below"),
        (lambda of: schedules.ReduceLROnPlateau(of, "most"), ValueError, "mode 'most'; 'min' or"),
        (lambda of: schedules.ReduceLROnPlateau(of).step("a"), TypeError, "metrics is of type str"),
        (lambda of: schedules.LRScheduler(of), NotImplementedError, r"get_lr\(\) is missing"),
        (
            lambda of: schedules.StepLR(of, 1).load_state_dict({"optimizer": of}),
            TypeError,
            r"keys \['optimizer'\] are never saved",
        ),
        (lambda of: schedules.StepLR(of, 1).load_state_dict([1]), TypeError, "a dict of a sched"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make(sgd())


def test_a_schedule_of_ones_own_may_inherit_pytorch_s_older_name():
    class Halves(schedules._LRScheduler):
        def get_lr(self):
            return [base / (1 + self.last_epoch) for base in self.base_lrs]

    of = optim.SGD([gb.nn.Parameter(gb.zeros(1))], lr=1.0)

    assert rates(of, Halves(of), 3) == [1.0, 0.5, 1 / 3]


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda of: schedules.StepLR(of, 2.0, gamma=0.5), [0.1, 0.1, 0.05, 0.05, 0.025]),
        (lambda of: schedules.StepLR(of, 1.5, gamma=0.5), [0.1, 0.1, 0.1, 0.05, 0.05]),
        (lambda of: schedules.MultiStepLR(of, [1.5, 2.0]), [0.1, 0.1, 0.01, 0.01, 0.01]),
        (lambda of: schedules.ConstantLR(of, 0.5, 1.5), [0.05, 0.05, 0.05, 0.05, 0.05]),
        (lambda of: schedules.LinearLR(of, 0.5, 1, 2.5), [0.05, 0.07, 0.09, 0.09, 0.09]),
        (lambda of: schedules.LinearLR(of, 0.5, 1, 0), [0.05, 0.05, 0.05, 0.05, 0.05]),
        (lambda of: schedules.PolynomialLR(of, 0), [0.1, 0.1, 0.1, 0.1, 0.1]),
        (lambda of: schedules.PolynomialLR(of, 2.5), [0.1, 0.06, 0.02, 0.02, 0.02]),
        (
            lambda of: schedules.CosineAnnealingLR(of, 3.5),
            [0.1, 0.081174, 0.038874, 0.004952, 0.004952],
        ),
        (
            lambda of: schedules.CosineAnnealingLR(of, -2),
            [0.1, 0.05, 0, 0.05, 0.1],
        ),
    ],
)
def test_epochs_need_not_be_whole_and_count_as_pytorch_counts_them(make, wanted):
    of = sgd()

    assert rates(of, make(of), 5) == pytest.approx(wanted, abs=1e-6)


def test_a_rate_of_ones_own_knows_whether_a_step_asks():
    asked = []

    class Halved(gb.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            asked.append(self._get_lr_called_within_step)
            return [base * 0.5**self.last_epoch for base in self.base_lrs]

    optimizer = gb.optim.SGD([gb.nn.Parameter(gb.ones(1))], lr=1.0)
    schedule = Halved(optimizer)
    optimizer.step()
    schedule.step()
    schedule.get_lr()

    assert asked == [True, True, False]
    assert optimizer.param_groups[0]["lr"] == 0.5


@pytest.mark.parametrize("rate", [0.1, gb.float32])
def test_a_cycle_up_to_a_tensor_keeps_the_callers_and_the_optimizers(rate):
    own = gb.tensor(0.1) if rate is gb.float32 else rate
    optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=own)
    peak = gb.tensor(0.5)

    schedule = schedules.OneCycleLR(optimizer, peak, total_steps=10, cycle_momentum=False)
    peak.fill_(7.0)
    found = []
    for _ in range(4):
        found.append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()
        schedule.step()

    assert found == pytest.approx([0.02, 0.26, 0.5, 0.47524232])
    assert not isinstance(own, gb.Tensor) or optimizer.param_groups[0]["lr"] is own


def test_rates_with_warm_restarts_are_those_of_pytorchs_formula_to_the_bit():
    optimizer = gb.optim.SGD([gb.zeros(1, requires_grad=True)], lr=0.2)
    schedule = schedules.CosineAnnealingWarmRestarts(optimizer, T_0=12, eta_min=0.01)

    for epoch in range(40):
        expected = 0.01 + (0.2 - 0.01) * (1 + math.cos(math.pi * (epoch % 12) / 12)) / 2
        assert schedule.get_last_lr() == [expected]
        optimizer.step()
        schedule.step()
