"""Bags of rows: sums, means and maxima, their gradients, and what is refused."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest

F = gb.nn.functional
NUMBERS = np.array([0, 2, 5, 5, 1, 6, 0, 3, 3])
OFFSETS = np.array([0, 3, 3, 6])  # the second bag is empty


def reference(table, factors, mode, padding):
    """Each bag's row, and how much each row of the table counts in each element of it."""
    ends = [*OFFSETS[1:], len(NUMBERS)]
    rows, shares = [], []
    for start, end in zip(OFFSETS, ends, strict=True):
        picked = [j for j in range(start, end) if NUMBERS[j] != padding]
        share = np.zeros_like(table)
        if mode == "max" and picked:
            for column in range(table.shape[1]):
                best = max(picked, key=lambda j: table[NUMBERS[j], column])
                share[NUMBERS[best], column] = 1
        elif picked:
            for j in picked:
                share[NUMBERS[j]] += factors[j] / (len(picked) if mode == "mean" else 1)
        rows.append((share * table).sum(0))
        shares.append(share)
    return np.stack(rows), np.stack(shares)


@pytest.mark.parametrize("padding", [None, 5, -7])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.bfloat16])
def test_a_bag_is_what_its_rows_come_to_and_so_is_its_gradient(dtype, mode, padding):
    rng = np.random.default_rng(3)
    weight = gb.tensor(rng.standard_normal((7, 4)), dtype=dtype, requires_grad=True)
    drawn = gb.tensor(rng.standard_normal(len(NUMBERS)), dtype=dtype)
    factors = drawn if mode == "sum" else None
    given = gb.tensor(rng.standard_normal((4, 4)), dtype=dtype)
    number = None if padding is None else padding % 7
    table = weight.detach().double().numpy()
    counts = drawn.double().numpy() if mode == "sum" else np.ones(len(NUMBERS))
    expected, shares = reference(table, counts, mode, number)
    tolerance = 0.05 if dtype == gb.bfloat16 else 1e-5

    with gb.leaks.no_leaks():
        bags = F.embedding_bag(
            gb.tensor(NUMBERS),
            weight,
            gb.tensor(OFFSETS),
            mode=mode,
            per_sample_weights=factors,
            padding_idx=padding,
        )
        bags.backward(given)
        made = bags.tolist()
        del bags

    assert weight.grad is not None
    np.testing.assert_allclose(made, expected, atol=tolerance)
    gradient = np.einsum("bd,bnd->nd", given.double().numpy(), shares)
    np.testing.assert_allclose(weight.grad.double().numpy(), gradient, atol=tolerance)


def test_weights_of_samples_have_gradients_of_both_orders():
    rng = np.random.default_rng(5)
    weight = gb.tensor(rng.standard_normal((7, 3)), requires_grad=True)
    factors = gb.tensor(rng.standard_normal(len(NUMBERS)), requires_grad=True)

    def bags(weight, factors):
        return F.embedding_bag(
            gb.tensor(NUMBERS),
            weight,
            gb.tensor(OFFSETS),
            mode="sum",
            per_sample_weights=factors,
            padding_idx=3,
        )

    assert gb.autograd.gradcheck(bags, (weight, factors))
    assert gb.autograd.gradgradcheck(bags, (weight, factors))


def test_rows_of_a_matrix_are_bags_and_a_last_offset_may_end_them():
    table = gb.arange(12).float().view(6, 2)
    numbers = gb.tensor([[0, 1], [4, 5]], dtype=gb.int32)

    bags = F.embedding_bag(numbers, table)
    same = F.embedding_bag(numbers.flatten(), table, gb.tensor([0, 2, 4]), include_last_offset=True)
    short = F.embedding_bag(
        numbers.flatten(), table, gb.tensor([0, 2, 3]), mode="sum", include_last_offset=True
    )

    assert bags.tolist() == same.tolist() == [[1.0, 2.0], [9.0, 10.0]]
    assert short.tolist() == [[2.0, 4.0], [8.0, 9.0]]
    assert F.embedding_bag(gb.zeros(2, 0, dtype=gb.int64), table).tolist() == [[0.0, 0.0]] * 2


def test_a_layer_shortens_long_rows_and_scales_gradients_by_frequency():
    layer = gb.nn.EmbeddingBag.from_pretrained(
        gb.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]),
        freeze=False,
        max_norm=1.0,
        scale_grad_by_freq=True,
        mode="sum",
    )

    layer(gb.tensor([[0, 0, 1]])).sum().backward()

    assert layer.weight.grad is not None
    assert layer.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    assert gb.allclose(layer.weight[0], gb.tensor([0.6, 0.8]))
    assert layer.weight[2].tolist() == [6.0, 8.0]
    assert repr(layer) == ("EmbeddingBag(3, 2, max_norm=1.0, scale_grad_by_freq=True, mode='sum')")


def test_a_layer_trains_and_leaves_nothing():
    layer = gb.nn.EmbeddingBag(10, 4, mode="mean", padding_idx=0)
    optimizer = gb.optim.SGD(layer.parameters(), lr=0.1)
    assert layer.weight[0].tolist() == [0.0] * 4

    with gb.leaks.no_leaks():
        layer(gb.tensor([1, 0, 3]), gb.tensor([0, 1])).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    assert layer.weight[0].tolist() == [0.0] * 4
    copied = gb.nn.EmbeddingBag(10, 4)
    copied.load_state_dict(layer.state_dict())
    assert gb.equal(copied.weight, layer.weight)


def table():
    return gb.ones(3, 2)


@pytest.mark.parametrize(
    ("error", "match", "arguments"),
    [
        (gb.IndexOutOfRangeError, "index 3 along dim 0 of size 3", lambda: ([3], table(), [0])),
        (gb.IndexOutOfRangeError, "index -1 along", lambda: ([-1], table(), [0])),
        (gb.IndexOutOfRangeError, "they must begin with 0", lambda: ([0], table(), [1])),
        (gb.IndexOutOfRangeError, "ascend", lambda: ([0, 1], table(), [0, 2, 1])),
        (gb.IndexOutOfRangeError, "not pass the last", lambda: ([0], table(), [0, 9])),
        (gb.ShapeError, "offsets missing", lambda: ([0], table(), None)),
        (gb.ShapeError, "leave them out", lambda: ([[0]], table(), [0])),
        (gb.ShapeError, "per_sample_weights of sizes", lambda: ([0], table(), [0], gb.ones(2))),
        (
            gb.ShapeError,
            "the mode 'sum' is needed",
            lambda: ([0], table(), [0], gb.ones(1), "mean"),
        ),
        (gb.DTypeError, "they must be equal", lambda: ([0], table(), [0], gb.ones(1).double())),
        (gb.DTypeError, "a weight of dtype int64", lambda: ([0], table().long(), [0])),
        (gb.DTypeError, "int64 or int32", lambda: ([0.0], table(), [0])),
        (ValueError, "mode 'min'", lambda: ([0], table(), [0], None, "min")),
        (ValueError, "sparse with mode 'max'", lambda: ([0], table(), [0], None, "max", True)),
        (ValueError, "with mode 'max'", lambda: ([0], table(), [0], None, "max", False, True)),
        (
            gb.IndexOutOfRangeError,
            "padding_idx 3",
            lambda: ([0], table(), [0], None, "sum", False, False, 3),
        ),
    ],
)
def test_what_does_not_fit_is_refused(error, match, arguments):
    def bags(
        input: Any,
        weight: Any,
        offsets: Any,
        factors: Any = None,
        mode: Any = "sum",
        sparse: bool = False,
        by_frequency: bool = False,
        padding: int | None = None,
    ) -> object:
        return F.embedding_bag(
            gb.tensor(input),
            weight,
            None if offsets is None else gb.tensor(offsets),
            scale_grad_by_freq=by_frequency,
            mode=mode,
            sparse=sparse,
            per_sample_weights=factors,
            padding_idx=padding,
        )

    with gb.leaks.no_leaks(), pytest.raises(error, match=match):
        bags(*arguments())


REFUSED_LOOKUPS = [
    (lambda w: F.embedding_bag(gb.tensor([-1, 0]), w, gb.tensor([0]), max_norm=1.0), "-1"),
    (lambda w: F.embedding_bag(gb.tensor([0, 5]), w, gb.tensor([0, 1]), max_norm=1.0), "5"),
    (lambda w: F.embedding_bag(gb.tensor([0]), w, gb.tensor([0, 3]), max_norm=1.0), "offset"),
    (lambda w: F.embedding_bag(gb.tensor([[2**40, 0]]), w, scale_grad_by_freq=True), "1099511627"),
    (lambda w: F.embedding(gb.tensor([0, -1]), w, max_norm=1.0), "-1"),
    (lambda w: F.embedding(gb.tensor([2**40, 0]), w, scale_grad_by_freq=True), "1099511627"),
    (lambda w: F.embedding(gb.tensor([0]), w, padding_idx=9, max_norm=1.0), "padding_idx 9"),
]


@pytest.mark.parametrize(("call", "match"), REFUSED_LOOKUPS)
def test_a_table_is_as_it_was_where_a_lookup_is_refused(call, match):
    table = (gb.ones(3, 2) * 9).requires_grad_()

    with pytest.raises(gb.IndexOutOfRangeError, match=match):
        call(table)

    assert table.tolist() == [[9.0, 9.0]] * 3


@pytest.mark.parametrize("dtype", [gb.float64, gb.float16])
def test_gradients_are_divided_by_how_often_a_row_was_looked_up(dtype):
    for numbers, call in ((gb.zeros(1, 3), F.embedding_bag), (gb.zeros(3), F.embedding)):
        table = gb.ones(2, 1, dtype=dtype, requires_grad=True)
        options = {"mode": "sum"} if call is F.embedding_bag else {}

        call(numbers.long(), table, scale_grad_by_freq=True, **options).sum().backward()

        share = np.asarray(1 / 3, dtype=str(dtype).removeprefix("garboard."))
        assert table.grad.tolist() == [[3 * share], [0.0]]


def test_a_layer_refuses_settings():
    with pytest.raises(gb.IndexOutOfRangeError, match="padding_idx 2 of 2 rows"):
        gb.nn.EmbeddingBag(2, 2, padding_idx=2)
    with pytest.raises(gb.ShapeError, match="_weight of sizes"):
        gb.nn.EmbeddingBag(2, 2, _weight=gb.ones(3, 2))
    weight = gb.ones(2, 2)
    weight.dispose()
    with pytest.raises(gb.DisposedError, match="disposed"):
        F.embedding_bag(gb.tensor([[0]]), weight)


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_sparse_is_heard_and_changes_no_number(mode):
    numbers, table = gb.tensor([[0, 2, 2]]), gb.arange(6.0).view(3, 2)
    layers = [
        gb.nn.EmbeddingBag(3, 2, mode=mode, sparse=sparse, _weight=table.clone())
        for sparse in (False, True)
    ]

    plain, heard = (layer(numbers) for layer in layers)
    (plain + heard).sum().backward()

    assert layers[1].sparse
    assert gb.equal(plain, heard)
    assert gb.equal(*(layer.weight.grad for layer in layers))
