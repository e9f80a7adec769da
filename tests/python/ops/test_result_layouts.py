"""In which order of dims a result lies: PyTorch's, that of its first input that has one."""

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


def lying(how: str, sizes: tuple[int, int, int]) -> gb.Tensor:
    """Return numbers of `sizes`, or of sizes that broadcast to them, that lie as a name says."""
    a, b, c = sizes
    made = {
        "rows": lambda: numbers((a, b, c), 0),
        "turned": lambda: numbers((b, c, a), 1).permute(2, 0, 1),
        "reversed": lambda: numbers((c, b, a), 2).permute(2, 1, 0),
        "gaps": lambda: numbers((b, c, 2 * a), 3).permute(2, 0, 1)[::2],
        "part": lambda: numbers((a, c, b + 1), 4).permute(0, 2, 1)[:, 1:],
        "expanded": lambda: numbers((b, 1, a), 5).permute(2, 0, 1).expand(a, b, c),
        "row": lambda: numbers((c,), 6),
        "matrix": lambda: numbers((c, b), 7).t(),
        "column": lambda: numbers((b, a), 8).t()[:, :, None],
        "number": lambda: numbers((), 9),
    }
    return made[how]()


# By PyTorch 2.15, of sizes [2, 3, 4].
STRIDES: dict[tuple[str, ...], tuple[int, ...]] = {
    ("rows",): (12, 4, 1),
    ("turned",): (1, 8, 2),
    ("reversed",): (1, 2, 6),
    ("gaps",): (1, 8, 2),
    ("part",): (12, 1, 3),
    ("expanded",): (4, 8, 1),
    ("turned", "rows"): (1, 8, 2),
    ("rows", "turned"): (12, 4, 1),
    ("turned", "reversed"): (1, 8, 2),
    ("reversed", "turned"): (1, 2, 6),
    ("gaps", "rows"): (1, 8, 2),
    ("part", "turned"): (12, 1, 3),
    ("expanded", "rows"): (4, 8, 1),
    ("expanded", "expanded"): (4, 8, 1),
    ("turned", "row"): (1, 8, 2),
    ("row", "turned"): (1, 8, 2),
    ("matrix", "rows"): (12, 1, 3),
    ("matrix", "turned"): (1, 2, 6),
    ("matrix", "column"): (1, 8, 2),
    ("column", "matrix"): (1, 8, 2),
    ("number", "gaps"): (1, 8, 2),
    ("gaps", "number"): (1, 8, 2),
    ("expanded", "row"): (4, 8, 1),
    ("column", "rows"): (4, 8, 1),
    ("column", "reversed"): (1, 2, 6),
    ("turned", "rows", "rows"): (1, 8, 2),
    ("rows", "turned", "reversed"): (12, 4, 1),
    ("column", "reversed", "rows"): (1, 2, 6),
    ("number", "gaps", "rows"): (1, 8, 2),
    ("row", "matrix", "column"): (1, 8, 2),
}

BY_COUNT: list[dict[str, Callable[..., gb.Tensor]]] = [
    {
        "exp": lambda x: x.exp(),
        "of a number": lambda x: 2 - x,
        "clone": lambda x: x.clone(),
        "flip": lambda x: x.flip(0, 1),
        "to": lambda x: x.double(),
        "zeros_like": gb.zeros_like,
        "full_like": lambda x: gb.full_like(x, 2, dtype=gb.int64),
        "gelu": functional.gelu,
        "hardshrink": lambda x: functional.hardshrink(x, 0.2),
    },
    {
        "mul": lambda x, y: x * y,
        "lt": lambda x, y: x < y,
        "atan2": gb.atan2,
        "of two dtypes": lambda x, y: x - y.double(),
        "nextafter": gb.nextafter,
        "complex": gb.complex,
        "a chain": lambda x, y: gb.sub(x, y, alpha=0.5).square(),
    },
    {
        "where": lambda x, y, z: gb.where(x > 0, y, z),
        "addcmul": gb.addcmul,
        "lerp": gb.lerp,
        "a chain": lambda x, y, z: (x * y + z).sigmoid(),
    },
]


def in_the_order_of(strides: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, ...]:
    found, stride = [0] * len(sizes), 1
    for dim in sorted(range(len(sizes)), key=lambda dim: strides[dim]):
        found[dim], stride = stride, stride * sizes[dim]
    return tuple(found)


@pytest.mark.parametrize("sizes", [(2, 3, 4), (40, 48, 64)], ids=["few", "many"])
@pytest.mark.parametrize("given", STRIDES, ids=" and ".join)
def test_a_result_lies_as_pytorchs(given: tuple[str, ...], sizes: tuple[int, int, int]) -> None:
    inputs = [lying(how, sizes) for how in given]
    dense = [it.contiguous() for it in inputs]
    expected = in_the_order_of(STRIDES[given], sizes)
    for name, op in BY_COUNT[len(given) - 1].items():
        made = op(*inputs)
        assert made.stride() == expected, name
        assert gb.equal(made, op(*dense)), name


@pytest.mark.parametrize("given", STRIDES, ids=" and ".join)
def test_what_is_fused_lies_as_what_is_not(given: tuple[str, ...]) -> None:
    inputs = [lying(how, (40, 48, 64)) for how in given]

    def chain(*those: gb.Tensor) -> gb.Tensor:
        made = 2 ** those[-1] if len(those) == 1 else those[0] * those[-1]
        return made.exp() + those[0] - those[len(those) // 2]

    made, fused = chain(*inputs), gb.fuse(chain)(*inputs)
    assert fused.stride() == made.stride()
    assert gb.equal(fused, made)


def test_what_an_op_gives_in_the_order_of_its_first_input_can_be_seen_as_that() -> None:
    x, dense = numbers((2, 3, 4, 5), 0), numbers((2, 4, 5, 3), 1)
    for made in (x.permute(0, 2, 3, 1) + dense, functional.dropout(x.permute(0, 2, 3, 1), 0.5)):
        assert made.permute(0, 3, 1, 2).view(2, -1).shape == (2, 60)
    assert (dense * x.permute(0, 2, 3, 1)).view(2, -1).shape == (2, 60)


def test_an_input_that_is_converted_has_its_say_after_that() -> None:
    x, y = lying("expanded", (2, 3, 4)), lying("turned", (2, 3, 4))
    assert (x * y).stride() == (1, 8, 2)
    assert (x * y.double()).stride() == x.double().stride() == (4, 8, 1)


def test_strides_of_single_places_have_a_say_as_in_pytorch() -> None:
    x, y = numbers((1, 2), 0), numbers((1, 3, 1), 1).permute(1, 0, 2)
    assert (x.as_strided((1, 2), (1, 1)) * y.as_strided((3, 1, 1), (1, 3, 1))).stride() == (1, 6, 3)
    assert numbers((5, 1, 4), 0).as_strided((5, 1, 4), (4, 99, 1)).exp().is_contiguous()


ROW_MAJOR: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "logsigmoid": functional.logsigmoid,
    "2 ** x": lambda x: 2**x,
    "float_power": lambda x: gb.float_power(2, x),
    "addmm": lambda x: gb.addmm(x[0], x[0], gb.ones(4, 4)),
    "quantile": lambda x: gb.quantile(x, 0.5, dim=1),
    "ldexp": lambda x: gb.ldexp(gb.tensor(2.0), x),
    "masked_fill": lambda x: x.masked_fill(x > 0, 1.0),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, x.flatten()),
    "scatter": lambda x: x.scatter(1, gb.zeros_like(x[:, :1], dtype=gb.int64), 2.0),
    "index_add": lambda x: x.index_add(1, gb.tensor([0]), x[:, :1]),
    "tril": gb.tril,
    "triu": gb.triu,
    "renorm": lambda x: x.renorm(2, 0, 1.0),
    "rrelu": functional.rrelu,
    "rms_norm": lambda x: functional.rms_norm(x, x.shape[-1:]),
    "batch_norm": lambda x: functional.batch_norm(x, x.new_zeros(3), x.new_ones(3)),
}


@pytest.mark.parametrize("name", ROW_MAJOR)
def test_what_is_row_major_in_pytorch_is_so_whatever_lies_how(name: str) -> None:
    op = ROW_MAJOR[name]
    for how in ("turned", "reversed", "gaps", "part", "expanded"):
        x = lying(how, (2, 3, 4))
        made = op(x)
        assert made.is_contiguous(), how
        assert gb.allclose(made, op(x.contiguous())), how


LIKE: dict[str, Callable[..., gb.Tensor]] = {
    "empty_like": gb.empty_like,
    "zeros_like": gb.zeros_like,
    "ones_like": gb.ones_like,
    "full_like": lambda x, **how: gb.full_like(x, 3, **how),
    "rand_like": gb.rand_like,
    "randn_like": gb.randn_like,
    "randint_like": lambda x, **how: gb.randint_like(x, 9, **how),
    "clone": gb.clone,
}


@pytest.mark.parametrize("name", LIKE)
def test_what_is_made_like_a_tensor_lies_as_it_unless_it_is_asked_not_to(name: str) -> None:
    for how in ("turned", "reversed", "gaps", "part", "expanded"):
        x = lying(how, (2, 3, 4))
        for format in ({}, {"memory_format": gb.preserve_format}, {"memory_format": None}):
            assert LIKE[name](x, **format).stride() == STRIDES[(how,)]
        assert LIKE[name](x, memory_format=gb.contiguous_format).is_contiguous()
    with pytest.raises(TypeError, match=f"{name}: memory_format"):
        LIKE[name](x, memory_format=3)


def test_a_copy_is_row_major_where_it_is_asked_to() -> None:
    x = numbers((4, 6), 0).t()
    for asked in (gb.contiguous_format, gb.channels_last):
        copy = x.clone(memory_format=asked)
        assert copy.is_contiguous()
        assert gb.equal(copy, x)


def test_what_is_written_into_stays_as_it_lies() -> None:
    x, y = numbers((4, 6), 0).t(), numbers((6, 4), 1)
    for out in (gb.empty(6, 4), gb.empty(4, 6).t(), gb.empty(6, 8)[:, ::2]):
        before = out.stride()
        assert gb.equal(gb.mul(x, y, out=out), x.contiguous() * y)
        assert out.stride() == before


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
