"""What dtypes are asked, and what they are called."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

KINDS = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
}
NAMES = list(KINDS)


class TestADType:
    def test_knows_its_size_and_kind(self):
        for name in NAMES:
            dtype = getattr(gb, name)
            known = np.dtype("float16" if name == "bfloat16" else name)

            assert dtype.itemsize == known.itemsize == gb.empty(1, dtype=dtype).element_size()
            assert dtype.is_floating_point == (known.kind == "f")
            assert dtype.is_signed == (known.kind in "if")
            assert not dtype.is_complex
            assert repr(dtype) == f"garboard.{name}"

    def test_has_pytorchs_other_names(self):
        assert gb.half is gb.float16
        assert gb.float is gb.float32
        assert gb.double is gb.float64
        assert (gb.short, gb.int, gb.long) == (gb.int16, gb.int32, gb.int64)

    def test_is_what_a_method_of_its_name_converts_to(self):
        x = gb.tensor([1.5, -2.0, 0.0])

        for method, name in [
            ("bool", "bool"), ("byte", "uint8"), ("char", "int8"), ("short", "int16"),
            ("int", "int32"), ("long", "int64"), ("half", "float16"), ("bfloat16", "bfloat16"),
            ("float", "float32"), ("double", "float64"),
        ]:  # fmt: skip
            assert getattr(x, method)().dtype is getattr(gb, name)
            assert x.to(getattr(gb, name)).tolist() == getattr(x, method)().tolist()


class TestTo:
    def test_takes_all_forms_of_pytorch(self):
        x = gb.ones(2)
        other = gb.zeros(1, dtype=gb.float16)

        for converted in (
            x.to(gb.float16),
            x.to(gb.float16, True),
            x.to(gb.float16, False, True),
            x.to("cpu", gb.float16),
            x.to("cpu", gb.float16, False, True),
            x.to(device=None, dtype=gb.float16, non_blocking=True, copy=False),
            x.to(other),
            x.to(other, True, copy=True),
            x.type(gb.float16),
            x.type("garboard.HalfTensor"),
            x.type_as(other),
        ):
            assert converted.dtype == gb.float16
            assert converted.tolist() == [1, 1]
        assert x.to(gb.float32, False, True).data_ptr() != x.data_ptr()
        assert x.to(gb.float32).data_ptr() == x.data_ptr()

    def test_names_the_type_as_pytorch_does(self):
        names = [gb.empty(0, dtype=getattr(gb, name)).type() for name in NAMES]

        assert names == [f"garboard.{kind}Tensor" for kind in KINDS.values()]
        with pytest.raises(gb.DTypeError, match=r"^type: there is no 'FooTensor'; .*'FloatTensor'"):
            gb.ones(1).type("FooTensor")
        with pytest.raises(TypeError, match=r"^type: dtype is 3; a dtype .* is needed"):
            gb.ones(1).type(3)


class TestLimits:
    def test_of_floats_are_numpys(self):
        for name in ("float16", "float32", "float64"):
            ours, known = gb.finfo(getattr(gb, name)), np.finfo(name)

            for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
                assert getattr(ours, field) == pytest.approx(float(getattr(known, field)), rel=1e-3)
            assert ours.dtype == name

    def test_of_bfloat16_are_pytorchs(self):
        info = gb.finfo(gb.bfloat16)

        assert (info.bits, info.eps, info.resolution) == (16, 0.0078125, 0.01)
        assert (info.max, info.min, info.tiny) == (3.3895313892515355e38, -info.max, 2.0**-126)
        assert repr(info) == (
            "finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, "
            "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=bfloat16)"
        )

    def test_of_integers_are_numpys(self):
        for name in ("uint8", "int8", "int16", "int32", "int64"):
            ours, known = gb.iinfo(getattr(gb, name)), np.iinfo(name)

            assert (ours.bits, ours.min, ours.max) == (known.bits, known.min, known.max)
            assert ours == gb.iinfo(getattr(gb, name))

    def test_are_of_the_default_dtype_where_none_is_given(self):
        assert gb.finfo() == gb.finfo(gb.get_default_dtype())

    def test_refuse_the_other_kind(self):
        for ask, match in [
            (lambda: gb.finfo(gb.int8), r"^finfo: dtype int8; a floating one .*iinfo\(\)"),
            (lambda: gb.iinfo(gb.half), r"^iinfo: dtype float16; an integer one .*finfo\(\)"),
            (lambda: gb.iinfo(gb.bool), r"^iinfo: dtype bool; an integer one is needed$"),
        ]:
            with pytest.raises(gb.DTypeError, match=match):
                ask()
        with pytest.raises(TypeError, match=r"^finfo: dtype is 'float32'; a dtype such as"):
            gb.finfo("float32")


class TestTheDefaultDType:
    @pytest.fixture(autouse=True)
    def restored(self):
        yield
        gb.set_default_dtype(gb.float32)

    def test_is_what_floats_are_made_of(self):
        for dtype in (gb.float64, gb.bfloat16, gb.float16):
            gb.set_default_dtype(dtype)

            assert gb.get_default_dtype() is dtype
            for x in (
                gb.tensor([1.5]),
                gb.tensor([]),
                gb.ones(2),
                gb.zeros(2),
                gb.empty(2),
                gb.full((2,), 1.5),
                gb.rand(2),
                gb.randn(2),
                gb.eye(2),
                gb.arange(0.0, 2.0),
                gb.nn.Linear(2, 2).weight,
                gb.arange(2) + 1.5,
                gb.arange(2) / 2,
                gb.arange(1, 3).log(),
                gb.arange(2).sigmoid(),
            ):
                assert x.dtype is dtype
            assert gb.tensor([1]).dtype is gb.int64
            assert (gb.ones(2, dtype=gb.float32) + 1.5).dtype is gb.float32
            assert "dtype" not in repr(gb.tensor([1.5]))
            assert "dtype=garboard.float32" in repr(gb.tensor([1.5], dtype=gb.float32))

    def test_is_a_floating_one(self):
        with pytest.raises(gb.DTypeError, match=r"^set_default_dtype: dtype int32; a floating one"):
            gb.set_default_dtype(gb.int32)
        with pytest.raises(TypeError, match=r"^set_default_dtype: dtype is of type str"):
            gb.set_default_dtype("float64")
        assert gb.get_default_dtype() is gb.float32
