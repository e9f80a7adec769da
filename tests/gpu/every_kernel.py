"""A small call of every op, layer and optimizer on a CUDA device, for sanitizers to watch.

`compute-sanitizer --tool racecheck python -m tests.gpu.every_kernel`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import garboard as gb

from tests.python.devices.test_cuda_every_op import inputs, outcome, with_gaps
from tests.python.ops.op_table import ROWS

F, nn = gb.nn.functional, gb.nn
CUDA = "cuda"


def leaf(*sizes: int, dtype: gb.dtype = gb.float32) -> gb.Tensor:
    return gb.randn(*sizes, device=CUDA).to(dtype).requires_grad_()


def drawn(most: int, *sizes: int) -> gb.Tensor:
    return gb.randint(0, most, sizes, device=CUDA)


def ops() -> None:
    for row in ROWS:
        for dtype in (gb.float32, gb.bfloat16, gb.int64):
            given = [x.cuda() for x in inputs(row, row.cases[0], dtype)]
            outcome(row, row.cases[0], given, row.gradient_order > 0 and dtype is gb.float32)
            outcome(row, row.cases[0], [with_gaps(x) for x in given], False)


def long_rows() -> None:
    """Of lengths at which kernels share a row, or split it."""
    for sizes in ((300_000,), (3, 100_000), (2000, 70), (70, 2000), (5, 4097)):
        x = leaf(*sizes)
        last = x.dim() - 1
        x.sum(), x.amax(0), x.argmax(last), x.var(last), x.norm(), x.cumsum(last), x.sort(last)
        x.topk(5, last), x.median(last), x.unique(), x.t().contiguous(), x.t() + x.t()
        (x.softmax(last) + x.log_softmax(last) + F.layer_norm(x, x.shape[-1:])).sum().backward()
        x[..., 1:] + 1, x[x > 0], x.nonzero(), x.half().sum(0)
    drawn(9, 1_100_000).cumsum(0)  # more blocks than meet before one hands on a sum


def orders() -> None:
    """Of lengths at which slices are sorted or searched another way."""
    for sizes in ((1, 100_000), (9, 5000), (5, 4096), (5, 700), (300, 9), (4100, 3)):
        for dtype in (gb.uint8, gb.float16, gb.float32, gb.float64):
            x = drawn(200, *sizes).to(dtype)
            for dim in (0, 1):
                x.sort(dim), x.argsort(dim, descending=True)
                x.topk(min(5, x.shape[dim]), dim), x.topk(x.shape[dim] // 2, dim)
                x.kthvalue(1, dim), x.median(dim), x.nanmedian(dim)
    x = leaf(1_000_000).detach()
    x.sort(), x.topk(100), x.topk(20_000), x.median(), x.kthvalue(1000)


def convolutions() -> None:
    for dtype in (gb.float32, gb.float16):
        for groups in (1, 2):
            x, weight = leaf(2, 4, 9, 11, dtype=dtype), leaf(6, 4 // groups, 3, 3, dtype=dtype)
            F.conv2d(x, weight, leaf(6, dtype=dtype), 2, 1, groups=groups).sum().backward()
        x, weight = leaf(2, 4, 9, 11, dtype=dtype), leaf(4, 3, 3, 3, dtype=dtype)
        F.conv_transpose2d(x, weight, leaf(3, dtype=dtype)).sum().backward()
    x = leaf(2, 4, 9, 11)
    pooled = F.max_pool2d(x, 2).sum() + F.avg_pool2d(x, 2).sum() + F.adaptive_avg_pool2d(x, 3).sum()
    (pooled + F.interpolate(x, scale_factor=2.0, mode="bilinear").sum()).backward()
    F.grid_sample(x, gb.rand(2, 5, 5, 2, device=CUDA), align_corners=False).sum().backward()


def layers() -> None:
    for layer, sizes in (
        *((nn.BatchNorm1d(7), (33, 7)), (nn.BatchNorm2d(4), (3, 4, 5, 5))),
        *((nn.GroupNorm(2, 4), (3, 4, 5, 5)), (nn.LayerNorm(17), (9, 17))),
        *((nn.LSTM(7, 5, 2), (6, 3, 7)), (nn.GRU(7, 5), (6, 3, 7)), (nn.RNN(7, 5), (6, 3, 7))),
        *((nn.Linear(9, 5), (4, 9)), (nn.Dropout(0.5), (1001,))),
        (nn.TransformerEncoderLayer(16, 4, 32), (5, 3, 16)),
    ):
        out = layer.to(CUDA)(leaf(*sizes))
        (out[0] if isinstance(out, tuple) else out).sum().backward()
    for table in (nn.Embedding(9, 4), nn.EmbeddingBag(9, 4)):
        table.to(CUDA)(drawn(9, 6, 3)).sum().backward()


def attention() -> None:
    for dtype in (gb.float32, gb.float16, gb.bfloat16):
        for is_causal in (False, True):
            for sizes in ((2, 3, 33, 16), (1, 1, 70, 32), (1, 2, 130, 64), (1, 1, 65, 128)):
                q, k, v = (leaf(*sizes, dtype=dtype) for _ in range(3))
                F.scaled_dot_product_attention(q, k, v, is_causal=is_causal).sum().backward()
        q, k = leaf(2, 4, 40, 24, dtype=dtype), leaf(2, 2, 70, 24, dtype=dtype)
        F.scaled_dot_product_attention(
            q, k, k, drawn(2, 40, 70) > 0, dropout_p=0.2, enable_gqa=True
        ).sum().backward()
    q, wide = leaf(1, 1, 70, 32), leaf(1, 1, 70, 160)
    far = gb.full((1, 1, 70, 32), float("inf"), device=CUDA)  # float32 is computed another way
    F.scaled_dot_product_attention(q, q, far).sum().backward()
    F.scaled_dot_product_attention(wide, wide, wide).sum().backward()


def losses() -> None:
    scores, classes = leaf(20, 7), drawn(7, 20)
    F.cross_entropy(scores, classes, label_smoothing=0.1).backward()
    F.nll_loss(scores.log_softmax(1), classes).backward()
    labels = drawn(5, 3, 4) + 1
    heard, spoken = gb.tensor([12, 11, 10]), gb.tensor([4, 3, 2])
    F.ctc_loss(leaf(12, 3, 6).log_softmax(2), labels, heard, spoken).backward()


def draws() -> None:
    for dtype in (gb.float32, gb.float64, gb.bfloat16):
        gb.rand(1001, device=CUDA, dtype=dtype), gb.randn(1001, device=CUDA, dtype=dtype)
        gb.rand(1001, device=CUDA, dtype=dtype)[1:].normal_()
    drawn(9, 1001), gb.randperm(1001, device=CUDA), gb.rand(9, device=CUDA).multinomial(4)


def optimizers() -> None:
    model = nn.Linear(9, 5).to(CUDA)
    for make in (gb.optim.SGD, gb.optim.Adam, gb.optim.AdamW, gb.optim.RMSprop):
        optimizer = make(model.parameters(), lr=0.1)
        model(leaf(4, 9)).sum().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


def chains() -> None:
    """Fused, of memory that suits packs and of memory that does not."""
    for dtype in (gb.float32, gb.float64, gb.bfloat16):
        x, row = leaf(64, 304, dtype=dtype), leaf(304, dtype=dtype)
        for a, b in ((x, x), (x, row), (x, row[:1]), (x.t(), row[:64]), (x[:, 1:], row[1:])):
            with gb.fuse():
                y = gb.where(a > b, (a + b) * a, b.tanh() - 2)
            y.sum().backward()
    numbers = drawn(9, 3001)
    with gb.fuse():
        (numbers * numbers + numbers)[1:].tolist()


def streams() -> None:
    side, x = gb.cuda.Stream(), leaf(1000)
    side.wait_stream(gb.cuda.current_stream())
    with gb.cuda.stream(side):
        y = x * 2
    x.record_stream(side)
    gb.cuda.current_stream().wait_stream(side)
    y.record_stream(gb.cuda.current_stream())
    y.sum().item()


def graphs() -> None:
    model, x = nn.Sequential(nn.Linear(9, 5), nn.Dropout(0.5)).to(CUDA), leaf(4, 9)
    optimizer = gb.optim.Adam(model.parameters(), capturable=True)

    def step() -> None:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    step()
    captured = gb.cuda.CUDAGraph()
    with gb.cuda.graph(captured):
        step()
    for _ in range(3):
        captured.replay()


GROUPS: dict[str, Callable[[], None]] = {
    group.__name__: group
    for group in (
        *(ops, long_rows, orders, convolutions, layers, attention, losses, draws),
        *(optimizers, chains, streams, graphs),
    )
}


def chosen() -> Iterator[tuple[str, Callable[[], None]]]:
    """Of all groups those that GARBOARD_GPU_GROUPS names, or all."""
    wanted = os.environ.get("GARBOARD_GPU_GROUPS", " ".join(GROUPS)).split()
    return ((name, GROUPS[name]) for name in wanted)


def main() -> None:
    gb.manual_seed(0)
    for name, group in chosen():
        with gb.dispose_scope():
            group()
            gb.cuda.synchronize()
        print(f"called {name}", flush=True)


if __name__ == "__main__":
    main()
