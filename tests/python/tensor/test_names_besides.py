"""Names that few programs ask for: other strides, generators' places, and tensors swapped."""

from __future__ import annotations

import gc

import garboard as gb
import pytest

graph = gb.autograd.graph


class TestWrittenAfterItWasSaved:
    def test_is_what_backward_saw(self):
        x = gb.tensor([1.0, 2.0], requires_grad=True)

        with graph.allow_mutation_on_saved_tensors():
            y = x.clone()
            z = (y**2).sum() + y.exp().mul_(3.0).sum()
            y.zero_()
            z.backward()

        assert x.grad is not None
        assert x.grad.tolist() == pytest.approx((2 * x + 3 * x.exp()).tolist())

    def test_is_copied_once_for_all_ops(self):
        x = gb.ones(1000, requires_grad=True)
        before = gb.memory.live("cpu").bytes

        with graph.allow_mutation_on_saved_tensors():
            y = [x.exp().sum() for _ in range(3)]
            z = [(x * x).sum() for _ in range(8)]

        assert gb.memory.live("cpu").bytes - before < 4 * 1000 * (2 * 3 + 2)
        assert len(y) + len(z) == 11

    def test_outlives_the_scope_it_was_saved_in(self):
        x = gb.ones(2, requires_grad=True)

        with graph.allow_mutation_on_saved_tensors(), gb.dispose_scope() as scope:
            y = x * 3.0
            z = scope.move_to_outer((y * y).sum())
            y.zero_()
        z.backward()

        assert x.grad is not None
        assert x.grad.tolist() == [18.0, 18.0]

    def test_leaves_nothing_behind(self):
        def step():
            x = gb.ones(3, requires_grad=True)
            with graph.allow_mutation_on_saved_tensors():
                y = x * 1.0
                z = (y * y).sum()
                y.zero_()
            z.backward()
            return x.grad.tolist()

        with gb.leaks.no_leaks():
            assert step() == [2.0, 2.0, 2.0]


class TestAnotherVersion:
    @pytest.mark.parametrize("sizes", [(), (3,), (0,), (2, 3)])
    def test_is_told_of_tensors_of_any_sizes(self, sizes):
        x, y = gb.ones(sizes), gb.ones(sizes)
        view = x.T if x.ndim == 2 else x

        graph.increment_version([view, y])

        assert (x._version, y._version) == (1, 1)

    def test_refuses_a_backward_that_needs_the_older(self):
        x = gb.ones(2, requires_grad=True)
        y = x * 1.0
        z = (y**2).sum()

        graph.increment_version(y)

        with pytest.raises(gb.VersionError, match="written in place"):
            z.backward()

    def test_is_told_of_a_leaf(self):
        x = gb.ones(2, requires_grad=True)

        graph.increment_version(x)

        assert x._version == 1

    def test_is_of_tensors_alone(self):
        x = gb.ones(2)

        with pytest.raises(TypeError, match="increment_version: item 1 of tensor"):
            graph.increment_version([x, 3])

        assert x._version == 0


class TestSwapped:
    def test_parameters_hold_each_others_elements(self):
        x = gb.nn.Parameter(gb.ones(2))
        y = gb.nn.Parameter(gb.zeros(3, dtype=gb.float64), requires_grad=False)
        (x * 2).sum().backward()
        x.note = "first"

        gb.utils.swap_tensors(x, y)

        assert (x.tolist(), x.dtype, x.requires_grad, x.grad) == ([0] * 3, gb.float64, False, None)
        assert (y.tolist(), y.note, y.requires_grad) == ([1, 1], "first", True)
        assert y.grad is not None
        assert y.grad.tolist() == [2, 2]
        assert not hasattr(x, "note")

    def test_tensors_keep_no_attribute_of_their_own(self):
        x, y = gb.ones(2, dtype=gb.int64), gb.zeros(1, requires_grad=True)
        x.note = 1

        gb.utils.swap_tensors(x, y)

        assert (x.requires_grad, y.note, y.dtype) == (True, 1, gb.int64)
        assert not hasattr(x, "note")

    def test_a_tensor_with_itself_stays(self):
        x = gb.ones(2, requires_grad=True)

        gb.utils.swap_tensors(x, x)

        assert x.tolist() == [1, 1]

    def test_refuses_what_has_a_history_and_changes_nothing(self):
        x, y = gb.ones(2), gb.zeros(2, requires_grad=True) * 2

        with pytest.raises(gb.GradientError, match="swap_tensors: a tensor with a history"):
            gb.utils.swap_tensors(x, y)
        with pytest.raises(TypeError, match="a Tensor and a Parameter; two of one class"):
            gb.utils.swap_tensors(x, gb.nn.Parameter(gb.ones(2)))

        assert x.tolist() == [1, 1]

    def test_nothing_leaks(self):
        def swap():
            x, y = gb.nn.Parameter(gb.ones(2)), gb.nn.Parameter(gb.ones(3))
            gb.utils.swap_tensors(x, y)

        with gb.leaks.no_leaks():
            swap()
            gc.collect()


class TestPlaceOfAGenerator:
    def test_can_be_gone_to(self):
        generator = gb.Generator().manual_seed(1)
        first = gb.rand(8, generator=generator)
        assert generator.get_offset() == 2

        generator.set_offset(0)

        assert gb.equal(gb.rand(8, generator=generator), first)
        assert generator.initial_seed() == 1

    @pytest.mark.parametrize("offset", [-1, 1 << 64])
    def test_is_refused_outside_its_range(self, offset):
        with pytest.raises(ValueError, match="set_offset: offset"):
            gb.Generator().set_offset(offset)


class TestOtherSizes:
    def test_a_new_tensor_lies_as_its_strides_say(self):
        x = gb.ones(2, dtype=gb.int32)

        made = x.new_empty_strided((2, 3), (1, 2))

        assert (made.shape, made.stride(), made.dtype) == ((2, 3), (1, 2), gb.int32)
        assert x.new_empty_strided((2,), (1,), dtype=gb.float64).dtype == gb.float64

    def test_resize_is_a_reshape_that_warns(self):
        x = gb.arange(6.0).requires_grad_()

        with pytest.warns(UserWarning, match="use reshape"):
            y = x.resize(2, 3)
        with pytest.warns(UserWarning, match="use reshape_as"):
            z = x.resize_as(gb.ones(3, 2))

        (y.sum() + z.sum()).backward()
        assert (y.shape, z.shape) == ((2, 3), (3, 2))
        assert x.grad is not None
        assert x.grad.tolist() == [2.0] * 6

    def test_resize_keeps_the_number_of_elements(self):
        with pytest.raises(gb.ShapeError, match="resize: 6 elements"):
            gb.ones(6).resize(7)
        with pytest.raises(gb.ShapeError, match="resize_as: 6 elements"):
            gb.ones(6).resize_as(gb.ones(7))

    def test_storages_have_one_type(self):
        x = gb.ones(2)

        assert isinstance(x.storage(), x.storage_type())
