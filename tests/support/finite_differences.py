"""Gradients of ops against central finite differences, in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import garboard as gb
import numpy as np

STEP = 1e-6
TOLERANCE = 2e-7  # the error of a difference: STEP ** 2 cut off, 1e-16 / STEP rounded

Function = Callable[..., Any]


def outputs_of(function: Function, tensors: Sequence[gb.Tensor]) -> list[gb.Tensor]:
    """Return the floating outputs of one call."""
    result = function(*tensors)
    outputs = list(result) if isinstance(result, tuple) else [result]
    return [output for output in outputs if output.is_floating_point()]


def weights_of(outputs: Sequence[gb.Tensor], seed: int) -> list[gb.Tensor]:
    """Return weights that tell the elements of the outputs apart."""
    rng = np.random.default_rng(seed)
    return [gb.tensor(np.asarray(rng.uniform(0.5, 1.5, output.shape))) for output in outputs]


def weighted(function: Function, seed: int = 3) -> Function:
    """Return a function that gives one number, the weighted sum of all outputs."""

    def value(*tensors: gb.Tensor) -> gb.Tensor:
        outputs = outputs_of(function, tensors)
        weights = weights_of(outputs, seed)
        return sum((out * w).sum() for out, w in zip(outputs, weights, strict=True))

    return value


def leaves(arrays: Sequence[np.ndarray]) -> list[gb.Tensor]:
    """Return a tensor for each array; the floating ones ask for gradients."""
    return [gb.tensor(a).requires_grad_(a.dtype.kind == "f") for a in arrays]


def differences(function: Function, arrays: Sequence[np.ndarray], at: int) -> np.ndarray:
    """Return the slopes of `function`, which gives a float, along the elements of one array."""
    slopes = np.zeros(arrays[at].shape)
    for place in np.ndindex(arrays[at].shape):
        ends = []
        for step in (STEP, -STEP):
            moved = [a.copy() for a in arrays]
            moved[at][place] += step
            ends.append(function(moved))
        slopes[place] = (ends[0] - ends[1]) / (2 * STEP)
    return slopes


def gradients(function: Function, tensors: Sequence[gb.Tensor], **mode: bool) -> list[Any]:
    """Return the gradient of the one-element `function` for each floating input; else None."""
    asked = [tensor for tensor in tensors if tensor.requires_grad]
    found = iter(gb.autograd.grad(function(*tensors), asked, allow_unused=True, **mode))
    return [next(found) if tensor.requires_grad else None for tensor in tensors]


def check_first_order(function: Function, arrays: Sequence[np.ndarray]) -> None:
    """Compare each gradient of `function` at `arrays` with finite differences."""
    value = weighted(function)

    def at(moved: Sequence[np.ndarray]) -> float:
        with gb.no_grad():
            return value(*map(gb.tensor, moved)).item()

    for i, gradient in enumerate(gradients(value, leaves(arrays))):
        if arrays[i].dtype.kind == "f":
            check_close(gradient, differences(at, arrays, i), f"of input {i}")


def check_second_order(function: Function, arrays: Sequence[np.ndarray]) -> None:
    """Compare gradients of the gradients of `function` with differences of the gradients."""

    def slope(*tensors: gb.Tensor) -> gb.Tensor:
        first = gradients(weighted(function), tensors, create_graph=True)
        return sum(weighted(lambda g: g, seed=i)(g) for i, g in enumerate(first) if g is not None)

    def at(moved: Sequence[np.ndarray]) -> float:
        return slope(*leaves(moved)).item()

    inputs = leaves(arrays)
    total = slope(*inputs)
    if not total.requires_grad:  # the gradients are constants
        found: list[Any] = [None] * len(inputs)
    else:
        found = gradients(lambda *_: total, inputs)
    for i, gradient in enumerate(found):
        if arrays[i].dtype.kind == "f":
            check_close(gradient, differences(at, arrays, i), f"of the slope, of input {i}")


def check_close(gradient: gb.Tensor | None, expected: np.ndarray, whose: str) -> None:
    got = np.zeros(expected.shape) if gradient is None else gradient.detach().numpy()
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(
        got, expected, rtol=TOLERANCE, atol=TOLERANCE * scale, err_msg=f"gradient {whose}"
    )
