"""Optimizers against NumPy, their state and its end, and training in flat memory."""

from __future__ import annotations

import gc
import math

import garboard as gb
import numpy as np
import pytest
from garboard import nn, optim
from garboard.optim.optimizer import required

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

STEPS = 5
START = np.random.default_rng(1).normal(size=(3, 2))
SLOPES = np.random.default_rng(2).normal(size=(STEPS, 3, 2))


def sgd(p, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, lr=0.1):
    velocity = None
    for slope in SLOPES:
        g = slope + weight_decay * p
        if momentum:
            velocity = g if velocity is None else momentum * velocity + (1 - dampening) * g
            g = g + momentum * velocity if nesterov else velocity
        p = p - lr * g
    return p


def adam(p, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, lr=0.1, decoupled=False):
    mean = square = 0.0
    for t, slope in enumerate(SLOPES, start=1):
        g = slope if decoupled else slope + weight_decay * p
        p = p - lr * weight_decay * p if decoupled else p
        mean = betas[0] * mean + (1 - betas[0]) * g
        square = betas[1] * square + (1 - betas[1]) * g * g
        scale = np.sqrt(square / (1 - betas[1] ** t)) + eps
        p = p - lr * mean / (1 - betas[0] ** t) / scale
    return p


def adamw(p, weight_decay=1e-2, **options):
    return adam(p, weight_decay=weight_decay, decoupled=True, **options)


CASES = [
    (optim.SGD, sgd, {}),
    (optim.SGD, sgd, {"weight_decay": 0.3}),
    (optim.SGD, sgd, {"momentum": 0.9}),
    (optim.SGD, sgd, {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    (optim.SGD, sgd, {"momentum": 0.9, "nesterov": True}),
    (optim.Adam, adam, {}),
    (optim.Adam, adam, {"betas": (0.5, 0.7), "eps": 1e-3, "weight_decay": 0.2}),
    (optim.AdamW, adamw, {}),
    (optim.AdamW, adamw, {"weight_decay": 0.5}),
]


def run(optimizer: optim.Optimizer, parameter: gb.Tensor, slopes=SLOPES) -> None:
    for slope in slopes:
        parameter.grad = gb.tensor(slope, dtype=parameter.dtype)
        optimizer.step()


@pytest.mark.parametrize(("make", "reference", "options"), CASES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(gb.float64, 1e-12), (gb.float32, 2e-5)])
class TestSteps:
    def test_they_agree_with_numpy(self, make, reference, options, dtype, tolerance):
        parameter = nn.Parameter(gb.tensor(START, dtype=dtype))

        run(make([parameter], lr=0.1, **options), parameter)

        expected = reference(START, **options)
        np.testing.assert_allclose(parameter.detach().numpy(), expected, rtol=tolerance)

    def test_they_go_on_from_a_saved_state(self, make, reference, options, dtype, tolerance):
        parameter = nn.Parameter(gb.tensor(START, dtype=dtype))
        first = make([parameter], lr=0.1, **options)
        run(first, parameter, SLOPES[:2])
        second = make([parameter], lr=99.0)

        second.load_state_dict(first.state_dict())
        first.dispose()
        run(second, parameter, SLOPES[2:])

        expected = reference(START, **options)
        np.testing.assert_allclose(parameter.detach().numpy(), expected, rtol=tolerance)


class TestStep:
    def test_a_parameter_without_gradient_is_left_alone(self):
        idle, used = nn.Parameter(gb.ones(1)), nn.Parameter(gb.ones(1))
        optimizer = optim.Adam([idle, used], lr=0.1)
        used.grad = gb.ones(1)

        optimizer.step()

        assert idle.item() == 1
        assert used.item() == pytest.approx(0.9)
        assert list(optimizer.state_dict()["state"]) == [1]

    def test_a_closure_runs_with_gradients_and_its_loss_is_returned(self):
        x = nn.Parameter(gb.tensor([1.0]))
        optimizer = optim.SGD([x], lr=0.5)

        def closure():
            optimizer.zero_grad()
            loss = (x * x).sum()
            loss.backward()
            return loss

        with gb.no_grad():
            loss = optimizer.step(closure)

        assert loss.item() == 1
        assert x.item() == 0

    def test_a_change_of_lr_acts_on_the_next_step(self):
        x = nn.Parameter(gb.tensor([1.0]))
        optimizer = optim.SGD([x], lr=0.5)
        optimizer.param_groups[0]["lr"] = 0.25
        x.grad = gb.ones(1)

        optimizer.step()

        assert x.item() == 0.75

    def test_groups_have_options_of_their_own(self):
        slow, fast = nn.Parameter(gb.zeros(1)), nn.Parameter(gb.zeros(1))
        optimizer = optim.SGD([{"params": [slow]}, {"params": fast, "lr": 1.0}], lr=0.5)
        slow.grad, fast.grad = gb.ones(1), gb.ones(1)

        optimizer.step()

        assert (slow.item(), fast.item()) == (-0.5, -1.0)

    def test_zero_grad_drops_or_zeroes(self):
        x = nn.Parameter(gb.ones(1))
        optimizer = optim.SGD([x])
        x.grad = gb.ones(1)

        optimizer.zero_grad(set_to_none=False)
        assert x.grad.item() == 0
        optimizer.zero_grad()
        assert x.grad is None

    def test_it_invalidates_what_a_graph_has_saved(self):
        x = nn.Parameter(gb.ones(1))
        y = (x * x).sum()
        x.grad = gb.ones(1)

        optim.SGD([x]).step()

        with pytest.raises(gb.VersionError):
            y.backward()


class TestRefusals:
    @pytest.mark.parametrize(
        ("make", "options", "message"),
        [
            (optim.SGD, {"lr": -1.0}, "SGD: lr -1.0; it must not be negative"),
            (optim.SGD, {"lr": math.nan}, "SGD: lr nan"),
            (optim.SGD, {"momentum": -0.5}, "SGD: momentum -0.5"),
            (optim.SGD, {"weight_decay": -1}, "SGD: weight_decay -1"),
            (optim.SGD, {"nesterov": True}, "a positive momentum and no dampening"),
            (optim.SGD, {"nesterov": True, "momentum": 0.9, "dampening": 0.1}, "no dampening"),
            (optim.Adam, {"eps": -1e-8}, "Adam: eps -1e-08"),
            (optim.Adam, {"betas": (0.9, 1.0)}, r"Adam: betas\[1\] 1.0; it must lie in \[0, 1\)"),
            (optim.AdamW, {"betas": (0.9,)}, "AdamW: betas of 1; two in"),
            (optim.AdamW, {"weight_decay": -1.0}, "AdamW: weight_decay -1.0"),
        ],
    )
    def test_an_option_out_of_range(self, make, options, message):
        with pytest.raises(ValueError, match=message):
            make([nn.Parameter(gb.ones(1))], **options)

    @pytest.mark.parametrize("make", [optim.SGD, optim.AdamW, optim.Adagrad, optim.RMSprop])
    def test_a_hint_that_is_none(self, make):
        with pytest.raises(TypeError, match=r"foreach is of type str; True or False"):
            make([nn.Parameter(gb.ones(1))], foreach="often")

    def test_options_of_a_group_are_checked_too(self):
        optimizer = optim.SGD([nn.Parameter(gb.ones(1))])

        with pytest.raises(ValueError, match="SGD: lr -1"):
            optimizer.add_param_group({"params": [nn.Parameter(gb.ones(1))], "lr": -1})

        assert len(optimizer.param_groups) == 1

    def test_no_parameters(self):
        with pytest.raises(ValueError, match="Adam: no parameters; at least one is needed"):
            optim.Adam(iter(()))

    def test_a_bare_tensor(self):
        with pytest.raises(TypeError, match=r"a list of them is needed, \[tensor\] for one"):
            optim.Adam(nn.Parameter(gb.ones(1)))

    def test_what_is_no_tensor(self):
        with pytest.raises(TypeError, match="SGD: item 1 of params is of type float"):
            optim.SGD([nn.Parameter(gb.ones(1)), 1.0])

    def test_what_was_computed(self):
        with pytest.raises(ValueError, match="SGD: parameter 0 was computed from others"):
            optim.SGD([gb.ones(1, requires_grad=True) * 2])

    def test_a_parameter_in_two_groups(self):
        x = nn.Parameter(gb.ones(1))

        with pytest.raises(ValueError, match="SGD: parameter 0 is given twice"):
            optim.SGD([{"params": [x]}, {"params": [x]}])


class TestState:
    def test_it_has_pytorchs_form(self):
        a, b = nn.Parameter(gb.ones(2)), nn.Parameter(gb.ones(3))
        optimizer = optim.Adam([{"params": [a]}, {"params": [b], "lr": 0.5}])
        for parameter in (a, b):
            parameter.grad = gb.ones_like(parameter)
        optimizer.step()

        saved = optimizer.state_dict()

        assert sorted(saved["state"][1]) == ["exp_avg", "exp_avg_sq", "step"]
        assert saved["state"][1]["step"] == 1
        assert saved["state"][1]["exp_avg"].shape == (3,)
        assert [group["params"] for group in saved["param_groups"]] == [[0], [1]]
        assert saved["param_groups"][1]["lr"] == 0.5

    def test_loading_copies(self):
        x = nn.Parameter(gb.ones(2))
        first, second = optim.SGD([x], momentum=0.9), optim.SGD([x], momentum=0.9)
        x.grad = gb.ones(2)
        first.step()
        saved = first.state_dict()

        second.load_state_dict(saved)
        saved["state"][0]["momentum_buffer"].fill_(9)

        assert second.state_dict()["state"][0]["momentum_buffer"].tolist() == [1.0, 1.0]

    @pytest.mark.parametrize("other", [[2], [1, 1]])
    def test_other_groups_are_refused(self, other):
        first = optim.SGD([{"params": [nn.Parameter(gb.ones(1)) for _ in range(n)]} for n in other])
        optimizer = optim.SGD([nn.Parameter(gb.ones(1))])

        with pytest.raises(ValueError, match=r"groups of \[1\] are needed"):
            optimizer.load_state_dict(first.state_dict())

    def test_state_of_other_sizes_is_refused_and_nothing_is_changed(self):
        x, y = nn.Parameter(gb.ones(2)), nn.Parameter(gb.ones(3))
        first, second = optim.Adam([x], lr=0.5), optim.Adam([y])
        x.grad = gb.ones(2)
        first.step()

        with pytest.raises(gb.ShapeError, match=r"exp_avg has sizes \[2\]; .* \[3\] are needed"):
            second.load_state_dict(first.state_dict())

        assert second.param_groups[0]["lr"] == 1e-3
        assert second.state_dict()["state"] == {}

    def test_text_names_the_options(self):
        assert repr(optim.SGD([nn.Parameter(gb.ones(1))], lr=0.5)).startswith(
            "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n"
        )

    def test_text_parts_the_groups_by_an_empty_line(self):
        x, y = nn.Parameter(gb.ones(1)), nn.Parameter(gb.ones(1))
        text = repr(optim.SGD([{"params": [x]}, {"params": [y], "lr": 0.5}], lr=0.1))

        assert "    weight_decay: 0\n\nParameter Group 1\n    dampening: 0\n" in text
        assert text.endswith(
            "    lr: 0.5\n    maximize: False\n    momentum: 0\n    nesterov: False\n"
            "    weight_decay: 0\n)"
        )

    def test_true_is_the_rate_one(self):
        x = nn.Parameter(gb.ones(1))
        x.grad = gb.ones(1)

        optim.SGD([x], lr=True).step()

        assert x.item() == 0.0

    def test_an_option_may_be_required(self):
        class Needing(optim.Optimizer):
            def __init__(self, params, lr=required):
                super().__init__(params, {"lr": lr})

        x = nn.Parameter(gb.ones(1))

        assert Needing([{"params": [x], "lr": 0.5}]).param_groups[0]["lr"] == 0.5
        with pytest.raises(ValueError, match="Needing: a group without lr; it has no default"):
            Needing([x])


class TestLife:
    def test_state_survives_scopes_and_changes_no_scope_statistics(self):
        x = nn.Parameter(gb.ones(2))
        optimizer = optim.Adam([x])
        x.grad = gb.ones(2)
        statistics = gb.dispose_scope_statistics()
        statistics.reset()
        live = statistics.thread_total_live_count

        with gb.dispose_scope():
            optimizer.step()
        optimizer.step()

        assert statistics.thread_total_live_count == live
        assert statistics.created_in_scope_count == statistics.created_outside_scope_count == 0
        assert statistics.disposed_in_scope_count == statistics.detached_from_scope_count == 0
        assert optimizer.state_dict()["state"][0]["step"] == 2

    @pytest.mark.parametrize("end", ["dispose", "with", "drop"])
    def test_it_ends_with_the_optimizer(self, end):
        x = nn.Parameter(gb.ones(1000))
        x.grad = gb.ones(1000)
        before = gb.memory.live()
        optimizer = optim.Adam([x])
        optimizer.step()
        assert gb.memory.live().bytes - before.bytes == 2 * x.nbytes

        if end == "with":
            with optimizer:
                pass
        elif end == "dispose":
            optimizer.dispose()
            optimizer.dispose()
        del optimizer
        gc.collect()

        assert gb.memory.live() == before

    def test_a_disposed_one_refuses_to_step(self):
        optimizer = optim.SGD([nn.Parameter(gb.ones(1))])
        optimizer.dispose()

        with pytest.raises(gb.DisposedError, match=r"SGD\.step: a disposed optimizer"):
            optimizer.step()

    def test_a_parameter_that_ended_with_its_scope_is_named(self):
        own = nn.Parameter(gb.ones(1))
        with gb.dispose_scope("build"):
            layer = nn.Linear(2, 1)
            optimizer = optim.SGD([own, *layer.parameters()])

        with pytest.raises(gb.DisposedError, match=r'parameters \[1, 2\].*scope "build"'):
            optimizer.step()

    @pytest.mark.parametrize("make", [optim.Adam, lambda p: optim.SGD(p, momentum=0.9)])
    def test_training_in_scopes_leaves_memory_flat(self, make):
        gb.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
        optimizer = make(model.parameters())
        x, y = gb.randn(32, 8), gb.randint(0, 3, (32,))
        seen = {}

        for step in range(1, 201):
            with gb.dispose_scope("step"):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if step in (50, 200):
                seen[step] = gb.memory.live()

        assert seen[50] == seen[200]

    def test_training_lowers_the_loss(self):
        gb.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
        optimizer = optim.AdamW(model.parameters(), lr=1e-2)
        x = gb.randn(64, 4)
        y = x[:, :1] * x[:, 1:2]
        losses = []

        for _ in range(300):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

        assert losses[-1] < 0.1 * losses[0]


def test_an_optimizer_takes_a_list_of_parameters_that_is_a_module(no_leaks):
    weights = gb.nn.ParameterList([gb.nn.Parameter(gb.ones(2)), gb.nn.Parameter(gb.ones(1))])
    with gb.optim.SGD(weights, lr=1) as optimizer:
        sum(it.sum() for it in weights).backward()
        optimizer.step()

        assert [it.tolist() for it in weights] == [[0, 0], [0]]
    weights.dispose()
    with pytest.raises(TypeError, match=r"^SGD: params is a Module; give module.parameters"):
        gb.optim.SGD(gb.nn.ModuleList([gb.nn.Linear(1, 1)]), lr=1)


def test_a_wrapper_of_an_optimizer_may_ask_for_the_hooks_of_its_step(no_leaks):
    class Wrapper(gb.optim.Optimizer):
        def __init__(self, inner):
            self.inner = inner
            self.param_groups, self.state = inner.param_groups, inner.state
            self._patch_step_function()

        def step(self):
            return self.inner.step()

    x = gb.nn.Parameter(gb.ones(1))
    with gb.optim.SGD([x], lr=1) as inner:
        x.sum().backward()
        Wrapper(inner).step()

    assert x.item() == 0
