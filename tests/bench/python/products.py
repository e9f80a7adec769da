"""Matrix products. Must reach: 0.95 times the best peer from n = 128 on, 1.0 on linear layers, 2
where n <= 64, the call included. Bound: 2 n^3 operations over the cores' multiply-add peak."""

from collections.abc import Iterator

import garboard as gb
import race
from peers import np, torch


def rows() -> Iterator[race.Race]:
    sizes = (
        (8, 5000, 2.0),
        (16, 5000, 2.0),
        (32, 2000, 2.0),
        (64, 500, 2.0),
        (128, 100, 0.95),
        (256, 20, 0.95),
        (512, 4, 0.95),
    )
    for n, calls, must in (*sizes, (1024, 1, 0.95), (2048, 1, 0.95)):
        a = gb.rand(n, n)
        b = a.numpy()
        entries = {"garboard": lambda a=a: a @ a, "numpy": lambda b=b: np.matmul(b, b)}
        if torch:
            c = torch.from_numpy(b)
            entries["torch"] = lambda c=c: c @ c
        yield race.Race(f"a @ b, {n} x {n}", entries, must, calls)
    a = gb.rand(256, 256)
    b = a.numpy()
    for name, product in (("a.T @ b", lambda x: x.T @ x), ("a @ b.T", lambda x: x @ x.T)):
        entries = {"garboard": lambda p=product: p(a), "numpy": lambda p=product: p(b)}
        if torch:
            c = torch.from_numpy(b)
            entries["torch"] = lambda p=product, c=c: p(c)
        yield race.Race(f"{name}, 256 x 256", entries, 0.95, 20)
    a, b = gb.rand(64, 1024), gb.rand(1024, 1024)
    of_numpy = (a.numpy(), b.numpy())
    entries = {"garboard": lambda a=a, b=b: a @ b, "numpy": lambda x=of_numpy: np.matmul(*x)}
    if torch:
        of_torch = [torch.from_numpy(x) for x in of_numpy]
        entries["torch"] = lambda x=of_torch: torch.matmul(*x)
    yield race.Race("a @ b, 64 x 1024 x 1024", entries, 0.95, 10)
    linear = gb.nn.functional.linear
    layers = ((32, 784, 128, 50), (128, 784, 512, 4), (1, 1024, 4096, 4), (8, 512, 512, 50))
    for batch, inputs, outputs, calls in layers:
        x, weight, bias = gb.rand(batch, inputs), gb.rand(outputs, inputs), gb.rand(outputs)
        entries = {"garboard": lambda x=x, w=weight, b=bias: linear(x, w, b)}
        if torch:
            theirs = [torch.from_numpy(tensor.numpy()) for tensor in (x, weight, bias)]
            entries["torch"] = lambda given=theirs: torch.nn.functional.linear(*given)
        yield race.Race(f"linear, {batch} x {inputs} to {outputs}", entries, 1.0, calls)
    many = gb.rand(64, 64, 64)
    of_numpy = many.numpy()
    entries = {"garboard": lambda: gb.bmm(many, many), "numpy": lambda: of_numpy @ of_numpy}
    if torch:
        of_torch = torch.from_numpy(of_numpy)
        entries["torch"] = lambda: torch.bmm(of_torch, of_torch)
    yield race.Race("bmm, 64 x 64 x 64", entries, 1.0, 10)
    for name, product in (
        ("a @ b, 512 x 512, bfloat16", lambda lib, x, y: x @ x),
        ("linear, 64 x 512 to 512, bfloat16", lambda lib, x, y: lib.nn.functional.linear(y, x)),
    ):
        x, y = gb.rand(512, 512), gb.rand(64, 512)
        ours = [x.bfloat16(), y.bfloat16()]
        entries = {"garboard": lambda p=product, given=ours: p(gb, *given)}
        if torch:
            theirs = [torch.from_numpy(tensor.numpy()).bfloat16() for tensor in (x, y)]
            entries["torch"] = lambda p=product, given=theirs: p(torch, *given)
        yield race.Race(name, entries, 0.95, 10)
