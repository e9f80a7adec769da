"""What a tensor says of itself, its views, conversions and operators."""

from __future__ import annotations

import copy
import itertools
import operator
import pickle
import weakref
from collections.abc import Iterable

import garboard as gb
import numpy as np
import pytest

DTYPES = [gb.bool, gb.uint8, gb.int32, gb.int64, gb.float32, gb.float64]


def counting(*sizes: int, dtype: gb.dtype = gb.float32) -> gb.Tensor:
    """Return 0, 1, 2, ... in row-major order."""
    return gb.arange(int(np.prod(sizes)), dtype=dtype).view(*sizes)


class TestWhatATensorSays:
    def test_of_its_sizes(self):
        x = counting(2, 3, 4)

        assert x.shape == x.size() == (2, 3, 4)
        assert (x.size(0), x.size(-1)) == (2, 4)
        assert x.ndim == x.dim() == 3
        assert x.numel() == gb.numel(x) == 24
        assert len(x) == 2

    def test_of_its_sizes_whatever_others_are_asked_for_theirs(self):
        tensors = [gb.empty(*sizes) for sizes in itertools.product(range(9), repeat=3)]

        assert [x.shape for x in tensors] == list(itertools.product(range(9), repeat=3))
        assert [x.shape for x in (gb.empty(()), gb.empty(0), gb.empty(1))] == [(), (0,), (1,)]

    def test_of_its_sizes_by_a_tuple_that_is_not_made_again(self):
        x, like_it = counting(2, 3), counting(2, 3)

        assert x.shape is like_it.shape

    def test_of_its_memory(self):
        x = counting(4, 3)
        part = x[1:, ::2]

        assert (part.stride(), part.stride(0), part.stride(-1)) == ((3, 2), 3, 2)
        assert part.storage_offset() == 3
        assert part.data_ptr() == x.data_ptr() + 12
        assert (part.element_size(), part.itemsize, part.nbytes) == (4, 4, 24)
        assert not part.is_contiguous()
        assert part.storage() == x.storage() == x.untyped_storage()
        assert len(part.untyped_storage()) == part.storage().nbytes() == 48
        assert part.storage().data_ptr() == x.data_ptr()

    def test_of_its_dtype_and_device(self):
        x = gb.zeros(1, dtype=gb.int32)

        assert x.dtype is gb.int32
        assert (gb.int32.itemsize, gb.int32.is_floating_point) == (4, False)
        assert not x.is_floating_point()
        assert gb.is_floating_point(gb.zeros(1))
        assert x.device == gb.device("cpu")
        assert (str(x.device), x.device.type, x.device.index) == ("cpu", "cpu", None)
        assert not x.is_cuda
        assert gb.is_tensor(x)
        assert not gb.is_tensor([1])

    def test_of_its_writes(self):
        x = gb.zeros(3)
        y = x[1:]

        x.add_(1)
        y[0] = 5

        assert x._version == y._version == x.storage().version == 2

    @pytest.mark.parametrize("sizes", [(), (0,), (1,), (3, 1), (1, 1, 2), (2, 0, 3)])
    def test_dense_tensors_are_contiguous(self, sizes):
        assert gb.zeros(*sizes).is_contiguous()
        assert gb.zeros(*sizes).T.is_contiguous() == (gb.zeros(*sizes).numel() <= 3)


class TestViews:
    def test_share_memory_and_version(self):
        x = counting(2, 6)
        views = [
            x.view(3, 4),
            x.reshape(-1),
            x.T,
            x.mT,
            x.t(),
            x.transpose(0, 1),
            x.permute(1, 0),
            x[None],
            x.unsqueeze(1),
            x.expand(3, 2, 6),
            x.narrow(1, 1, 3),
            x.select(0, 1),
            x[1, ::2],
            x.flatten(),
            x.alias(),
            x.detach(),
            x.data,
            x.view_as(gb.zeros(12)),
            x.contiguous(),
        ]
        before = gb.memory.live()

        x.fill_(7)

        for view in views:
            assert view.storage() == x.storage()
            assert view._version == 1
            assert set(np.unique(view.numpy())) == {7}
        assert gb.memory.live() == before

    def test_write_through_to_the_tensor(self):
        x = gb.zeros(2, 3)

        x.T[0].add_(1)
        x.view(-1)[-1] = 5
        x[:, 1:2].squeeze(1).mul_(2).sub_(4)

        assert x.tolist() == [[1, -4, 0], [1, -4, 5]]

    def test_of_strided_memory_are_cut_where_it_is_dense(self):
        x = counting(4, 6)[:, :4]

        assert x.view(2, 2, 4).stride() == (12, 6, 1)
        assert x.view(4, 2, 2).stride() == (6, 2, 1)
        assert x.view(4, 1, 4, 1).tolist() == x[:, None, :, None].tolist()

    @pytest.mark.parametrize(
        ("make", "sizes"),
        [
            (lambda x: x.T, (12,)),
            (lambda x: x[:, :2], (6,)),
            (lambda x: x[:, :1].expand(3, 4), (12,)),
            (lambda x: x.T, (2, 6)),
        ],
    )
    def test_refuse_what_strides_do_not_allow_where_reshape_copies(self, make, sizes):
        x = make(counting(3, 4))

        with pytest.raises(
            gb.ShapeError, match=r"^view: .* not contiguous .*; use reshape\(\), or"
        ):
            x.view(*sizes)

        copied = x.reshape(*sizes)
        assert copied.storage() != x.storage()
        assert copied.flatten().tolist() == x.contiguous().flatten().tolist()

    def test_widen_without_memory(self):
        before = gb.memory.live().bytes

        wide = gb.ones(1, 3).expand(10**6, -1)

        assert wide.stride() == (0, 1)
        assert wide.sum().item() == 3e6
        assert gb.memory.live().bytes - before < 100

    def test_outlive_the_tensor_they_were_taken_of(self):
        x = counting(1000)
        tail = x[998:]

        x.dispose()

        assert tail.tolist() == [998, 999]


class TestAnOperationThatChangesNothing:
    @pytest.mark.parametrize(
        "op",
        [
            lambda x: x.contiguous(),
            lambda x: x.to(gb.float32),
            lambda x: x.to("cpu"),
            lambda x: x.to(x),
            lambda x: x.float(),
            lambda x: x.cpu(),
            lambda x: x.type_as(x),
            lambda x: x.reshape(2, 3),
            lambda x: x.view(2, 3),
            lambda x: x.alias(),
            lambda x: x.detach(),
            lambda x: x[:],
            lambda x: x[...],
            lambda x: x.squeeze(),
            lambda x: x.expand(2, 3),
            lambda x: +x,
        ],
    )
    def test_gives_an_alias_that_ends_alone(self, op):
        x = counting(2, 3)

        y = op(x)
        assert y is not x
        assert y.data_ptr() == x.data_ptr()
        y.dispose()

        assert y.is_disposed
        assert x.tolist() == [[0, 1, 2], [3, 4, 5]]

    def test_copies_on_request(self):
        x = counting(3)

        assert x.to(gb.float32, copy=True).data_ptr() != x.data_ptr()
        assert x.clone().data_ptr() != x.data_ptr()


class TestConversions:
    @pytest.mark.parametrize("source", DTYPES)
    @pytest.mark.parametrize("target", DTYPES)
    def test_between_all_dtypes_are_numpys(self, source, target):
        values = [0, 1, 2, 100, 255]
        x = gb.tensor(values, dtype=source)
        name = str(target).removeprefix("garboard.")

        y = x.to(target)

        assert y.dtype == target
        assert y.tolist() == np.array(x.tolist()).astype(name).tolist()

    def test_have_methods_of_their_own(self):
        x = gb.tensor([0.0, 2.5])

        assert x.double().dtype == gb.float64
        assert x.long().tolist() == [0, 2]
        assert x.int().dtype == gb.int32
        assert x.byte().dtype == gb.uint8
        assert x.bool().tolist() == [False, True]
        assert x.long().float().dtype == gb.float32
        assert x.type_as(gb.zeros(1, dtype=gb.uint8)).dtype == gb.uint8
        assert x.to("cpu", gb.int64).dtype == gb.int64
        assert x.to(dtype=gb.float64).dtype == gb.float64
        assert x.to(device=gb.device("cpu")).tolist() == [0, 2.5]

    def test_to_a_gpu_fail_by_name_where_there_is_none(self):
        if gb.cuda.is_available():
            pytest.skip("there is a GPU")
        x = gb.zeros(1)

        for op in (lambda: x.cuda(), lambda: x.to("cuda"), lambda: gb.zeros(1, device="cuda")):
            with pytest.raises(gb.DeviceError, match=r"cuda:0.*; .+"):
                op()

    def test_copy_writes_converted_and_broadcast(self):
        x = gb.zeros(2, 3, dtype=gb.int64)

        assert x.copy_(gb.tensor([1.5, 2.5, 3.5])) is x
        assert x.tolist() == [[1, 2, 3], [1, 2, 3]]
        x.copy_(gb.tensor([[7], [8]]))
        assert x.tolist() == [[7] * 3, [8] * 3]

    def test_copy_reads_overlapping_memory_first(self):
        x = counting(5)

        x[1:].copy_(x[:-1])

        assert x.tolist() == [0, 0, 1, 2, 3]


class TestNumbers:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_come_in_the_python_type_of_the_category(self, dtype):
        x = gb.ones(1, 1, dtype=dtype)

        expected = float if dtype.is_floating_point else bool if dtype == gb.bool else int
        assert type(x.item()) is expected
        assert type(x.tolist()[0][0]) is expected
        assert type(gb.ones((), dtype=dtype).tolist()) is expected

    def test_convert_one_element(self):
        assert float(gb.tensor([2.5])) == 2.5
        assert int(gb.tensor([[2.9]])) == 2
        assert complex(gb.tensor(1.0)) == 1
        assert [10, 20, 30][gb.tensor(1)] == 20
        assert hex(gb.tensor([255])) == "0xff"
        assert f"{gb.tensor(2 / 3):.2f}" == "0.67"

    def test_tell_truth_of_one_element(self):
        assert bool(gb.tensor(0.5))
        assert not gb.tensor([0])
        assert gb.tensor(float("nan"))
        with pytest.raises(gb.ShapeError, match=r"^bool: .*\[2\]; exactly one"):
            bool(gb.zeros(2))


class TestAsAContainer:
    def test_iterates_over_the_first_dim(self):
        assert [row.tolist() for row in counting(2, 2)] == [[0, 1], [2, 3]]
        assert list(gb.zeros(0)) == []
        first, second = gb.tensor([1, 2])
        assert (first.item(), second.item()) == (1, 2)

    def test_is_iterable_to_python(self):
        assert isinstance(gb.zeros(2), Iterable)
        with pytest.raises(TypeError, match=r"^iter: .* without dims; at least one is needed"):
            iter(gb.tensor(1.0))

    def test_finds_elements(self):
        assert gb.tensor(2) in counting(3)
        assert 5 not in counting(3)

    def test_is_hashed_and_found_by_identity(self):
        x = gb.zeros(2)

        assert {x: 1}[x] == 1
        assert hash(x) != hash(x.alias())

    def test_is_copied_in_depth_with_its_gradient_flag(self):
        x = gb.ones(2, requires_grad=True)

        y = copy.deepcopy([x, x])

        assert y[0] is y[1]
        assert y[0].requires_grad
        assert y[0].data_ptr() != x.data_ptr()
        with pytest.raises(gb.GradientError, match=r"^deepcopy: .*; copy detach"):
            copy.deepcopy(x * 2)

    def test_is_copied_in_depth_with_its_gradient(self):
        x = gb.ones(2, requires_grad=True)
        (x * 3).sum().backward()

        y = copy.deepcopy(x)

        assert x.grad is not None
        assert y.grad is not None
        assert y.grad.tolist() == [3.0, 3.0]
        assert y.grad.data_ptr() != x.grad.data_ptr()

    def test_shares_its_storage_with_the_same_tensors_in_a_copy(self):
        x = gb.arange(6.0)

        row, whole, turned, raw = copy.deepcopy((x[2:4], x, x.view(2, 3).T, x.view(gb.int32)[1:]))
        whole.zero_()

        assert (row.tolist(), turned.tolist()) == ([0, 0], [[0, 0]] * 3)
        assert (turned.stride(), raw.dtype, raw.sum().item()) == ((1, 3), gb.int32, 0)
        assert x.tolist() == [0, 1, 2, 3, 4, 5]

    def test_is_pickled_without_its_graph(self):
        x = gb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

        y = pickle.loads(pickle.dumps(x))
        doubled = pickle.loads(pickle.dumps(x * 2))

        assert (y.tolist(), y.requires_grad, y.dtype) == (x.tolist(), True, x.dtype)
        assert (doubled.tolist(), doubled.is_leaf) == ([[2, 4], [6, 8]], True)

    def test_is_told_of_by_weak_references(self):
        x = gb.zeros(1)
        seen = weakref.ref(x)

        assert seen() is x
        del x

        assert seen() is None

    def test_can_be_subclassed(self):
        class Mine(gb.Tensor):
            pass

        x = Mine([1.0, 2.0])
        x.note = "kept"

        assert isinstance(x, gb.Tensor)
        assert (x + 1).tolist() == [2, 3]
        assert type(x + 1) is Mine
        assert x.note == "kept"


BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
]
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor"]


class TestOperators:
    @pytest.mark.parametrize("name", BINARY)
    def test_take_tensors_and_numbers_on_both_sides(self, name):
        op = getattr(operator, name)
        a, b = np.array([1, 7, 4]), np.array([3, 2, 4])

        for x, y in ((a, b), (a, 3), (5, b)):
            got = op(*(gb.tensor(z) if isinstance(z, np.ndarray) else z for z in (x, y)))
            expected = op(x, y)
            assert got.shape == (3,)
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)

    @pytest.mark.parametrize("name", IN_PLACE)
    def test_write_in_place_and_return_the_object(self, name):
        op = getattr(operator, name)
        dtype = gb.float64 if name == "itruediv" else gb.int64
        x = gb.tensor([9, 7, 4], dtype=dtype)
        same, address = x, x.data_ptr()

        x = op(x, gb.tensor([2, 3, 1], dtype=dtype))
        x = op(x, 2)

        expected = op(
            op(np.array([9, 7, 4], dtype=float if dtype == gb.float64 else int), [2, 3, 1]), 2
        )
        assert x is same
        assert x.data_ptr() == address
        assert x.tolist() == expected.tolist()

    def test_of_one_operand(self):
        x = gb.tensor([-1.5, 2.0])

        assert (-x).tolist() == [1.5, -2.0]
        assert abs(x).tolist() == [1.5, 2.0]
        assert (+x).tolist() == x.tolist()
        assert (~gb.tensor([True, False])).tolist() == [False, True]
        assert (~gb.tensor([0, 5])).tolist() == [-1, -6]

    def test_multiply_matrices(self):
        a, b = counting(2, 3), counting(3, 2)

        assert (a @ b).tolist() == [[10, 13], [28, 40]]

    def test_take_numpys_numbers(self):
        x = gb.ones(2)

        assert (x + np.float32(1.5)).dtype == gb.float32
        assert (x * np.int64(3)).tolist() == [3, 3]

    def test_scale_the_second_operand_by_alpha(self):
        x, y = gb.tensor([1, 2]), gb.tensor([10, 20])

        assert gb.add(x, y, alpha=3).tolist() == [31, 62]
        assert x.sub(y, alpha=2).tolist() == [-19, -38]
        assert x.clone().add_(y, alpha=-1).tolist() == [-9, -18]
        assert x.clone().sub_(1, alpha=5).tolist() == [-4, -3]
        assert gb.sub(x, y, alpha=2, out=gb.empty(2, dtype=gb.int64)).tolist() == [-19, -38]
        assert gb.tensor([5], dtype=gb.uint8).sub(1, alpha=2).tolist() == [3]


class TestComparingTensors:
    def test_equal_wants_the_same_sizes_and_elements(self):
        x = counting(3)

        assert gb.equal(x, counting(3))
        assert not gb.equal(x, counting(3, 1))
        assert not gb.equal(x, x + 1)
        assert not gb.equal(gb.tensor(float("nan")), gb.tensor(float("nan")))

    def test_allclose_allows_small_differences(self):
        x = gb.tensor([1.0, float("inf"), float("nan")])

        assert gb.allclose(x[:2], x[:2] * (1 + 1e-6))
        assert not gb.allclose(x[:1], x[:1] * 1.001)
        assert not gb.allclose(x, x)
        assert gb.allclose(x, x, equal_nan=True)
        assert gb.allclose(gb.zeros(1), gb.tensor([1e-9]))

    @pytest.mark.parametrize(
        ("value", "exponent", "expected"),
        [(0, 0, 1), (2, -1, 0), (1, -3, 1), (-1, -3, -1), (-1, -2, 1), (-2, 3, -8), (3, 41, 3**41)],
    )
    def test_integer_powers_follow_the_integers(self, value, exponent, expected):
        wrapped = (expected + 2**63) % 2**64 - 2**63

        assert gb.pow(gb.tensor(value), exponent=exponent).item() == wrapped
