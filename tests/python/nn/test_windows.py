"""Views that meet elements more than once, or look beyond their tensor."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestOverlappingWindows:
    def test_are_not_written(self):
        x = gb.arange(5.0)

        for windows in (x.unfold(0, 3, 1), x.as_strided((3, 2), (1, 1))):
            with pytest.raises(
                gb.ShapeError, match=r"^add: .* meet some elements more than once; "
            ):
                windows.add_(1)
        assert x.tolist() == [0, 1, 2, 3, 4]

    def test_that_lie_apart_are_written(self):
        x = gb.zeros(5)

        x.unfold(0, 2, 3).add_(1)

        assert x.tolist() == [1, 1, 0, 1, 1]

    def test_see_the_history_of_a_base_that_was_written(self):
        leaf = gb.ones(4, dtype=gb.float64, requires_grad=True)
        x = leaf * 1
        windows = x.unfold(0, 2, 1)
        x.mul_(3)

        windows.sum().backward()

        assert leaf.grad.tolist() == [3, 6, 6, 3]

    def test_pass_gradients_to_what_expand_repeats(self):
        leaf = gb.ones(1, 3, dtype=gb.float64, requires_grad=True)

        leaf.expand(2, 3).as_strided((3,), (1,)).sum().backward()

        assert leaf.grad.tolist() == [[1, 1, 1]]


class TestBeyondTheTensor:
    def test_the_storage_is_seen(self):
        x = gb.arange(6)[2:4].detach()

        assert x.as_strided((6,), (1,), 0).tolist() == [0, 1, 2, 3, 4, 5]
        assert x.as_strided((2,), (1,)).tolist() == [2, 3]

    def test_no_gradient_comes_from(self):
        x = gb.arange(6.0)[2:4].detach().requires_grad_()

        with pytest.raises(gb.GradientError, match=r"^as_strided: elements 0 to 5 .* 2 to 3; stay"):
            x.as_strided((6,), (1,), 0)

    @pytest.mark.parametrize(
        ("size", "stride", "offset"),
        [
            ((7,), (1,), 0),
            ((2,), (1,), 5),
            ((1,), (1,), 6),
            ((2, 2), (2**62, 2**62), 0),
            ((2**62,), (2**62,), 0),
            ((2,), (-1,), 3),
            ((1,), (1,), -1),
            ((2, 2), (1,), 0),
            ((-1,), (1,), 0),
        ],
    )
    def test_the_storage_ends(self, size, stride, offset):
        with pytest.raises(gb.ShapeError, match=r"^as_strided: .*; \w"):
            gb.arange(6).as_strided(size, stride, offset)

    def test_no_elements_need_no_place(self):
        assert gb.arange(6).as_strided((0, 5), (9, 9), 100).shape == (0, 5)


class TestDiagonals:
    def test_are_views(self):
        x = gb.zeros(2, 3)

        x.diagonal(1).fill_(7)

        assert x.tolist() == [[0, 7, 0], [0, 0, 7]]

    @pytest.mark.parametrize("offset", [2**63 - 1, -(2**63), 5])
    def test_far_away_are_empty(self, offset):
        assert gb.eye(3).diagonal(offset).shape == (0,)
        assert gb.eye(3).tril(offset).sum() == (3 if offset > 0 else 0)

    def test_of_triangles_written_in_place_have_gradients(self):
        leaf = gb.ones(3, 3, dtype=gb.float64, requires_grad=True)
        x = leaf * 2

        assert x.tril_(-1) is x
        assert x.triu_(-9) is x
        x.sum().backward()

        assert np.array_equal(leaf.grad.numpy(), 2 * np.tril(np.ones((3, 3)), -1))


class TestPieces:
    def test_are_views_of_one_storage(self):
        x = gb.zeros(4)

        for i, piece in enumerate(x.split(2)):
            piece.fill_(i + 1)

        assert x.tolist() == [1, 1, 2, 2]

    def test_of_a_list_may_be_many(self):
        pieces = gb.arange(20).split([1] * 20)

        assert [piece.item() for piece in pieces] == [*range(20)]

    def test_may_be_told_by_a_tensor(self):
        x = gb.arange(6)

        assert [it.tolist() for it in x.tensor_split(gb.tensor([1, 4]))] == [[0], [1, 2, 3], [4, 5]]
        assert [it.tolist() for it in x.tensor_split(gb.tensor(2))] == [[0, 1, 2], [3, 4, 5]]
        assert [it.tolist() for it in x.tensor_split(indices=[1])] == [[0], [1, 2, 3, 4, 5]]
        assert [it.tolist() for it in x.tensor_split(sections=2, dim=0)] == [[0, 1, 2], [3, 4, 5]]
        with pytest.raises(gb.DTypeError, match="int64 or int32 without dims or of one"):
            x.tensor_split(gb.tensor([1.0]))

    @pytest.mark.parametrize(
        "cut",
        [
            lambda: gb.ones(4).tensor_split(2**62),
            lambda: gb.ones(0).chunk(2**62),
            lambda: gb.ones(1).expand(2**40).split(1),
            lambda: gb.ones(1).expand(2**40).unbind(),
        ],
        ids=["tensor_split", "chunk", "split", "unbind"],
    )
    def test_beyond_any_number_are_refused(self, cut):
        with pytest.raises(gb.ShapeError, match=r"pieces of sizes .* at most 4194304"):
            cut()

    def test_nothing_is_joined_to_anything(self):
        nothing = gb.tensor([], requires_grad=True)
        x = gb.ones(2, 3, dtype=gb.int64)

        joined = gb.cat([nothing, x, nothing])

        assert joined.shape == (2, 3)
        assert joined.dtype == gb.float32
        joined.sum().backward()
        assert nothing.grad is None

    def test_several_tensors_give_a_tuple(self):
        assert gb.atleast_2d(gb.tensor(1), gb.tensor([2]))[1].tolist() == [[2]]
        assert gb.atleast_2d([gb.tensor(1)])[0].tolist() == [[1]]
        assert gb.broadcast_shapes((2, 1), [3], 1) == (2, 3)
        assert gb.broadcast_shapes() == ()
        with pytest.raises(gb.ShapeError, match=r"^broadcast_shapes: sizes \[4\] and \[2, 3\]"):
            gb.broadcast_shapes((2, 3), 4)


class TestRepeatsOfEach:
    def test_are_taken_from_a_tensor(self):
        x = gb.arange(6.0).reshape(2, 3).requires_grad_(True)

        repeated = x.repeat_interleave(gb.tensor([1, 0, 2]), dim=1)
        repeated.sum().backward()

        assert repeated.tolist() == [[0, 2, 2], [3, 5, 5]]
        assert x.grad is not None
        assert x.grad.tolist() == [[1, 0, 2], [1, 0, 2]]

    @pytest.mark.parametrize(
        ("repeats", "error", "said"),
        [
            ([1, -1, 2], gb.ShapeError, "none may be negative"),
            ([1, 2], gb.ShapeError, "one each, or one for all"),
            ([1.0, 2.0, 3.0], gb.DTypeError, "int64 or int32"),
        ],
    )
    def test_that_cannot_be_are_refused(self, repeats, error, said):
        with pytest.raises(error, match=said):
            gb.arange(3).repeat_interleave(gb.tensor(repeats))


def test_circular_pads_wrap_what_negative_ones_left():
    x = gb.arange(4.0).reshape(1, 4)

    assert gb.nn.functional.pad(x, (-1, 1), "circular").tolist() == [[1, 2, 3, 1]]


def test_no_differences_are_taken_of_what_is_prepended():
    assert gb.tensor([1, 4]).diff(n=0, prepend=gb.tensor([0])).tolist() == [1, 4]
