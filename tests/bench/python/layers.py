"""What networks are made of beside products: convolutions, attention, recurrent layers, norms,
pools, dropout; with gradients where training has them. Must reach: 1 to 1.7 times PyTorch, by what
engine designs promise each. Bound: of convolutions and attention the multiplications, of the rest
the memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import garboard as gb
import race
from peers import torch

Run = Callable[[], object]


@dataclass(frozen=True)
class Convolution:
    """A batch, its channels and its sides by out channels and taps."""

    sizes: tuple[int, int, int, int]
    channels: int
    taps: int
    stride: int = 1
    groups: int = 1

    def name(self) -> str:
        n, c, high, wide = self.sizes
        form = f"{self.taps} x {self.taps}"
        rest = "".join(
            f", {word} {value}"
            for word, value in (("stride", self.stride), ("groups", self.groups))
            if value > 1
        )
        return f"convolution {form}, {n} x {c} x {high} x {wide} to {self.channels}{rest}"


CONVOLUTIONS = (
    Convolution((32, 1, 28, 28), 16, 3),
    Convolution((32, 16, 14, 14), 32, 3),
    Convolution((128, 1, 28, 28), 32, 3),
    Convolution((64, 3, 32, 32), 32, 3),
    Convolution((64, 32, 32, 32), 64, 3),
    Convolution((32, 32, 14, 14), 64, 5),
    Convolution((8, 64, 56, 56), 64, 3),
    Convolution((8, 128, 28, 28), 128, 3),
    Convolution((8, 256, 14, 14), 256, 3),
    Convolution((8, 512, 7, 7), 512, 3),
    Convolution((16, 512, 4, 4), 512, 3),
    Convolution((16, 256, 8, 8), 512, 3, stride=2),
    Convolution((8, 64, 56, 56), 128, 3, stride=2),
    Convolution((2, 3, 224, 224), 64, 7, stride=2),
    Convolution((8, 256, 14, 14), 64, 1),
    Convolution((8, 64, 56, 56), 256, 1),
    Convolution((8, 64, 56, 56), 64, 3, groups=64),
)


def rows() -> Iterator[race.Race]:
    for one in CONVOLUTIONS:
        yield race.Race(one.name(), of_each(forward_of(one)), 1.0)
        for number, what in enumerate(("input", "weight")):
            yield race.Race(f"{one.name()}: {what}'s gradient", of_each(slope_of(one, number)), 1.0)
    for name, must, calls, make in (
        ("attention, 8 heads of 64, 2048 tokens", 1.2, 1, attention(2048, False)),
        (
            "attention, 8 heads of 64, 2048 tokens, with its gradients",
            1.2,
            1,
            attention(2048, True),
        ),
        ("attention, 32 x 8 heads of 16, 64 tokens, with its gradients", 1.2, 2, short_attention),
        ("LSTM of 64, batch 16, 32 steps, with its gradients", 1.7, 4, recurrent("LSTM", 64)),
        ("GRU of 64, batch 16, 32 steps, with its gradients", 1.7, 4, recurrent("GRU", 64)),
        ("LSTM of 256, batch 16, 32 steps, with its gradients", 1.2, 1, recurrent("LSTM", 256)),
        ("batch norm of 32 x 64 x 28 x 28, with its gradients", 1.3, 2, norm("BatchNorm2d", 64)),
        ("group norm of 32 x 64 x 28 x 28, with its gradients", 1.3, 2, norm("GroupNorm", 8, 64)),
        ("max pool 2 of 32 x 64 x 28 x 28, with its gradient", 1.3, 2, pool("max_pool2d")),
        ("average pool 2 of 32 x 64 x 28 x 28, with its gradient", 1.3, 2, pool("avg_pool2d")),
        ("embedding of 4096 rows among 10000 of 128, with its gradient", 1.3, 4, embedding),
        ("dropout of 2^20, with its gradient", 1.3, 4, dropout),
    ):
        yield race.Race(name, of_each(make), must, calls)


def of_each(make: Callable[[Any, Callable[..., Any]], Run]) -> dict[str, Run]:
    """What `make` makes in each library, where a function copies a tensor of ours to it."""
    entries = {"garboard": make(gb, lambda tensor: tensor.clone())}
    if torch:
        entries["torch"] = make(torch, lambda tensor: torch.from_numpy(tensor.numpy().copy()))
    return entries


def drawn(*sizes: int) -> gb.Tensor:
    return gb.randn(*sizes)


def forward_of(one: Convolution) -> Callable[[Any, Any], Run]:
    x = drawn(*one.sizes)
    weight = drawn(one.channels, one.sizes[1] // one.groups, one.taps, one.taps)
    bias = drawn(one.channels)

    def make(space: Any, bring: Any) -> Run:
        given = [bring(tensor) for tensor in (x, weight, bias)]
        convolve = space.nn.functional.conv2d
        padding = one.taps // 2

        def run() -> object:
            return convolve(*given, stride=one.stride, padding=padding, groups=one.groups)

        return run

    return make


def slope_of(one: Convolution, number: int) -> Callable[[Any, Any], Run]:
    """Backward alone, for the input or the weight: the graph is kept."""
    x = drawn(*one.sizes)
    weight = drawn(one.channels, one.sizes[1] // one.groups, one.taps, one.taps)

    def make(space: Any, bring: Any) -> Run:
        given = [bring(tensor) for tensor in (x, weight)]
        given[number].requires_grad_()
        out = space.nn.functional.conv2d(
            *given, stride=one.stride, padding=one.taps // 2, groups=one.groups
        )
        slopes = space.ones_like(out)
        return lambda: space.autograd.grad(out, given[number], slopes, retain_graph=True)

    return make


def attention(tokens: int, has_slopes: bool) -> Callable[[Any, Any], Run]:
    return attend((1, 8, tokens, 64), has_slopes)


def attend(sizes: tuple[int, ...], has_slopes: bool) -> Callable[[Any, Any], Run]:
    tensors = [drawn(*sizes) for _ in range(3)]

    def make(space: Any, bring: Any) -> Run:
        given = [bring(tensor).requires_grad_(has_slopes) for tensor in tensors]
        slopes = space.ones_like(given[0])
        attends = space.nn.functional.scaled_dot_product_attention
        if not has_slopes:
            return lambda: attends(*given)
        return lambda: space.autograd.grad(attends(*given), given, slopes)

    return make


def short_attention(space: Any, bring: Any) -> Run:
    return attend((32, 8, 64, 16), True)(space, bring)


def recurrent(kind: str, hidden: int) -> Callable[[Any, Any], Run]:
    x = drawn(16, 32, hidden)

    def make(space: Any, bring: Any) -> Run:
        layer = getattr(space.nn, kind)(hidden, hidden, batch_first=True)
        given = bring(x)

        def run() -> None:
            layer.zero_grad()
            layer(given)[0].sum().backward()

        return run

    return make


def norm(kind: str, *arguments: int) -> Callable[[Any, Any], Run]:
    x = drawn(32, 64, 28, 28)

    def make(space: Any, bring: Any) -> Run:
        layer = getattr(space.nn, kind)(*arguments)
        leaf = bring(x).requires_grad_()
        slopes = space.ones_like(leaf)

        def run() -> None:
            leaf.grad = None
            layer.zero_grad()
            layer(leaf).backward(slopes)

        return run

    return make


def pool(name: str) -> Callable[[Any, Any], Run]:
    x = drawn(32, 64, 28, 28)

    def make(space: Any, bring: Any) -> Run:
        leaf = bring(x).requires_grad_()
        slopes = space.ones(32, 64, 14, 14)
        pools = getattr(space.nn.functional, name)
        return lambda: space.autograd.grad(pools(leaf, 2), leaf, slopes)

    return make


def embedding(space: Any, bring: Any) -> Run:
    table = bring(drawn(10000, 128)).requires_grad_()
    places = space.arange(4096) * 7 % 10000
    slopes = space.ones(4096, 128)
    looked_up = space.nn.functional.embedding
    return lambda: space.autograd.grad(looked_up(places, table), table, slopes)


def dropout(space: Any, bring: Any) -> Run:
    leaf = bring(drawn(1 << 20)).requires_grad_()
    slopes = space.ones(1 << 20)
    drops = space.nn.functional.dropout
    return lambda: space.autograd.grad(drops(leaf, 0.5), leaf, slopes)
