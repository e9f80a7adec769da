"""L-BFGS: minima it finds, steps by hand, its state, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def rosenbrock(x: gb.Tensor) -> gb.Tensor:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def closure_of(
    optimizer: gb.optim.Optimizer, loss_of: Callable[[], gb.Tensor]
) -> Callable[[], gb.Tensor]:
    def closure() -> gb.Tensor:
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        return loss.detach()

    return closure


def test_finds_the_bottom_of_a_curved_valley():
    x = gb.tensor([-1.2, 1.0], dtype=gb.float64, requires_grad=True)
    optimizer = gb.optim.LBFGS([x], max_iter=100, line_search_fn="strong_wolfe")

    first = optimizer.step(closure_of(optimizer, lambda: rosenbrock(x)))

    assert first.item() == pytest.approx(24.2)
    np.testing.assert_allclose(x.detach(), [1, 1], atol=1e-4)
    assert optimizer.state[x]["func_evals"] <= 60
    optimizer.dispose()


def test_solves_least_squares_of_several_parameters_without_a_search():
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((20, 4)), rng.standard_normal(20)
    wanted = np.linalg.lstsq(np.c_[a, np.ones(20)], b, rcond=None)[0]
    weight = gb.zeros(4, dtype=gb.float64, requires_grad=True)
    bias = gb.zeros((), dtype=gb.float64, requires_grad=True)
    unused = gb.zeros(2, dtype=gb.float64, requires_grad=True)
    rows, goal = gb.tensor(a), gb.tensor(b)

    with gb.optim.LBFGS([weight, bias, unused], lr=0.5, max_iter=200, history_size=3) as optimizer:
        closure = closure_of(optimizer, lambda: ((rows @ weight + bias - goal) ** 2).mean())
        optimizer.step(closure)

    np.testing.assert_allclose(weight.detach(), wanted[:4], atol=1e-4)
    np.testing.assert_allclose(bias.detach(), wanted[4], atol=1e-4)
    assert unused.tolist() == [0, 0]


def test_its_first_step_is_a_bounded_one_down_the_gradient():
    x = gb.tensor([3.0, -1.0], requires_grad=True)
    optimizer = gb.optim.LBFGS([x], lr=0.5, max_iter=1)

    optimizer.step(closure_of(optimizer, lambda: (x * x).sum()))

    # 0.5 * min(1, 1 / (6 + 2)) of the gradient [6, -2]
    np.testing.assert_allclose(x.detach(), [3 - 6 / 16, -1 + 2 / 16])
    optimizer.dispose()


def test_goes_on_where_a_saved_one_stood():
    runs = []
    for is_saved in (False, True):
        x = gb.tensor([-1.2, 1.0], dtype=gb.float64, requires_grad=True)
        optimizer = gb.optim.LBFGS([x], max_iter=4, line_search_fn="strong_wolfe")
        optimizer.step(closure_of(optimizer, lambda x=x: rosenbrock(x)))
        if is_saved:
            saved, before = optimizer.state_dict(), optimizer
            optimizer = gb.optim.LBFGS([x])
            optimizer.load_state_dict(saved)
            before.dispose()
        optimizer.step(closure_of(optimizer, lambda x=x: rosenbrock(x)))
        runs.append(x.tolist())
        optimizer.dispose()

    assert runs[0] == runs[1]


def test_steps_in_scopes_leave_what_is_remembered():
    x = gb.tensor([-1.2, 1.0], dtype=gb.float64, requires_grad=True)
    optimizer = gb.optim.LBFGS([x], max_iter=3, history_size=2)

    for _ in range(4):
        with gb.dispose_scope():
            optimizer.step(closure_of(optimizer, lambda: (x * x).sum() * 0.1))

    assert not optimizer.state[x]["d"].is_disposed
    assert len(optimizer.state[x]["old_dirs"]) <= 2
    optimizer.dispose()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: gb.optim.LBFGS([x], lr=-1), ValueError, "lr"),
        (lambda x: gb.optim.LBFGS([x], max_iter=-1), ValueError, "max_iter"),
        (lambda x: gb.optim.LBFGS([x], line_search_fn="armijo"), ValueError, "strong_wolfe"),
        (lambda x: gb.optim.LBFGS([{"params": x}, {"params": x}]), ValueError, "several groups"),
        (lambda x: gb.optim.LBFGS([x]).step(None), TypeError, "a function"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(gb.ones(2, requires_grad=True))


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_ascends_where_it_is_told_to(search):
    x, y = (gb.tensor([3.0, -1.0], requires_grad=True) for _ in range(2))
    up = gb.optim.LBFGS([x], lr=0.5, max_iter=6, line_search_fn=search, maximize=True)
    down = gb.optim.LBFGS([y], lr=0.5, max_iter=6, line_search_fn=search)

    def closure(tensor, optimizer, sign):
        optimizer.zero_grad()
        loss = sign * ((tensor - 1) ** 4).sum()
        loss.backward()
        return loss

    up.step(lambda: closure(x, up, -1))
    down.step(lambda: closure(y, down, 1))

    assert x.tolist() == y.tolist()
    with pytest.raises(TypeError, match="LBFGS: maximize is of type str"):
        gb.optim.LBFGS([x], maximize="no")


def test_a_search_looks_no_more_often_than_the_step_may():
    x = gb.tensor([-1.2, 1.0, 0.4, -0.3], dtype=gb.float64, requires_grad=True)
    optimizer = gb.optim.LBFGS([x], max_iter=4, line_search_fn="strong_wolfe")
    closure = closure_of(optimizer, lambda: (x**4).sum() + x.sum())

    for _ in range(3):
        optimizer.step(closure)

    counts = optimizer.state[x]["func_evals"], optimizer.state[x]["n_iter"]
    assert counts == (14, 11)  # as PyTorch does


def test_a_search_ends_after_as_many_looks_as_it_is_given():
    from garboard.optim.lbfgs import _strong_wolfe

    looks = []

    def wild(_, far, direction):
        looks.append(far)
        return float(np.cos(40 * far)), -40 * np.sin(40 * far) * direction

    direction = gb.ones(1, dtype=gb.float64)
    for most in (1, 2, 5):
        looks.clear()
        found = _strong_wolfe(wild, None, 1.0, direction, 1.0, -direction, -1.0, max_ls=most)
        assert found[3] == len(looks) <= most + 1


def test_goes_on_after_a_step_that_was_too_flat_to_take():
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = gb.optim.LBFGS([x], lr=0.5, max_iter=3, tolerance_change=1e-2)

    def closure():
        optimizer.zero_grad()
        loss = ((x - 3) ** 4).sum() * 1e-3
        loss.backward()
        return loss

    first = optimizer.step(closure).item()
    for _ in range(3):
        assert optimizer.step(closure).item() == first
    assert optimizer.state[x]["t"] == 0.5
    assert optimizer.state[x]["n_iter"] == 4
    optimizer.dispose()


def test_a_cubic_is_interpolated_as_libraries_ask_for_it():
    from garboard.optim.lbfgs import _cubic_interpolate

    slope = gb.tensor(2.0)

    assert _cubic_interpolate(0.0, 1.0, -slope, 2.0, 1.0, slope) == 1
    assert _cubic_interpolate(2.0, 1.0, slope, 0.0, 1.0, -slope, bounds=(1.5, 3.0)) == 1.5
    rising = _cubic_interpolate(0.0, 0.0, slope / 2, 4.0, 8 / 3, slope / 2, bounds=(1.0, 2.0))
    assert rising == 1.5  # it has no lowest place
