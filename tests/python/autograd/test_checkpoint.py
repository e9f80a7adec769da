"""Checkpoints: the same gradients, less memory, nothing left."""

from __future__ import annotations

import gc
from contextlib import nullcontext
from typing import Any

import garboard as gb
import pytest
from garboard.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)


def network(width: int = 16, depth: int = 4) -> gb.nn.Sequential:
    layers: list[Any] = []
    for _ in range(depth):
        layers += [gb.nn.Linear(width, width), gb.nn.Tanh()]
    return gb.nn.Sequential(*layers)


def gradients(loss: gb.Tensor, *of: gb.Tensor) -> list[list[float]]:
    return [it.reshape(-1).tolist() for it in gb.autograd.grad(loss, of)]


@pytest.fixture(autouse=True)
def _seed():
    gb.manual_seed(3)


class TestGradients:
    def test_are_those_of_the_plain_call(self):
        net, x = network(), gb.rand(5, 16, requires_grad=True)
        of = [x, *net.parameters()]

        plain = gradients(net(x).sum(), *of)
        checkpointed = gradients(checkpoint(net, x, use_reentrant=False).sum(), *of)

        assert checkpointed == plain

    def test_flow_to_parameters_alone(self):
        net, x = network(), gb.rand(5, 16)

        checkpoint(net, x).sum().backward()

        assert all(it.grad is not None for it in net.parameters())

    def test_repeat_random_numbers_and_go_on_with_others(self):
        x = gb.ones(1000, requires_grad=True)
        dropout = gb.nn.functional.dropout
        y = checkpoint(lambda x: dropout(x * 1, 0.5, training=True) * x, x)
        before = gb._engine._generator_state()

        y.sum().backward()

        assert gb._engine._generator_state() == before
        assert x.grad.tolist() == (2 * y).tolist()

    def test_of_calls_inside_each_other(self):
        x = gb.rand(4, requires_grad=True)
        calls = []

        def inner(x: gb.Tensor) -> gb.Tensor:
            calls.append("inner")
            return x.exp() * x

        def outer(x: gb.Tensor, *, scale: float) -> gb.Tensor:
            calls.append("outer")
            return checkpoint(inner, x.sin()).tanh() * scale

        y = checkpoint(outer, x, scale=3.0)
        found = gradients(y.sum(), x)

        assert found == gradients((inner(x.sin()).tanh() * 3.0).sum(), x)
        assert calls[:4] == ["outer", "inner", "outer", "inner"]

    def test_are_differentiated_again(self):
        x = gb.rand(3, requires_grad=True, dtype=gb.float64)

        (first,) = gb.autograd.grad(checkpoint(gb.exp, x * 2).sum(), x, create_graph=True)
        (second,) = gb.autograd.grad(first.sum(), x)

        assert second.tolist() == pytest.approx((4 * (2 * x).exp()).tolist())

    def test_of_two_passes(self):
        x = gb.rand(3, requires_grad=True)
        loss = checkpoint(lambda x: x.exp() * x, x).sum()

        first = gb.autograd.grad(loss, x, retain_graph=True)[0].tolist()

        assert gb.autograd.grad(loss, x)[0].tolist() == first
        with pytest.raises(gb.GradientError, match="freed by an earlier"):
            gb.autograd.grad(loss, x)

    @pytest.mark.parametrize("segments", [1, 2, 3])
    def test_of_a_sequence(self, segments):
        net, x = network(), gb.rand(5, 16, requires_grad=True)

        y = checkpoint_sequential(net, segments, x)

        assert gradients(y.sum(), x) == gradients(net(x).sum(), x)


def test_a_function_is_checkpointed_at_every_call_by_decorating_it():
    @checkpoint(use_reentrant=False)
    def doubled(x: gb.Tensor, times: int = 2) -> gb.Tensor:
        """Twice, or more often."""
        return x * times

    x = gb.ones(3, requires_grad=True)

    doubled(x).sum().backward()
    doubled(x, times=3).sum().backward()

    assert x.grad.tolist() == [5, 5, 5]
    assert doubled.__doc__ == "Twice, or more often."
    with pytest.raises(TypeError, match="checkpoint: function is of type int"):
        checkpoint(use_reentrant=False)(3)
    with pytest.raises(TypeError, match="checkpoint: function is of type NoneType"):
        checkpoint(None, x)


@pytest.mark.parametrize("around", [None, True, False])
@pytest.mark.parametrize("stops_early", [True, False])
def test_a_call_says_whether_it_is_repeated_to_its_end_unless_a_block_does(stops_early, around):
    ends = []

    def run(x):
        y = x.exp()
        ends.append(len(ends))
        return y

    x = gb.ones(2, requires_grad=True)
    with nullcontext() if around is None else set_checkpoint_early_stop(around):
        y = checkpoint(
            run, x, use_reentrant=False, early_stop=stops_early, respect_saved_tensors_hooks=True
        )
    y.sum().backward()

    assert len(ends) == (1 if (stops_early if around is None else around) else 2)


class TestMemory:
    def test_is_that_of_one_segment(self):
        net, x = network(16, 8), gb.rand(4096, 16, requires_grad=True)

        def peak(call: Any) -> int:
            before = gb.memory.live().bytes
            with gb.dispose_scope() as scope:
                call().sum().backward()
                net.zero_grad()
                x.grad = None
            assert scope.peak_bytes
            assert gb.memory.live().bytes == before
            return max(scope.peak_bytes.values())

        plain = peak(lambda: net(x))

        assert peak(lambda: checkpoint_sequential(net, 4, x)) < 0.7 * plain

    def test_nothing_is_left_after_a_pass_in_a_scope_that_closes_before(self):
        net, x = network(), gb.rand(5, 16, requires_grad=True)
        net.zero_grad()
        before = gb.memory.live()

        with gb.dispose_scope() as scope:
            with gb.dispose_scope():
                inner = x * 2
                loss = gb.current_dispose_scope().move_to_outer(checkpoint(net, inner).sum())
            count = len(scope)
            gb.autograd.grad(loss, x)
            assert len(scope) == count

        assert gb.memory.live() == before

    def test_a_graph_that_is_dropped_leaves_nothing(self):
        net, x = network(), gb.rand(5, 16, requires_grad=True)
        gc.collect()
        before = gb.memory.live()

        checkpoint(net, checkpoint(net, x))
        gc.collect()

        assert gb.memory.live() == before

    def test_outside_of_grad_mode_it_is_a_plain_call(self):
        net, x = network(), gb.rand(5, 16, requires_grad=True)

        with gb.no_grad():
            y = checkpoint(net, x)

        assert y.grad_fn is None


class TestWrong:
    def test_a_function_that_does_less_the_second_time(self):
        x, calls = gb.ones(3, requires_grad=True), []

        def fickle(x: gb.Tensor) -> gb.Tensor:
            calls.append(1)
            return x.exp().sin() if len(calls) == 1 else x * 1

        loss = checkpoint(fickle, x).sum()
        before = gb.memory.live().bytes
        with pytest.raises(CheckpointError, match="kept fewer tensors when it was called again"):
            loss.backward()

        assert x.grad is None
        gc.collect()
        assert gb.memory.live().bytes == before

    def test_a_function_that_keeps_other_sizes(self):
        x, calls = gb.ones(3, requires_grad=True), []

        def fickle(x: gb.Tensor) -> gb.Tensor:
            calls.append(1)
            return x[: len(calls) + 1].exp().sum()

        loss = checkpoint(fickle, x)
        with pytest.raises(gb.ShapeError, match=r"unpack: it returned sizes \[3\]"):
            loss.backward()

    def test_a_function_that_raises_the_second_time(self):
        x, calls = gb.ones(3, requires_grad=True), []

        def failing(x: gb.Tensor) -> gb.Tensor:
            calls.append(1)
            if len(calls) == 2:
                raise KeyError("again")
            return x.exp()

        state = gb._engine._generator_state()
        loss = checkpoint(failing, x).sum()
        with pytest.raises(KeyError, match="again"):
            loss.backward(retain_graph=True)
        assert gb._engine._generator_state() == state
        loss.backward()

        assert x.grad is not None

    def test_arguments_that_were_written(self):
        x = gb.ones(3, requires_grad=True) * 1
        loss = checkpoint(lambda x: x.exp(), x).sum()
        x.add_(1)

        with pytest.raises(gb.VersionError, match="saved tensor"):
            loss.backward()

    def test_a_function_that_ends_its_argument_or_returns_nothing(self):
        x = gb.ones(3, requires_grad=True)

        def ending(x: gb.Tensor) -> gb.Tensor:
            y = x.exp()
            x.dispose()
            return y

        checkpoint(ending, x.alias()).sum().backward()

        assert x.grad is not None
        assert checkpoint(lambda x: None, x) is None

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda x: checkpoint(3, x), TypeError, "function is of type int"),
            (lambda x: checkpoint(gb.exp, x, debug=True), ValueError, "debug=True"),
            (lambda x: checkpoint(gb.exp, x, determinism_check="no"), ValueError, "'no'"),
            (lambda x: checkpoint(gb.exp, x, use_reentrant="no"), TypeError, "use_reentrant"),
            (lambda x: checkpoint_sequential([gb.exp], 2, x), ValueError, "2 segments of 1"),
            (lambda x: checkpoint_sequential([gb.exp], 0, x), ValueError, "segments 0"),
            (lambda x: checkpoint_sequential([gb.exp], 1, x, other=1), TypeError, "by name"),
            (lambda x: checkpoint_sequential([3], 1, x), TypeError, "of type int"),
        ],
    )
    def test_arguments(self, call, error, text):
        with pytest.raises(error, match=text):
            call(gb.ones(1, requires_grad=True))


@pytest.mark.parametrize("is_in_a_scope", [False, True])
def test_a_gradient_that_was_recorded_through_a_checkpoint_is_collected(is_in_a_scope):
    before = gb.memory.live()
    with gb.dispose_scope() as scope:
        x = gb.rand(3, requires_grad=True)
        y = checkpoint(lambda a, b=x: (a * b).exp(), x, use_reentrant=False)
        y.backward(gb.ones(3), create_graph=True)
        if not is_in_a_scope:
            scope.detach(x, y)
    del x, y, scope

    for _ in range(2):
        gc.collect()

    assert gb.memory.live() == before


@pytest.mark.parametrize("places", [2, 8])  # without the kernel, and with it
def test_a_norm_at_the_end_follows_the_batch_as_often_as_it_is_called(places):
    def counted(call):
        norm = gb.nn.BatchNorm1d(2)
        x = gb.arange(8.0 * places).reshape(4, 2, places).requires_grad_()
        call(norm, x).sum().backward()
        return norm

    once = counted(lambda norm, x: norm(x))
    again = counted(lambda norm, x: (norm(x), norm(x))[1])
    found = counted(lambda norm, x: checkpoint(norm, x, use_reentrant=False))

    assert found.num_batches_tracked.item() == 2
    assert gb.equal(found.running_mean, again.running_mean)
    assert gb.equal(found.running_var, again.running_var)
    assert not gb.equal(found.running_mean, once.running_mean)


class TestAGradientInside:
    @pytest.mark.parametrize("stops_early", [True, False])
    def test_is_that_of_the_plain_call_and_leaves_nothing(self, stops_early):
        net = network()

        def forces(x):
            energy = net(x).square().sum()
            return gb.autograd.grad(energy, x, create_graph=True)[0].tanh()

        x = gb.rand(5, 16, requires_grad=True)
        of = [x, *net.parameters()]
        with gb.leaks.no_leaks():
            plain = gradients(forces(x).square().sum(), *of)
            with set_checkpoint_early_stop(stops_early):
                made = checkpoint(forces, x, use_reentrant=False)
            checkpointed = gradients(made.square().sum(), *of)
            del made

        assert checkpointed == plain

    def test_may_be_added_to_nothing(self):
        x = gb.rand(3, requires_grad=True)

        def twice(x):
            x.square().sum().backward()
            return x**3

        y = checkpoint(twice, x, use_reentrant=False)
        with pytest.raises(CheckpointError, match=r"calls backward\(\).*take autograd.grad"):
            y.sum().backward()
