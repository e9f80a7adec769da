"""`out=empty(0)`: a result gives it its sizes."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import pytest

INTO: dict[str, Callable[[gb.Tensor, gb.Tensor], object]] = {
    "exp": lambda x, out: gb.exp(x, out=out),
    "add": lambda x, out: gb.add(x, 1, out=out),
    "add scaled": lambda x, out: gb.add(x, x, alpha=2, out=out),
    "where": lambda x, out: gb.clamp(x, 0, 1, out=out),
    "frac": lambda x, out: gb.frac(x, out=out),
    "sum": lambda x, out: gb.sum(x, 0, out=out),
    "matmul": lambda x, out: gb.matmul(x, x.T, out=out),
    "cat": lambda x, out: gb.cat([x, x], out=out),
    "round": lambda x, out: gb.round(x, decimals=1, out=out),
    "softmax": lambda x, out: gb.softmax(x, 0, out=out),
}


@pytest.mark.parametrize("name", INTO)
def test_takes_the_sizes_of_the_result(name: str, no_leaks: None) -> None:
    x, out = gb.arange(6.0).reshape(2, 3), gb.empty(0)
    expected = gb.empty(0)
    INTO[name](x, expected)

    assert INTO[name](x, out) is out

    assert out.numel() > 0
    assert gb.equal(out, expected)
    assert out.is_leaf


def test_keeps_its_dtype_and_counts_its_bytes() -> None:
    before = gb.memory.live("cpu").bytes
    out = gb.empty(0, dtype=gb.float64)
    gb.add(gb.ones(1000), 1, out=out)
    assert out.dtype == gb.float64
    assert out.sum().item() == 2000
    assert gb.memory.live("cpu").bytes - before >= 8000


def test_several_results_go_into_several() -> None:
    values, places = gb.empty(0), gb.empty(0, dtype=gb.int64)
    gb.sort(gb.tensor([[3.0, 1.0, 2.0]]), out=(values, places))
    assert values.tolist() == [[1.0, 2.0, 3.0]]
    assert places.tolist() == [[1, 2, 0]]


@pytest.mark.parametrize(
    "out",
    [
        lambda: gb.empty(1),
        lambda: gb.empty(0, 2),
        lambda: gb.ones(4)[:0],
        lambda: gb.empty(0, requires_grad=True),
    ],
)
def test_what_is_not_as_empty_makes_it_stays(out: Callable[[], gb.Tensor]) -> None:
    given = out()
    sizes = given.shape
    for write in (gb.exp, gb.frac):
        with gb.no_grad(), pytest.raises(gb.ShapeError, match="out has sizes"):
            write(gb.ones(3), out=given)
    assert given.shape == sizes


def test_nothing_has_grown_after_an_error() -> None:
    out, places = gb.empty(0), gb.empty(0, dtype=gb.bool)
    x = gb.ones(2, 3, requires_grad=True)
    for write in (gb.exp, gb.frac):
        with pytest.raises(gb.GradientError):
            write(x, out=out)
    with pytest.raises(gb.DTypeError):  # of the second, when the first has passed
        gb.sort(x.detach(), out=(out, places))
    assert out.shape == places.shape == (0,)


def test_nothing_grows_in_place() -> None:
    x = gb.empty(0)
    with pytest.raises(gb.ShapeError):
        x.add_(gb.empty(2, 0))
    assert x.shape == (0,)


def test_what_was_kept_of_an_empty_one_is_missed_by_backward() -> None:
    out = gb.empty(0)
    w = gb.empty(0, requires_grad=True)
    product = w * out
    gb.exp(gb.ones(3), out=out)
    with pytest.raises(gb.VersionError):
        product.sum().backward()
