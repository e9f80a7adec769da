"""PyTorch's switches of the process: heard, told again, and without effect."""

from __future__ import annotations

from collections.abc import Iterator

import garboard as gb
import pytest


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gb.set_deterministic_debug_mode(0)
    gb.set_float32_matmul_precision("highest")


def test_determinism_is_asked_for_in_two_ways():
    gb.use_deterministic_algorithms(True, warn_only=True)
    assert gb.are_deterministic_algorithms_enabled()
    assert gb.get_deterministic_debug_mode() == 1

    gb.set_deterministic_debug_mode("error")
    assert gb.get_deterministic_debug_mode() == 2

    gb.use_deterministic_algorithms(False)
    assert not gb.are_deterministic_algorithms_enabled()


def test_whether_there_are_only_warnings_is_known_without_determinism_too():
    for asked in (True, False):
        gb.use_deterministic_algorithms(False, warn_only=asked)
        assert gb.is_deterministic_algorithms_warn_only_enabled() is asked
        assert gb.get_deterministic_debug_mode() == 0

    gb.set_deterministic_debug_mode("warn")
    assert gb.is_deterministic_algorithms_warn_only_enabled()
    gb.set_deterministic_debug_mode("error")
    assert not gb.is_deterministic_algorithms_warn_only_enabled()


def test_products_are_the_same_whatever_precision_is_asked_for():
    a = gb.randn(65, 65)
    expected = a @ a

    for precision in ("high", "medium"):
        gb.set_float32_matmul_precision(precision)
        assert gb.get_float32_matmul_precision() == precision
        assert gb.equal(a @ a, expected)


def test_subnormal_numbers_stay_numbers():
    assert gb.set_flush_denormal(True) is False
    assert (gb.tensor(1e-40) * 1).item() > 0


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: gb.use_deterministic_algorithms("yes"), TypeError, "mode"),
        (lambda: gb.set_deterministic_debug_mode(3), ValueError, "0, 1 or 2"),
        (lambda: gb.set_deterministic_debug_mode("loud"), ValueError, "debug_mode"),
        (lambda: gb.set_float32_matmul_precision("low"), ValueError, "precision"),
        (lambda: gb.set_num_interop_threads(0), ValueError, "num"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
