"""Rows, indices, orders and steps on CUDA devices: values and gradients are the CPU's."""

from __future__ import annotations

from functools import partial

import garboard as gb
import numpy as np
import pytest

from tests.support.cuda_agreement import (
    DTYPES,
    EVERY_FLOAT,
    FLOATS,
    agree,
    both,
    drawn,
    on_cuda,
    planes,
)
from tests.support.live_memory import balanced  # noqa: F401

F = gb.nn.functional
NUMBERS = [gb.uint8, gb.int32, gb.int64, *FLOATS]
SHAPES = [(7,), (3, 5), (4, 300, 3), (2, 1100), (1, 1)]
EVERY_SHAPE = pytest.mark.parametrize("sizes", SHAPES, ids=str)


# Rows


@on_cuda
@EVERY_FLOAT
@EVERY_SHAPE
def test_softmax_along_any_dim_is_that_of_the_cpu(dtype, sizes):
    x = planes(dtype, *sizes)
    for dim in range(len(sizes)):
        agree(partial(gb.softmax, dim=dim), x, loss_of_digits=4)
        agree(partial(gb.log_softmax, dim=dim), x, loss_of_digits=4)
        agree(lambda x, dim=dim: gb.softmax(x.transpose(0, -1), dim), x, loss_of_digits=4)


@on_cuda
def test_softmax_of_infinities_and_nan_is_that_of_the_cpu():
    inf, nan = float("inf"), float("nan")
    x = gb.tensor([[0.0, -inf, 1], [inf, 0, 1], [nan, 0, 1], [-inf, -inf, -inf]])

    both(partial(gb.softmax, dim=1), x, cancels=True)
    both(partial(gb.log_softmax, dim=1), x, cancels=True)
    both(partial(gb.logsumexp, dim=1), x, cancels=True)


@on_cuda
@EVERY_FLOAT
@pytest.mark.parametrize("smoothing", [0, 0.2])
@pytest.mark.parametrize("classes", [1, 3, 700])
def test_cross_entropy_is_that_of_the_cpu(dtype, smoothing, classes):
    x = planes(dtype, 9, classes)
    target = gb.arange(9) % classes
    target[2] = -100
    loss = partial(F.cross_entropy, label_smoothing=smoothing)

    agree(loss, x, target, loss_of_digits=4)
    agree(partial(loss, reduction="none"), x, target, loss_of_digits=4)
    agree(lambda x, t: loss(x.t().clone().t(), t, reduction="sum"), x, target, loss_of_digits=4)
    weight = (gb.arange(classes) + 1).to(dtype) / 3
    agree(lambda x, t: loss(x, t, weight=weight.to(x.device)), x, target, loss_of_digits=4)


@on_cuda
def test_a_class_out_of_range_is_told_by_the_next_call_that_waits():
    x = gb.zeros(2, 3, device="cuda")
    losses = F.cross_entropy(x, gb.tensor([0, 3]).cuda(), reduction="none")

    with pytest.raises(
        gb.IndexOutOfRangeError, match="cross_entropy: 3; needed is a number below 3"
    ):
        losses.tolist()

    assert losses.cpu()[0].item() == pytest.approx(np.log(3))  # told once


@on_cuda
@EVERY_FLOAT
@pytest.mark.parametrize("columns", [1, 5, 300])
def test_layer_norm_is_that_of_the_cpu(dtype, columns):
    x = planes(dtype, 40, columns)
    norm = partial(F.layer_norm, normalized_shape=(columns,))

    agree(norm, x, loss_of_digits=20)
    agree(lambda x, w: norm(x, weight=w), x, planes(dtype, columns, seed=2), loss_of_digits=50)
    agree(
        lambda x, w, b: norm(x, weight=w, bias=b),
        x,
        planes(dtype, columns, seed=2),
        planes(dtype, columns, seed=3),
        loss_of_digits=50,
    )


@on_cuda
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("sizes", [(5, 6), (3, 6, 7), (2, 6, 30, 20)], ids=str)
def test_norms_of_channels_are_those_of_the_cpu(dtype, sizes):
    x, w, b = (planes(dtype, *s, seed=k) for k, s in enumerate((sizes, (6,), (6,))))

    agree(lambda x, w, b: F.batch_norm(x, None, None, w, b, True), x, w, b, loss_of_digits=30)
    agree(lambda x: F.batch_norm(x, None, None, training=True), x, loss_of_digits=30)
    agree(lambda x, w, b: F.group_norm(x, 3, w, b), x, w, b, loss_of_digits=30)
    if len(sizes) > 2:
        agree(lambda x, w: F.instance_norm(x, weight=w), x, w, loss_of_digits=30)


@on_cuda
@EVERY_FLOAT
def test_products_and_what_is_added_to_them_are_those_of_the_cpu(dtype):
    a, b, c = (planes(dtype, *s, seed=k) for k, s in enumerate(((5, 7), (7, 6), (6,))))

    agree(gb.mm, a, b)
    agree(lambda a, b: a.t().clone().t() @ b[:, ::2], a, b)
    agree(lambda a, b, c: F.linear(a, b.t(), c), a, b, c)
    agree(gb.bmm, planes(dtype, 3, 4, 5), planes(dtype, 3, 5, 2))


# Reductions and running results


@on_cuda
@EVERY_FLOAT
@EVERY_SHAPE
def test_variances_are_those_of_the_cpu(dtype, sizes):
    x = planes(dtype, *sizes)
    for dim in [None, *range(len(sizes))]:
        agree(partial(gb.var, dim=dim, correction=0), x, loss_of_digits=20)
        agree(lambda x, d=dim: gb.var(x.transpose(0, -1), d, correction=0), x, loss_of_digits=20)


@on_cuda
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@EVERY_SHAPE
def test_extrema_and_their_places_are_those_of_the_cpu(dtype, sizes):
    x = drawn(dtype, *sizes)
    for name in ("max", "min"):
        for dim in range(len(sizes)):
            both(lambda x, n=name, d=dim: getattr(x, n)(d).values, x)
            both(lambda x, n=name, d=dim: getattr(x, n)(d, keepdim=True).indices, x)
            both(lambda x, n=name, d=dim: getattr(x.transpose(0, -1), "arg" + n)(d), x)
        both(lambda x, n=name: getattr(gb, "arg" + n)(x), x)


@on_cuda
@EVERY_FLOAT
@EVERY_SHAPE
def test_running_sums_and_products_are_those_of_the_cpu(dtype, sizes):
    x = planes(dtype, *sizes)
    for dim in range(len(sizes)):
        agree(lambda x, d=dim: gb.cumsum(x, d), x)
        agree(lambda x, d=dim: gb.cumsum(x.transpose(0, -1), d), x)
        agree(lambda x, d=dim: gb.logcumsumexp(x, d), x, loss_of_digits=4)
        both(lambda x, d=dim: gb.cumprod(gb.sign(x) * (1 + (x > 1)), d), x)  # without rounding
    both(lambda x: gb.logcumsumexp(x, 0), drawn(dtype, *sizes), cancels=True)


@on_cuda
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@EVERY_SHAPE
def test_running_extrema_are_those_of_the_cpu(dtype, sizes):
    x = drawn(dtype, *sizes)
    for dim in range(len(sizes)):
        both(lambda x, d=dim: gb.cummax(x, d).values, x)
        both(lambda x, d=dim: gb.cummax(x, d).indices, x)
        both(lambda x, d=dim: gb.cummin(x, d).indices, x)
        if not dtype.is_floating_point:
            both(lambda x, d=dim: gb.cumsum(x, d), x)
            both(lambda x, d=dim: gb.cumprod(x, d), x)


@on_cuda
def test_sums_that_run_over_many_tiles_are_those_of_the_cpu():
    x = gb.arange(20_001) % 7

    both(lambda x: gb.cumsum(x, 0), x)
    both(lambda x: gb.cumsum(x.reshape(3, -1), 1), x)
    both(lambda x: gb.cummax(x * 3 % 1001, 0).indices, x)


# Order


@on_cuda
@pytest.mark.parametrize("dtype", [*DTYPES, gb.float16], ids=str)
@EVERY_SHAPE
def test_sorted_slices_are_those_of_the_cpu(dtype, sizes):
    x = drawn(dtype, *sizes)
    for dim in range(len(sizes)):
        for descending in (False, True):
            both(lambda x, d=dim, w=descending: gb.sort(x, d, w).indices, x)
            both(lambda x, d=dim, w=descending: gb.sort(x, d, w).values, x)
        k = (sizes[dim] + 1) // 2
        both(lambda x, d=dim, k=k: gb.topk(x, k, d).indices, x)
        both(lambda x, d=dim, k=k: gb.topk(x, k, d, largest=False).values, x)
        both(lambda x, d=dim, k=k: gb.kthvalue(x, k, d).indices, x)
        both(lambda x, d=dim: gb.mode(x, d).values, x)
        both(lambda x, d=dim: gb.mode(x, d).indices, x)
        if dtype.is_floating_point:
            both(lambda x, d=dim: gb.median(x, d).indices, x)
            both(lambda x, d=dim: gb.nanmedian(x, d).indices, x)


@on_cuda
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_places_in_sorted_rows_are_those_of_the_cpu(dtype):
    rows = drawn(dtype, 4, 50).sort(-1).values
    x = drawn(dtype, 4, 9, seed=3)

    for right in (False, True):
        both(lambda rows, x, r=right: gb.searchsorted(rows, x, right=r), rows, x)
        both(lambda rows, x, r=right: gb.searchsorted(rows[0], x, right=r), rows, x)
        both(lambda rows, x, r=right: gb.bucketize(x.t(), rows[1], right=r), rows, x)
    both(lambda x: gb.unique(x), x)


# Indices


@on_cuda
@pytest.mark.parametrize("dtype", [*DTYPES, gb.float16], ids=str)
def test_elements_by_number_are_those_of_the_cpu(dtype):
    x, index = drawn(dtype, 6, 7), gb.tensor([[3, 0, -1], [5, 5, 2]])

    both(lambda x, i: x[i], x, index)
    both(lambda x, i: x[:, i[0]], x, index)
    both(lambda x, i: x[i, i[0]], x, index)
    both(lambda x, i: x.t()[1:][i], x, index)
    both(lambda x, i: gb.gather(x, 0, i.abs()), x, index)
    both(lambda x, i: gb.index_select(x, 1, i[0].abs()), x, index)
    both(lambda x, i: gb.take(x, i), x, index)
    both(lambda x, i: gb.take_along_dim(x, i[:, :1].abs(), 1), x, index[:1].expand(6, 3))


@on_cuda
@pytest.mark.parametrize("dtype", [*FLOATS, gb.int64, gb.float16], ids=str)
def test_what_meets_in_one_element_meets_in_the_order_of_the_cpu(dtype):
    x, given = drawn(dtype, 5, 4, small=True), drawn(dtype, 300, 4, seed=1, small=True)
    rows = gb.arange(300) * 7 % 5
    places = (gb.arange(1200) * 5 % 4).reshape(300, 4)

    both(lambda x, g, r: x.clone().index_add_(0, r, g), x, given, rows)
    both(lambda x, g, r: x.clone().index_copy_(0, r, g), x, given, rows)
    both(lambda x, g, p: x.clone().scatter_add_(0, p, g), x, given, places)
    both(lambda x, g, p: x.clone().scatter_(0, p, g), x, given, places)
    for how in ("sum", "prod", "amax", "amin"):
        both(lambda x, g, p, h=how: x.clone().scatter_reduce_(0, p, g % 3, h), x, given, places)

    def put(x, g, r):
        x = x.clone()
        x[r] = g
        x[:, r[:2]] += 1
        return x.index_put_((r, r % 4), g[:, 0], accumulate=True)

    both(put, x, given, rows)


@on_cuda
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_gradients_of_tables_are_those_of_the_cpu(dtype):
    table = planes(dtype, 10, 3)
    tokens = gb.arange(40).reshape(8, 5) * 3 % 10

    agree(lambda t, i: F.embedding(i, t), table, tokens)
    agree(lambda t, i: F.embedding(i, t, padding_idx=3), table, tokens)
    for mode in ("sum", "mean", "max"):
        agree(lambda t, i, m=mode: F.embedding_bag(i, t, mode=m), table, tokens)
        agree(
            lambda t, i, o, m=mode: F.embedding_bag(i.reshape(-1), t, o, mode=m, padding_idx=3),
            table,
            tokens,
            gb.tensor([0, 0, 7, 20]),
        )
    agree(
        lambda t, i, w: F.embedding_bag(i, t, mode="sum", per_sample_weights=w),
        table,
        tokens,
        planes(dtype, 8, 5, seed=4),
    )


@on_cuda
@pytest.mark.parametrize("number", [40, -41, 2**62])
@pytest.mark.parametrize(
    "use",
    [
        lambda x, i: x[i],
        lambda x, i: x.index_select(0, i),
        lambda x, i: x.index_add_(0, i, gb.ones(1, 4, device="cuda")),
        lambda x, i: x.scatter_(0, i.reshape(1, 1), 2.0),
        lambda x, i: F.embedding(i, x),
        lambda x, i: F.embedding_bag(i, x, gb.tensor([0]).cuda()),
        lambda x, i: x.put_(i, gb.ones(1).cuda()),
        lambda x, i: x[i, i],
    ],
)
def test_a_number_out_of_range_is_told_by_the_next_call_that_waits(use, number):
    x = gb.ones(10, 4, device="cuda")
    index = gb.tensor([number]).cuda()
    before = gb.memory.live()

    with pytest.raises(gb.IndexOutOfRangeError):
        use(x, index).tolist()

    gb.cuda.synchronize()
    assert gb.memory.live() == before
    assert x[0].tolist() == [1] * 4


# Masks


@on_cuda
@pytest.mark.parametrize("dtype", [*DTYPES, gb.float16], ids=str)
@pytest.mark.parametrize("count", [0, 1, 5000, 9000])
def test_elements_by_mask_are_those_of_the_cpu(dtype, count):
    x = drawn(dtype, count)
    mask = gb.arange(count) * 7 % 3 == 0

    both(lambda x, m: x[m], x, mask)
    both(lambda x, m: gb.masked_select(x, m), x, mask)
    both(lambda x, m: x.masked_scatter(m, x), x, mask)
    both(lambda m: gb.nonzero(m), mask)
    both(lambda m: gb.nonzero(m.reshape(-1, 1) & m[:3]), mask)
    both(lambda x: gb.count_nonzero(x), x)

    def write(x, m):
        x = x.clone()
        x[m] = 1
        return x

    both(write, x, mask)


# Steps


@on_cuda
@pytest.mark.parametrize("dtype", [*FLOATS, gb.bfloat16], ids=str)
@pytest.mark.parametrize(
    "make",
    [
        partial(gb.optim.SGD, lr=0.1),
        partial(gb.optim.SGD, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
        partial(gb.optim.Adam, lr=0.01, weight_decay=0.1),
        partial(gb.optim.AdamW, lr=0.01, amsgrad=True),
        partial(gb.optim.AdamW, lr=0.01),
        partial(gb.optim.RMSprop, lr=0.01),
    ],
)
def test_steps_of_optimizers_are_those_of_the_cpu(make, dtype):
    def trained(device):
        weight = planes(dtype, 30, 20).to(device).requires_grad_()
        optimizer = make([weight])
        for step in range(4):
            optimizer.zero_grad()
            ((weight * (step + 1)) ** 2).sum().backward()
            optimizer.step()
        return weight.detach().cpu().to(gb.float64).numpy().copy()

    digits = {gb.float64: 1e-12, gb.float32: 1e-5, gb.bfloat16: 2e-2}[dtype]
    np.testing.assert_allclose(trained("cuda"), trained("cpu"), digits, digits)


@on_cuda
def test_a_network_trains_as_on_the_cpu_and_leaks_nothing():
    def losses(device):
        gb.manual_seed(3)
        model = gb.nn.Sequential(
            gb.nn.Embedding(11, 16),
            gb.nn.LayerNorm(16),
            gb.nn.Flatten(),
            gb.nn.Linear(80, 32),
            gb.nn.BatchNorm1d(32),
            gb.nn.ReLU(),
            gb.nn.Dropout(0.1),
            gb.nn.Linear(32, 4),
        ).to(device)
        optimizer = gb.optim.AdamW(model.parameters(), lr=0.01)
        tokens = (gb.arange(60).reshape(12, 5) * 7 % 11).to(device)
        target = (gb.arange(12) % 4).to(device)
        values = []
        for _ in range(6):
            with gb.dispose_scope():
                optimizer.zero_grad()
                loss = F.cross_entropy(model(tokens), target)
                loss.backward()
                optimizer.step()
                values.append(loss.item())
        return values

    with gb.leaks.no_leaks():
        there = losses("cuda")

    np.testing.assert_allclose(there, losses("cpu"), rtol=1e-4)
    assert there[-1] < there[0]


@on_cuda
@pytest.mark.parametrize("dtype", [gb.uint8, gb.bfloat16, gb.float32, gb.complex128], ids=str)
@pytest.mark.parametrize("width", [1, 2, 3, 4, 6, 8, 16, 33])
def test_rows_are_taken_by_number_whatever_they_hold(dtype, width):
    x = gb.arange(9 * (width + 1)).reshape(9, width + 1).to(dtype)
    rows = gb.tensor([8, 0, -1, 3, 3])

    for view in (lambda x: x, lambda x: x[:, 1:], lambda x: x[:, :width].clone(), lambda x: x.t()):
        here, there = view(x)[rows % len(view(x))], view(x.cuda())[(rows % len(view(x))).cuda()]
        assert gb.equal(there.cpu(), here)


@on_cuda
@pytest.mark.parametrize("dtype", [*FLOATS, gb.bfloat16], ids=str)
@pytest.mark.parametrize("start", [0, 1, 4])
def test_random_numbers_do_not_depend_on_where_they_are_put(dtype, start):
    def drawn_on(device):
        gb.manual_seed(5)
        return gb.zeros(1007, dtype=dtype, device=device)[start:].uniform_().cpu()

    assert gb.equal(drawn_on("cuda"), drawn_on("cpu"))
