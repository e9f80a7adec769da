"""Whether a CUDA device may compute float32 in TF32: PyTorch's switches, and what they change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.support.cuda_agreement import agree, on_cuda, planes
from tests.support.live_memory import balanced  # noqa: F401

products, convolutions = gb.backends.cuda.matmul, gb.backends.cudnn


def places() -> dict[str, Any]:
    """What has an `fp32_precision` of its own, by its name in `gb.backends`."""
    backends = gb.backends
    return {
        "all": backends,
        "cudnn": backends.cudnn,
        "cudnn.conv": backends.cudnn.conv,
        "cudnn.rnn": backends.cudnn.rnn,
        "cuda.matmul": backends.cuda.matmul,
        "mkldnn": backends.mkldnn,
        "mkldnn.matmul": backends.mkldnn.matmul,
        "mkldnn.conv": backends.mkldnn.conv,
        "mkldnn.rnn": backends.mkldnn.rnn,
    }


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    for place in places().values():
        place.fp32_precision = "none"
    gb.set_float32_matmul_precision("highest")
    convolutions.allow_tf32 = False
    convolutions.enabled = convolutions.deterministic = True


def test_float32_is_computed_in_float32_at_first():
    assert products.allow_tf32 is False
    assert convolutions.allow_tf32 is False


@pytest.mark.parametrize("precision", ["high", "medium"])
def test_the_precision_of_products_and_their_switch_are_one(precision):
    gb.set_float32_matmul_precision(precision)
    assert products.allow_tf32 is True

    products.allow_tf32 = False
    assert gb.get_float32_matmul_precision() == "highest"

    products.allow_tf32 = True
    assert gb.get_float32_matmul_precision() == "high"


def test_a_precision_holds_for_every_place_below_that_tells_none():
    for place in places().values():
        place.fp32_precision = "none"

    gb.backends.fp32_precision = "tf32"
    assert {place.fp32_precision for place in places().values()} == {"tf32"}
    assert (products.allow_tf32, convolutions.allow_tf32) == (True, True)

    gb.backends.cudnn.fp32_precision = "ieee"
    below = {name for name, place in places().items() if place.fp32_precision == "ieee"}
    assert below == {"cudnn", "cudnn.conv", "cudnn.rnn", "cuda.matmul"}
    assert (products.allow_tf32, convolutions.allow_tf32) == (False, False)

    gb.backends.cudnn.conv.fp32_precision = "tf32"
    assert gb.backends.cudnn.rnn.fp32_precision == "ieee"
    assert (products.allow_tf32, convolutions.allow_tf32) == (False, True)


def test_older_switches_tell_the_precision_of_their_places():
    gb.set_float32_matmul_precision("medium")
    convolutions.allow_tf32 = True

    assert products.fp32_precision == convolutions.conv.fp32_precision == "tf32"
    assert gb.backends.mkldnn.matmul.fp32_precision == "bf16"
    products.fp32_precision = "ieee"
    assert gb.get_float32_matmul_precision() == "highest"


def test_a_precision_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="fp32_precision: precision 'bogus'"):
        gb.backends.fp32_precision = "bogus"
    with pytest.raises(ValueError, match="bf16"):
        gb.backends.cudnn.fp32_precision = "bf16"
    with pytest.raises(ValueError, match="precision 3"):
        gb.backends.fp32_precision = 3  # type: ignore[assignment]


def test_the_switch_of_convolutions_is_an_attribute_of_its_module():
    convolutions.allow_tf32 = True
    assert convolutions.allow_tf32 is True

    with convolutions.flags():
        assert convolutions.allow_tf32 is False
    assert convolutions.allow_tf32 is True


def test_the_switch_comes_back_after_an_error():
    with pytest.raises(KeyError), convolutions.flags(allow_tf32=True):
        raise KeyError

    assert convolutions.allow_tf32 is False


def test_the_order_of_sums_can_be_left_open():
    assert convolutions.deterministic

    convolutions.deterministic = False
    assert not convolutions.deterministic
    assert convolutions.enabled
    with convolutions.flags():
        assert convolutions.deterministic
    assert not convolutions.deterministic


def test_cudnn_can_be_left_out():
    assert convolutions.enabled

    with convolutions.flags(enabled=False):
        assert not convolutions.enabled
    assert convolutions.enabled

    convolutions.enabled = False
    convolutions.allow_tf32 = True
    assert not convolutions.enabled


@pytest.mark.parametrize("wrong", [2, "yes", None])
def test_what_is_no_bool_is_refused_and_changes_nothing(wrong):
    with pytest.raises(TypeError, match="allow_tf32"):
        products.allow_tf32 = wrong
    with pytest.raises(TypeError, match="allow_tf32"):
        convolutions.allow_tf32 = wrong
    with pytest.raises(TypeError, match="enabled"):
        convolutions.enabled = wrong
    with pytest.raises(TypeError, match="deterministic"):
        convolutions.deterministic = wrong
    with pytest.raises(TypeError, match="allow_tf32"), convolutions.flags(allow_tf32=wrong):
        pass
    with pytest.raises(TypeError, match="enabled"), convolutions.flags(enabled=wrong):
        pass

    assert not products.allow_tf32
    assert not convolutions.allow_tf32


def test_cudnn_is_not_available_without_a_device():
    if not gb.cuda.is_available():
        assert convolutions.version() is None
    assert convolutions.is_available() == (convolutions.version() is not None)


@on_cuda
def test_results_in_tf32_are_those_of_rounded_factors():
    x, y = (gb.tensor(np.random.default_rng(n).normal(size=(64, 64))).float() for n in (1, 2))
    exact = (x @ y).numpy()

    products.allow_tf32 = True
    rounded = (x.cuda() @ y.cuda()).cpu().numpy()
    products.allow_tf32 = False

    np.testing.assert_allclose(rounded, exact, rtol=0, atol=0.05)
    np.testing.assert_allclose((x.cuda() @ y.cuda()).cpu().numpy(), exact, rtol=0, atol=1e-4)


@on_cuda
def test_convolutions_in_tf32_are_those_of_rounded_factors():
    x = gb.tensor(np.random.default_rng(1).normal(size=(2, 8, 12, 12))).float()
    weight = gb.tensor(np.random.default_rng(2).normal(size=(8, 8, 3, 3))).float()
    exact = gb.nn.functional.conv2d(x, weight).numpy()

    with convolutions.flags(allow_tf32=True):
        rounded = gb.nn.functional.conv2d(x.cuda(), weight.cuda()).cpu().numpy()
    again = gb.nn.functional.conv2d(x.cuda(), weight.cuda()).cpu().numpy()

    np.testing.assert_allclose(rounded, exact, rtol=0, atol=0.05)
    np.testing.assert_allclose(again, exact, rtol=0, atol=1e-4)


@on_cuda
@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16, gb.float32, gb.float64], ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions_without_cudnn_are_those_of_the_cpu(dtype, groups):
    def conv(x, weight, bias):
        return gb.nn.functional.conv2d(x, weight, bias, stride=2, padding=1, groups=groups)

    given = planes(dtype, 3, 8, 11, 9), planes(dtype, 6, 8 // groups, 3, 3), planes(dtype, 6)
    with convolutions.flags(enabled=False):
        agree(conv, *given, loss_of_digits=4)


@on_cuda
def test_convolutions_whose_sums_have_no_order_are_those_of_the_cpu():
    given = planes(gb.float32, 3, 8, 11, 9), planes(gb.float32, 6, 8, 3, 3)

    with convolutions.flags(deterministic=False):
        agree(gb.nn.functional.conv2d, *given, loss_of_digits=4)
