"""`from_file`: tensors whose elements are those of a file."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def test_what_is_written_into_a_shared_one_is_in_the_file(tmp_path):
    path = tmp_path / "numbers"

    x = gb.from_file(str(path), shared=True, size=4)
    x.copy_(gb.arange(4.0))
    other = gb.from_file(path, True, 4)
    other[1] = 7.0

    assert x.tolist() == [0.0, 7.0, 2.0, 3.0]
    assert path.read_bytes() == x.numpy().tobytes()


def test_a_file_stays_as_it_is_unless_it_is_shared(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(gb.arange(4).numpy().tobytes())

    x = gb.from_file(path, size=3, dtype=gb.int64)
    x += 10

    assert x.tolist() == [10, 11, 12]
    assert gb.from_file(path, False, 4, dtype=gb.int64).tolist() == [0, 1, 2, 3]


def test_a_shared_file_grows_and_another_is_refused_where_it_is_too_short(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(b"\1\2")

    with pytest.raises(gb.ShapeError, match="of 2 bytes; 16 for 4 elements are needed"):
        gb.from_file(path, size=4)
    with pytest.raises(gb.DeviceError, match="the CPU is needed"):
        gb.from_file(path, size=1, device="meta")

    assert gb.from_file(path, True, 4, dtype=gb.uint8).tolist() == [1, 2, 0, 0]
    assert gb.from_file(path, size=0).shape == (0,)
    assert path.stat().st_size == 4
