"""Functions of what a mask lets count, beside PyTorch's and beside those of what counts alone."""

from __future__ import annotations

import math

import garboard as gb
import pytest
from garboard import masked

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

X = [[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]]
MASK = [[True, False, True], [False, False, False]]
NAN, INF = math.nan, math.inf

# PyTorch 2.15 of X along dim 1, where the last row has nothing that counts.
ALONG_ROWS = {
    "sum": [5.0, 0.0],
    "prod": [6.0, 1.0],
    "mean": [2.5, NAN],
    "median": [2.0, NAN],
    "var": [0.5, NAN],
    "std": [math.sqrt(0.5), NAN],
    "amax": [3.0, -INF],
    "amin": [2.0, INF],
    "argmax": [0.0, 0.0],
    "argmin": [2.0, 0.0],
    "logsumexp": [3.3132617, -INF],
    "softmax": [[0.73105858, 0.0, 0.26894142], [NAN] * 3],
    "softmin": [[0.26894142, 0.0, 0.73105858], [NAN] * 3],
    "log_softmax": [[-0.31326169, -INF, -1.3132617], [NAN] * 3],
    "cumsum": [[3.0, 3.0, 5.0], [0.0] * 3],
    "cumprod": [[3.0, 3.0, 6.0], [1.0] * 3],
}


@pytest.mark.parametrize(("name", "wanted"), ALONG_ROWS.items(), ids=ALONG_ROWS)
def test_what_does_not_count_changes_no_result(name, wanted):
    x, mask = gb.tensor(X), gb.tensor(MASK)

    found = getattr(masked, name)(x, 1, mask=mask)
    hidden = getattr(masked, name)(x.masked_fill(~mask, NAN), 1, mask=mask)

    gb.testing.assert_close(found, gb.tensor(wanted), equal_nan=True)
    gb.testing.assert_close(hidden, found, equal_nan=True)


def test_norms_are_of_what_counts():
    x, mask = gb.tensor(X), gb.tensor(MASK)

    found = masked.norm(x, 2.0, 1, mask=mask)
    scaled = masked.normalize(x, 2.0, 1, mask=mask)

    gb.testing.assert_close(found, gb.tensor([13**0.5, 0.0]))
    gb.testing.assert_close(scaled[0], gb.tensor([3.0, 0.0, 2.0]) / 13**0.5)
    assert scaled[1].tolist() == [0.0] * 3
    assert masked.norm(x, -INF, 1, mask=mask).tolist() == [2.0, INF]
    assert masked.norm(x, INF, mask=mask).item() == 3.0


REDUCTIONS = [name for name, it in ALONG_ROWS.items() if not isinstance(it[0], list)]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_without_a_mask_all_counts(name):
    x = gb.tensor(X)
    function = getattr(masked, name)

    found = function(x, 0, keepdim=True)

    gb.testing.assert_close(found, function(x, 0, keepdim=True, mask=gb.tensor(True)))
    usual = getattr(gb, name)(x, dim=0, keepdim=True)
    usual = usual.values if name == "median" else usual
    gb.testing.assert_close(found, usual.to(x.dtype))


@pytest.mark.parametrize("name", sorted(set(REDUCTIONS) - {"median", "argmax", "argmin"}))
def test_reductions_are_along_several_dims_or_all(name):
    x, mask = gb.tensor(X), gb.tensor([[True, False, True]])
    function = getattr(masked, name)

    found = function(x, mask=mask)

    gb.testing.assert_close(found, function(x[:, ::2]))
    gb.testing.assert_close(function(x, (), mask=mask), found)
    gb.testing.assert_close(function(x, (-1, 0), keepdim=True, mask=mask), found.reshape(1, 1))
    gb.testing.assert_close(
        function(gb.tensor(3.0), mask=gb.tensor(True)), function(gb.tensor([3.0])), equal_nan=True
    )


def test_integers_and_bools_have_the_dtypes_of_torch():
    x, mask = gb.tensor([[3, 1], [2, 4]], dtype=gb.int32), gb.tensor([[True, True], [False] * 2])

    assert masked.sum(x, mask=mask).dtype == masked.prod(x, mask=mask).dtype == gb.int64
    assert masked.sum(x > 1, 1, mask=mask).tolist() == [1, 0]
    assert masked.amax(x, 1, mask=mask).tolist() == [3, -(2**31)]
    assert masked.amin(x > 1, 1, mask=mask).tolist() == [False, True]
    assert masked.argmax(x, mask=mask).dtype == gb.int32
    assert masked.median(x, 1, mask=mask | (x > 3)).tolist() == [1, 4]
    assert masked.var(x[:1], 1, correction=0).tolist() == [1.0]
    assert masked.mean(x, 1, dtype=gb.float64, mask=mask)[0].item() == 2.0
    assert masked.cumsum(x, 1, dtype=gb.float64, mask=mask).tolist() == [[3.0, 4.0], [0.0, 0.0]]
    with pytest.raises(gb.DTypeError, match=r"mean: dtype garboard.int32; a floating or complex"):
        masked.mean(x, mask=mask)
    with pytest.raises(ValueError, match="median: integers of which none counts"):
        masked.median(x, 1, mask=mask)


def test_either_of_two_tensors_has_a_mask():
    x, y = gb.tensor([-100.0, -200.0, 0.0]), gb.tensor([-1.0, -2.0, 0.0])
    mask = gb.tensor([True, False, False])

    both = masked.logaddexp(x, y, input_mask=mask, other_mask=mask)

    assert both.tolist() == [-1.0, -INF, -INF]
    assert masked.logaddexp(x, y, input_mask=mask).tolist() == [-1.0, -2.0, 0.0]


@pytest.mark.parametrize("name", ["sum", "mean", "var", "logsumexp", "softmax", "normalize"])
def test_gradients_reach_what_counts_alone(name):
    given = {"normalize": (2.0, 1)}.get(name, (1,))
    mask = gb.tensor([[True, False, True], [True, True, False]])
    x = gb.tensor(X, dtype=gb.float64).masked_fill(~mask, INF).requires_grad_()

    found = getattr(masked, name)(x, *given, mask=mask)
    (found * gb.arange(1.0, found.numel() + 1).reshape(found.shape)).sum().backward()

    assert x.grad is not None
    assert x.grad[~mask].tolist() == [0.0, 0.0]
    assert x.grad.isfinite().all()
    whole = gb.tensor(X, dtype=gb.float64, requires_grad=True)
    assert gb.autograd.gradcheck(lambda it: getattr(masked, name)(it, *given, mask=mask), whole)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: masked.sum(x, mask=gb.ones(1, 2, 3)), IndexError, "sum: a mask of 3 dims for 2"),
        (lambda x: masked.sum(x, mask=gb.ones(2)), gb.ShapeError, "expand"),
        (lambda x: masked.sum(x, 2), IndexError, "sum: dim 2 of a tensor of 2 dims"),
        (lambda x: masked.prod(x, (0, -2)), gb.ShapeError, r"prod: dims \[0, 0\]; each once"),
        (lambda x: masked.amax(x, mask=[True]), TypeError, "amax: mask is of type list"),
        (lambda x: masked.mean([1.0]), TypeError, "mean: input is of type list"),
        (lambda x: masked.std(x, 0, True, correction=1), ValueError, "unbiased and correction"),
    ],
)
def test_what_does_not_fit_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call(gb.tensor(X))
