"""What programs ask of a tensor's kind, and how they made tensors like another one."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._ops.traits import NEVER

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.parametrize("name", NEVER)
def test_a_tensor_is_of_no_other_kind(name):
    assert getattr(gb.ones(2), name) is False
    assert getattr(gb.nn.Parameter(gb.ones(2)), name) is False


def test_a_tensor_is_dense_and_somewhere():
    x = gb.ones(2)

    assert (x.is_cpu, x.layout) == (True, gb.strided)
    assert x.layout not in (gb.sparse_csr, gb.sparse_csc, gb.sparse_bsr, gb.sparse_bsc)
    with gb.memory.SimulatedDevice("4 MiB") as device:
        assert not gb.zeros(1, device=device).is_cpu
    assert (x.is_conj(), x.is_neg(), x.is_shared(), x.is_pinned()) == (False,) * 4


@pytest.mark.parametrize(
    ("given", "sizes"), [((2, 3), (2, 3)), (([1, 2],), (2,)), ((), (0,)), (((2, 3),), (2,))]
)
def test_new_tensors_are_of_sizes_or_of_data(given, sizes):
    made = gb.ones(2, dtype=gb.int32).new(*given)

    assert (made.shape, made.dtype) == (sizes, gb.int32)


@pytest.mark.parametrize(
    "named",
    [
        {"size": (2, 3)},
        {"data": [1, 2]},
        {"size": [4], "device": "cpu"},
    ],
)
def test_what_new_tensors_are_of_may_be_told_by_name(named):
    made = gb.ones(2).new(**named)

    again = gb.ones(1).new(other=made.zero_())
    assert again.tolist() == made.tolist()
    assert made.shape == tuple(named.get("size", (2,)))
    assert made.dtype == gb.float32


def test_a_new_tensor_is_of_one_thing():
    for given, named in (((2,), {"size": (2,)}), ((), {"sizes": 3}), ((), {"size": 2, "data": 1})):
        with pytest.raises(TypeError, match="new: "):
            gb.ones(2).new(*given, **named)


def test_no_sign_waits_to_be_applied():
    assert gb.is_neg(-gb.ones(1)) is False
    assert gb.ones(1).resolve_neg().is_neg() is False


def test_a_function_of_three_numbers_replaces_each_element():
    x, y, z = gb.tensor([[1, 2], [3, 4]]), gb.tensor([10, 20]), gb.tensor(5)

    made = x.map2_(y, z, lambda a, b, c: a * b + c)

    assert made is x
    assert x.tolist() == [[15, 45], [35, 85]]
    with pytest.raises(gb.ShapeError):
        x.map2_(y=gb.ones(3), x=y, callable=max)
    with pytest.raises(TypeError, match="map2_: y"):
        x.map2_(y, 2, max)


def test_what_has_ended_says_nothing():
    x = gb.ones(2)
    x.dispose()

    for name in (*NEVER, "is_cpu", "layout"):
        with pytest.raises(gb.DisposedError):
            getattr(x, name)
    for method in ("is_conj", "is_neg", "is_shared", "is_pinned", "pin_memory", "new"):
        with pytest.raises(gb.DisposedError):
            getattr(x, method)()


def test_an_element_is_found_by_its_value():
    x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])

    assert 3 in x
    assert 5.0 not in x
    assert gb.tensor(2.0) in x
    with pytest.raises(TypeError, match="in: an element of type str; a Tensor or a number is need"):
        "a" in x  # noqa: B015


def test_rows_are_reversed():
    x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])

    assert reversed(x).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert reversed(gb.tensor(1.0)).tolist() == 1.0
