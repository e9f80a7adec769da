"""Gradients of a tensor's parts are added up in one place, unless somebody could see that."""

from __future__ import annotations

import gc
from collections.abc import Callable

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

Cut = Callable[[gb.Tensor], list[gb.Tensor]]

CUTS: dict[str, Cut] = {
    "chunk": lambda x: list(x.chunk(4, 1)),
    "unbind": lambda x: list(x.unbind(1)),
    "rows": lambda x: [x[1:], x[:-1]],
    "steps": lambda x: [x[:, ::2], x[:, 1::2]],
    "one element": lambda x: [x[0, 0], x[0, 0], x[1]],
    "nothing": lambda x: [x[:0], x[1]],
}


def total(parts: list[gb.Tensor]) -> gb.Tensor:
    return sum(((part * (i + 2) * part).sum() for i, part in enumerate(parts)), gb.tensor(0.0))


def expected_of(cut: Cut, x: gb.Tensor) -> list[list[float]]:
    """Each part's gradient by itself, added to zeros."""
    slope = gb.zeros_like(x)
    for i, part in enumerate(cut(slope)):
        part.add_(cut(x)[i] * (2 * (i + 2)))
    rows: list[list[float]] = slope.tolist()
    return rows


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
class TestParts:
    def test_of_a_result_add_up(self, cut: Cut) -> None:
        leaf = gb.arange(24.0).view(3, 8).requires_grad_()
        x = leaf * 1

        total(cut(x)).backward()

        assert leaf.grad is not None
        assert leaf.grad.tolist() == expected_of(cut, x.detach())

    def test_of_a_leaf_are_added_to_what_it_has(self, cut: Cut) -> None:
        leaf = gb.arange(24.0).view(3, 8).requires_grad_()
        leaf.grad = gb.full((3, 8), 0.5)
        held = leaf.grad

        total(cut(leaf)).backward()

        slope = expected_of(cut, leaf.detach())
        assert held.tolist() == [[it + 0.5 for it in row] for row in slope]

    def test_meet_what_the_whole_gets(self, cut: Cut) -> None:
        leaf = gb.arange(24.0).view(3, 8).requires_grad_()
        x = leaf * 1

        (total(cut(x)) + x.sum() + (x * 3).sum()).backward()

        assert leaf.grad is not None
        slope = expected_of(cut, x.detach())
        assert leaf.grad.tolist() == [[it + 4 for it in row] for row in slope]

    def test_are_seen_by_hooks_as_one_sum(self, cut: Cut) -> None:
        leaf = gb.arange(24.0).view(3, 8).requires_grad_()
        x, seen = leaf * 1, []
        x.register_hook(lambda grad: seen.append(grad.tolist()))
        x.retain_grad()

        total(cut(x)).backward()

        assert seen == [expected_of(cut, x.detach())]
        assert x.grad is not None
        assert x.grad.tolist() == seen[0]

    def test_that_are_asked_for_come_with_the_whole(self, cut: Cut) -> None:
        leaf = gb.arange(24.0).view(3, 8).requires_grad_()
        x = leaf * 1
        parts = cut(x)

        slopes = gb.autograd.grad(total(parts), [leaf, x, *parts])

        assert slopes[0].tolist() == slopes[1].tolist() == expected_of(cut, x.detach())
        for i, (part, slope) in enumerate(zip(parts, slopes[2:], strict=True)):
            assert slope.tolist() == (part.detach() * (2 * (i + 2))).tolist()

    def test_have_slopes_of_their_own(self, cut: Cut) -> None:
        x = gb.arange(24.0, dtype=gb.float64).view(3, 8).requires_grad_()

        assert gb.autograd.gradgradcheck(lambda x: total([p * p for p in cut(x * 1)]), (x / 9,))


def test_the_gradient_that_was_given_is_not_added_to() -> None:
    leaf = gb.ones(4, requires_grad=True)
    x, given = leaf * 1, gb.full((4,), 3.0)

    gb.autograd.backward([x, x[:2].sum()], [given, None])

    assert given.tolist() == [3] * 4
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [4, 4, 3, 3]


def test_what_a_hook_of_another_result_keeps_is_not_added_to() -> None:
    leaf, kept = gb.ones(4, requires_grad=True), []
    x = leaf * 1
    y = x + 0  # whose gradient is handed on as it is
    y.register_hook(kept.append)

    (y * 2).sum().backward(retain_graph=True)
    (x[:2].sum() + (y * 2).sum()).backward()

    assert [it.tolist() for it in kept] == [[2] * 4] * 2


def test_a_gradient_that_lies_in_the_sum_is_no_part_of_it_yet() -> None:
    leaf = gb.ones(4, requires_grad=True)
    leaf.grad = gb.tensor([1.0, 2.0, 3.0, 4.0])

    leaf[1:].backward(leaf.grad[:3])

    assert leaf.grad.tolist() == [1, 3, 5, 7]


def test_many_parts_take_the_room_of_one_whole() -> None:
    leaf = gb.ones(64, 1 << 12, requires_grad=True)
    parts = gb.relu(leaf).chunk(8, 1)  # its rule writes over the gradient it gets
    seeds = [gb.ones_like(part) for part in parts]
    gc.collect()
    before = memory.memory_allocated()
    memory.reset_peak_memory_stats()

    gb.autograd.backward(parts, seeds)

    assert memory.max_memory_allocated() - before <= leaf.nbytes
    assert leaf.grad is not None
    assert leaf.grad.sum().item() == leaf.numel()
    del seeds
