"""What hooks keep of saved tensors lives as the graph does, whatever scope was open."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import garboard as gb
import pytest

graph = gb.autograd.graph
Block = Callable[[], AbstractContextManager[Any]]


def hooks(pack: Callable[[gb.Tensor], Any], unpack: Callable[[Any], gb.Tensor]) -> Block:
    return lambda: graph.saved_tensors_hooks(pack, unpack)


def copied_in_a_context(tensor: gb.Tensor) -> gb.Tensor:
    return contextvars.copy_context().run(tensor.clone)


BLOCKS: dict[str, Block] = {
    "on the CPU": graph.save_on_cpu,
    "on disk": lambda: graph.save_on_disk(least_bytes=0),
    "to be written": graph.allow_mutation_on_saved_tensors,
    "as it is": hooks(lambda it: it, lambda it: it),
    "a copy": hooks(gb.Tensor.clone, lambda it: it),
    "a pair": hooks(lambda it: (it.dtype, it.double()), lambda it: it[1].to(it[0])),
    "a list in a dict": hooks(lambda it: {"of": [it * 2]}, lambda it: it["of"][0] / 2),
    "in a context's copy": hooks(copied_in_a_context, lambda it: it),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_backward_may_come_after_the_scope(name: str, no_leaks: None) -> None:
    x = gb.ones(3, requires_grad=True)
    with gb.dispose_scope() as scope:
        with BLOCKS[name]():
            y = (x * 2).exp().sum()
        scope.move_to_outer(y)
    y.backward()
    assert x.grad.tolist() == pytest.approx([14.7781] * 3, rel=1e-4)


@pytest.mark.parametrize("name", BLOCKS)
def test_the_scope_goes_on_behind_a_hook(name: str, no_leaks: None) -> None:
    x = gb.ones(3, requires_grad=True)
    with gb.dispose_scope():
        with BLOCKS[name]():
            y = x.exp()
        after = gb.ones(2)
    assert after.is_disposed
    assert y.is_disposed


def test_the_scope_goes_on_behind_a_hook_that_raises_or_opens_scopes(no_leaks: None) -> None:
    def pack(tensor: gb.Tensor) -> gb.Tensor:
        with gb.dispose_scope() as inner:
            kept: gb.Tensor = inner.move_to_outer(tensor * 1)
            gb.zeros(2)
        if tensor.ndim == 0:
            raise KeyError("no")
        return kept

    x, number = gb.ones(3, requires_grad=True), gb.tensor(1.0, requires_grad=True)
    with gb.dispose_scope() as scope:
        with graph.saved_tensors_hooks(pack, lambda it: it):
            y = x.exp().sum()
            with pytest.raises(KeyError, match="no"):
                number.exp()
        after = gb.ones(2)
        scope.move_to_outer(y)
    assert after.is_disposed
    y.backward()
    assert x.grad.tolist() == pytest.approx([2.71828] * 3, rel=1e-4)
