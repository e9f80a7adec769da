"""A GPU beside PyTorch. Must reach: 1.0 times PyTorch; where memory is the bound, 0.92 of the rate
at which the device copies its memory; of a training step's peak 0.8.

Calls are queued and waited for once a block, so a figure is the greater of what the host takes to
queue a call and what the device takes to do it. Bounds: bytes over the copy's rate, operations over
the peak of the units that do them.
"""

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from networks import NETWORKS
from peers import torch

MIB = 1 << 20
MUST, MUST_OF_RATE, MUST_OF_PEAK = 1.0, 0.92, 0.8
BLOCK_S = 0.01  # of what a block is long, about

Call = Callable[[], object]
Make = Callable[[Any], Call]  # of a library, what is measured


def rows() -> Iterator[race.Race | race.Result]:
    if not gb.cuda.is_available():
        return
    yield from memory_rows()
    for name, make in {**PRODUCTS, **SMALL, **LAYERS, **attentions(), **steps()}.items():
        yield contest(name, make)
    yield from captured_beside_eager()
    yield from peaks()


def spaces() -> dict[str, Any]:
    """The libraries, with convolutions of float32 computed in float32 in both."""
    if torch:
        torch.backends.cudnn.allow_tf32 = False  # as ours is at first
    return {"garboard": gb} | ({"torch": torch} if torch else {})


def queued(space: Any, call: Call, calls: int) -> Call:
    def block() -> None:
        for _ in range(calls):
            call()
        space.cuda.synchronize()

    return block


def contest(name: str, make: Make) -> race.Race:
    made = {name: make(space) for name, space in spaces().items()}
    calls = 1
    if ns := min(race.ns_of(queued(spaces()[name], call, 1), 3) for name, call in made.items()):
        calls = max(1, min(1000, int(BLOCK_S * 1e9 / ns)))
    blocks = {name: queued(spaces()[name], call, calls) for name, call in made.items()}
    return race.Race(name, blocks, MUST, runs=calls)


# What memory bounds: a name, the bytes that are moved, and what is measured.


def of_tensors(count: int, sizes: tuple[int, ...], make: Callable[..., Call]) -> Make:
    return lambda space: make(space, *(space.rand(sizes, device="cuda") for _ in range(count)))


def memory_bound() -> Iterator[tuple[str, float, Make]]:
    side = 8192
    square, flat = (side, side), (side * side,)
    once = 4 * side * side / MIB  # MiB of one tensor

    def half(space: Any) -> Call:
        x = space.rand(*flat, device="cuda").to(space.bfloat16)
        return lambda: x + x

    def misaligned(space: Any, x: Any, y: Any) -> Call:
        a, b = x[1:], y[1:]
        return lambda: a + b

    def filled(space: Any, x: Any) -> Call:
        return lambda: x.fill_(1.0)

    def where(space: Any, x: Any, y: Any) -> Call:
        is_less = x < y
        return lambda: space.where(is_less, x, y)

    def fused(space: Any, x: Any) -> Call:
        def chain() -> Any:
            return x * 0.5 * (((x * x * x * 0.044715 + x) * 0.7978845608).tanh() + 1)

        return gb.fuse(chain) if space is gb else chain  # PyTorch's op by op

    yield "copy", 2 * once, of_tensors(1, flat, lambda _, x: x.clone)
    yield "fill", once, of_tensors(1, flat, filled)
    yield "a + b", 3 * once, of_tensors(2, flat, lambda _, x, y: lambda: x + y)
    yield "a + b of bfloat16", once, half
    yield "a + b, misaligned", 3 * once, of_tensors(2, flat, misaligned)
    yield "a += b", 3 * once, of_tensors(2, flat, lambda _, x, y: lambda: x.add_(y))
    for name in ("relu", "exp", "tanh"):
        make = of_tensors(1, flat, lambda s, x, name=name: lambda: getattr(s, name)(x))
        yield name, 2 * once, make
    gelu = of_tensors(1, flat, lambda s, x: lambda: s.nn.functional.gelu(x))
    yield "gelu", 2 * once, gelu
    yield "where", 3.25 * once, of_tensors(2, flat, where)
    yield "fused chain of 9 ops", 2 * once, of_tensors(1, flat, fused)
    yield "x + row", 2 * once, of_tensors(2, square, lambda _, x, y: lambda: x + y[0])
    column = of_tensors(2, square, lambda _, x, y: lambda: x + y[:, :1])
    yield "x + column", 2 * once, column
    yield "copy of x.T", 2 * once, of_tensors(1, square, lambda _, x: x.T.contiguous)
    yield "x.T + y", 3 * once, of_tensors(2, square, lambda _, x, y: lambda: x.T + y)
    yield "to float16", 1.5 * once, of_tensors(1, flat, lambda _, x: x.half)
    yield "rand", once, lambda space: lambda: space.rand(*flat, device="cuda")
    yield "randn", once, lambda space: lambda: space.randn(*flat, device="cuda")
    yield "sum", once, of_tensors(1, flat, lambda _, x: x.sum)
    yield "sum over rows", once, of_tensors(1, square, lambda _, x: lambda: x.sum(1))
    yield "sum over columns", once, of_tensors(1, square, lambda _, x: lambda: x.sum(0))
    yield "max over rows", once, of_tensors(1, square, lambda _, x: lambda: x.amax(1))
    yield "var over rows", once, of_tensors(1, square, lambda _, x: lambda: x.var(1))
    yield "argmax over rows", once, of_tensors(1, square, lambda _, x: lambda: x.argmax(1))
    yield "softmax of rows", 2 * once, of_tensors(1, square, lambda _, x: lambda: x.softmax(1))
    wide = (1 << 20, 64)
    yield "softmax of rows of 64", 2 * once, of_tensors(1, wide, lambda _, x: lambda: x.softmax(1))
    norm = of_tensors(1, square, lambda s, x: lambda: s.nn.functional.layer_norm(x, (side,)))
    yield "layer norm of rows", 2 * once, norm
    yield "cumsum", 2 * once, of_tensors(1, flat, lambda _, x: lambda: x.cumsum(0))
    cat = of_tensors(2, square, lambda s, x, y: lambda: s.cat((x, y), 1))
    yield "cat along rows", 4 * once, cat
    yield "rows by number", 2 * once, of_tensors(1, (1 << 18, 256), gathered)


def gathered(space: Any, x: Any) -> Call:
    places = space.arange(x.shape[0], device="cuda") * 7919 % x.shape[0]
    return lambda: x[places]


def memory_rows() -> Iterator[race.Race | race.Result]:
    fastest = None
    for name, mib, make in memory_bound():
        result = contest(f"{name}, {mib:.0f} MiB moved", make).measure()
        yield result
        rates = {who: mib * MIB / ns for who, ns in result.figures.items()}  # bytes a nanosecond
        fastest = fastest or max(rates.values())
        shares = {who: rate / fastest for who, rate in rates.items()}
        share = shares["garboard"]
        yield race.Result(
            *(f"{name}, of the copy's {fastest / 1000:.2f} TB/s", shares),
            *(f">= {MUST_OF_RATE:g}", share, share >= MUST_OF_RATE, ""),
        )


# Products, small calls, layers, steps.


def product(dtype: str, *sizes: int, batch: int = 0) -> Make:
    rows, depth, columns = sizes

    def make(space: Any) -> Call:
        ahead = (batch,) if batch else ()
        kind = getattr(space, dtype)
        a = space.rand(*ahead, rows, depth, device="cuda").sub(0.5).to(kind)
        b = space.rand(*ahead, depth, columns, device="cuda").sub(0.5).to(kind)
        return lambda: a @ b

    return make


def linear(dtype: str, rows: int, inputs: int, outputs: int) -> Make:
    def make(space: Any) -> Call:
        kind = getattr(space, dtype)
        layer = space.nn.Linear(inputs, outputs, device="cuda", dtype=kind)
        x = space.rand(rows, inputs, device="cuda").to(kind)

        def call() -> object:
            with space.no_grad():
                return layer(x)

        return call

    return make


PRODUCTS: dict[str, Make] = {
    "a @ b, 8192, bfloat16": product("bfloat16", 8192, 8192, 8192),
    "a @ b, 4096, float16": product("float16", 4096, 4096, 4096),
    "a @ b, 4096, float32": product("float32", 4096, 4096, 4096),
    "a @ b, 512, float32": product("float32", 512, 512, 512),
    "a @ b, 64, float32": product("float32", 64, 64, 64),
    "bmm, 512 of 128, bfloat16": product("bfloat16", 128, 128, 128, batch=512),
    "bmm, 4096 of 32, float32": product("float32", 32, 32, 32, batch=4096),
    "linear, 8192 x 4096 to 4096, bfloat16": linear("bfloat16", 8192, 4096, 4096),
    "linear, 64 x 512 to 512, float32": linear("float32", 64, 512, 512),
}


def small_views(space: Any, x: Any) -> Call:
    return lambda: x[2:5].t()


def small_backward(space: Any, x: Any) -> Call:
    x.requires_grad_()

    def call() -> None:
        x.grad = None
        (x * x).sum().backward()

    return call


SMALL: dict[str, Make] = {
    "a + b of 1000": of_tensors(2, (1000,), lambda _, x, y: lambda: x + y),
    "a + 1 of 1000": of_tensors(1, (1000,), lambda _, x: lambda: x + 1),
    "a += b of 1000": of_tensors(2, (1000,), lambda _, x, y: lambda: x.add_(y)),
    "sum of 1000": of_tensors(1, (1000,), lambda _, x: x.sum),
    "softmax of 64 x 64": of_tensors(1, (64, 64), lambda _, x: lambda: x.softmax(1)),
    "x[2:5].t()": of_tensors(1, (64, 64), small_views),
    "(x * x).sum().backward() of 1000": of_tensors(1, (1000,), small_backward),
    "item()": of_tensors(1, (), lambda _, x: x.item),
}


def trained(layer_of: Callable[[Any], Any], *sizes: int, dtype: str = "float32") -> Make:
    """A layer's forward and backward."""

    def make(space: Any) -> Call:
        kind = getattr(space, dtype)
        layer = layer_of(space).to("cuda").to(kind)
        x = space.rand(*sizes, device="cuda").to(kind).requires_grad_()

        def call() -> None:
            x.grad = None
            out = layer(x)
            (out[0] if isinstance(out, tuple) else out).sum().backward()

        return call

    return make


def in_tf32(make: Make) -> Make:
    """The same with convolutions of float32 in TF32, which is PyTorch's way where none is said."""

    def made(space: Any) -> Call:
        call, flags = make(space), space.backends.cudnn.flags

        def in_block() -> None:
            with flags(enabled=True, allow_tf32=True):
                call()

        return in_block

    return made


def chosen(call: Callable[[Any, Any], Call], count: int) -> Make:
    return lambda space: call(space, space.rand(count, device="cuda"))


def chosen_of_rows(call: Callable[[Any], object], *sizes: int) -> Make:
    def make(space: Any) -> Call:
        x = space.rand(*sizes, device="cuda")
        return lambda: call(x)

    return make


def of_classes(space: Any) -> Call:
    scores = space.rand(8192, 32000, device="cuda").requires_grad_()
    classes = space.arange(8192, device="cuda")

    def call() -> None:
        scores.grad = None
        space.nn.functional.cross_entropy(scores, classes).backward()

    return call


def embedded(space: Any) -> Call:
    table = space.rand(50000, 512, device="cuda").requires_grad_()
    places = space.arange(16384, device="cuda") * 7919 % 50000

    def call() -> None:
        table.grad = None
        space.nn.functional.embedding(places, table).sum().backward()

    return call


def optimized(space: Any) -> Call:
    sizes = [(1024, 1024), (1024,), (64, 64, 3, 3), (64,)] * 25
    parameters = [space.nn.Parameter(space.rand(*size, device="cuda")) for size in sizes]
    for parameter in parameters:
        parameter.grad = space.rand(*parameter.shape, device="cuda")
    return space.optim.Adam(parameters, lr=1e-3).step


CONVOLUTION = trained(lambda s: s.nn.Conv2d(64, 64, 3, padding=1), 64, 64, 56, 56)
LAYERS: dict[str, Make] = {
    "convolution 3 x 3, 64 x 64 x 56 x 56, trained": CONVOLUTION,
    "convolution 3 x 3, 64 x 64 x 56 x 56, TF32, trained": in_tf32(CONVOLUTION),
    "convolution 3 x 3, 64 x 256 x 14 x 14, float16, trained": trained(
        lambda s: s.nn.Conv2d(256, 256, 3, padding=1), 64, 256, 14, 14, dtype="float16"
    ),
    "convolution 1 x 1, 64 x 256 x 14 x 14, trained": trained(
        lambda s: s.nn.Conv2d(256, 64, 1), 64, 256, 14, 14
    ),
    "convolution by channels, 64 x 64 x 56 x 56, trained": trained(
        lambda s: s.nn.Conv2d(64, 64, 3, padding=1, groups=64), 64, 64, 56, 56
    ),
    "batch norm, 64 x 64 x 56 x 56, trained": trained(
        lambda s: s.nn.BatchNorm2d(64), 64, 64, 56, 56
    ),
    "group norm, 64 x 64 x 56 x 56, trained": trained(
        lambda s: s.nn.GroupNorm(8, 64), 64, 64, 56, 56
    ),
    "layer norm, 8192 x 1024, trained": trained(lambda s: s.nn.LayerNorm(1024), 8192, 1024),
    "max pool 2, 64 x 64 x 56 x 56, trained": trained(lambda s: s.nn.MaxPool2d(2), 64, 64, 56, 56),
    "dropout of 2^24, trained": trained(lambda s: s.nn.Dropout(0.5), 1 << 24),
    "LSTM of 512, 64 x 64 steps, trained": trained(lambda s: s.nn.LSTM(512, 512), 64, 64, 512),
    "GRU of 256, 32 x 64 steps, trained": trained(lambda s: s.nn.GRU(256, 256), 64, 32, 256),
    "cross entropy, 8192 x 32000, trained": of_classes,
    "embedding, 16384 of 50000 x 512, trained": embedded,
    "Adam, 100 parameters, 27 M numbers": optimized,
    "sort of 2^22": chosen(lambda _, x: x.sort, 1 << 22),
    "topk, 100 of 2^22": chosen(lambda _, x: lambda: x.topk(100), 1 << 22),
    "median of 2^22": chosen(lambda _, x: x.median, 1 << 22),
    "sort of 1000 x 4096": chosen_of_rows(lambda x: x.sort(1), 1000, 4096),
    "topk, 10 of each of 1000 x 32000": chosen_of_rows(lambda x: x.topk(10, 1), 1000, 32000),
    "masked select of 2^22": chosen(lambda _, x: lambda: x[x > 0.5], 1 << 22),
}


def attentions() -> dict[str, Make]:
    def attention(dtype: str, heads: int, tokens: int, causal: bool, is_trained: bool) -> Make:
        def make(space: Any) -> Call:
            kind = getattr(space, dtype)
            shape = (1, heads, tokens, 64)
            q, k, v = (
                space.rand(*shape, device="cuda").to(kind).requires_grad_(is_trained)
                for _ in range(3)
            )
            attend = space.nn.functional.scaled_dot_product_attention

            def call() -> object:
                out = attend(q, k, v, is_causal=causal)
                if is_trained:
                    q.grad = k.grad = v.grad = None
                    out.sum().backward()
                return out

            return call

        return make

    return {
        f"attention, {heads} heads of 64, {tokens} tokens, {dtype}"
        + (", causal" if causal else "")
        + (", trained" if is_trained else ""): attention(dtype, heads, tokens, causal, is_trained)
        for dtype, heads, tokens, causal, is_trained in (
            ("float32", 16, 1024, False, True),
            ("bfloat16", 16, 1024, True, True),
            ("bfloat16", 16, 8192, False, False),
            ("bfloat16", 16, 8192, True, True),
        )
    }


def mlp(lib: Any) -> tuple[Any, Any, Any]:
    nn = lib.nn
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
    return nn.Sequential(model, nn.Linear(64, 10)), lib.rand(32, 64), lib.zeros(32).long()


def step_of(make: Callable[[Any], tuple[Any, Any, Any]], is_captured: bool = False) -> Make:
    def made(space: Any) -> Call:
        model, x, y = make(space)
        model, x, y = model.to("cuda"), x.to("cuda"), y.to("cuda")
        optimizer = space.optim.Adam(model.parameters(), lr=1e-3, capturable=is_captured)

        def step() -> None:
            loss = space.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        return replay_of(space, step) if is_captured else step

    return made


def replay_of(space: Any, step: Call) -> Call:
    """The same as captured work."""
    side = space.cuda.Stream()
    side.wait_stream(space.cuda.current_stream())
    with space.cuda.stream(side):
        for _ in range(3):
            step()
    space.cuda.current_stream().wait_stream(side)
    graph = space.cuda.CUDAGraph()
    with space.cuda.graph(graph):
        step()

    def replay(graph: Any = graph, _kept: Call = step) -> None:
        graph.replay()

    return replay


MODELS = {"small MLP, batch 32": mlp, **NETWORKS}


def steps() -> dict[str, Make]:
    return {
        kind + f"step of {name}": step_of(make, is_captured=bool(kind))
        for kind in ("", "captured ")
        for name, make in MODELS.items()
    }


def captured_beside_eager() -> Iterator[race.Race]:
    """What capturing is for: a small step, whose ops take the host longer than the device."""
    blocks = {
        who: queued(space, step_of(mlp, is_captured=space is gb)(space), 200)
        for who, space in spaces().items()
    }
    yield race.Race("captured step of small MLP, PyTorch's as it is", blocks, 5.0, runs=200)


def peaks() -> Iterator[race.Result]:
    """The most that three steps have live on the device."""
    for name, make in MODELS.items():
        most: dict[str, float] = {}
        for who, space in spaces().items():
            space.cuda.synchronize()
            before = space.cuda.memory_allocated()
            step = step_of(make)(space)
            space.cuda.reset_peak_memory_stats()
            for _ in range(3):
                step()
            most[who] = space.cuda.max_memory_allocated() - before
            del step
        yield race.at_most_a_share(f"peak of {name}, bytes", most, MUST_OF_PEAK, "bytes")
