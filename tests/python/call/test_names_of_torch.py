"""Small functions that programs written for PyTorch reach for: values, and what is refused."""

from __future__ import annotations

import array
import math
from importlib import import_module

import garboard as gb
import numpy as np
import pytest
from garboard.nn import _root_functions as root_functions

X = [[4.0, -1.0, 2.0], [0.5, 3.0, -6.0]]


class TestInPlaceForms:
    @pytest.mark.parametrize(("name", "arguments"), [("cumsum", (1,)), ("cumprod", (0,))])
    def test_of_running_results_are_those_of_the_function(self, name, arguments):
        x = gb.tensor(X)
        expected = getattr(gb, name)(x, *arguments)

        found = getattr(x, f"{name}_")(*arguments)

        assert found is x
        assert x.tolist() == expected.tolist()

    def test_keep_the_gradient(self):
        leaf = gb.tensor([2.0, 3.0]).requires_grad_()
        x = leaf * 1.0

        x.cumprod_(0)
        x.sum().backward()

        assert leaf.grad is not None
        assert leaf.grad.tolist() == [4.0, 2.0]

    def test_refuse_sums_that_do_not_fit(self):
        x = gb.tensor([True, True])

        with pytest.raises(gb.DTypeError, match="cumsum: a result of int64"):
            x.cumsum_(0)

    def test_replace_what_is_no_number(self):
        x = gb.tensor([math.nan, math.inf, -math.inf, 1.0])

        assert x.nan_to_num_(posinf=7.0, neginf=8.0) is x
        assert x.tolist() == [0.0, 7.0, 8.0, 1.0]


class TestSmallFunctions:
    def test_dist_is_the_norm_of_the_difference(self):
        a, b = gb.tensor(X), gb.tensor([1.0, 2.0, 3.0])

        expected = np.linalg.norm((np.array(X) - [1.0, 2.0, 3.0]).ravel(), 3)

        assert gb.dist(a, b, 3).item() == pytest.approx(expected, rel=1e-6)

    def test_is_nonzero_looks_at_one_element(self):
        assert gb.is_nonzero(gb.tensor([[0.5]])) is True
        assert gb.tensor(0).is_nonzero() is False
        assert gb.is_nonzero(gb.tensor(math.nan)) is True
        with pytest.raises(gb.ShapeError):
            gb.is_nonzero(gb.ones(2))

    def test_names_of_what_there_is(self):
        x = gb.tensor(X)

        assert (x.nelement(), x.ndimension(), x.get_device()) == (6, 2, -1)
        assert (gb.pi, gb.e, gb.inf, gb.newaxis) == (math.pi, math.e, math.inf, None)
        assert math.isnan(gb.nan)
        assert isinstance(x.shape, gb.Size)
        assert x[:, gb.newaxis].shape == gb.Size([2, 1, 3])

    @pytest.mark.parametrize("sizes", [(1, 3), (3,), (1,), (2, 1), (2, 3)])
    def test_sum_to_size_takes_broadcasting_back(self, sizes):
        x = np.array(X)
        expected = x.sum(axis=tuple(range(2 - len(sizes))))
        for dim, size in enumerate(sizes):
            expected = expected.sum(axis=dim, keepdims=True) if size == 1 else expected

        assert gb.tensor(x).sum_to_size(*sizes).tolist() == expected.reshape(sizes).tolist()

    def test_sum_to_size_refuses_what_does_not_broadcast(self):
        with pytest.raises(gb.ShapeError, match=r"sum_to_size: sizes \[4\]"):
            gb.ones(2, 3).sum_to_size(4)
        with pytest.raises(gb.ShapeError, match="sum_to_size"):
            gb.ones(3).sum_to_size(2, 3)

    def test_where_of_a_tensor_takes_the_condition_first(self):
        x = gb.tensor(X).requires_grad_()

        found = x.where(x > 0, -1)
        found.sum().backward()

        assert found.tolist() == np.where(np.array(X) > 0, X, -1).tolist()
        assert x.grad is not None
        assert x.grad.tolist() == (np.array(X) > 0).astype(float).tolist()

    def test_aminmax_is_a_method(self):
        least, most = gb.tensor(X).aminmax(dim=1)

        assert (least.tolist(), most.tolist()) == ([-1.0, -6.0], [4.0, 3.0])


class TestCounts:
    def test_aminmax_takes_numpys_names(self):
        found = gb.aminmax(gb.tensor(X), axis=1, keepdims=True)

        assert found.max.tolist() == [[4.0], [3.0]]
        with pytest.raises(TypeError, match="aminmax: dim and axis, which are the same"):
            gb.aminmax(gb.tensor(X), dim=0, axis=0)

    def test_range_includes_its_end(self):
        assert gb.range(1, 4).tolist() == [1.0, 2.0, 3.0, 4.0]
        assert gb.range(0, 1, 0.4, dtype=gb.float64).tolist() == [0.0, 0.4, 0.8]
        assert gb.range(3, 1, -1, dtype=gb.int64).tolist() == [3, 2, 1]

    @pytest.mark.parametrize("given", [(0, 3, 0), (0, 3, -1), (0, math.inf), (math.nan, 3)])
    def test_range_refuses_steps_that_lead_nowhere(self, given):
        with pytest.raises(gb.ShapeError, match="range: from"):
            gb.range(*given)

    def test_repeats_alone_give_indices(self):
        assert gb.repeat_interleave(gb.tensor([2, 0, 3])).tolist() == [0, 0, 2, 2, 2]

    def test_repeats_may_be_known_to_add_up(self):
        x = gb.tensor([7, 8])

        assert x.repeat_interleave(gb.tensor([1, 2]), output_size=3).tolist() == [7, 8, 8]
        with pytest.raises(gb.ShapeError, match="output_size 4 where the repeats add up to 3"):
            x.repeat_interleave(gb.tensor([1, 2]), output_size=4)

    def test_no_correction_is_that_of_a_sample(self):
        x = gb.tensor(X)

        assert x.var(1, correction=None).tolist() == x.var(1).tolist()
        assert gb.std_mean(x, 1, correction=None)[0].tolist() == x.std(1).tolist()


class TestMerging:
    @pytest.mark.parametrize("form", [gb.scatter, gb.Tensor.scatter_])
    def test_adds_or_multiplies(self, form):
        index, source = gb.tensor([0, 0, 2]), gb.tensor([2.0, 3.0, 4.0])

        added = form(gb.tensor([1.0, 2.0, 3.0]), 0, index, source, reduce="add")
        multiplied = form(gb.tensor([1.0, 2.0, 3.0]), 0, index, source, reduce="multiply")
        by_number = form(gb.tensor([1.0, 2.0, 3.0]), 0, index, 2, reduce="multiply")

        assert added.tolist() == [6.0, 2.0, 7.0]
        assert multiplied.tolist() == [6.0, 2.0, 12.0]
        assert by_number.tolist() == [4.0, 2.0, 6.0]

    def test_is_told_how_by_a_word(self):
        with pytest.raises(
            ValueError, match="scatter: reduce 'sum'; 'add' or 'multiply' is needed"
        ):
            gb.scatter(gb.ones(2), 0, gb.tensor([0]), gb.ones(1), reduce="sum")

    def test_sorter_stands_for_a_sorted_sequence(self):
        x = gb.tensor([5, 1, 3])

        found = gb.searchsorted(x, gb.tensor([0, 3, 4, 9]), sorter=gb.argsort(x))

        assert found.tolist() == [0, 1, 2, 3]
        with pytest.raises(gb.ShapeError, match="searchsorted: sorter of sizes"):
            gb.searchsorted(x, 1, sorter=gb.tensor([0, 1]))


class TestDataOfOthers:
    def test_asarray_shares_unless_it_is_told_to_copy(self):
        given = np.arange(3.0)

        shared, copied = gb.asarray(given), gb.asarray(given, copy=True)
        given[0] = 9.0

        assert (shared.tolist(), copied.tolist()) == ([9.0, 1.0, 2.0], [0.0, 1.0, 2.0])
        assert gb.asarray([1, 2], dtype=gb.float32).tolist() == [1.0, 2.0]

    def test_asarray_refuses_to_share_what_cannot_be(self):
        with pytest.raises(ValueError, match="asarray: copy=False of a list"):
            gb.asarray([1, 2], copy=False)
        with pytest.raises(ValueError, match="asarray: copy=False"):
            gb.asarray(gb.ones(2), dtype=gb.int64, copy=False)

    def test_frombuffer_shares_bytes(self):
        numbers = array.array("f", [1.0, 2.0, 3.0])

        found = gb.frombuffer(numbers, dtype=gb.float32, count=2, offset=4)
        numbers[1] = 7.0

        assert found.tolist() == [7.0, 3.0]
        assert gb.frombuffer(bytearray(b"\x80\x3f"), dtype=gb.bfloat16).tolist() == [1.0]

    @pytest.mark.parametrize(
        "dtype",
        [
            "bool",
            "uint8",
            "int8",
            "int16",
            "int32",
            "int64",
            "float16",
            "bfloat16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        ],
    )
    def test_frombuffer_reads_every_dtype(self, dtype):
        x = gb.tensor([0, 1, 1, 0, 1]).to(getattr(gb, dtype))
        data = bytearray(x.view(gb.uint8).numpy().tobytes())

        found = gb.frombuffer(data, dtype=x.dtype, count=3, offset=x.dtype.itemsize)
        data[:] = bytes(len(data))

        assert found.dtype is x.dtype
        assert not found.any()

    def test_frombuffer_reads_bytes_and_writes_none(self):
        found = gb.frombuffer(b"\x01\x02\x03\x04", dtype=gb.uint8)

        assert (found + 1).tolist() == [2, 3, 4, 5]
        with pytest.raises(gb.GarboardError, match=r"read-only; write into"):
            found[0] = 7

    @pytest.mark.parametrize(
        ("buffer", "more", "error"),
        [
            (memoryview(bytes(8))[::2], {}, TypeError),
            (3, {}, TypeError),
            (bytearray(5), {}, ValueError),
            (bytearray(4), {"offset": 4}, ValueError),
            (bytearray(4), {"offset": -1}, ValueError),
            (bytearray(4), {"count": 2}, ValueError),
            (bytearray(4), {"count": 0}, ValueError),
        ],
    )
    def test_frombuffer_refuses_what_it_cannot_share(self, buffer, more, error):
        with pytest.raises(error, match=r"^frombuffer: "):
            gb.frombuffer(buffer, dtype=gb.int32, **more)

    def test_empty_permuted_lies_dense_in_another_order(self):
        assert gb.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride() == (105, 1, 21, 3)
        assert gb.empty_permuted((), (), dtype=gb.int64, requires_grad=False).shape == ()
        for order in [(0, 0), (0,), (0, 2), (0, 1, 2)]:
            with pytest.raises(gb.ShapeError, match="each of 2 dims once is needed"):
                gb.empty_permuted((2, 3), order)

    def test_asarray_keeps_the_history_of_a_tensor_unless_it_is_told_not_to(self):
        x = gb.tensor([1.0, 2.0], requires_grad=True)
        for made in (
            gb.asarray(x * 2),
            gb.asarray(x * 2, copy=True),
            gb.asarray(x * 2, requires_grad=True, dtype=gb.float64),
            gb.asarray(x, copy=False) * 2,
        ):
            x.grad = None
            made.sum().backward()
            assert x.grad.tolist() == [2.0, 2.0]
        assert not gb.asarray(x * 2, requires_grad=False).requires_grad
        assert not gb.asarray(x, copy=True, requires_grad=False).requires_grad
        assert gb.asarray([1.0], requires_grad=True).is_leaf

    def test_typename_tells_what_has_a_name_by_it(self):
        assert gb.typename(gb.nn.Parameter) == "garboard.nn.parameter.Parameter"
        assert [gb.typename(it) for it in (int, len, gb, 3, None)] == [
            *("int", "len", "garboard", "int", "NoneType")
        ]

    def test_strides_of_ones_own(self):
        x = gb.empty_strided((2, 3), (1, 2), dtype=gb.int64)

        assert (x.stride(), x.shape, x.dtype) == ((1, 2), (2, 3), gb.int64)
        assert gb.empty_strided((0, 3), (7, 7)).shape == (0, 3)
        for sizes, strides in (((2,), (1, 1)), ((-1,), (1,)), ((2,), (-1,)), ((2**40,), (2**40,))):
            with pytest.raises(gb.ShapeError, match="empty_strided: sizes"):
                gb.empty_strided(sizes, strides)

    def test_scalar_tensor_is_floating_unless_it_is_told(self):
        assert gb.scalar_tensor(3).dtype == gb.float32
        assert gb.scalar_tensor(3, dtype=gb.int64).item() == 3


class TestWhatPyTorchTakes:
    def test_sums_of_bools_and_their_bounds(self):
        a, b = gb.tensor([True, False, False]), gb.tensor([True, True, False])

        assert gb.add(a, b, alpha=False).tolist() == a.tolist()
        assert gb.clamp_min(a, b).tolist() == [True, True, False]
        assert gb.clamp_max(a, b).dtype == gb.bool

    def test_ends_of_integers_are_cut_off_first(self):
        assert gb.linspace(4.3, -3.9, 8, dtype=gb.int64).tolist() == [4, 3, 2, 1, 0, -1, -2, -3]
        assert gb.logspace(0, 1.9, 2, dtype=gb.int64).tolist() == [1, 10]

    def test_a_mask_larger_than_the_copy(self):
        mask = gb.tensor([[True, False], [False, True]])

        found = gb.masked_scatter(gb.tensor([7.0, 8.0]), mask, gb.tensor([1.0, 2.0]))

        assert found.tolist() == [[1.0, 8.0], [7.0, 2.0]]

    def test_a_weight_of_one_output(self):
        x, weight = gb.tensor(X), gb.tensor([1.0, 2.0, 3.0]).requires_grad_()

        found = gb.nn.functional.linear(x, weight, gb.tensor(0.5))
        found.sum().backward()

        assert found.tolist() == [8.5, -11.0]
        assert weight.grad is not None
        assert weight.grad.tolist() == [4.5, 2.0, -4.0]

    @pytest.mark.parametrize("keepdim", [False, True])
    def test_nuclear_norms(self, keepdim):
        x = np.random.default_rng(5).normal(size=(3, 2, 4))
        expected = np.linalg.norm(x, "nuc", axis=(2, 0), keepdims=keepdim)

        found = gb.norm(gb.tensor(x), "nuc", dim=(2, 0), keepdim=keepdim)

        assert found.shape == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)

    def test_a_count_has_a_gradient_of_zeros(self):
        x = gb.tensor([0.0, 2.0]).requires_grad_()

        x.norm(0).backward()

        assert x.grad is not None
        assert x.grad.tolist() == [0.0, 0.0]

    def test_half_types_round_a_scaled_product_once(self):
        x, a, b = (gb.tensor(it, dtype=gb.bfloat16) for it in (-9.94, 3.1, 1.02))
        expected = gb.tensor(x.item() + 3.14 * a.item() * b.item()).bfloat16()

        assert gb.addcmul(x, a, b, value=3.14).item() == expected.item()


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("adaptive", ["AdaptiveLogSoftmaxWithLoss"]),
        ("channelshuffle", ["ChannelShuffle"]),
        ("distance", ["CosineSimilarity", "PairwiseDistance"]),
        ("flatten", ["Flatten", "Unflatten"]),
        ("fold", ["Fold", "Unfold"]),
        ("pixelshuffle", ["PixelShuffle", "PixelUnshuffle"]),
    ],
)
def test_layers_are_found_by_pytorchs_paths(path, names):
    found = import_module(f"garboard.nn.modules.{path}")

    assert found.__all__ == names
    assert all(getattr(found, name) is getattr(gb.nn, name) for name in names)


class TestFilling:
    def test_makes_a_tensor_of_one_value(self):
        like, value = gb.ones(2, 2, dtype=gb.int64), gb.tensor(3.0).requires_grad_()

        assert gb.fill(like, 2.7).tolist() == [[2, 2], [2, 2]]
        gb.fill(gb.ones(3), value).sum().backward()

        assert value.grad is not None
        assert value.grad.item() == 3.0

    def test_takes_a_tensor_without_dims_in_place(self):
        x = gb.zeros(2)

        assert x.fill_(gb.tensor(7)) is x
        assert x.tolist() == [7.0, 7.0]
        for call in (gb.fill, gb.Tensor.fill_):
            with pytest.raises(gb.ShapeError, match=r"fill_?: value has sizes \[2\]"):
                call(x, gb.ones(2))


class TestBools:
    def test_are_counted_when_they_are_squared(self):
        assert gb.square(gb.tensor([True, False])).dtype == gb.int64

    @pytest.mark.parametrize(
        ("reduce", "kept", "fresh"),
        [("sum", [1, 1], [0, 1]), ("amax", [1, 1], [0, 1]), ("prod", [0, 0], [0, 1]),
         ("amin", [0, 0], [0, 1])],
    )  # fmt: skip
    def test_meet_by_or_and_and(self, reduce, kept, fresh):
        x, index = gb.tensor([True, False]), gb.tensor([0, 1, 1])
        source = gb.tensor([False, True, True])

        with gb.leaks.no_leaks():
            for include, expected in ((True, kept), (False, fresh)):
                found = x.scatter_reduce(0, index, source, reduce, include_self=include)
                assert found.tolist() == [bool(it) for it in expected]
                del found
        with pytest.raises(gb.DTypeError, match="a mean of dtype bool"):
            x.scatter_reduce(0, index, source, "mean")


class TestLargestIntegers:
    @pytest.mark.parametrize("dtype", [gb.int64, gb.int8, gb.uint8])
    def test_of_windows_are_exact(self, dtype):
        most = gb.iinfo(dtype).max
        x = gb.tensor([[[most - 1, 0, 3], [most, 1, 2]]], dtype=dtype)

        values, places = gb.nn.functional.max_pool2d(x, 2, 1, return_indices=True)

        assert values.dtype == dtype
        assert values.tolist() == [[[most, 3]]]
        assert places.tolist() == [[[3, 2]]]
        assert gb.nn.functional.max_pool1d(x, 2, 1).shape == (1, 2, 2)
        assert gb.nn.functional.max_pool3d(x.unsqueeze(0), (1, 2, 2)).tolist() == [[[[most]]]]

    def test_leave_nothing_behind(self):
        with gb.leaks.no_leaks():
            gb.nn.functional.max_pool2d(gb.arange(16).view(1, 4, 4), 2)
            with pytest.raises(gb.ShapeError):
                gb.nn.functional.max_pool2d(gb.arange(16).view(1, 4, 4), 5)


class TestSlopesAtEdges:
    @pytest.mark.parametrize("p", [0.5, 1.5, 3.0, -1.0])
    def test_of_norms_are_0_where_the_norm_is(self, p):
        x = gb.zeros(3).requires_grad_()
        mixed = gb.tensor([0.0, 2.0, -3.0]).requires_grad_()

        gb.linalg.vector_norm(x, p).backward()
        gb.linalg.vector_norm(mixed, p).backward()

        assert x.grad is not None
        assert mixed.grad is not None
        assert x.grad.tolist() == [0.0] * 3
        assert mixed.grad[0].item() == 0.0
        assert bool(mixed.grad.isfinite().all())

    def test_of_logits_are_infinite(self):
        x = gb.tensor([0.0, 1.0, 0.5]).requires_grad_()

        gb.logit(x).sum().backward()

        assert x.grad is not None
        assert x.grad.tolist() == [math.inf, math.inf, 4.0]

    def test_of_sinc_go_on_through_0(self):
        x = gb.tensor([0.0, 0.0499, 0.0501], dtype=gb.float64).requires_grad_()

        (slope,) = gb.autograd.grad(gb.sinc(x).sum(), x, create_graph=True)
        (bend,) = gb.autograd.grad(slope.sum(), x)

        assert bend[0].item() == pytest.approx(-(math.pi**2) / 3)
        assert bend[1].item() == pytest.approx(bend[2].item(), rel=1e-3)


def test_a_dtype_that_is_not_that_of_out_is_refused():
    out = gb.empty(3)

    assert gb.rand(3, out=out, dtype=gb.float32) is out
    for make in (gb.rand, gb.zeros, gb.ones):
        with pytest.raises(gb.DTypeError, match="dtype float64 into out of float32"):
            make(3, out=out, dtype=gb.float64)


class TestSecondGradientsAtZeros:
    ROWS = (
        [[1.0, 0.0, 3.0], [2.0, 5.0, 4.0]],
        [[0.0, 0.0, 3.0], [0.0, 5.0, 0.0]],
        [[0.0, 0.0, 0.0], [2.0, 0.5, 4.0]],
    )

    @pytest.mark.parametrize("values", ROWS)
    @pytest.mark.parametrize(
        "function",
        [
            gb.prod,
            lambda x: gb.prod(x, 1),
            lambda x: gb.prod(x, 0, keepdim=True),
            lambda x: gb.cumprod(x, 1),
            lambda x: gb.cumprod(x, 0),
        ],
    )
    def test_of_products_are_those_of_differences(self, function, values):
        x = gb.tensor(values, dtype=gb.float64).requires_grad_()

        assert gb.autograd.gradcheck(function, [x])
        assert gb.autograd.gradgradcheck(function, [x])

    def test_and_of_the_third_order(self):
        x = gb.tensor([2.0, 0.0, 0.0, 5.0], dtype=gb.float64).requires_grad_()

        (first,) = gb.autograd.grad(gb.prod(x), x, create_graph=True)
        (second,) = gb.autograd.grad(first[1], x, create_graph=True)
        (third,) = gb.autograd.grad(second[2], x)

        assert second.tolist() == [0.0, 0.0, 10.0, 0.0]
        assert third.tolist() == [5.0, 0.0, 0.0, 2.0]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: gb.nn.functional.hardtanh(x, 0.5, -0.5), ValueError),
        (lambda x: gb.nn.functional.rrelu(x, 0.3, 0.1), ValueError),
        (lambda x: gb.nn.functional.triplet_margin_loss(x, x, x, margin=-1.0), ValueError),
        (lambda x: gb.nn.functional.prelu(x, gb.ones(3, 1)), gb.ShapeError),
        (lambda x: gb.nn.functional.multi_margin_loss(x, x[:, 0]), gb.DTypeError),
        (lambda x: gb.nn.functional.group_norm(gb.ones(1, 0, 2), 1), gb.ShapeError),
        (lambda x: gb.roll(x, ()), gb.ShapeError),
        (lambda x: gb.cov(x, fweights=gb.tensor([1, -1, 1])), gb.ShapeError),
        (lambda x: gb.norm(x, "nuc", dim=0), gb.ShapeError),
    ],
)
def test_refuses_what_pytorch_refuses(call, error):
    with pytest.raises(error, match=r"^\w+: "):
        call(gb.ones(2, 3))


class TestFunctionsAtTheRoot:
    @pytest.mark.parametrize("name", root_functions.__all__)
    def test_are_those_of_tensors_or_layers(self, name):
        known = getattr(gb.Tensor, name, None) or getattr(gb.nn.functional, name)

        assert getattr(gb, name) is getattr(root_functions, name)
        assert getattr(gb, name) in (known, getattr(gb.nn.functional, name, None))

    def test_write_in_place(self):
        x = gb.tensor([4.0, 9.0])

        assert gb.sqrt_(x) is x
        assert gb.clamp_(x, max=2.5).tolist() == [2.0, 2.5]
        assert gb.relu_(gb.tensor([-1.0])).tolist() == [0.0]


class TestLowRanks:
    @pytest.mark.parametrize("sizes", [(20, 6), (6, 20), (3, 20, 6)])
    def test_values_and_vectors_are_those_of_svd(self, sizes):
        gb.manual_seed(0)
        x = gb.randn(*sizes, dtype=gb.float64)

        u, s, v = gb.svd_lowrank(x, q=6, niter=4)

        assert gb.allclose(s, gb.linalg.svdvals(x))
        assert gb.allclose(u * s.unsqueeze(-2) @ v.mT, x)

    def test_components_are_of_centred_rows(self):
        gb.manual_seed(0)
        x = gb.randn(50, 4, dtype=gb.float64) * gb.tensor([9.0, 3.0, 1.0, 0.1]) + 100

        found = gb.pca_lowrank(x, q=4)

        assert gb.allclose(found.S, gb.linalg.svdvals(x - x.mean(0)))
        assert gb.pca_lowrank(x, q=2).V.shape == (4, 2)
        assert gb.pca_lowrank(x, q=1, center=False).S.item() > found.S[0].item()

    def test_gradients_pass_and_nothing_stays(self):
        x = gb.randn(8, 3, dtype=gb.float64, requires_grad=True)

        with gb.leaks.no_leaks():
            gb.svd_lowrank(x, q=3).S.sum().backward()
            x.grad = None

    @pytest.mark.parametrize("q", [0, 4, -1])
    def test_refuse_impossible_ranks(self, q):
        with pytest.raises(ValueError, match=r"svd_lowrank: .*q"):
            gb.svd_lowrank(gb.ones(8, 3), q=q)
        with pytest.raises(gb.ShapeError, match=r"svd_lowrank: sizes \[3\]"):
            gb.svd_lowrank(gb.ones(3))
