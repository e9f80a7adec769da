"""What older programs give optimizers, and what libraries of optimizers import for their own."""

from __future__ import annotations

import copy
from typing import Any

import garboard as gb
import pytest
from garboard import nn, optim
from garboard.optim import optimizer as names

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestAParameterGivenAgain:
    def test_warns_and_is_updated_once(self):
        shared, other = nn.Parameter(gb.ones(2)), nn.Parameter(gb.ones(1))

        again = r"SGD: 1 parameters of a group are given again; each"
        with pytest.warns(UserWarning, match=again) as seen:
            optimizer = optim.SGD([shared, other, shared], lr=0.5)
        (shared.sum() + other.sum()).backward()
        optimizer.step()

        assert shared.tolist() == [0.5, 0.5]
        assert other.tolist() == [0.5]
        assert seen[0].filename == __file__

    def test_keeps_the_first_of_its_names(self):
        shared, other = nn.Parameter(gb.ones(2)), nn.Parameter(gb.ones(1))

        with pytest.warns(UserWarning, match="given again"):
            optimizer = optim.Adam([("a", shared), ("b", other), ("c", shared)])

        assert optimizer.param_groups[0]["param_names"] == ["a", "b"]
        kept = optimizer.param_groups[0]["params"]
        assert all(p is q for p, q in zip(kept, (shared, other), strict=True))


class Sinking(optim.Optimizer):
    """Goes down by lr, as a library's optimizer would: its step chooses whether it records."""

    def __init__(self, params: Any, lr: float, differentiable: bool = False) -> None:
        super().__init__(params, {"lr": lr, "differentiable": differentiable})
        self.was_recording: list[bool] = []

    @names._use_grad_for_differentiable
    def step(self, closure: Any = None) -> None:
        self.was_recording.append(gb.is_grad_enabled())
        for group in self.param_groups:
            for p in group["params"]:
                with gb.no_grad():
                    p.sub_(group["lr"])


class TestNamesOfLibraries:
    @pytest.mark.parametrize("differentiable", [False, True])
    def test_a_step_records_where_the_option_says_so(self, differentiable):
        optimizer = Sinking([nn.Parameter(gb.ones(1))], 0.25, differentiable)

        optimizer.step()

        assert optimizer.was_recording == [differentiable]
        assert optimizer.param_groups[0]["params"][0].item() == 0.75
        assert gb.is_grad_enabled()

    def test_choose_the_plain_way(self):
        assert names._default_to_fused_or_foreach([gb.ones(1)], False, True) == (False, False)
        assert names._get_value(gb.tensor(2.0)) == 2.0
        assert names._get_value(3) == 3
        assert names._to_scalar(gb.ones(1)).shape == ()
        assert names._dispatch_sqrt(4.0) == 2.0
        assert names._dispatch_sqrt(gb.tensor(4.0)).item() == 2.0
        assert names._stack_if_compiling([1, 2]) == [1, 2]
        assert names._get_capturable_supported_devices() == ["cuda"]
        assert names._get_scalar_dtype() == gb.float32
        assert names._disable_dynamo_if_unsupported(single_tensor_fn=len)(max) is max
        assert names._params_t is names.ParamsT

    def test_put_the_parts_in_place_of_complex_tensors(self):
        params, moments = [gb.ones(2), gb.ones(1, dtype=gb.complex64)], [gb.zeros(2), gb.zeros(1)]
        moments[1] = moments[1].to(gb.complex64)

        names._view_as_real(params, moments)

        assert [tuple(it.shape) for it in params] == [(2,), (1, 2)]
        assert [tuple(it.shape) for it in moments] == [(2,), (1, 2)]

    def test_say_what_they_are_not(self):
        with pytest.raises(AttributeError, match="has no attribute '_get_values'"):
            names._get_values  # noqa: B018


def test_a_plateau_of_ones_own_lowers_rates_its_own_way():
    class Told(optim.lr_scheduler.ReduceLROnPlateau):
        def _reduce_lr(self, epoch):
            self.lowered = [*getattr(self, "lowered", ()), epoch]
            super()._reduce_lr(epoch)

    optimizer = optim.SGD([gb.ones(1, requires_grad=True)], lr=1.0)
    schedule = Told(optimizer, patience=0, factor=0.5)

    for _ in range(3):
        schedule.step(1.0)

    assert schedule.lowered == [2, 3]
    assert optimizer.param_groups[0]["lr"] == 0.25


class TestHooksOfEveryOptimizer:
    def test_run_around_those_of_the_optimizer_and_can_be_taken_off(self):
        seen: list[str] = []
        optimizer = optim.SGD([nn.Parameter(gb.ones(1))], lr=0.5)
        optimizer.register_step_pre_hook(lambda *given: seen.append("own before"))
        optimizer.register_step_post_hook(lambda *given: seen.append("own after"))

        with (
            names.register_optimizer_step_pre_hook(lambda *given: seen.append("before")),
            names.register_optimizer_step_post_hook(lambda *given: seen.append("after")),
        ):
            optimizer.step()
        optimizer.step()

        assert seen[:4] == ["before", "own before", "own after", "after"]
        assert seen[4:] == ["own before", "own after"]

    def test_must_be_callable(self):
        for register in (
            names.register_optimizer_step_pre_hook,
            names.register_optimizer_step_post_hook,
        ):
            with pytest.raises(TypeError, match="hook is of type int"):
                register(3)


@pytest.mark.parametrize("kind", [optim.Adam, optim.AdamW])
def test_the_greatest_squares_of_complex_numbers_are_those_of_their_parts(kind):
    whole = nn.Parameter(gb.tensor([1 + 2j, -0.5 + 0.25j]))
    parts = nn.Parameter(gb.view_as_real(whole.detach()).clone())
    both = [kind([it], lr=0.1, amsgrad=True, weight_decay=0.1) for it in (whole, parts)]

    for _ in range(3):
        (whole * whole.conj()).real.sum().backward()
        parts.square().sum().backward()
        for optimizer in both:
            optimizer.step()
            optimizer.zero_grad()

    assert gb.allclose(gb.view_as_real(whole.detach()), parts.detach())


def test_lbfgs_ends_at_once_where_any_gradient_is_small_enough():
    x = nn.Parameter(gb.ones(2))
    optimizer = optim.LBFGS([x], tolerance_grad=float("inf"))

    def closure() -> Any:
        optimizer.zero_grad()
        loss = x.square().sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure)) == 2
    assert x.tolist() == [1, 1]


class Counting(optim.Optimizer):
    """Keeps how often it stepped, and a tensor, beside the state of its parameters."""

    def __init__(self, params: Any) -> None:
        super().__init__(params, {"lr": 1.0})
        self.state["steps"] = 0
        self.state["sum"] = gb.zeros(1)

    @gb.no_grad()
    def step(self, closure: Any = None) -> None:
        self.state["steps"] += 1
        for group in self.param_groups:
            for p in group["params"]:
                self.state["sum"] += p.grad.sum()
                p.sub_(p.grad)


def native(params: Any) -> optim.Optimizer:
    made = optim.Adam(params, lr=0.1)
    made.state["steps"], made.state["sum"] = 0, gb.zeros(1)
    return made


@pytest.mark.parametrize("make", [Counting, native])
class TestStateThatIsOfNoParameter:
    def stepped(self, make: Any) -> tuple[nn.Parameter, Any]:
        x = nn.Parameter(gb.ones(2))
        optimizer = make([x])
        x.grad = gb.ones(2)
        optimizer.step()
        if make is native:
            optimizer.state["steps"] += 1
            optimizer.state["sum"] += 2
        return x, optimizer

    def test_is_saved_and_loaded(self, make):
        _, optimizer = self.stepped(make)
        saved = optimizer.state_dict()
        other = make([nn.Parameter(gb.ones(2))])

        other.load_state_dict(saved)
        optimizer.state["sum"] += 1

        assert (saved["state"]["steps"], other.state["steps"]) == (1, 1)
        assert other.state["sum"].tolist() == [2.0]
        assert optimizer.state["sum"].tolist() == [3.0]

    def test_is_kept_by_copies_and_outlives_scopes(self, make):
        with gb.dispose_scope():
            x, optimizer = self.stepped(make)
            both = copy.deepcopy((x, optimizer))[1]
            optimizer.state["made"] = gb.ones(1)
            assert both.state["steps"] == 1

        assert optimizer.state["made"].tolist() == [1.0]
        optimizer.dispose()


def test_saving_an_engines_state_makes_none_for_programs_to_look_at():
    x = nn.Parameter(gb.ones(2))
    optimizer = native([x])
    x.grad = gb.ones(2)
    optimizer.step()

    optimizer.state_dict()

    assert not optimizer._seen.known()


class Around(optim.Optimizer):
    """One around another, whose `__init__` calls no other's."""

    def __init__(self, inner):
        self.inner = inner

    def step(self, closure=None):
        return self.inner.step(closure)

    def zero_grad(self, set_to_none=True):
        self.inner.zero_grad(set_to_none)


def test_a_step_of_one_without_groups_is_its_own():
    x = gb.ones(1, requires_grad=True)
    around = Around(optim.SGD([x], 0.5))

    x.sum().backward()
    around.step()
    around.zero_grad()

    assert x.tolist() == [0.5]
    assert x.grad is None


def test_a_gradient_is_turned_in_place_as_its_parameter_has_it():
    x = gb.ones(2, 3, requires_grad=True)
    (x * gb.arange(6).view(2, 3)).sum().backward()
    gradient = x.grad

    turned = gradient.transpose_(0, 1)

    assert turned is gradient
    assert x.grad is gradient
    assert x.grad.tolist() == [[0, 3], [1, 4], [2, 5]]
    gradient.t_()
    assert x.grad.shape == x.shape
    (x * 2).sum().backward()
    assert x.grad.tolist() == [[2, 3, 4], [5, 6, 7]]
