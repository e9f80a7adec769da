"""What is a new tensor where NumPy, or a step saved, would give a view."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest

COPIES: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "flip": lambda x: x.flip(0),
    "flip of no dim": lambda x: x.flip(()),
    "fliplr": gb.fliplr,
    "flipud": gb.flipud,
    "a quarter turn": gb.rot90,
    "half a turn": lambda x: gb.rot90(x, 2),
    "a whole turn": lambda x: gb.rot90(x, 4),
    "repeats of one element": lambda x: x[0, 0].repeat_interleave(3),
    "repeats": lambda x: x.repeat_interleave(2, 0),
    "no difference": lambda x: x.diff(n=0),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_shares_no_memory(name: str) -> None:
    x = gb.ones(2, 3)
    made = COPIES[name](x)

    made.add_(1)

    assert x.tolist() == [[1.0] * 3] * 2
    assert made.unique().tolist() == [2.0]


@pytest.mark.parametrize("name", COPIES)
def test_gradients_pass_through_a_copy(name: str, no_leaks: None) -> None:
    x = gb.ones(2, 3, requires_grad=True)
    made = COPIES[name](x * 1)
    made.sum().backward()
    assert x.grad.sum().item() == made.numel()


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_columns_are_stacked_beside_each_other(dtype: str, count: int, no_leaks: None) -> None:
    arrays = [
        (np.arange(6000) * (k + 1) % 100).reshape(2, 3000).astype(dtype) for k in range(count)
    ]
    columns = [gb.from_numpy(array) for array in arrays]

    np.testing.assert_array_equal(gb.stack(columns, -1), np.stack(arrays, -1))
    np.testing.assert_array_equal(
        gb.stack([x.t() for x in columns], -1), np.stack([a.T for a in arrays], -1)
    )
    np.testing.assert_array_equal(
        gb.cat([x[:, 1:2] for x in columns], -1), np.concatenate([a[:, 1:2] for a in arrays], -1)
    )
    np.testing.assert_array_equal(gb.stack([columns[0]] * 2, -1), np.stack([arrays[0]] * 2, -1))


def test_nothing_beside_two_columns_is_no_column() -> None:
    x = gb.arange(4.0).reshape(2, 2)

    assert gb.equal(gb.cat([gb.empty(0), x], -1), x)
    assert gb.equal(gb.cat([x, gb.empty(0)], -1), x)


def test_columns_of_other_layouts_and_dtypes_are_stacked_too() -> None:
    a, b = gb.arange(6).reshape(2, 3), gb.arange(6.0).reshape(3, 2).t()

    made = gb.stack([a, b, b[:1].expand(2, 3)], -1)

    assert made.tolist()[1] == [[3.0, 1.0, 0.0], [4.0, 3.0, 2.0], [5.0, 5.0, 4.0]]


@pytest.mark.parametrize("to", ["uint8", "float16", "float32", "float64"])
@pytest.mark.parametrize("given", ["uint8", "bfloat16", "float32", "int64"])
def test_a_turned_image_is_converted(given: str, to: str, no_leaks: None) -> None:
    array = np.random.default_rng(0).integers(0, 200, (67, 70, 3)).astype(np.float32)
    image = gb.from_numpy(array).to(getattr(gb, given))

    turned = image.permute(2, 0, 1).to(getattr(gb, to))

    np.testing.assert_array_equal(turned.float(), array.transpose(2, 0, 1))


def test_ravel_is_dense() -> None:
    assert gb.arange(6.0)[::2].ravel().is_contiguous()
    x = gb.zeros(2, 2)
    x.ravel()[0] = 1
    assert x[0, 0].item() == 1


def test_slices_with_steps_below_zero_stay_views() -> None:
    x = gb.arange(3)
    x[::-1].mul_(2)
    assert x.tolist() == [0, 2, 4]


class TestCopiesOfViews:
    """`permute_copy` and its kin, by the names that PyTorch has for them."""

    def test_go_where_they_are_wanted(self, no_leaks):
        x = gb.arange(6.0).view(2, 3)
        for name, given in {
            "permute_copy": ((1, 0),),
            "expand_copy": ([2, 2, 3],),
            "diagonal_copy": (),
            "alias_copy": (),
            "as_strided_copy": ([2], [1]),
            "narrow_copy": (1, 1, 2),
            "view_copy": ([6],),
        }.items():
            copy = getattr(gb, name)
            made = copy(x, *given)
            out = gb.empty_like(made)

            assert copy(x, *given, out=out) is out
            assert gb.equal(out, made)

    def test_of_several_go_into_as_many(self, no_leaks):
        x = gb.arange(6.0).view(2, 3)
        out = [gb.empty(3), gb.empty(3)]

        found = gb.unbind_copy(x, out=out)

        assert [it.tolist() for it in out] == x.tolist()
        assert all(map(gb.equal, found, out))
        with pytest.raises(gb.ShapeError, match="out of 1 tensors for 2 parts"):
            gb.unbind_copy(x, out=out[:1])
        with pytest.raises(TypeError, match="out"):
            gb.unbind_copy(x, out=1)
        with pytest.raises(gb.ShapeError):
            gb.permute_copy(x, (1, 0), out=gb.empty(2, 2))
