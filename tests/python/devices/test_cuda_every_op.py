"""The op table on CUDA devices, in every dtype: the CPU's values, gradients and errors."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.python.ops.op_row import Case, Row
from tests.python.ops.op_table import ROWS
from tests.support.cuda_agreement import on_cuda
from tests.support.live_memory import balanced  # noqa: F401

BITS = [gb.bool, gb.uint8, gb.int8, gb.int16, gb.int32, gb.int64]
REALS = [gb.float16, gb.bfloat16, gb.float32, gb.float64]
COMPLEX = [gb.complex64, gb.complex128]
LAID_BOTH_WAYS = [gb.uint8, gb.float32, gb.complex128]
HALVES = {gb.float16: 2e-2, gb.bfloat16: 5e-2}
DIGITS = {gb.float32: 2e-4, gb.complex64: 2e-4} | HALVES
FEW_CASES = 3


def inputs(row: Row, case: Case, dtype: gb.dtype) -> list[gb.Tensor]:
    tensors = []
    arrays = row.arrays(case, "float64", seed=5)
    for draw, array in zip(row.draws, arrays, strict=False):
        tensor = gb.tensor(array)
        if draw.dtype is None:
            if dtype.is_complex:
                tensor = tensor.double()
                tensor = gb.complex(tensor, tensor.flip(0) / 2 if tensor.dim() else tensor)
            tensor = tensor.to(dtype)
        tensors.append(tensor)
    return tensors


def with_gaps(tensor: gb.Tensor) -> gb.Tensor:
    """Return the same elements, every second one of their memory."""
    return gb.stack([tensor, tensor], -1)[..., 0]


def tensors_in(result: Any) -> list[Any]:
    if isinstance(result, list | tuple) and not isinstance(result, gb.Size):
        return [tensor for each in result for tensor in tensors_in(each)]
    return [result]


def loss_of(results: list[Any]) -> gb.Tensor | None:
    """Return a number that every result with a gradient takes part in."""
    losses = []
    for result in results:
        if isinstance(result, gb.Tensor) and result.requires_grad and result.numel():
            real = gb.view_as_real(result) if result.is_complex() else result
            places = gb.arange(real.numel(), dtype=gb.float64, device=real.device)
            losses.append((real.double() * places.cos().reshape(real.shape)).sum())
    return sum(losses) if losses else None


def outcome(
    row: Row, case: Case, given: list[gb.Tensor], with_slopes: bool
) -> list[Any] | type[Exception]:
    """Return what the op gives, with gradients where they are asked for, or the error's type."""
    leaves = given
    if with_slopes:
        leaves = [x.detach().requires_grad_() if is_real_or_complex(x) else x for x in given]
    try:
        results = tensors_in(row.call(*leaves, case=case))
        if with_slopes and (loss := loss_of(results)) is not None:
            loss.backward()
        results += [leaf.grad for leaf in leaves]
    except Exception as error:
        return type(error)
    return [x.detach().cpu() if isinstance(x, gb.Tensor) else x for x in results]


def is_real_or_complex(x: gb.Tensor) -> bool:
    return x.is_floating_point() or x.is_complex()


def assert_alike(there: Any, here: Any, dtype: gb.dtype) -> None:
    if not isinstance(here, gb.Tensor):
        assert there == here
        return
    assert (there.dtype, there.shape) == (here.dtype, here.shape)
    digits = max(DIGITS.get(here.dtype, 1e-9), HALVES.get(dtype, 0))
    wide = here.dtype if here.is_complex() else gb.float64
    one, other = there.to(wide).numpy(), here.to(wide).numpy()
    np.testing.assert_allclose(one, other, rtol=digits, atol=digits)


@on_cuda
@pytest.mark.parametrize("row", ROWS, ids=attrgetter("name"))
def test_every_op_is_that_of_the_cpu_in_every_dtype(row):
    for dtype in (*BITS, *REALS, *COMPLEX):
        slopes = row.gradient_order > 0 and dtype in (gb.float32, *COMPLEX)
        layouts = [gb.Tensor.clone, with_gaps] if dtype in LAID_BOTH_WAYS else [with_gaps]
        for case in row.cases[:FEW_CASES]:
            for laid in layouts:
                with gb.dispose_scope():
                    given = inputs(row, case, dtype)
                    here = outcome(row, case, [laid(x) for x in given], slopes)
                    there = outcome(row, case, [laid(x.cuda()) for x in given], slopes)
                    if isinstance(here, type):
                        assert there is here, (dtype, case)
                        continue
                    assert not isinstance(there, type), (dtype, case, there)
                    for one, other in zip(there, here, strict=True):
                        assert_alike(one, other, dtype)
