"""The optimizers of formulas beside stored steps of PyTorch's, and optimizers of users' own."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import nn, optim

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

START = np.array([0.5, -1.0, 2.0])
SLOPES = np.sin(np.arange(1.0, 61.0)).reshape(20, 3)

# PyTorch 2.15 after 20 steps with lr=0.1; it keeps some scalars in float32.
STEPS = [
    (
        optim.SGD,
        {"momentum": 0.9, "maximize": True, "weight_decay": 0.1},
        [0.258777361, 0.075434335, 0.244611961],
    ),
    (optim.Adam, {"amsgrad": True, "weight_decay": 0.1}, [0.186880013, -0.934175612, 1.363996010]),
    (optim.Adam, {"maximize": True}, [0.709082612, -0.829174907, 2.090220730]),
    (
        optim.Adam,
        {"decoupled_weight_decay": True, "weight_decay": 0.1},
        [0.229782409, -0.963378504, 1.561058961],
    ),
    (optim.AdamW, {"amsgrad": True, "maximize": True}, [0.695961249, -0.812093215, 2.048924825]),
    (optim.RMSprop, {}, [-0.278335860, -1.714253442, 1.510795084]),
    (
        optim.RMSprop,
        {"centered": True, "momentum": 0.9, "weight_decay": 0.1},
        [1.023708561, 0.964915274, 0.371547544],
    ),
    (
        optim.Adagrad,
        {"lr_decay": 0.1, "initial_accumulator_value": 0.2, "weight_decay": 0.1},
        [0.413701982, -1.014120871, 1.841807510],
    ),
    (optim.Adadelta, {"weight_decay": 0.1}, [0.499244152, -0.999624092, 1.998006501]),
    (optim.Adamax, {"weight_decay": 0.1}, [0.250011593, -0.974857579, 1.534553179]),
    (optim.NAdam, {}, [0.366729812, -1.111114317, 1.947965966]),
    (
        optim.NAdam,
        {"weight_decay": 0.1, "decoupled_weight_decay": True},
        [0.290095711, -0.915697016, 1.594568749],
    ),
    (optim.RAdam, {"weight_decay": 0.1}, [0.347953484, -1.065826748, 1.861973993]),
    (
        optim.RAdam,
        {"betas": (0.8, 0.9), "decoupled_weight_decay": True, "weight_decay": 0.1},
        [0.299667011, -0.928873914, 1.623766818],
    ),
    (
        optim.ASGD,
        {"t0": 10.0, "lambd": 0.1, "weight_decay": 0.1},
        [0.268620831, -0.746348544, 1.378616330],
    ),
    (optim.Adafactor, {}, [0.368278369, -1.161297102, 1.911880059]),
    (
        optim.Adafactor,
        {"weight_decay": 0.1, "d": 2.0, "eps": (1e-4, 1e-2), "beta2_decay": -0.5, "maximize": True},
        [0.534084184, -0.701171987, 1.624400614],
    ),
    (optim.Rprop, {}, [0.324804687, -1.200859375, 1.800195312]),
    (optim.Rprop, {"maximize": True}, [0.675195312, -0.799140625, 2.199804687]),
]


def run(optimizer: Any, parameter: gb.Tensor, slopes: np.ndarray = SLOPES) -> list[float]:
    for slope in slopes:
        parameter.grad = gb.tensor(slope, dtype=parameter.dtype)
        optimizer.step()
    values: list[float] = parameter.tolist()
    return values


@pytest.mark.parametrize(("make", "options", "expected"), STEPS)
def test_steps_agree_with_pytorchs_also_from_a_saved_state(make, options, expected):
    parameter = nn.Parameter(gb.tensor(START))
    first = make([parameter], lr=0.1, **options)
    second = make([parameter], lr=9.0)

    run(first, parameter, SLOPES[:7])
    second.load_state_dict(first.state_dict())
    first.dispose()
    with gb.dispose_scope():
        values = run(second, parameter, SLOPES[7:])

    np.testing.assert_allclose(values, expected, atol=2e-8)
    assert not any(it.is_disposed for it in parameter_state(second, parameter))


MATRIX = np.cos(np.arange(12.0)).reshape(3, 4)
MATRIX_SLOPES = np.sin(np.arange(1.0, 241.0)).reshape(20, 3, 4)

# PyTorch 2.15 after 20 steps with lr=0.1 from MATRIX: the first row.
STEPS_OF_MATRICES = [
    (optim.Adafactor, {}, [1.180643232, 0.707611227, -0.405791852, -1.154125128]),
    (optim.Muon, {}, [0.945268646, 0.289766544, -0.730404173, -1.068955118]),
    (
        optim.Muon,
        {"nesterov": False, "momentum": 0.5},
        [0.928273661, 0.428962926, -0.484097128, -0.939899670],
    ),
    (
        optim.Muon,
        {"adjust_lr_fn": "match_rms_adamw"},
        [0.868851621, 0.381056820, -0.496383300, -0.913415086],
    ),
    (optim.Muon, {"ns_steps": 3}, [0.997427821, 0.267057732, -0.716927634, -1.041584166]),
]


@pytest.mark.parametrize(("make", "options", "expected"), STEPS_OF_MATRICES)
def test_steps_of_matrices_agree_with_pytorchs_also_from_a_saved_state(make, options, expected):
    parameter = nn.Parameter(gb.tensor(MATRIX))
    first = make([parameter], lr=0.1, **options)
    second = make([parameter], lr=9.0)

    run(first, parameter, MATRIX_SLOPES[:7])
    second.load_state_dict(first.state_dict())
    first.dispose()
    with gb.dispose_scope():
        values = run(second, parameter, MATRIX_SLOPES[7:])

    np.testing.assert_allclose(values[0], expected, atol=2e-8)


def test_the_factors_of_a_stack_of_matrices_are_a_column_and_a_row_each():
    start = MATRIX.reshape(3, 2, 2)
    parameter = nn.Parameter(gb.tensor(start))
    optimizer = optim.Adafactor([parameter], lr=0.1)

    values = run(optimizer, parameter, MATRIX_SLOPES.reshape(20, 3, 2, 2))

    state = optimizer.state[parameter]
    assert (state["row_var"].shape, state["col_var"].shape) == ((3, 2, 1), (3, 1, 2))
    expected = [[1.177455023, 0.767181903], [-0.428509581, -1.134343935]]
    np.testing.assert_allclose(values[0], expected, atol=2e-8)


def test_factors_of_other_sizes_are_refused_with_what_is_needed():
    parameter = nn.Parameter(gb.tensor(MATRIX))
    optimizer = optim.Adafactor([parameter])
    run(optimizer, parameter, MATRIX_SLOPES[:1])
    saved = optimizer.state_dict()
    saved["state"][0]["row_var"] = gb.ones(4, 1)

    with pytest.raises(gb.ShapeError, match=r"row_var has sizes \[4, 1\]; .* \[3, 1\] are needed"):
        optimizer.load_state_dict(saved)


def parameter_state(optimizer: optim.Optimizer, parameter: gb.Tensor) -> list[gb.Tensor]:
    return [it for it in optimizer.state[parameter].values() if isinstance(it, gb.Tensor)]


@pytest.mark.parametrize("make", [optim.RMSprop, optim.Adadelta, optim.Adamax, optim.Rprop])
def test_a_formulas_state_ends_with_the_optimizer_and_leaves_no_byte(make):
    parameter = nn.Parameter(gb.ones(1000))
    parameter.grad = gb.ones(1000)
    before = gb.memory.live()

    with make([parameter]) as optimizer, gb.dispose_scope():
        optimizer.step()
        kept = gb.memory.live().bytes

    assert kept > before.bytes
    assert gb.memory.live() == before
    with pytest.raises(gb.DisposedError, match=r"step: a disposed optimizer"):
        optimizer.step()


@pytest.mark.parametrize(
    ("make", "options", "error", "message"),
    [
        (optim.RMSprop, {"alpha": -1}, ValueError, "RMSprop: alpha -1; it must not be negative"),
        (optim.RMSprop, {"centered": "yes"}, TypeError, "RMSprop: centered is of type str; True"),
        (optim.Adagrad, {"lr": float("nan")}, ValueError, "Adagrad: lr nan"),
        (optim.Adadelta, {"rho": 2}, ValueError, "Adadelta: rho 2; it must lie in"),
        (optim.NAdam, {"betas": (1.0, 0.9)}, ValueError, r"NAdam: betas\[0\] 1.0"),
        (optim.RAdam, {"maximize": 3}, TypeError, "RAdam: maximize is of type int; True or"),
        (optim.ASGD, {"t0": "a"}, TypeError, "ASGD: t0 is of type str; a number"),
        (optim.Rprop, {"etas": (1.5, 1.2)}, ValueError, "Rprop: etas out of order"),
        (optim.Rprop, {"step_sizes": 3}, ValueError, "Rprop: step_sizes 3; two numbers"),
        (optim.Adam, {"amsgrad": None}, TypeError, "Adam: amsgrad is of type NoneType"),
        (optim.SGD, {"differentiable": True}, NotImplementedError, "SGD: differentiable=True is"),
        (optim.Adamax, {"capturable": True}, NotImplementedError, "the host counts its steps"),
        (
            optim.Adafactor,
            {"beta2_decay": 0.5},
            ValueError,
            "Adafactor: beta2_decay 0.5; 0 or less",
        ),
        (optim.Adafactor, {"d": 0.5}, ValueError, "Adafactor: d 0.5; 1 or more"),
        (optim.Adafactor, {"eps": 1e-3}, ValueError, "Adafactor: eps 0.001; two numbers"),
        (optim.Adafactor, {"eps": (-1, 0)}, ValueError, r"Adafactor: eps\[0\] -1"),
        (optim.Muon, {"ns_coefficients": 3}, ValueError, "Muon: ns_coefficients 3; three numbers"),
        (optim.Muon, {"ns_steps": 100}, ValueError, "Muon: ns_steps 100; fewer than 100"),
        (optim.Muon, {"adjust_lr_fn": "x"}, ValueError, "Muon: adjust_lr_fn 'x'; 'original', "),
        (optim.Muon, {}, gb.ShapeError, r"Muon: a parameter of sizes \[1\]; matrices are needed"),
    ],
)
def test_an_option_that_does_not_fit_is_refused_by_name(make, options, error, message):
    with pytest.raises(error, match=message):
        make([nn.Parameter(gb.ones(1))], **options)


@pytest.mark.parametrize("make", [optim.SGD, optim.Adam, optim.RMSprop])
def test_what_makes_only_pytorch_faster_is_taken(make):
    x = nn.Parameter(gb.ones(1))

    make([x], foreach=True)
    if make is not optim.RMSprop:
        make([x], fused=True)


OPTIONS = {
    optim.SGD: "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused",
    optim.Adam: "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable "
    "fused decoupled_weight_decay",
    optim.AdamW: "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable "
    "fused decoupled_weight_decay",
    optim.Adagrad: "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize "
    "differentiable fused",
    optim.Adadelta: "lr rho eps weight_decay maximize capturable foreach differentiable",
    optim.Adamax: "lr betas eps weight_decay foreach maximize differentiable capturable",
    optim.NAdam: "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach "
    "capturable differentiable",
    optim.RAdam: "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay "
    "differentiable",
    optim.RMSprop: "lr momentum alpha eps centered weight_decay capturable foreach maximize "
    "differentiable",
    optim.Rprop: "lr etas step_sizes foreach maximize differentiable capturable",
    optim.LBFGS: "lr max_iter max_eval tolerance_grad tolerance_change history_size line_search_fn "
    "maximize",
    optim.ASGD: "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable",
    optim.Adafactor: "lr beta2_decay eps d weight_decay foreach maximize",
    optim.SparseAdam: "lr betas eps maximize",
    optim.Muon: "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn",
}


class TestOptions:
    @pytest.mark.parametrize("make", OPTIONS)
    def test_have_the_options_that_pytorchs_have(self, make):
        optimizer = make([nn.Parameter(gb.ones(1, 1))], lr=0.5)

        (group,) = optimizer.param_groups
        (saved,) = optimizer.state_dict()["param_groups"]

        assert set(group) == set(saved) == {"params", *OPTIONS[make].split()}
        assert optimizer.defaults == {name: group[name] for name in OPTIONS[make].split()}

    def test_keep_what_makes_only_pytorch_faster(self):
        x = nn.Parameter(gb.ones(1))

        optimizer = optim.AdamW([{"params": [x], "fused": True}], foreach=False)

        assert optimizer.param_groups[0]["fused"] is True
        assert optimizer.param_groups[0]["foreach"] is False

    @pytest.mark.parametrize("make", [optim.SGD, optim.Adam, optim.RMSprop])
    def test_ask_for_no_mode_that_is_not_there(self, make):
        x = nn.Parameter(gb.ones(1))
        optimizer = make([x], lr=0.1)
        saved = optimizer.state_dict()
        saved["param_groups"][0]["differentiable"] = True

        with pytest.raises(NotImplementedError, match="differentiable=True is not in garboard"):
            make([{"params": [x], "differentiable": True}], lr=0.1)
        with pytest.raises(NotImplementedError, match="write the step with ops"):
            optimizer.load_state_dict(saved)
        assert optimizer.param_groups[0]["differentiable"] is False


class Momentum(optim.Optimizer):
    """As a user of PyTorch writes one."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @gb.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with gb.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["velocity"] = gb.zeros_like(p)
                    state["past"] = []
                state["step"] += 1
                state["velocity"].mul_(0.9).add_(p.grad)
                state["past"].append(p.grad.clone())
                p.add_(state["velocity"], alpha=-group["lr"])
        return loss


class Averaged(optim.Optimizer):
    """As users of PyTorch wrap one: without the base's `__init__`, with a state of their own."""

    def __init__(self, optimizer):
        self.optimizer, self.param_groups = optimizer, optimizer.param_groups
        self.state = defaultdict(dict)

    def step(self, closure=None):
        loss = self.optimizer.step(closure)
        for p in self.param_groups[0]["params"]:
            slow = self.state[p].setdefault("slow", p.detach().clone())
            slow.add_((p.detach() - slow) * 0.5)
            p.data.copy_(slow)
        return loss


class TestAnOptimizerOfAUsersOwn:
    def test_may_have_a_state_of_its_own(self):
        x = nn.Parameter(gb.tensor([4.0]))
        optimizer = Averaged(optim.SGD([x], lr=1.0))

        with gb.dispose_scope():
            for _ in range(2):
                optimizer.zero_grad()
                x.sum().backward()
                optimizer.step()

        assert optimizer.state[x]["slow"].tolist() == x.tolist() == [2.5]
        optimizer.dispose()
        assert not optimizer.state

    def test_steps_and_keeps_its_state_out_of_scopes(self):
        x = nn.Parameter(gb.tensor([1.0]))
        optimizer = Momentum([x])

        for _ in range(2):
            with gb.dispose_scope():
                optimizer.zero_grad()
                (x * x).sum().backward()
                optimizer.step()

        assert x.item() == pytest.approx(0.8 - 0.1 * (0.9 * 2 + 1.6))
        assert optimizer.state[x]["velocity"].item() == pytest.approx(3.4)
        assert [past.item() for past in optimizer.state[x]["past"]] == pytest.approx([2, 1.6])

    def test_saves_and_loads_its_state_in_pytorchs_form(self):
        x, y = nn.Parameter(gb.tensor([1.0])), nn.Parameter(gb.tensor([1.0]))
        first, second = Momentum([x]), Momentum([y], lr=9.0)
        x.grad, y.grad = gb.ones(1), gb.ones(1)
        first.step()
        saved = first.state_dict()

        second.load_state_dict(saved)
        first.dispose()
        second.step()

        assert saved["state"][0]["step"] == 1
        assert saved["param_groups"] == [{"params": [0], "lr": 0.1}]
        assert second.state[y]["velocity"].item() == pytest.approx(1.9)
        assert len(second.state[y]["past"]) == 2

    def test_ends_with_its_state(self):
        x = nn.Parameter(gb.ones(3))
        x.grad = gb.ones(3)
        optimizer = Momentum([x])
        optimizer.step()
        velocity, (past,) = optimizer.state[x]["velocity"], optimizer.state[x]["past"]

        optimizer.dispose()

        assert velocity.is_disposed
        assert past.is_disposed

    def test_trains_on_after_a_parameter_was_pruned_from_its_state(self):
        x = nn.Parameter(gb.ones(3))
        x.grad = gb.ones(3)
        optimizer = Momentum([x])
        optimizer.step()

        del optimizer.state[x]
        optimizer.step()

        assert optimizer.state[x]["step"] == 1

    def test_refuses_parameters_that_have_ended(self):
        with gb.dispose_scope():
            x = nn.Parameter(gb.ones(3))
            optimizer = Momentum([x])

        with pytest.raises(gb.DisposedError, match=r"Momentum.step: parameters \[0\] of a group"):
            optimizer.step()

    def test_says_what_it_must_define(self):
        optimizer = optim.Optimizer([nn.Parameter(gb.ones(1))], {})

        with pytest.raises(NotImplementedError, match=r"Optimizer: step\(\) is missing"):
            optimizer.step()


class TestHooks:
    @pytest.mark.parametrize("make", [optim.SGD, optim.RMSprop, Momentum])
    def test_they_surround_every_step_once(self, make):
        class Inner(make):
            def step(self, closure=None):
                said.append("inner")
                return super().step(closure)

        said: list[str] = []
        x = nn.Parameter(gb.ones(1))
        optimizer = Inner([x], lr=0.1)
        before = optimizer.register_step_pre_hook(lambda *given: said.append("before"))
        optimizer.register_step_post_hook(lambda of, args, kwargs: said.append("after"))

        optimizer.step()
        before.remove()
        optimizer.step()

        assert said == ["before", "inner", "after", "inner", "after"]

    def test_those_around_state_dicts_change_what_is_saved_and_loaded(self):
        said, optimizer = [], optim.Adam([nn.Parameter(gb.ones(1))], lr=0.1)
        optimizer.register_state_dict_pre_hook(lambda of: said.append("save"))
        optimizer.register_state_dict_post_hook(lambda of, state: {"saved": state})
        optimizer.register_state_dict_post_hook(lambda of, state: state.update(at=3), prepend=True)
        optimizer.register_load_state_dict_pre_hook(lambda of, state: state.pop("saved"))
        last = optimizer.register_load_state_dict_post_hook(lambda of: said.append("loaded"))

        saved = optimizer.state_dict()
        optimizer.param_groups[0]["lr"] = 0.5
        optimizer.load_state_dict(saved)
        last.remove()
        optimizer.load_state_dict(saved)

        assert said == ["save", "loaded"]
        assert saved["saved"]["at"] == 3
        assert optimizer.param_groups[0]["lr"] == 0.1

    def test_one_that_cannot_be_called_is_refused(self):
        optimizer = optim.SGD([nn.Parameter(gb.ones(1))])

        with pytest.raises(TypeError, match=r"SGD\.register_state_dict_post_hook: hook"):
            optimizer.register_state_dict_post_hook(None)

    def test_one_replaces_the_arguments(self):
        x = nn.Parameter(gb.ones(1))
        optimizer = optim.SGD([x])
        optimizer.register_step_pre_hook(lambda of, args, kwargs: ((), {"closure": lambda: 5}))

        assert optimizer.step() == 5

    def test_one_is_given_the_arguments_with_the_optimizer_before_them(self):
        optimizer, seen = optim.SGD([nn.Parameter(gb.ones(1))]), []
        optimizer.register_step_pre_hook(lambda of, args, kwargs: ((args[0], lambda: 5), kwargs))
        optimizer.register_step_post_hook(lambda of, args, kwargs: seen.append(args))

        loss = optimizer.step(lambda: 3)

        assert loss == 5
        assert [len(args) for args in seen] == [2]
        assert seen[0][0] is optimizer

    def test_one_that_returns_something_else_is_refused(self):
        optimizer = optim.SGD([nn.Parameter(gb.ones(1))])
        optimizer.register_step_pre_hook(lambda of, args, kwargs: 3)

        for kind in (TypeError, RuntimeError):
            with pytest.raises(kind, match=r"SGD.step: a hook returned what is of type int"):
                optimizer.step()


class TestGroups:
    def test_take_named_parameters(self):
        layer = nn.Linear(2, 1)

        optimizer = optim.SGD(layer.named_parameters(), lr=0.1)

        assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
        assert optimizer.param_groups[0]["params"][0] is layer.weight

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            (lambda x: {x}, "SGD: params is a set; a list, which has an order"),
            (lambda x: [{"params": {x}}], "SGD: params is a set"),
            (lambda x: [("a", x), x], "SGD: item 1 of params is no pair of a name and a Tensor"),
            (lambda x: [("a", 3)], "SGD: item 0 of params is no pair"),
        ],
    )
    def test_refuse_what_has_no_order_or_is_no_pair(self, params, message):
        with pytest.raises(TypeError, match=message):
            optim.SGD(params(nn.Parameter(gb.ones(1))))

    def test_change_to_amsgrad_between_steps(self):
        x = nn.Parameter(gb.ones(2))
        x.grad = gb.ones(2)
        optimizer = optim.Adam([x], lr=0.1)
        optimizer.step()

        optimizer.param_groups[0]["amsgrad"] = True
        optimizer.step()

        assert x.tolist() == pytest.approx([0.8, 0.8])
        assert optimizer.state[x]["step"] == 2
        assert set(optimizer.state[x]) == {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}


def test_rprop_changes_sizes_in_the_dtype_of_its_parameter():
    x = gb.tensor([10.0], dtype=gb.float64, requires_grad=True)
    optimizer = optim.Rprop([x], lr=0.1)

    for _ in range(3):
        optimizer.zero_grad()
        (x * x).sum().backward()
        optimizer.step()

    assert optimizer.state[x]["step_size"].item() == pytest.approx(0.1 * 1.2 * 1.2, rel=1e-14)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_an_infinite_weight_stays_what_it_is_without_decay(name):
    x = gb.tensor([float("-inf"), 1.0], requires_grad=True)
    optimizer = getattr(optim, name)([x], lr=0.1, weight_decay=0.0)
    x.grad = gb.tensor([0.0, 1.0])

    optimizer.step()

    assert x[0].item() == float("-inf")
    assert x[1].item() == pytest.approx(0.9, abs=1e-6)


@pytest.mark.parametrize("kind", [optim.Adamax, optim.NAdam, optim.RAdam, optim.SparseAdam])
def test_betas_that_a_program_set_later_are_looked_at_by_the_step(kind):
    x = gb.ones(3, requires_grad=True)
    optimizer = kind([x])
    x.sum().backward()
    optimizer.param_groups[0]["betas"] = (0.5, 1.0)

    with pytest.raises(ValueError, match=rf"{kind.__name__}: betas\[1\] 1"):
        optimizer.step()

    assert x.tolist() == [1.0, 1.0, 1.0]
