"""DLPack: memory shared with other libraries both ways, and given back once, whoever lets go."""

from __future__ import annotations

import ctypes
import gc
import threading
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.leaks.evidence._native import EVIDENCE

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

NUMPYS = [gb.bool, gb.uint8, gb.int8, gb.int16, gb.int32, gb.int64]
NUMPYS += [gb.float16, gb.float32, gb.float64]


class TestExport:
    @pytest.mark.parametrize("dtype", NUMPYS, ids=str)
    def test_shares_the_elements_of_each_dtype_with_numpy(self, dtype):
        x = gb.arange(6).reshape(2, 3).to(dtype)

        array = np.from_dlpack(x)

        assert array.tolist() == x.tolist()
        assert str(array.dtype) == str(dtype).removeprefix("garboard.")
        array[0, 0] = 1
        assert x[0, 0].item() == 1

    @pytest.mark.parametrize(
        "view",
        [
            lambda x: x.T,
            lambda x: x[:, 1:],
            lambda x: x[::2, ::3],
            lambda x: x.flip(0),
            lambda x: x[1, 2],
            lambda x: x[:0],
            lambda x: x[0].expand(3, 4),
        ],
    )
    def test_keeps_sizes_and_strides(self, view):
        x = view(gb.arange(12).reshape(3, 4))

        array = np.from_dlpack(x)

        assert array.shape == tuple(x.shape)
        assert array.tolist() == x.tolist()

    def test_keeps_the_bytes_after_dispose_and_until_the_last_array_goes(self):
        before = gb.memory.memory_allocated()
        x = gb.ones(1000)
        array = np.from_dlpack(x)

        x.dispose()
        assert float(array.sum()) == 1000.0
        assert gb.memory.memory_allocated() - before == 4000
        del array

        assert gb.memory.memory_allocated() == before

    def test_is_an_export_in_the_eyes_of_the_leak_watcher(self):
        since = EVIDENCE.now()
        x = gb.ones(1000)
        array = np.from_dlpack(x)

        (row,) = (it for it in EVIDENCE.storages(since.storage) if it.nbytes == 4000)

        assert row.is_exported
        del array

    def test_a_capsule_that_nobody_takes_gives_the_bytes_back(self):
        for version in (None, (1, 0), (1, 7)):
            capsule = gb.ones(1000).__dlpack__(max_version=version)
            name = "dltensor" if version is None else "dltensor_versioned"
            assert f'"{name}"' in repr(capsule)
            del capsule

    def test_a_capsule_is_taken_by_asarray(self):
        x = gb.ones(3)

        shared = gb.asarray(gb.utils.dlpack.to_dlpack(x))
        apart = gb.asarray(gb.utils.dlpack.to_dlpack(x), dtype=gb.int64, copy=True)
        x.fill_(2)

        assert shared.tolist() == [2.0, 2.0, 2.0]
        assert apart.tolist() == [1, 1, 1]

    def test_memory_that_may_only_be_read_says_so(self):
        frozen = np.zeros(3)
        frozen.flags.writeable = False
        x = gb.from_numpy(frozen)

        assert not np.from_dlpack(x).flags.writeable
        with pytest.raises(BufferError, match="may only be read"):
            x.__dlpack__()

    def test_a_copy_is_apart(self):
        x = gb.zeros(3)

        array = np.from_dlpack(x, copy=True)
        array[:] = 1

        assert x.tolist() == [0.0, 0.0, 0.0]

    def test_tells_its_device(self):
        assert gb.ones(1).__dlpack_device__() == (1, 0)
        with gb.memory.SimulatedDevice("4 MiB") as device:
            x = gb.ones(2, device=device)
            with pytest.raises(BufferError, match=r"cpu\(\) first"):
                x.__dlpack_device__()
            with pytest.raises(BufferError, match=r"cpu\(\) first"):
                x.__dlpack__()
            with pytest.raises(BufferError, match="allow the copy"):
                x.__dlpack__(dl_device=(1, 0), copy=False)
            assert gb.from_dlpack(x.__dlpack__(dl_device=(1, 0))).shape == (2,)
            x.dispose()

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"stream": 1}, ValueError),
            ({"max_version": (1,)}, ValueError),
            ({"max_version": 1}, TypeError),
            ({"max_version": ("a", 0)}, TypeError),
            ({"dl_device": (2, 0)}, BufferError),
            ({"dl_device": (1,)}, ValueError),
            ({"dl_device": "cpu"}, TypeError),
        ],
    )
    def test_refuses_what_it_cannot_give(self, options, error):
        with pytest.raises(error, match=r"^__dlpack__: "):
            gb.ones(2).__dlpack__(**options)

    def test_refuses_gradients_and_disposed_tensors(self):
        x = gb.ones(2, requires_grad=True)
        with pytest.raises(BufferError, match=r"take detach\(\) first"):
            x.__dlpack__()
        with pytest.raises(BufferError, match=r"take detach\(\) first"):
            x.__dlpack__(copy=True)
        x.dispose()
        with pytest.raises(gb.DisposedError):
            x.__dlpack__()


class TestImport:
    @pytest.mark.parametrize("dtype", NUMPYS, ids=str)
    def test_shares_the_elements_of_each_dtype(self, dtype):
        array = np.arange(6).reshape(2, 3).astype(str(dtype).removeprefix("garboard."))

        x = gb.from_dlpack(array)

        assert x.dtype is dtype
        assert x.tolist() == array.tolist()
        array[1, 2] = 1
        assert x[1, 2].item() == 1

    def test_keeps_strides_and_the_array_alive(self):
        x = gb.from_dlpack(np.arange(12.0).reshape(3, 4)[::-1, ::2])

        assert x.tolist() == [[8.0, 10.0], [4.0, 6.0], [0.0, 2.0]]
        assert x.stride() == (-4, 2)

    def test_its_bytes_are_foreign(self):
        before = gb.memory.memory_allocated()
        array = np.ones(1000)

        x = gb.from_dlpack(array)

        assert gb.memory.memory_allocated() == before
        assert x.storage().is_foreign

    def test_what_may_only_be_read_is_not_written(self):
        frozen = np.zeros(3)
        frozen.flags.writeable = False

        x = gb.from_dlpack(frozen)

        with pytest.raises(gb.GarboardError, match="read-only"):
            x.add_(1)

    def test_bfloat16_and_capsules_go_round(self):
        x = gb.tensor([1.5, -2.0], dtype=gb.bfloat16)

        y = gb.utils.dlpack.from_dlpack(gb.utils.dlpack.to_dlpack(x))

        assert y.dtype is gb.bfloat16
        assert y.tolist() == [1.5, -2.0]
        y[0] = 3
        assert x.tolist() == [3.0, -2.0]

    def test_a_capsule_is_taken_once(self):
        capsule = gb.to_dlpack(gb.ones(2))
        first = gb.from_dlpack(capsule)

        with pytest.raises(TypeError, match="named used_dltensor; one that nobody has taken"):
            gb.from_dlpack(capsule)

        assert first.tolist() == [1.0, 1.0]

    def test_takes_arrays_that_know_no_versions(self):
        class Old:
            def __init__(self, held: gb.Tensor) -> None:
                self.held = held

            def __dlpack__(self, stream: Any = None) -> object:
                return gb.to_dlpack(self.held)

            def __dlpack_device__(self) -> tuple[int, int]:
                return 1, 0

        assert gb.from_dlpack(Old(gb.ones(2))).tolist() == [1.0, 1.0]
        with pytest.raises(TypeError):
            gb.from_dlpack(Old(gb.ones(2)), copy=True)

    @pytest.mark.parametrize(
        ("given", "error", "message"),
        [
            (3, TypeError, "of type int|data 3"),
            (np.zeros((1,) * 9), gb.ShapeError, "9 dims; at most 8"),
        ],
        ids=["a number", "nine dims"],
    )
    def test_refuses_what_no_tensor_can_be(self, given, error, message):
        with pytest.raises(error, match=rf"^from_dlpack: .*({message})"):
            gb.from_dlpack(given)

    def test_another_device_is_a_copy(self):
        with gb.memory.SimulatedDevice("4 MiB") as device:
            x = gb.from_dlpack(np.ones(3), device=device)
            assert x.device == gb.device(device)
            with pytest.raises(BufferError, match="without a copy"):
                gb.from_dlpack(np.ones(3), device=device, copy=False)
            x.dispose()

    def test_may_be_let_go_on_another_thread(self):
        held = [gb.from_dlpack(np.ones(1000))]

        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()

        assert held == []


# A library that lies, made of ctypes.


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


class Foreign:
    """Memory of eight float32 numbers, and how often it was given back."""

    def __init__(self, sizes: list[int], strides: list[int] | None = None, **more: Any) -> None:
        self.numbers = (ctypes.c_float * 8)(*range(8))
        self.sizes = (ctypes.c_int64 * max(len(sizes), 1))(*sizes)
        self.strides = (ctypes.c_int64 * len(strides))(*strides) if strides else None
        self.given_back = 0
        self.managed = _Managed(major=1, deleter=type(_Managed().deleter)(self._count))
        tensor = self.managed.tensor
        tensor.data = ctypes.addressof(self.numbers)
        tensor.device_type, tensor.ndim = 1, len(sizes)
        tensor.code, tensor.bits, tensor.lanes = 2, 32, 1
        tensor.shape = self.sizes
        if self.strides is not None:
            tensor.strides = self.strides
        for name, value in more.items():
            setattr(self.managed if name == "major" else tensor, name, value)

    def _count(self, _: int) -> None:
        self.given_back += 1

    def capsule(self) -> object:
        name = b"dltensor_versioned"
        return _new_capsule(ctypes.addressof(self.managed), name, None)


_prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new_capsule = _prototype(("PyCapsule_New", ctypes.pythonapi))


def test_memory_is_given_back_once_with_the_last_share():
    foreign = Foreign([2, 3], [4, 1])

    x = gb.from_dlpack(foreign.capsule())
    view = x[1]
    del x
    assert view.tolist() == [4.0, 5.0, 6.0]
    assert foreign.given_back == 0
    del view
    gc.collect()

    assert foreign.given_back == 1


def test_no_strides_are_those_of_a_dense_array_and_an_offset_counts():
    x = gb.from_dlpack(Foreign([2, 3], byte_offset=8).capsule())

    assert x.tolist() == [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]


@pytest.mark.parametrize(
    ("foreign", "error", "message"),
    [
        (lambda: Foreign([2], major=2), BufferError, "a later version"),
        (lambda: Foreign([2], device_type=2), gb.DeviceError, "device type 2"),
        (lambda: Foreign([2], lanes=4), gb.DTypeError, "4 lanes"),
        (lambda: Foreign([2], bits=24), gb.DTypeError, "24 bits"),
        (lambda: Foreign([-1]), gb.ShapeError, "negative"),
        (lambda: Foreign([2], ndim=-3), gb.ShapeError, "-3 dims"),
        (lambda: Foreign([2], ndim=2**31 - 1), gb.ShapeError, "at most 8"),
        (lambda: Foreign([2], shape=None), gb.ShapeError, "no sizes"),
        (lambda: Foreign([2], data=None), gb.ShapeError, "without memory"),
        (lambda: Foreign([2**62, 4]), gb.ShapeError, r"2\^63 bytes"),
        (lambda: Foreign([4], [2**62]), gb.ShapeError, r"2\^63 bytes"),
        (lambda: Foreign([4], [-(2**63)]), gb.ShapeError, r"2\^63 bytes"),
        (lambda: Foreign([2], byte_offset=2), gb.ShapeError, "multiple of the item size"),
    ],
)
def test_what_is_refused_is_left_to_its_owner(foreign, error, message):
    given = foreign()

    with pytest.raises(error, match=rf"^from_dlpack: .*{message}"):
        gb.from_dlpack(given.capsule())

    assert given.given_back == 0
