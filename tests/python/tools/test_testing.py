"""Comparisons for tests, and names of PyTorch's that are taken without effect."""

from __future__ import annotations

import math

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (lambda: (gb.tensor([1.0, 2.0]), gb.tensor([1.0, 2.000001])), {}),
        (lambda: (gb.tensor([math.inf, 1.0]), gb.tensor([math.inf, 1.0])), {}),
        (lambda: (gb.tensor([math.nan]), gb.tensor([math.nan])), {"equal_nan": True}),
        (lambda: ({"a": [gb.ones(1)], "b": 3}, {"a": (gb.ones(1),), "b": 3.0}), {}),
        (lambda: (np.ones(2), np.ones(2)), {}),
        (lambda: (gb.ones(1), gb.ones(1, dtype=gb.float64)), {"check_dtype": False}),
        (lambda: (gb.ones(2, requires_grad=True), gb.ones(2)), {}),
        (lambda: (None, None), {}),
        (lambda: (gb.eye(2).to_sparse(), gb.eye(2).to_sparse()), {}),
    ],
)
def test_what_is_close_passes(make, options):
    with gb.leaks.no_leaks():
        gb.testing.assert_close(*make(), **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: (gb.ones(2, 2), gb.eye(2)), r"2 of 4 elements differ, by up to 1.0 at \(0, 1\)"),
        (lambda: (gb.ones(2), gb.ones(3)), r"attribute 'shape' do not match: \[2\] != \[3\]\."),
        (
            lambda: (gb.ones(1), gb.ones(1).double()),
            "attribute 'dtype' do not match: garboard.float32 != ",
        ),
        (
            lambda: ([gb.ones(1), 2], [gb.ones(1), 3]),
            r"Scalars are not close!\n\nNumbers differ at \[1\]: 2.0 and 3.0",
        ),
        (lambda: ({"a": 1}, {"b": 1}), "keys of the mappings do not match"),
        (lambda: (gb.ones(1), None), "^None mismatch"),
        (lambda: ([1, None], [1, 2]), r"^None mismatch at \[1\]"),
        (lambda: (gb.tensor([2**53]), gb.tensor([2**53 + 1])), "1 of 1 elements differ"),
        (lambda: (gb.eye(2).to_sparse(), gb.ones(2, 2).to_sparse()), "2 of 4 elements differ"),
        (lambda: ([1], [1, 2]), "length of the sequences mismatch: 1 != 2"),
        (lambda: (gb.tensor([math.nan]), gb.tensor([math.nan])), "1 of 1 elements differ"),
        (
            lambda: (gb.tensor([1]), gb.tensor([2])),
            "^Tensor-likes are not close!\n\n1 of 1 elements differ, by up to 1.0",
        ),
    ],
)
def test_what_differs_is_told(make, message):
    with pytest.raises(AssertionError, match=message):
        gb.testing.assert_close(*make())


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(TypeError, match="assert_close: of type object"):
        gb.testing.assert_close(object(), object())
    with pytest.raises(ValueError, match="rtol without atol"):
        gb.testing.assert_close(1, 1, rtol=0.1)
    with pytest.raises(AssertionError, match=r"^mine: The values for attribute 'shape'"):
        gb.testing.assert_close(gb.ones(1), gb.ones(2), msg=lambda told: f"mine: {told}")
    with pytest.raises(AssertionError, match="L2 Norm of"):
        gb.testing.assert_close(gb.ones(1), gb.zeros(1), msg=("L2 Norm of", 3))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: (gb.ones(2), np.ones(2, np.float32)),
            "Tensor and ndarray; two tensors are",
        ),
        (lambda: (np.ones(2, np.float32), gb.ones(2)), "ndarray and Tensor; two tensors"),
        (lambda: ([gb.tensor(1.0)], [1.0]), r"Tensor and float at \[0\]; two tensors"),
        (lambda: ([1.0], gb.ones(1)), "list and Tensor; two tensors"),
    ],
)
def test_a_tensor_is_compared_with_tensors_alone(make, message):
    with pytest.raises(TypeError, match=f"assert_close: {message}"):
        gb.testing.assert_close(*make())


def test_subclasses_are_compared_with_their_base_unless_that_is_refused():
    x, weight = gb.ones(2), gb.nn.Parameter(gb.ones(2))

    gb.testing.assert_close(weight, x)
    gb.testing.assert_close(weight, weight, allow_subclasses=False)

    with pytest.raises(TypeError, match="Parameter and Tensor; tensors of one class are needed"):
        gb.testing.assert_close(weight, x, allow_subclasses=False)


def test_switches_are_taken():
    gb.backends.cudnn.benchmark = True
    gb.backends.cudnn.deterministic = True
    gb.backends.cuda.matmul.allow_tf32 = False

    assert not gb.backends.mps.is_available()


def test_libraries_and_caches_of_cuda_are_told_without_effect():
    cuda = gb.backends.cuda

    assert cuda.preferred_linalg_library() == cuda.preferred_blas_library() == "default"
    assert cuda.preferred_linalg_library("magma") == "magma"
    assert cuda.preferred_linalg_library("default") == "default"
    with pytest.raises(ValueError, match="backend 'lapack'; 'default', 'cusolver' or 'magma'"):
        cuda.preferred_linalg_library("lapack")

    cuda.cufft_plan_cache[1].max_size = 10
    cuda.cufft_plan_cache.clear()

    assert cuda.cufft_plan_cache.size == cuda.cufft_plan_cache["cuda:1"].size == 0
    assert cuda.cufft_plan_cache[gb.device("cuda:1")].max_size == 10
    assert cuda.cufft_plan_cache.max_size == 4096


def test_compile_takes_pytorchs_options():
    model = gb.nn.ReLU()

    assert gb.compile(model, mode="max-autotune") is model

    @gb.compile(fullgraph=True)
    def double(x):
        return x * 2

    assert double(2) == 4
    with pytest.raises(TypeError, match="compile: model is of type int"):
        gb.compile(3)


class TestTheOlderForm:
    def test_allows_more_and_warns(self):
        with pytest.warns(FutureWarning, match="assert_close"):
            gb.testing.assert_allclose(gb.tensor([1.0, float("nan")]), [1 + 5e-5, float("nan")])
        with pytest.warns(FutureWarning):
            gb.testing.assert_allclose(gb.ones(1), gb.ones(1, dtype=gb.float64) + 5e-5)

    def test_says_what_differs_and_takes_tolerances(self):
        with pytest.warns(FutureWarning), pytest.raises(AssertionError, match="1 of 1 elements"):
            gb.testing.assert_allclose([1.0], [1.001])
        with pytest.warns(FutureWarning):
            gb.testing.assert_allclose([1.0], [1.001], rtol=1e-2, atol=0)
        with pytest.warns(FutureWarning), pytest.raises(AssertionError, match=r"^apart$"):
            gb.testing.assert_allclose([1.0], [2.0], msg="apart")
