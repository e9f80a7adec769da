"""Gradients of samples: those of the batch, as no sample's result depends on another sample."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.autograd._passes import backward as _backward
from garboard.func._batching.calls import SINGLY, Call, rule
from garboard.func._batching.tensor import batch

__all__: list[str] = []


def _listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, Tensor) else list(given)


@rule("autograd.grad")
def grad(
    call: Call, outputs: Any, inputs: Any, grad_outputs: Any = None, *args: Any, **named: Any
) -> Any:
    outputs, inputs = _listed(outputs), _listed(inputs)
    starts = [None] * len(outputs) if grad_outputs is None else _listed(grad_outputs)
    if len(starts) != len(outputs) or named.get("is_grads_batched"):
        return SINGLY
    if not all(map(call.is_batched, inputs)):
        return SINGLY  # a sample's output may lead to what all have alike
    if any(
        call.is_batched(s) and not call.is_batched(o) for o, s in zip(outputs, starts, strict=True)
    ):
        return SINGLY
    firsts = []
    for output, start in zip(outputs, starts, strict=True):
        if not call.is_batched(output):
            firsts.append(start)
        elif start is not None:
            firsts.append(call.full(start))
        elif output.numel() != 1:
            return SINGLY
        else:
            firsts.append(_engine.ones_like(output._value))
    values = [it._value if call.is_batched(it) else it for it in outputs]
    return call.function(values, [it._value for it in inputs], firsts, *args, **named)


@rule("register_hook")
def register_hook(call: Call, x: Any, hook: Any) -> Any:
    def of_samples(gradient: Tensor) -> Any:
        made = hook(batch(gradient, call.level))
        return call.full(made) if isinstance(made, Tensor) else made

    return x._value.register_hook(of_samples)


@rule("backward autograd.backward")
def backward(call: Call, tensors: Any, grad_tensors: Any = None, *args: Any, **named: Any) -> Any:
    grad_tensors = named.pop("gradient", grad_tensors)
    outputs = _listed(tensors)
    starts = [None] * len(outputs) if grad_tensors is None else _listed(grad_tensors)
    pairs = list(zip(outputs, starts, strict=True))
    if any(not call.is_batched(it) or (it.numel() != 1 and s is None) for it, s in pairs):
        return SINGLY
    firsts = [_engine.ones_like(it._value) if s is None else call.full(s) for it, s in pairs]
    _backward([it._value for it in outputs], firsts, *args, **named)
    return None
