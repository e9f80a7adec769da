"""Names that PyTorch has at its root for its own layers, with the arguments that it gives them."""

from __future__ import annotations

import math
from types import ModuleType

import garboard as gb
import numpy as np
import pytest
from garboard._names.homes import HOMES, UNLISTED
from garboard._root.foreach import FOREACH
from garboard.nn import functional

CONVOLUTIONS = (functional.conv1d, functional.conv2d, functional.conv3d)


def some() -> gb.Tensor:
    return gb.tensor([[4.0, -1.0, 2.0], [0.5, 3.0, -6.0]])


class TestTheTable:
    @pytest.mark.parametrize("name", UNLISTED)
    def test_leads_to_a_function_or_to_a_module_of_them(self, name):
        found = getattr(gb, name)
        parts = vars(found).values() if isinstance(found, ModuleType) else [found]

        assert any(callable(it) for it in parts)

    def test_is_not_listed(self):
        assert not set(UNLISTED) & {*HOMES, *dir(gb)}

    def test_has_the_package_itself(self):
        assert gb.torch is gb

    def test_has_all_of_the_lists(self):
        assert set(FOREACH) == {name for name in UNLISTED if name.startswith("_foreach_")}


class TestForEach:
    def test_gives_a_tuple_or_writes_the_tensors(self):
        held = [gb.ones(2), gb.zeros(3)]

        made = gb._foreach_add(held, 2)
        found = gb._foreach_add_(held, [gb.ones(2), gb.ones(3)], alpha=3)

        assert type(made) is tuple
        assert [it.tolist() for it in made] == [[3, 3], [2, 2, 2]]
        assert found is held
        assert [it.tolist() for it in held] == [[4, 4], [3, 3, 3]]

    def test_takes_one_number_one_each_or_tensors(self):
        held = [gb.ones(1), gb.ones(1)]

        assert [it.item() for it in gb._foreach_mul(held, [2, 3])] == [2, 3]
        assert [it.item() for it in gb._foreach_mul(held, gb.tensor(4.0))] == [4, 4]
        assert [it.item() for it in gb._foreach_pow(2, held)] == [2, 2]
        assert [it.item() for it in gb._foreach_maximum(held, 5)] == [5, 5]
        assert [it.item() for it in gb._foreach_clamp_max(held, held)] == [1, 1]

    def test_adds_products_by_factors(self):
        held, ones = [gb.ones(1), gb.ones(1)], [gb.ones(1), gb.ones(1)]

        gb._foreach_addcdiv_(held, ones, ones, gb.tensor([2.0, 3.0]))

        assert [it.item() for it in held] == [3, 4]
        assert [it.item() for it in gb._foreach_addcmul(held, ones, ones, value=0.5)] == [3.5, 4.5]

    def test_moves_copies_and_measures(self):
        held, goal = [gb.zeros(2)], [gb.ones(2)]

        gb._foreach_lerp_(held, goal, 0.25)
        assert held[0].tolist() == [0.25, 0.25]
        gb._foreach_copy_(held, goal)
        assert gb._foreach_norm(held)[0].item() == pytest.approx(math.sqrt(2))
        assert gb._foreach_norm(held, math.inf)[0].item() == 1
        gb._foreach_zero_(held)
        assert held[0].tolist() == [0, 0]

    def test_refuses_lists_of_different_lengths(self):
        with pytest.raises(ValueError, match="_foreach_add: 1 beside 2 tensors"):
            gb._foreach_add([some(), some()], [some()])
        with pytest.raises(TypeError, match="_foreach_sqrt_: tensors are of type Tensor"):
            gb._foreach_sqrt_(some())


class TestLosses:
    def test_take_reductions_by_number(self):
        target = (some() > 0).float()

        found = [
            gb.binary_cross_entropy_with_logits(some(), target, None, None, it) for it in (0, 1, 2)
        ]

        for result, word in zip(found, ("none", "mean", "sum"), strict=True):
            assert gb.equal(
                result, functional.binary_cross_entropy_with_logits(some(), target, reduction=word)
            )

    def test_reduce_nothing_by_default(self):
        signs = gb.tensor([1.0, -1.0])
        rows = gb.ones(2, 3), gb.zeros(2, 3)

        assert gb.kl_div(some(), some()).shape == some().shape
        assert gb.binary_cross_entropy_with_logits(some(), some()).shape == some().shape
        assert gb.hinge_embedding_loss(gb.ones(2), signs).tolist() == [1, 0]
        assert gb.margin_ranking_loss(gb.ones(2), gb.zeros(2), signs).tolist() == [0, 1]
        assert gb.cosine_embedding_loss(*rows, signs).shape == (2,)
        assert gb.triplet_margin_loss(*rows, rows[1]).shape == (2,)
        scores, lengths = gb.zeros(4, 2, 3).log_softmax(-1), gb.tensor([2, 1])
        targets = gb.ones(2, 2, dtype=gb.int64)
        assert gb.ctc_loss(scores, targets, gb.tensor([4, 4]), lengths).shape == (2,)

    @pytest.mark.parametrize("reduction", [3, True, 0.5])
    def test_refuse_other_numbers(self, reduction):
        with pytest.raises(ValueError, match=r"kl_div: reduction .*; 0, 1 or 2 is needed"):
            gb.kl_div(some(), some(), reduction)


class TestLayers:
    def test_take_weights_before_running_numbers(self):
        weight, bias, mean, var = gb.tensor([[2.0] * 3, [1.0] * 3, [0.5] * 3, [4.0] * 3]).unbind()

        found = gb.batch_norm(some(), weight, bias, mean, var, False, 0.1, 0.0, False)

        assert gb.allclose(found, (some() - 0.5) / 2 * 2 + 1)

    def test_tell_means_and_spreads_too(self):
        result, mean, spread = gb.native_layer_norm(some(), [3], None, None, 0.0)

        assert gb.allclose(result, (some() - mean) * spread)
        assert mean.shape == (2, 1)

    def test_tell_places_too(self):
        x = gb.tensor([[[1.0, 3.0, 2.0, 0.0]]])

        assert [it.tolist() for it in gb.max_pool1d_with_indices(x, 2)] == [[[[3, 2]]], [[[1, 2]]]]
        assert [it.tolist() for it in gb.adaptive_max_pool1d(x, 1)] == [[[[3]]], [[[1]]]]

    def test_convolve_in_as_many_dims_as_the_taps_have(self):
        for dims, forward in enumerate(CONVOLUTIONS, 1):
            x, taps = gb.rand(2, 4, *[5] * dims), gb.rand(4, 2, *[2] * dims)
            rest = ([2], [1], [1], False, [0], 2)

            found = gb.convolution(x, taps, None, *rest)

            assert gb.equal(found, forward(x, taps, stride=2, padding=1, groups=2))
            assert gb.equal(found, gb._convolution(x, taps, None, *rest, *[False] * 4))

    def test_convolve_transposed_where_it_is_told(self):
        x, taps, bias = gb.rand(2, 4, 5, 5), gb.rand(4, 3, 2, 3), gb.rand(6)

        found = gb.convolution(x, taps, bias, [2, 2], [1, 0], [1, 2], True, [0, 1], 2)

        assert gb.equal(
            found, functional.conv_transpose2d(x, taps, bias, 2, (1, 0), (0, 1), 2, (1, 2))
        )

    def test_refuse_to_convolve_in_no_dims(self):
        with pytest.raises(gb.ShapeError, match=r"convolution: weight of sizes \[2, 2\]; three"):
            gb.convolution(gb.ones(1, 2, 2), gb.ones(2, 2), None, [1], [0], [1], False, [0], 1)

    def test_take_modes_by_number(self):
        image, grid = gb.rand(1, 1, 3, 3), gb.rand(1, 2, 2, 2)

        assert gb.equal(
            gb.grid_sampler(image, grid, 1, 2, False),
            functional.grid_sample(image, grid, "nearest", "reflection", False),
        )
        with pytest.raises(ValueError, match="grid_sampler: interpolation_mode 3"):
            gb.grid_sampler(image, grid, 3, 0, False)

    def test_take_rows_by_bags(self):
        table = gb.arange(6.0).reshape(3, 2)

        result, bags, sizes, _ = gb.embedding_bag(table, gb.tensor([0, 1, 2]), gb.tensor([0, 2]))

        assert result.tolist() == [[2, 4], [4, 5]]
        assert (bags.tolist(), sizes.tolist()) == ([0, 0, 1], [2, 1])

    @pytest.mark.parametrize(("name", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1)])
    def test_step_as_their_modules_do(self, name, gates):
        kinds = {"lstm": gb.nn.LSTMCell, "gru": gb.nn.GRUCell, "rnn_tanh": gb.nn.RNNCell}
        cell = kinds[name](3, 2)
        state = (gb.rand(2, 2), gb.rand(2, 2)) if name == "lstm" else gb.rand(2, 2)
        weights = cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh

        expected, found = cell(some(), state), getattr(gb, f"{name}_cell")(some(), state, *weights)

        assert cell.weight_ih.shape == (2 * gates, 3)
        pairs = zip(expected, found, strict=True) if name == "lstm" else [(expected, found)]
        assert all(gb.allclose(a, b, atol=1e-6) for a, b in pairs)


class TestSequences:
    @pytest.mark.parametrize(
        ("name", "module"), [("lstm", gb.nn.LSTM), ("gru", gb.nn.GRU), ("rnn_tanh", gb.nn.RNN)]
    )
    def test_run_as_their_modules_do(self, name, module):
        layer = module(3, 2, 2, bidirectional=True)
        x, first = gb.rand(4, 2, 3), gb.rand(4, 2, 2)
        state = (first, first) if name == "lstm" else first
        expected, last = layer(x, state)
        before = gb.get_rng_state()

        found = getattr(gb, name)(x, state, [*layer.parameters()], True, 2, 0.0, False, True, False)

        assert gb.equal(gb.get_rng_state(), before)
        assert gb.equal(found[0], expected)
        assert gb.equal(found[1], last[0] if name == "lstm" else last)

    def test_run_packed_rows(self):
        layer = gb.nn.GRU(3, 2)
        packed = gb.nn.utils.rnn.pack_padded_sequence(gb.rand(4, 2, 3), gb.tensor([4, 2]))
        first = gb.zeros(1, 2, 2)
        expected, last = layer(packed)

        found = gb.gru(
            packed.data, packed.batch_sizes, first, [*layer.parameters()], True, 1, 0, False, False
        )

        assert gb.equal(found[0], expected.data)
        assert gb.equal(found[1], last)
        with pytest.raises(TypeError, match="gru: 2 arguments; PyTorch's 9 are needed"):
            gb.gru(packed.data, first)


class TestCopies:
    def test_share_nothing(self):
        for made in (
            gb.t_copy(some()),
            gb.slice_copy(some(), 1, 0, 2),
            *gb.unbind_copy(some()),
            gb.alias_copy(some()),
        ):
            assert made.untyped_storage().serial != some().untyped_storage().serial

        assert gb.slice_copy(some(), 1, 0, 3, 2).tolist() == [[4.0, 2.0], [0.5, -6.0]]
        assert gb.narrow_copy(some(), 1, 1, 1).tolist() == [[-1.0], [3.0]]

    def test_of_a_part_replaced_by_strides(self):
        x = gb.zeros(2, 2, requires_grad=True)
        part = gb.ones(2, requires_grad=True)

        made = gb.as_strided_scatter(x, part, (2,), (3,))
        (made * gb.arange(1.0, 5.0).reshape(2, 2)).sum().backward()

        assert made.tolist() == [[1, 0], [0, 1]]
        assert x.grad is not None
        assert part.grad is not None
        assert (x.grad.tolist(), part.grad.tolist()) == ([[0, 2], [3, 0]], [1, 4])


class TestCounts:
    def test_places_are_cut_off_or_filled_up(self):
        x = gb.tensor([1, 0, 2])

        assert gb.nonzero_static(x, size=1).tolist() == [[0]]
        assert gb.nonzero_static(x, size=3, fill_value=7).tolist() == [[0], [2], [7]]

    def test_places_are_told_by_rows_and_one_by_one(self):
        rows, columns = gb.tensor([0, 0, 2, 2, 4]), gb.tensor([1, 2, 0, 5, 3])

        ends = gb._convert_indices_from_coo_to_csr(rows, 6)

        assert (ends.tolist(), ends.dtype) == ([0, 2, 2, 4, 4, 5, 5], gb.int64)
        assert gb._convert_indices_from_coo_to_csr(rows[:0].int(), 1).tolist() == [0, 0]
        both = gb._convert_indices_from_csr_to_coo(ends, columns)
        assert both.tolist() == [rows.tolist(), columns.tolist()]
        turned = gb._convert_indices_from_csr_to_coo(ends, columns, out_int32=True, transpose=True)
        assert (turned[0].tolist(), turned.dtype) == (columns.tolist(), gb.int32)
        with pytest.raises(IndexError, match="_convert_indices_from_coo_to_csr: row 4 of 4"):
            gb._convert_indices_from_coo_to_csr(rows, 4)
        with pytest.raises(gb.ShapeError, match="4 columns of 5 elements"):
            gb._convert_indices_from_csr_to_coo(ends, columns[1:])

    def test_segments_are_reduced(self):
        x, lengths = gb.arange(6.0), gb.tensor([2, 0, 4])

        assert gb.segment_reduce(x, "sum", lengths=lengths).tolist() == [1, 0, 14]
        assert gb.segment_reduce(x, "max", lengths=lengths, initial=4).tolist() == [4, 4, 5]
        bounds = gb._segment_reduce(x, "amin", offsets=gb.tensor([0, 2, 6]), initial=1)
        assert bounds.tolist() == [0, 1]
        assert gb._segment_reduce(x, "amax", lengths=lengths)[1] == -gb.inf
        assert gb.segment_reduce(
            x.reshape(2, 3), "mean", offsets=gb.tensor([[0, 1, 3], [0, 3, 3]]), axis=1
        )[0].tolist() == [0, 1.5]
        with pytest.raises(gb.ShapeError, match=r"segment_reduce: lengths from 9, 9 in all, of 6"):
            gb.segment_reduce(x, "sum", lengths=gb.tensor([9]))

    def test_no_elements_make_segments_too(self):
        x, none = gb.zeros(0, requires_grad=True), gb.zeros(0, dtype=gb.int64)

        assert gb.segment_reduce(x, "max", lengths=none, initial=0).tolist() == []
        found = gb.segment_reduce(x, "max", lengths=gb.tensor([0, 0]), initial=7)
        found.sum().backward()

        assert found.tolist() == [7, 7]
        assert x.grad is not None
        assert gb.segment_reduce(gb.zeros(0, 3), "sum", lengths=none).shape == (0, 3)

    def test_points_are_counted_as_numpy_counts_them(self):
        points = np.random.RandomState(0).rand(50, 2)

        for how in ({"bins": 3}, {"bins": [2, 4], "range": (0.2, 0.8, 0.0, 0.5)}):
            found = gb.histogramdd(gb.tensor(points), **how, density=True)
            ends = how.get("range")
            pairs = None if ends is None else [ends[:2], ends[2:]]
            hist, edges = np.histogramdd(points, how["bins"], pairs, density=True)
            assert np.allclose(found.hist.numpy(), hist)
            assert all(
                np.allclose(a.numpy(), b) for a, b in zip(found.bin_edges, edges, strict=True)
            )

    @pytest.mark.parametrize("dims", [9, 1 << 40])
    def test_a_histogram_has_no_more_dims_than_a_tensor(self, dims):
        with pytest.raises(gb.ShapeError, match=rf"^histogramdd: points of {dims} dims; at most"):
            gb.histogramdd(gb.zeros(0, dims), 2)

    def test_trials_are_drawn(self):
        drawn = gb.binomial(gb.full((100,), 5.0), gb.tensor(0.5))

        assert drawn.shape == (100,)
        assert set(drawn.tolist()) <= {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}

    def test_norms_of_matrices(self):
        assert gb.nuclear_norm(some(), True).shape == (1, 1)
        assert gb.frobenius_norm(some(), 1, True).shape == (2, 1)
        assert gb.frobenius_norm(some(), [0, 1]).item() == pytest.approx(some().norm().item())


class TestSwitches:
    def test_autocast_is_switched_without_a_block(self):
        try:
            gb.set_autocast_enabled("cpu", True)
            assert (some() @ some().T).dtype == gb.bfloat16
            gb.set_autocast_cpu_dtype(gb.float16)
            assert (some() @ some().T).dtype == gb.get_autocast_cpu_dtype() == gb.float16
        finally:
            gb.set_autocast_cpu_dtype(gb.bfloat16)
            gb.set_autocast_cpu_enabled(False)

        assert not gb.is_autocast_cpu_enabled()
        assert (some() @ some().T).dtype == gb.float32
        with gb.autocast("cpu"):
            gb.set_autocast_enabled("cpu", False)
            assert (some() @ some().T).dtype == gb.float32
            gb.set_autocast_enabled("cpu", True)
            assert (some() @ some().T).dtype == gb.bfloat16
        assert not gb.is_autocast_cpu_enabled()

    def test_looking_for_nan_is_told(self):
        assert not gb.is_anomaly_enabled()
        with gb.autograd.detect_anomaly():
            assert gb.is_anomaly_enabled()

    def test_a_condition_must_hold(self):
        gb._assert(gb.tensor(True), "yes")

        with pytest.raises(AssertionError, match=r"^no$"):
            gb._assert(False, "no")


class TestMethods:
    def test_functions_of_pythons_are_called_by_element(self):
        x = gb.tensor([[1, 2], [3, 4]]).T

        assert x.apply_(lambda it: it * 10) is x
        assert x.tolist() == [[10, 30], [20, 40]]
        assert x.map_(gb.tensor([1, 2]), lambda a, b: a + b).tolist() == [[11, 32], [21, 42]]
        with pytest.raises(gb.GradientError):
            gb.ones(1, requires_grad=True).apply_(lambda it: it)

    def test_a_tensor_is_set_to_what_sees_the_same(self):
        x = gb.ones(2, 2)

        assert x.is_set_to(x.detach())
        assert not x.is_set_to(x[:1])
        assert not x.is_set_to(x.clone())

    def test_memory_is_not_shared(self):
        with pytest.raises(AttributeError, match="give tensors to processes as arguments"):
            some().share_memory_  # noqa: B018

    def test_layouts_are_heard(self):
        assert gb.ones(1).cdouble(memory_format=gb.legacy_contiguous_format).dtype == gb.complex128
        with pytest.raises(TypeError, match="cfloat: memory_format is of type int"):
            gb.ones(1).cfloat(3)


def test_types_are_found_under_their_private_names():
    from garboard.types import _bool, _device, _dtype, _float, _int, _size

    assert (_bool, _float, _int) == (bool, float, int)
    assert (_device, _dtype) == (gb.device, gb.dtype)
    assert _size == gb.types.Size
