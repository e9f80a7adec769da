"""Inputs that backward makes anew, rather than keeps: same bits, less memory, same errors."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest
from garboard import GradientError, VersionError, leaks, nn
from garboard.autograd.graph import saved_tensors_hooks

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

F = nn.functional
ROWS, WIDTH, OUT = 512, 256, 128
SIZE = ROWS * WIDTH * 4  # of what is made anew, in bytes


def layer_norm() -> nn.Module:
    norm = nn.LayerNorm(WIDTH)
    nn.init.uniform_(norm.weight)
    nn.init.uniform_(norm.bias)
    return norm


# What makes the input of a linear layer.
MAKERS: dict[str, Callable[[], Callable[[gb.Tensor], gb.Tensor]]] = {
    "gelu": lambda: F.gelu,
    "gelu_tanh": lambda: lambda x: F.gelu(x, approximate="tanh"),
    "silu": lambda: F.silu,
    "mish": lambda: F.mish,
    "hardswish": lambda: F.hardswish,
    "softplus": lambda: F.softplus,
    "layer_norm": layer_norm,
    "layer_norm without weights": lambda: nn.LayerNorm(WIDTH, elementwise_affine=False),
    "relu of layer_norm": lambda: nn.Sequential(layer_norm(), nn.ReLU()),
    "product": lambda: lambda x: x * x.roll(1, 0),
}
# And that of a convolution.
CHANNEL_MAKERS: dict[str, Callable[[], nn.Module]] = {
    "batch_norm": lambda: nn.BatchNorm2d(16),
    "relu of batch_norm": lambda: nn.Sequential(nn.BatchNorm2d(16), nn.ReLU()),
    "silu of group_norm": lambda: nn.Sequential(nn.GroupNorm(4, 16), nn.SiLU()),
    "relu of instance_norm": lambda: nn.Sequential(nn.InstanceNorm2d(16, affine=True), nn.ReLU()),
}


def drawn(*sizes: int) -> gb.Tensor:
    gb.manual_seed(0)
    return gb.randn(*sizes, requires_grad=True)


def gradients(make: Callable[[gb.Tensor], gb.Tensor], reader: nn.Module, x: gb.Tensor):
    wanted = [x, *reader.parameters()]
    if isinstance(make, nn.Module):
        wanted += list(make.parameters())
    return gb.autograd.grad(reader(make(x)).square().sum(), wanted)


def check_bits(make: Callable[[gb.Tensor], gb.Tensor], reader: nn.Module, x: gb.Tensor) -> None:
    found = gradients(make, reader, x)
    with saved_tensors_hooks(lambda it: it, lambda it: it):  # which are given what would be kept
        expected = gradients(make, reader, x)
    for mine, kept in zip(found, expected, strict=True):
        assert gb.equal(mine, kept)


@pytest.mark.parametrize("name", MAKERS)
def test_a_linear_layer_gets_the_same_gradients(name):
    check_bits(MAKERS[name](), nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH))


@pytest.mark.parametrize("name", CHANNEL_MAKERS)
def test_a_convolution_gets_the_same_gradients(name):
    check_bits(CHANNEL_MAKERS[name](), nn.Conv2d(16, 16, 3), drawn(8, 16, 32, 32))


def live_after(call: Callable[[], gb.Tensor]) -> int:
    before = gb.memory.live().bytes
    result = call()
    taken = gb.memory.live().bytes - before - result.nbytes
    del result
    return taken


@pytest.mark.parametrize("name", MAKERS)
def test_only_what_it_is_made_from_is_kept(name):
    make, reader, x = MAKERS[name](), nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH)
    sources = 2 if name == "product" else 1

    assert live_after(lambda: reader(make(x * 2))) < (sources + 0.1) * SIZE


def test_of_a_product_with_a_weight_too():
    weight, reader = gb.rand(WIDTH, requires_grad=True), nn.Linear(WIDTH, OUT)
    x = drawn(ROWS, WIDTH)
    check_bits(lambda h: weight * (h * 2), reader, x)

    assert live_after(lambda: reader(weight * (x * 2))) < 1.1 * SIZE


def test_what_is_small_or_read_by_few_products_is_kept():
    small, x = drawn(16, WIDTH), drawn(ROWS, WIDTH)
    wide, narrow = nn.Linear(WIDTH, OUT), nn.Linear(WIDTH, 8)

    assert live_after(lambda: wide(F.gelu(small * 2))) >= 2 * small.nbytes
    assert live_after(lambda: narrow(F.gelu(x * 2))) >= 2 * SIZE


def test_a_source_that_was_written_since_is_refused():
    reader, x = nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH)
    h = x * 2
    loss = reader(F.gelu(h)).sum()
    with gb.no_grad():
        h.zero_()

    with pytest.raises(VersionError, match="gelu: what its result is made from"):
        gb.autograd.grad(loss, reader.weight)


def test_a_source_whose_writes_nobody_counts_is_not_built_upon():
    reader, norm, array = nn.Linear(WIDTH, OUT), layer_norm(), np.ones((ROWS, WIDTH), np.float32)
    array[:, ::2] = 3
    expected = gb.autograd.grad(reader(norm(gb.tensor(array))).sum(), reader.weight)[0]
    loss = reader(norm(gb.from_numpy(array))).sum()
    array[...] = 7  # as a buffer that takes the next batch

    assert gb.equal(gb.autograd.grad(loss, reader.weight)[0], expected)


def doubled(h: gb.Tensor) -> None:
    with gb.no_grad():
        h.mul_(2)


def doubled_as_data(h: gb.Tensor) -> None:
    h.data.mul_(2)


def doubled_as_array(h: gb.Tensor) -> None:
    h.detach().numpy()[...] *= 2


WRITERS = [doubled, doubled_as_data, doubled_as_array]


@pytest.mark.parametrize("write", WRITERS)
def test_what_was_written_before_it_was_read_is_kept_as_it_is(write):
    reader, x = nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH)
    for make in (F.gelu, layer_norm(), MAKERS["relu of layer_norm"]()):
        h = make(x)
        plain = h.detach().clone()
        write(h)
        found = gb.autograd.grad(reader(h).sum(), reader.weight)[0]
        expected = gb.autograd.grad(reader(plain * 2).sum(), reader.weight)[0]
        assert gb.equal(found, expected)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("in_place", [False, True])
def test_so_is_what_was_written_between_two_ops_that_make_it(write, in_place):
    reader, norm, x = nn.Linear(WIDTH, OUT), layer_norm(), drawn(ROWS, WIDTH)
    h = norm(x)
    plain = h.detach().clone()
    write(h)
    h = F.relu(h, inplace=in_place)
    found = gb.autograd.grad(reader(h).sum(), reader.weight)[0]
    expected = gb.autograd.grad(reader(F.relu(plain * 2)).sum(), reader.weight)[0]
    assert gb.equal(found, expected)


def test_it_is_made_as_often_as_it_is_asked_for():
    reader, x = nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH)
    loss = reader(F.gelu(x)).square().sum()

    first = gb.autograd.grad(loss, [x, reader.weight], retain_graph=True)
    second = gb.autograd.grad(loss, [x, reader.weight])

    assert all(map(gb.equal, first, second))


def test_second_gradients_pass_through_it():
    reader, x = nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH)

    def second() -> tuple[gb.Tensor, ...]:
        loss = reader(F.gelu(x)).square().mean()
        slopes = gb.autograd.grad(loss, [x, reader.weight], create_graph=True)
        total = sum((slope.square().sum() for slope in slopes), gb.zeros(()))
        return gb.autograd.grad(total, [x, reader.weight])

    found = second()
    with saved_tensors_hooks(lambda it: it, lambda it: it):
        expected = second()
    for mine, kept in zip(found, expected, strict=True):
        gb.testing.assert_close(mine, kept)


@pytest.mark.parametrize("name", MAKERS)
def test_a_reader_after_the_backward_that_freed_its_maker_keeps_it(name):
    reader, x = nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH)
    h = MAKERS[name]()(x * 2)
    h.sum().backward()

    assert live_after(lambda: reader(h)) < SIZE / 8
    with pytest.raises(GradientError, match="was freed by an earlier backward pass"):
        reader(h).sum().backward()


def test_who_holds_a_source_names_the_reader_once_its_maker_is_freed():
    readers, x = [nn.Linear(WIDTH, OUT) for _ in range(2)], drawn(ROWS, WIDTH)
    for make in (F.gelu, MAKERS["relu of layer_norm"]()):
        source = x * 2
        h = make(source)
        freed, kept = (reader(h) for reader in readers)
        del h
        freed.sum().backward()

        assert "graph node linear" in str(leaks.who_holds(source))
        del kept
        assert "graph node" not in str(leaks.who_holds(source))


def test_each_of_several_readers_makes_it():
    readers, x = [nn.Linear(WIDTH, OUT) for _ in range(3)], drawn(ROWS, WIDTH)
    h = F.gelu(x)
    parts = [reader(h) for reader in readers]
    gb.autograd.grad(parts[0].sum(), x, retain_graph=True)
    found = gb.autograd.grad(parts[1].sum() + parts[2].sum(), [x, readers[2].weight])

    h = F.gelu(x.detach()).requires_grad_()
    expected = gb.autograd.grad(readers[2](h).sum(), readers[2].weight)[0]
    assert gb.equal(found[1], expected)


def test_out_of_memory_while_it_is_made_leaves_nothing():
    reader, x = nn.Linear(WIDTH, OUT), drawn(ROWS, WIDTH)
    expected = gb.autograd.grad(reader(F.gelu(x)).sum(), reader.weight)[0]
    before = gb.memory.live()

    def failing(number: int) -> bool:
        loss = reader(F.gelu(x)).sum()
        with gb.memory.fail_allocation(number) as plan:
            try:
                found = gb.autograd.grad(loss, reader.weight)[0]
            except gb.OutOfMemoryError:
                return True
        assert not plan.has_failed
        assert gb.equal(found, expected)
        return False

    failures = 0
    while failing(failures + 1):
        failures += 1
        assert gb.memory.live() == before
    assert failures > 2
