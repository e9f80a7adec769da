"""In which order of dims a result lies: that of its inputs where they share one, or row-major."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import pytest
from garboard.nn import functional

TURNS = [(1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1), (0, 2, 1)]
FEW, MANY = (3, 4, 5), (48, 40, 64)  # the latter is run in pieces, where several ops are one chain

OPS: dict[str, Callable[[gb.Tensor, gb.Tensor], gb.Tensor]] = {
    "of one": lambda x, _: x.exp(),
    "of a number": lambda x, _: 2 - x,
    "of two": lambda x, y: x * y,
    "a comparison": lambda x, y: x < y,
    "of three": lambda x, y: gb.where(x < y, x, y),
    "a conversion": lambda x, _: x.double(),
    "a copy": lambda x, _: x.clone(),
    "of two dtypes": lambda x, y: x.double() + y,
    "of a row": lambda x, _: x + gb.arange(x.shape[-1]),
    "of a column": lambda x, _: x[:, :1, :1] * x,
    "a chain": lambda x, y: gb.addcmul(x, x, y, value=0.5),
    "an activation": lambda x, _: functional.hardshrink(x, 0.2),
    "a loss": lambda x, y: functional.smooth_l1_loss(x, y, reduction="none"),
}


def numbers(sizes: tuple[int, ...], seed: int) -> gb.Tensor:
    return gb.randn(sizes, generator=gb.Generator().manual_seed(seed))


@pytest.mark.parametrize("sizes", [FEW, MANY], ids=["few", "many"])
@pytest.mark.parametrize("turn", TURNS, ids=str)
@pytest.mark.parametrize("name", OPS)
def test_a_result_lies_as_all_of_its_inputs_do(
    name: str, turn: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    x, y = (numbers(sizes, seed).permute(turn) for seed in (0, 1))
    made = OPS[name](x, y)
    assert made.stride() == x.stride()
    assert gb.equal(made, OPS[name](x.contiguous(), y.contiguous()))


@pytest.mark.parametrize("sizes", [FEW, MANY], ids=["few", "many"])
@pytest.mark.parametrize("name", ["of two", "a comparison", "of three", "a chain", "a loss"])
def test_a_result_of_inputs_that_differ_is_row_major(name: str, sizes: tuple[int, ...]) -> None:
    x = numbers(sizes, 0).permute(2, 1, 0)
    y = numbers(x.shape, 1)
    for made in (OPS[name](x, y), OPS[name](y, x)):
        assert made.is_contiguous()
    assert gb.equal(OPS[name](x, y), OPS[name](x.contiguous(), y))


def test_a_result_of_what_leaves_gaps_or_is_expanded_is_row_major() -> None:
    x = numbers((4, 6), 0)
    for part in (x.t()[:, ::2], x[:, ::2], x.t()[1:], x[:, :1].expand(4, 5), x[0].expand(3, 6)):
        assert (part + part).is_contiguous()
        assert gb.equal(part + part, part.contiguous() * 2)


def test_a_copy_is_row_major_where_it_cannot_lie_as_its_input_or_is_asked_to() -> None:
    x = numbers((4, 6), 0).t()
    for part in (x[:, ::2], x[1:], x[:, :1].expand(6, 5)):
        assert part.clone().is_contiguous()
    assert x.clone(memory_format=gb.preserve_format).stride() == x.clone().stride() == x.stride()
    for asked in (gb.contiguous_format, gb.channels_last):
        copy = x.clone(memory_format=asked)
        assert copy.is_contiguous()
        assert gb.equal(copy, x)
    with pytest.raises(TypeError, match="clone: memory_format"):
        x.clone(memory_format=3)  # type: ignore[call-overload]


@pytest.mark.parametrize("sizes", [FEW, MANY], ids=["few", "many"])
@pytest.mark.parametrize("name", [it for it in OPS if it != "a comparison"])
def test_gradients_of_what_lies_turned_are_those_of_what_lies_densely(
    name: str, sizes: tuple[int, ...], no_leaks: None
) -> None:
    found = []
    for lie in (gb.Tensor.detach, gb.Tensor.contiguous):
        x, y = (lie(numbers(sizes, seed).permute(2, 0, 1)).requires_grad_() for seed in (0, 1))
        made = OPS[name](x, y)
        made.backward(numbers(made.shape, 2).to(made.dtype))
        found.append([made, x.grad, y.grad])
    for one, other in zip(*found, strict=True):
        assert one is other is None or gb.allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_a_loss_of_many_that_lie_turned_is_that_of_its_elements(reduction: str) -> None:
    x, y = (numbers(MANY, seed).permute(2, 0, 1) for seed in (0, 1))
    for loss in (functional.mse_loss, functional.huber_loss, functional.smooth_l1_loss):
        each = loss(x, y, reduction="none")
        expected = getattr(each, reduction)().item()
        assert loss(x, y, reduction=reduction).item() == expected
        apart = loss(x, y.contiguous(), reduction=reduction).item()
        assert apart == pytest.approx(expected, rel=1e-5)


def peak_of(call: Callable[[], object]) -> int:
    """Return how many bytes were live at most during a call, beside those that were before."""
    gb.memory.reset_peak_memory_stats()
    before = gb.memory.peak().bytes
    call()
    return gb.memory.peak().bytes - before


def test_a_chain_copies_only_what_lies_turned_beside_what_does_not(no_leaks: None) -> None:
    x, y = numbers((512, 600), 0).t(), numbers((600, 512), 1)
    assert x.nbytes <= peak_of(lambda: functional.mse_loss(x, y)) < 2 * x.nbytes
    assert peak_of(lambda: functional.mse_loss(x, x)) < x.nbytes


@pytest.mark.parametrize("turn", [(1, 0, 2), (2, 1, 0), (0, 2, 1)], ids=str)
def test_many_that_lie_turned_beside_what_does_not_have_the_bits_of_copies(
    turn: tuple[int, ...], no_leaks: None
) -> None:
    x = numbers(MANY, 0).permute(turn)
    y = numbers(tuple(x.shape), 1)
    row, dense = y[0, 0], x.contiguous()
    half = x[..., 1:]
    calls: list[Callable[[gb.Tensor], gb.Tensor]] = [
        lambda it: it * y,
        lambda it: y - it,
        lambda it: it * it + row,
        lambda it: it < y,
        lambda it: gb.where(it < y, it, y),
        lambda it: y.clone().add_(it, alpha=2),
        lambda it: gb.maximum(it, y, out=gb.empty_like(y)),
        lambda it: it.double() * y,
        lambda it: it[..., 1:].exp() + half,
        lambda it: y.clone().copy_(it).mul_(it[:1]),
        lambda it: gb.lerp(y, it, it),
    ]
    for call in calls:
        assert gb.equal(call(x), call(dense))


SPARING: list[Callable[[gb.Tensor, gb.Tensor], gb.Tensor]] = [
    lambda x, y: x < y,
    lambda x, y: functional.mse_loss(x, y),
]


@pytest.mark.parametrize("call", SPARING, ids=["an op", "a chain"])
def test_what_lies_turned_is_read_as_it_lies_where_there_is_no_memory_for_a_copy(
    call: Callable[[gb.Tensor, gb.Tensor], gb.Tensor], no_leaks: None
) -> None:
    x, y = numbers((512, 600), 0).t(), numbers((600, 512), 1)
    expected = call(x, y)
    gb.memory.empty_cache()
    used = gb.memory.memory_allocated()
    before = gb.memory.set_memory_limit(used + expected.nbytes + x.nbytes // 2)
    try:
        made = call(x, y)
    finally:
        gb.memory.set_memory_limit(before)
    assert gb.equal(made, expected)
