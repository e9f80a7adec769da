"""Tensors that get other sizes in place: what they keep, and what else sees it."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestResizing:
    @pytest.mark.parametrize("sizes", [(4,), (2, 2), (3, 2), (0, 5), (), (1, 6)])
    def test_to_fewer_elements_looks_at_the_same_storage(self, sizes):
        x = gb.arange(6.0)
        before, view = x.data_ptr(), x[:1]

        found = x.resize_(*sizes)
        x.add_(10)

        assert found is x
        assert x.shape == sizes
        assert x.data_ptr() == before
        assert x.is_contiguous()
        assert x.flatten().tolist() == [10.0 + i for i in range(x.numel())]
        assert view.item() == (10 if x.numel() else 0)

    def test_to_more_elements_keeps_those_that_were_there(self):
        x = gb.arange(6)

        x.resize_((4, 5))

        assert x.shape == (4, 5)
        assert x.flatten()[:6].tolist() == [0, 1, 2, 3, 4, 5]
        assert x.untyped_storage().nbytes() >= 160

    def test_gives_elements_back_that_it_had_taken(self):
        x = gb.arange(6)

        assert x.resize_(2).resize_(6).tolist() == [0, 1, 2, 3, 4, 5]

    def test_reads_on_from_a_views_first_element(self):
        x = gb.arange(12).view(3, 4)
        view = x[1:, ::2]

        assert view.resize_(5).tolist() == [4, 5, 6, 7, 8]
        assert view.resize_(10)[:8].tolist() == [4, 5, 6, 7, 8, 9, 10, 11]

    def test_to_the_sizes_it_has_changes_nothing(self):
        x = gb.arange(6).view(2, 3).t()

        assert x.resize_(3, 2).stride() == (1, 3)

    def test_leaves_others_what_they_see(self):
        array = np.arange(3.0)
        x = gb.from_numpy(array)
        other, view = x.alias(), x[1:]

        x.resize_(5)
        x.fill_(7)

        assert array.tolist() == other.tolist() == [0, 1, 2]
        assert view.tolist() == [1, 2]

    def test_makes_room_for_what_begins_empty(self):
        out = gb.empty(0)

        out.resize_as_(gb.ones(2, 3, dtype=gb.int64)).fill_(1)

        assert out.tolist() == [[1, 1, 1], [1, 1, 1]]
        assert out.dtype is gb.float32

    def test_in_a_scope_leaves_the_tensor_to_its_owner(self):
        x = gb.ones(2)
        with gb.dispose_scope():
            x.resize_(3)
        with gb.dispose_scope() as scope:
            y = gb.ones(2).resize_(100)
            assert len(scope) == 1

        assert x[:2].tolist() == [1, 1]
        assert y.is_disposed

    @pytest.mark.parametrize(
        ("sizes", "error", "text"),
        [
            ((-1,), gb.ShapeError, "-1; 0 or more is needed"),
            ((2, -3), gb.ShapeError, r"sizes\[1\] -3"),
            ((2.0,), TypeError, "sizes is of type float"),
            ((2, "3"), TypeError, r"sizes\[1\] is of type str"),
            (([2, None],), TypeError, r"sizes\[1\] is of type NoneType"),
            ((1 << 40, 1 << 40), (gb.ShapeError, MemoryError), "empty: "),
        ],
    )
    def test_refuses_what_are_no_sizes(self, sizes, error, text):
        x = gb.arange(3)
        with pytest.raises(error, match=text):
            x.resize_(*sizes)
        assert x.tolist() == [0, 1, 2]

    def test_hears_a_memory_format(self):
        x = gb.arange(6.0)

        assert x.resize_(2, 2, memory_format=gb.contiguous_format).shape == (2, 2)
        assert x.resize_as_(gb.ones(3), memory_format=gb.contiguous_format).shape == (3,)
        with pytest.raises(TypeError, match="memory_format is of type str"):
            x.resize_(2, memory_format="channels_last")

    def test_refuses_tensors_with_gradients(self):
        leaf = gb.ones(2, requires_grad=True)
        made = leaf * 2
        made.sum().backward()

        for x in (leaf, made):
            with pytest.raises(gb.GradientError, match="resize_: a tensor that requires grad"):
                x.resize_(3)
        with pytest.raises(gb.GradientError, match="resize_: a gradient"):
            leaf.grad.resize_(3)
        assert leaf.grad.tolist() == [2, 2]

    def test_refuses_what_is_no_tensor_or_is_gone(self):
        x = gb.ones(2)
        with pytest.raises(TypeError, match="resize_as_: other is of type list"):
            x.resize_as_([3])
        gone = gb.ones(2)
        gone.dispose()
        with pytest.raises(gb.DisposedError):
            gone.resize_(3)
        with pytest.raises(gb.DisposedError):
            x.resize_as_(gone)
