"""`x[...]`, read and written."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

KEYS = [
    0,
    -1,
    slice(None),
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(3, 0, -2),
    slice(5, 2),
    slice(-100, 100),
    slice(-2, None),
    None,
    ...,
    (1, 2),
    (-1, -2, -3),
    (slice(None), 1),
    (slice(1, 3), slice(None, None, 2), 0),
    (..., 0),
    (0, ...),
    (0, ..., 1),
    (..., slice(None, None, -1)),
    (None, 0, None),
    (slice(None), None, 1),
    (None, ..., None),
    (0, 1, 2, ...),
    (),
    (slice(0, 0), 1),
    (slice(None, None, 3), slice(4, None, -3), slice(1, None)),
]


def pair() -> tuple[gb.Tensor, np.ndarray]:
    array = np.arange(60.0).reshape(3, 4, 5)
    return gb.tensor(array), array


@pytest.mark.parametrize("key", KEYS, ids=repr)
class TestAKey:
    def test_reads_what_numpy_reads_as_a_view(self, key):
        x, array = pair()

        got = x[key]

        assert got.shape == array[key].shape
        assert got.tolist() == array[key].tolist()
        assert got.storage() == x.storage()
        assert got is not x

    def test_writes_what_numpy_writes(self, key):
        x, array = pair()

        x[key] = -7
        array[key] = -7

        assert x.tolist() == array.tolist()
        assert x._version == 1

    def test_has_the_gradient_of_its_elements(self, key):
        x, array = pair()
        x.requires_grad_()

        (x[key] * 3).sum().backward()

        slope = np.zeros_like(array)
        slope[key] = 3
        assert x.grad.tolist() == slope.tolist()


class TestValues:
    def test_are_broadcast_and_converted(self):
        x = gb.zeros(3, 2, dtype=gb.int64)

        x[0] = gb.tensor([1.9, 2.9])
        x[1] = [3, 4]
        x[2:] = np.array([[5.5, 6.5]])
        assert x.tolist() == [[1, 2], [3, 4], [5, 6]]
        x[:, 1] = gb.tensor(9)
        x[0, 0] = True
        assert x.tolist() == [[1, 9], [3, 9], [5, 9]]

    def test_may_overlap_the_target(self):
        x = gb.arange(6)

        x[1:] = x[:-1]
        x[::-1][:3] = x[:3]

        assert x.tolist() == [0, 0, 1, 1, 0, 0]

    def test_join_operators_in_place(self):
        x = gb.arange(4)

        x[1:3] += 10
        x[0] -= 1
        x[::2] *= x[1::2]

        assert x.tolist() == [-11, 11, 36, 3]

    def test_of_other_sizes_are_refused(self):
        x = gb.zeros(2, 3)

        for value in (gb.zeros(2), gb.zeros(2, 2, 3), [1, 2]):
            with pytest.raises(gb.ShapeError, match=r"^copy_: .*; .+"):
                x[:] = value
        assert x._version == 0


class TestIndices:
    def test_may_be_tensors_and_numpy_integers(self):
        x = gb.arange(5)

        assert x[gb.tensor(3)].item() == 3
        assert x[np.int64(2)].item() == 2
        assert x[np.uint8(2) : np.int32(4)].tolist() == [2, 3]

    @pytest.mark.parametrize("key", [3, -4, (0, 4), (..., 5), (0, 0, -3)])
    def test_out_of_range_are_refused(self, key):
        x = gb.zeros(3, 4, 2)

        with pytest.raises(IndexError, match=r"^select: index -?\d .* of size \d; it must lie in"):
            x[key]
        with pytest.raises(gb.IndexOutOfRangeError):
            x[key] = 1
        assert x._version == 0

    @pytest.mark.parametrize("key", [(0, 0, 0), (slice(None),) * 3, (..., ...), (0, 0, ..., 0)])
    def test_too_many_are_refused(self, key):
        with pytest.raises(gb.IndexOutOfRangeError, match=r"^index: .*; at most one"):
            gb.zeros(2, 2)[key]

    @pytest.mark.parametrize("key", [1.0, "a", b"a", {0}, [0.5], np.array([0.5])])
    def test_of_other_types_are_refused(self, key):
        with pytest.raises(TypeError, match=r"^index: .*; .+"):
            gb.zeros(2, 2)[key]

    @pytest.mark.parametrize("key", [[0.5], 0.5])
    def test_that_are_tensors_of_floats_are_refused(self, key):
        with pytest.raises(gb.DTypeError, match=r"^index: an index of dtype float32; .+"):
            gb.zeros(2, 2)[gb.tensor(key)]

    def test_of_a_tensor_without_dims(self):
        x = gb.tensor(5.0)

        assert x[()].item() == x[...].item() == 5
        assert x[None].shape == (1,)
        with pytest.raises(gb.IndexOutOfRangeError):
            x[0]
        with pytest.raises(TypeError, match=r"^len: .*; .+"):
            len(x)
        with pytest.raises(TypeError, match=r"^iter: .*; .+"):
            list(x)

    def test_cannot_be_deleted(self):
        with pytest.raises(TypeError, match=r"^index: elements"):
            del gb.zeros(2)[0]

    def test_refuse_a_step_of_zero(self):
        with pytest.raises(ValueError, match="step"):
            gb.zeros(2)[::0]
