"""Memory shared with NumPy and with buffers, in both directions."""

from __future__ import annotations

import array
import gc
import hashlib
import threading

import garboard as gb
import numpy as np
import pytest
from garboard import _engine

DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64"]


def foreign_bytes() -> int:
    return gb.memory.memory_stats()["foreign_bytes"]


class TestFromNumpy:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_shares_memory_in_both_directions(self, dtype):
        data = np.ones((2, 3), dtype)

        x = gb.from_numpy(data)
        data[0, 0] = 0
        x[1, 1] = 0

        assert x.dtype == getattr(gb, dtype)
        assert x.data_ptr() == data.ctypes.data
        assert x.tolist() == data.tolist() == [[0, 1, 1], [1, 0, 1]]

    def test_keeps_the_array_alive_as_foreign_bytes(self):
        data = np.ones(1000)
        before, foreign = gb.memory.live(), foreign_bytes()

        x = gb.from_numpy(data)[500:]
        del data
        gc.collect()

        assert x.sum().item() == 500
        assert x.storage().is_foreign
        assert foreign_bytes() - foreign == 8000
        assert gb.memory.live().bytes == before.bytes
        assert gb.memory.live().storages == before.storages + 1
        del x
        assert foreign_bytes() == foreign

    def test_gives_the_array_back_with_the_last_share(self):
        class Watched(np.ndarray):
            ended = False

            def __del__(self) -> None:
                Watched.ended = True

        x = gb.from_numpy(np.zeros(3).view(Watched))
        y = x[1:]

        x.dispose()
        assert not Watched.ended
        y.dispose()

        gc.collect()
        assert Watched.ended

    @pytest.mark.parametrize(
        "cut",
        [
            lambda a: a[::-1],
            lambda a: a.T,
            lambda a: a[1:, ::2],
            lambda a: a[::-2, ::-1],
            lambda a: a[:0],
            lambda a: a[None, :, 1],
            lambda a: np.asfortranarray(a),
            lambda a: a[1, 2],
            lambda a: a[1, 2:3].reshape(()),
        ],
    )
    def test_takes_any_strides(self, cut):
        data = np.arange(20.0).reshape(4, 5)
        part = np.asarray(cut(data))

        x = gb.from_numpy(part)

        assert x.tolist() == part.tolist()
        assert (x * 2).tolist() == (part * 2).tolist()
        assert x.contiguous().tolist() == part.tolist()
        if x.numel():
            assert x.data_ptr() == part.ctypes.data
            x.add_(1)
            assert x.tolist() == part.tolist()

    def test_gives_gradients_through_negative_strides(self):
        leaf = gb.ones(3, dtype=gb.float64, requires_grad=True)
        x = gb.from_numpy(np.zeros(6)[::-2])

        x[:2] = leaf[1:] * gb.tensor([2.0, 3.0], dtype=gb.float64)
        (x * gb.tensor([1.0, 10.0, 100.0], dtype=gb.float64)).sum().backward()

        assert leaf.grad.tolist() == [0, 2, 30]

    def test_reads_read_only_arrays_and_refuses_to_write_them(self):
        data = np.arange(3.0)
        data.flags.writeable = False
        x = gb.from_numpy(data)

        assert (x + 1).tolist() == [1, 2, 3]
        for write in (
            lambda: x.add_(1),
            lambda: x[:1].zero_(),
            lambda: x.__setitem__(0, 5),
            lambda: x.copy_(gb.zeros(3)),
            lambda: gb.exp(x, out=x),
            lambda: x.uniform_(),
        ):
            with pytest.raises(gb.GarboardError, match=r"^\w+: memory .* read-only; write into"):
                write()
        assert x.tolist() == [0, 1, 2]
        assert memoryview(x).readonly
        x.clone().add_(1)

    @pytest.mark.parametrize(
        ("data", "error"),
        [
            (np.zeros(2, np.uint16), gb.DTypeError),
            (np.zeros(2, np.longdouble), gb.DTypeError),
            (np.zeros(2, np.uint32), gb.DTypeError),
            (np.zeros(2, ">f8"), gb.DTypeError),
            (np.zeros(2, np.clongdouble), gb.DTypeError),
            (np.zeros(2, "U3"), gb.DTypeError),
            (np.zeros(2, [("a", "f4"), ("b", "f8")])["b"], gb.ShapeError),
            (np.frombuffer(bytes(17), "u1")[1:].view("f8"), gb.ShapeError),
            (np.zeros((1,) * 9), gb.ShapeError),
            (np.array([None]), gb.DTypeError),
            (np.zeros(2, "M8[s]"), TypeError),
            ([1.0, 2.0], TypeError),
            (3.5, TypeError),
        ],
        ids=str,
    )
    def test_refuses_what_it_cannot_share(self, data, error):
        before, foreign = gb.memory.live(), foreign_bytes()

        with pytest.raises(error, match=r"^from_numpy: .*; .+"):
            gb.from_numpy(data)

        assert gb.memory.live() == before
        assert foreign_bytes() == foreign

    def test_shares_other_buffers(self):
        data = array.array("i", [1, 2, 3])

        x = gb.from_numpy(data)
        x[0] = 9

        assert data[0] == 9
        with pytest.raises(BufferError):
            data.append(4)

    def test_ends_on_another_thread(self):
        foreign = foreign_bytes()
        kept = [gb.from_numpy(np.ones(100))]

        thread = threading.Thread(target=kept.clear)
        thread.start()
        thread.join()

        assert foreign_bytes() == foreign


class TestNumpy:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_looks_at_the_same_memory(self, dtype):
        x = gb.zeros(2, 3, dtype=getattr(gb, dtype))

        data = x.T.numpy()
        data[2, 1] = 1

        assert data.dtype == np.dtype(dtype)
        assert data.strides == (x.itemsize, 3 * x.itemsize)
        assert x.tolist() == [[0, 0, 0], [0, 0, 1]]

    def test_stays_valid_after_the_tensor_was_disposed(self):
        with gb.dispose_scope():
            x = gb.arange(1000, dtype=gb.float64)
            data = x[::2].numpy()
        assert x.is_disposed
        pressure = [gb.full((1000,), -1.0, dtype=gb.float64) for _ in range(50)]

        assert data.sum() == 249_500
        assert len(pressure) == 50

    def test_is_booked_as_an_export_until_the_array_goes(self):
        x = gb.zeros(1000)
        before = gb.memory.live()

        data = x.numpy()
        del x

        assert [row["owner"] for row in _engine._aliases()].count("EXPORT") == 1
        assert [row["exports"] for row in _engine._storages()].count(1) == 1
        assert gb.memory.live().bytes == before.bytes
        del data
        assert gb.memory.live().bytes == before.bytes - 4000

    def test_shares_memory_back_and_forth(self):
        x = gb.zeros(3)

        y = gb.from_numpy(x.numpy())
        y[1] = 4

        assert x.tolist() == [0, 4, 0]
        del x
        assert y.tolist() == [0, 4, 0]

    def test_refuses_a_tensor_that_requires_grad(self):
        x = gb.ones(2, requires_grad=True)

        with pytest.raises(gb.GradientError, match=r"^numpy: .*; take detach\(\) first"):
            x.numpy()
        with pytest.raises(gb.GradientError, match=r"^numpy: "):
            np.asarray(x * 2)

        assert x.detach().numpy().tolist() == [1, 1]

    def test_of_empty_tensors_and_of_tensors_without_dims(self):
        assert gb.zeros(0, 3).numpy().shape == (0, 3)
        assert gb.tensor(2.5).numpy()[()] == 2.5

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_has_numpys_own_dtype_and_not_one_that_is_as_wide(self, dtype):
        found = gb.zeros(2, dtype=getattr(gb, dtype)).numpy().dtype

        assert found.char == np.dtype(found.name).char
        assert gb.from_numpy(np.zeros(2, "longlong")).dtype is gb.int64


class TestToList:
    def test_of_more_lists_than_python_has_memory_for_says_what_to_do(self):
        x = gb.empty(2**60, 0)

        with pytest.raises(gb.OutOfMemoryError, match=r"^tolist: sizes .*; take slices") as raised:
            x.tolist()

        assert raised.value.report.startswith(str(raised.value))


class TestArrayProtocol:
    def test_shares_or_converts(self):
        x = gb.tensor([1.5, 2.5])

        shared = np.asarray(x)
        shared[0] = 7

        assert x.tolist() == [7, 2.5]
        assert np.asarray(x, dtype=int).tolist() == [7, 2]
        assert np.array(x).ctypes.data != x.data_ptr()
        with pytest.raises(ValueError, match=r"^Unable to avoid copy"):  # NumPy's own
            np.asarray(x, dtype=int, copy=False)
        with pytest.raises(ValueError, match=r"^__array__: .*; allow the copy"):
            x.__array__(np.dtype(int), copy=False)

    def test_lets_numpys_functions_take_tensors(self):
        x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])

        assert np.concatenate([x, x]).shape == (4, 2)
        np.testing.assert_allclose(np.exp(x), x.exp(), rtol=1e-6)


class TestBuffer:
    def test_describes_the_elements(self):
        view = memoryview(gb.arange(6, dtype=gb.int32).view(2, 3).T)

        assert view.format == "i"
        assert view.shape == (3, 2)
        assert view.strides == (4, 12)
        assert view.itemsize == 4
        assert not view.readonly
        assert view.tolist() == [[0, 3], [1, 4], [2, 5]]

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_writes_into_the_tensor(self, dtype):
        x = gb.zeros(3, dtype=getattr(gb, dtype))

        memoryview(x)[1] = True if dtype == "bool" else 1

        assert x.tolist() == [0, 1, 0]

    def test_outlives_the_tensor(self):
        view = memoryview(gb.full((1000,), 2.0))

        pressure = [gb.zeros(1000) for _ in range(20)]

        assert view[999] == 2
        assert len(pressure) == 20

    def test_outlives_its_dispose(self):
        x = gb.full((1000,), 2.0)
        view = memoryview(x)
        bytes_before = gb.memory.live().bytes

        x.dispose()

        assert view[999] == 2
        assert gb.memory.live().bytes == bytes_before
        view.release()
        assert gb.memory.live().bytes == bytes_before - 4000

    def test_of_a_strided_tensor_needs_a_reader_that_takes_strides(self):
        x = gb.arange(6).view(2, 3).T

        with pytest.raises(gb.ShapeError, match=r"^buffer: .*; take contiguous\(\) first"):
            hashlib.sha256(x)
        assert bytes(x.contiguous())[:16] == bytes([0] * 8 + [3] + [0] * 7)


def test_numpy_shares_what_requires_grad_where_nothing_is_recorded():
    x = gb.ones(2, requires_grad=True)

    with gb.no_grad():
        array = x.view(-1).numpy()
        assert np.asarray(x).tolist() == [1.0, 1.0]
        array[0] = 5.0

    assert x.tolist() == [5.0, 1.0]
    with pytest.raises(gb.GradientError, match="numpy: a tensor that requires grad"):
        x.numpy()
