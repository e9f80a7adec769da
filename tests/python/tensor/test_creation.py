"""Tensors from nothing, and from Python's data."""

from __future__ import annotations

import array

import garboard as gb
import numpy as np
import pytest

DTYPES = [gb.bool, gb.uint8, gb.int32, gb.int64, gb.float32, gb.float64]


class TestTensor:
    @pytest.mark.parametrize(
        ("data", "dtype", "shape"),
        [
            (3, gb.int64, ()),
            (3.0, gb.float32, ()),
            (True, gb.bool, ()),
            ([1, 2], gb.int64, (2,)),
            ([True, 2], gb.int64, (2,)),
            ([True, 2, 0.5], gb.float32, (3,)),
            (((1, 2), [3, 4]), gb.int64, (2, 2)),
            ([], gb.float32, (0,)),
            ([[], []], gb.float32, (2, 0)),
            ([[[1.0]]], gb.float32, (1, 1, 1)),
            (np.float64(2), gb.float64, ()),
            ([np.float64(2), 3], gb.float64, (2,)),
            ([[np.int32(1)], [np.int32(2)]], gb.int32, (2, 1)),
            ([np.float16(1), np.int64(2)], gb.float16, (2,)),
            ([1, np.float32(2), 3.0], gb.float32, (3,)),
            ([np.uint16(1)], gb.int64, (1,)),
            (np.zeros((2, 3), np.float32), gb.float32, (2, 3)),
            (np.arange(3, dtype=np.uint8), gb.uint8, (3,)),
            (array.array("d", [1, 2]), gb.float64, (2,)),
            (bytearray(b"abc"), gb.uint8, (3,)),
        ],
    )
    def test_takes_dtype_and_sizes_from_the_data(self, data, dtype, shape):
        x = gb.tensor(data)

        assert x.dtype == dtype
        assert x.shape == shape
        assert x.tolist() == np.array(data).tolist() or isinstance(data, bytearray)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_converts_to_a_given_dtype(self, dtype):
        values = gb.tensor([0, 1, 2], dtype=dtype).tolist()

        assert values == ([False, True, True] if dtype == gb.bool else [0, 1, 2])

    def test_takes_pythons_types_as_dtypes(self):
        assert gb.tensor([1], dtype=float).dtype == gb.float64
        assert gb.tensor([1.5], dtype=int).dtype == gb.int64
        assert gb.tensor([2], dtype=bool).tolist() == [True]

    def test_copies_arrays_and_tensors(self):
        data = np.zeros(2)
        x = gb.tensor(data)
        y = gb.tensor(x)

        data[0] = 1
        x[1] = 2

        assert x.tolist() == [0, 2]
        assert y.tolist() == [0, 0]

    def test_leaves_the_history_of_a_tensor_behind(self):
        x = gb.ones(2, requires_grad=True)

        y = gb.tensor(x * 2)

        assert y.is_leaf
        assert not y.requires_grad

    @pytest.mark.parametrize(
        "nest",
        [
            [np.ones(3), np.zeros(3)],
            (np.arange(6).reshape(2, 3), np.ones((2, 3), np.int64)),
            [[np.ones(2, np.float32)], [np.zeros(2, np.float32)]],
            [np.array([True]), np.array([False])],
            [np.ones(2, np.float32), np.ones(2)],
            [np.arange(3), np.ones(3, np.float32)],
            [np.ones((0, 2)), np.ones((0, 2))],
            [np.array(1.5), np.array(2.5)],
            [1, np.array(2.5), True],
            [np.array(2), 1.5],
        ],
    )
    def test_stacks_lists_of_arrays(self, nest):
        x = gb.tensor(nest)

        assert x.tolist() == np.array(nest).tolist()
        assert gb.tensor(nest, dtype=gb.float64).dtype == gb.float64
        assert gb.as_tensor(nest).shape == np.array(nest).shape

    def test_takes_the_widest_dtype_of_the_arrays(self):
        assert gb.tensor([np.ones(1, np.float32), np.ones(1, np.float32)]).dtype == gb.float32
        assert gb.tensor([np.ones(1, np.float32), np.ones(1)]).dtype == gb.float64
        assert gb.tensor([np.ones(1, np.int32), np.ones(1, np.uint8)]).dtype == gb.int32

    def test_copies_the_arrays_of_a_list(self):
        array = np.zeros(2)
        x = gb.tensor([array])

        array[0] = 1

        assert x.tolist() == [[0, 0]]

    @pytest.mark.parametrize(
        ("nest", "message"),
        [
            ([np.ones(2), np.ones(3)], r"tensor: sizes \[3\] where \[2\] stands before; all"),
            ([np.ones(2), 3], r"tensor: sizes \[\] where \[2\] stands before"),
            ([np.ones(2), [1]], r"tensor: sizes \[1\] where \[2\] stands before"),
            ([3, np.ones(2)], r"tensor: an array of sizes \[2\] where a number stands before"),
            ([1.5, np.ones(2)], r"tensor: an array of sizes \[2\] where a number stands before"),
            ([gb.float32, 1], "tensor: an element is of type"),
        ],
    )
    def test_refuses_arrays_that_do_not_fit(self, nest, message):
        with pytest.raises((ValueError, TypeError), match=message):
            gb.tensor(nest)

    def test_refuses_a_list_of_arrays_that_holds_itself(self):
        nest: list[object] = [np.ones(1)]
        nest.append(nest)

        with pytest.raises(gb.ShapeError, match="tensor: lists nested more than 8 deep"):
            gb.tensor(nest)

    def test_refuses_more_dims_than_there_are_in_lists_of_arrays(self):
        with pytest.raises(gb.ShapeError, match="tensor: lists nested more than 8 deep"):
            gb.tensor([np.ones((1,) * 8)])

    def test_refuses_a_list_of_tensors_with_dims(self):
        with pytest.raises(gb.ShapeError, match=r"an element is a tensor of sizes \[2\]; .* stack"):
            gb.tensor([gb.ones(2), gb.ones(2)])

    def test_takes_the_dtype_of_tensors_without_dims(self):
        assert gb.tensor([gb.tensor(1.0, dtype=gb.float64)]).dtype == gb.float64
        assert gb.tensor([gb.tensor(1, dtype=gb.int8), gb.tensor(True)]).dtype == gb.int8
        assert gb.tensor([gb.tensor(1, dtype=gb.int16), 2]).dtype == gb.int64

    def test_takes_lists_of_tensors_without_dims(self):
        assert gb.tensor([gb.tensor(1.5), gb.tensor(2)]).tolist() == [1.5, 2]

    def test_keeps_every_bit_of_an_integer(self):
        for value in (2**63 - 1, -(2**63), 2**53 + 1):
            assert gb.tensor(value).item() == value

    def test_rounds_integers_beyond_64_bits_to_floating_numbers(self):
        assert gb.tensor([10**20, 1.5]).tolist() == [float(np.float32(1e20)), 1.5]
        assert gb.tensor(2**64, dtype=gb.float64).item() == 2.0**64
        assert gb.tensor(-(2**70), dtype=gb.complex128).item() == -(2.0**70)
        with pytest.raises(gb.DTypeError, match="a number beyond 64 bits"):
            gb.tensor(2**64)
        with pytest.raises(gb.DTypeError, match="a number beyond float64; it holds less than"):
            gb.tensor(10**400, dtype=gb.float64)

    def test_truncates_floats_for_integer_dtypes(self):
        assert gb.tensor([1.9, -1.9], dtype=gb.int64).tolist() == [1, -1]

    def test_asks_for_gradients_on_request(self):
        x = gb.tensor([1.0], requires_grad=True)

        assert x.requires_grad
        assert x.is_leaf


class TestTheType:
    def test_makes_what_tensor_makes(self):
        assert gb.Tensor([1, 2]).tolist() == [1, 2]
        assert gb.Tensor(data=[1, 2]).tolist() == [1, 2]
        assert gb.Tensor().shape == (0,)

    def test_takes_a_size_as_sizes_and_other_tuples_as_data(self):
        x = gb.zeros(4, 6)
        assert gb.Tensor(x.size()).shape == gb.Tensor(x.shape[:1] + x.shape[1:]).shape == (4, 6)
        assert gb.Tensor((4, 6)).tolist() == [4.0, 6.0]

    def test_obeys_dtype_device_and_requires_grad(self):
        with gb.memory.SimulatedDevice("4 MiB") as device:
            x = gb.Tensor([1, 2], dtype=gb.float64, device=device, requires_grad=True)

            assert (x.dtype, x.device, x.requires_grad) == (gb.float64, device, True)
            assert gb.Tensor(dtype=gb.int64).dtype == gb.int64
            assert gb.Tensor(gb.zeros(2, device=device)).device == device
            x.dispose()

    def test_shares_the_memory_of_a_tensor_that_needs_no_conversion(self):
        x = gb.zeros(2)

        same, other = gb.Tensor(x, dtype=gb.float32), gb.Tensor(x, dtype=gb.float64)
        x[0] = 1

        assert (same.tolist(), other.tolist()) == ([1, 0], [0, 0])

    @pytest.mark.parametrize(
        ("given", "named", "message"),
        [
            (([1],), {"dtyp": gb.int64}, "Tensor: no parameter is named 'dtyp'"),
            (([1],), {"data": [2]}, "Tensor: 'data' is given twice"),
            (([2], 3), {}, "Tensor: 2 arguments; one, the data, is needed, or sizes"),
        ],
    )
    def test_refuses_what_it_does_not_know(self, given, named, message):
        with pytest.raises(TypeError, match=message):
            gb.Tensor(*given, **named)

    def test_leaves_what_follows_the_data_to_the_init_of_a_subclass(self):
        class Named(gb.Tensor):
            def __init__(self, data: object, name: str, *, dtype: str) -> None:
                self.name, self.kind = name, dtype

        x = Named([1], "mine", dtype="a word of its own")

        assert (x.tolist(), x.name, x.kind) == ([1], "mine", "a word of its own")

    def test_obeys_for_a_subclass_without_an_init(self):
        class Plain(gb.Tensor):
            pass

        assert Plain([1], dtype=gb.float64).dtype == gb.float64
        with pytest.raises(TypeError, match="Tensor: 2 arguments"):
            Plain([1], [2])


class TestAsTensor:
    def test_shares_the_memory_of_an_array(self):
        data = np.zeros(3)

        x = gb.as_tensor(data)
        data[0] = 5

        assert x.tolist() == [5, 0, 0]

    def test_gives_a_fresh_alias_of_a_tensor(self):
        x = gb.zeros(3)

        y = gb.as_tensor(x)
        y.dispose()

        assert y is not x
        assert x.tolist() == [0, 0, 0]

    def test_copies_where_a_dtype_asks_for_it(self):
        data = np.zeros(3)

        x = gb.as_tensor(data, dtype=gb.float32)
        data[0] = 5

        assert x.tolist() == [0, 0, 0]
        assert gb.as_tensor([1, 2]).dtype == gb.int64


class TestFilled:
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3), (1, 1, 1, 1, 1, 1, 1, 1)])
    def test_has_the_asked_sizes_dtype_and_elements(self, shape, dtype):
        for make, value in ((gb.zeros, 0), (gb.ones, 1)):
            x = make(*shape, dtype=dtype)
            assert x.shape == make(shape, dtype=dtype).shape == shape
            assert x.dtype == dtype
            assert x.is_contiguous()
            assert gb.equal(x, gb.full(shape, value, dtype=dtype))
        assert gb.empty(*shape, dtype=dtype).shape == shape

    def test_full_takes_its_dtype_from_the_value(self):
        assert gb.full((2,), 7).dtype == gb.int64
        assert gb.full((2,), 7.5).tolist() == [7.5, 7.5]
        assert gb.full((2,), True).dtype == gb.bool
        assert gb.full(2, 1, dtype=gb.float64).tolist() == [1, 1]

    def test_like_follows_the_model_and_its_layout(self):
        model = gb.zeros(3, 2, dtype=gb.int32).T

        for made, value in (
            (gb.zeros_like(model), 0),
            (gb.ones_like(model), 1),
            (gb.full_like(model, 7), 7),
        ):
            assert made.shape == (2, 3)
            assert made.dtype == gb.int32
            assert made.stride() == model.stride() == (1, 2)
            assert made.tolist() == [[value] * 3] * 2
        assert gb.empty_like(model).shape == (2, 3)
        assert gb.ones_like(model, dtype=gb.float32).dtype == gb.float32

    def test_asks_for_gradients_on_request(self):
        assert gb.zeros(2, requires_grad=True).requires_grad
        assert not gb.zeros_like(gb.zeros(2, requires_grad=True)).requires_grad

    @pytest.mark.parametrize(("count", "bytes"), [(1, 16), (16, 16), (17, 64), (10**6, 64)])
    def test_lies_at_a_multiple_of_64_bytes_or_of_16_where_it_is_small(self, count, bytes):
        kept = [gb.empty(count) for _ in range(3)]
        assert all(each.data_ptr() % bytes == 0 for each in kept)

    def test_costs_its_own_bytes_and_no_more_in_the_books(self):
        before = gb.memory.live()

        x = gb.zeros(1000, dtype=gb.float64)

        assert gb.memory.live() - before == gb.memory.LiveCounts(1, 1, 0, 8000)
        assert gb.memory.memory_allocated() == gb.memory.live("cpu").bytes
        assert x.nbytes == 8000

    def test_overwrites_in_place(self):
        x = gb.empty(2, 3)

        assert x.fill_(2.5) is x
        assert x.tolist() == [[2.5] * 3] * 2
        assert x[:, ::2].zero_().tolist() == [[0, 0]] * 2
        assert x.tolist() == [[0, 2.5, 0]] * 2


class TestArange:
    @pytest.mark.parametrize(
        "arguments",
        [(5,), (0,), (2, 5), (5, 2, -1), (0, 10, 3), (0, -10, -3), (0, 1, 0.25), (1.5, 4), (3, 3)],
    )
    def test_counts_as_numpy_does(self, arguments):
        x = gb.arange(*arguments)

        assert x.tolist() == np.arange(*arguments).tolist()
        assert x.dtype == (gb.float32 if float in map(type, arguments) else gb.int64)

    def test_does_not_add_up_its_roundings(self):
        x = gb.arange(0, 1000, 0.1, dtype=gb.float64)

        np.testing.assert_allclose(x.numpy(), np.arange(10000) * 0.1, rtol=1e-15)

    def test_converts_to_a_given_dtype(self):
        assert gb.arange(3, dtype=gb.float32).tolist() == [0, 1, 2]
        assert gb.arange(3, dtype=gb.uint8).dtype == gb.uint8

    @pytest.mark.parametrize("dtype", [gb.uint8, gb.int32, gb.int64])
    def test_cuts_start_and_step_off_in_an_integer_dtype_as_pytorch_does(self, dtype):
        assert gb.arange(0, 3, 0.5, dtype=dtype).tolist() == [0] * 6
        assert gb.arange(0, 10, 2.5, dtype=dtype).tolist() == [0, 2, 4, 6]
        assert gb.arange(0.9, 3.7, dtype=dtype).tolist() == [0, 1, 2]
        assert gb.arange(3, 0, -1.5, dtype=dtype).tolist() == [3, 2]

    def test_counts_large_integers_exactly(self):
        top = 2**63 - 1

        assert gb.arange(top - 2, top).tolist() == [top - 2, top - 1]
        assert gb.arange(-top, top, top).tolist() == [-top, 0]
        assert gb.arange(2**53, 2**53 + 3).tolist() == [2**53, 2**53 + 1, 2**53 + 2]
        assert gb.arange(top, top - 4, -3).tolist() == [top, top - 3]

    def test_refuses_a_step_beyond_an_integer_dtype(self):
        with pytest.raises(RuntimeError, match="arange"):
            gb.arange(0, 1e30, 1e29, dtype=gb.int64)


class TestEye:
    @pytest.mark.parametrize("sizes", [(3,), (2, 3), (3, 2), (0,), (0, 3), (1, 1)])
    def test_has_ones_on_the_diagonal(self, sizes):
        assert gb.eye(*sizes).tolist() == np.eye(*sizes).tolist()
        assert gb.eye(*sizes, dtype=gb.int32).dtype == gb.int32
