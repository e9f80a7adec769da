"""Dtypes of PyTorch's that no tensor has: names for tables, with an answer where one is needed."""

from __future__ import annotations

import copy
import pickle

import garboard as gb
import pytest

NAMES = [
    "chalf",
    "complex32",
    "float4_e2m1fn_x2",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "qint8",
    "qint32",
    "quint4x2",
    "quint8",
    "uint16",
    "uint32",
    "uint64",
]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_itself_and_no_dtype_that_a_tensor_has(name):
    dtype = getattr(gb, name)

    table = {dtype: name, gb.float32: "float32"}

    assert table[dtype] == name
    assert not isinstance(dtype, gb.dtype)
    assert copy.deepcopy(dtype) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert repr(dtype) in (f"garboard.{name}", "garboard.complex32")


def test_they_say_how_large_elements_are_elsewhere_and_of_what_kind():
    assert (gb.uint16.itemsize, gb.uint64.itemsize, gb.float8_e5m2.itemsize) == (2, 8, 1)
    assert gb.float8_e4m3fn.is_floating_point
    assert gb.complex32.is_complex
    assert not gb.complex32.is_floating_point
    assert [it.is_signed for it in (gb.uint16, gb.qint8, gb.float8_e8m0fnu)] == [False, True, False]


def test_limits_of_small_floats_are_those_of_their_formats():
    limits = gb.finfo(gb.float8_e4m3fn)

    assert (limits.bits, limits.min, limits.max) == (8, -448, 448)
    assert (limits.eps, limits.tiny) == (0.125, 2.0**-6)
    assert gb.finfo(gb.float8_e5m2).max == 57344
    assert gb.finfo(gb.float8_e4m3fnuz).tiny == 2.0**-7
    assert gb.finfo(gb.float8_e8m0fnu).min == 2.0**-127


def test_limits_of_unsigned_integers_begin_at_0():
    limits = gb.iinfo(gb.uint32)

    assert (limits.bits, limits.min, limits.max) == (32, 0, 2**32 - 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: gb.zeros(2, dtype=gb.uint16),
        lambda: gb.tensor([1], dtype=gb.uint16),
        lambda: gb.ones(2).to(dtype=gb.uint16),
        lambda: gb.ones(2).type(gb.uint16),
        lambda: gb.softmax(gb.ones(2), 0, dtype=gb.uint16),
        lambda: gb.can_cast(gb.uint16, gb.int32),
        lambda: gb.finfo(gb.complex32),
    ],
)
def test_where_a_dtype_is_needed_they_name_another(call):
    with pytest.raises(
        TypeError, match=r"is garboard\.(uint16|complex32), which no tensor has; use"
    ):
        call()


def test_no_more_can_be_made_and_none_can_be_changed():
    with pytest.raises(TypeError, match="no more can be made"):
        type(gb.uint16)()
    with pytest.raises(AttributeError, match="cannot be set"):
        gb.uint16.itemsize = 3
