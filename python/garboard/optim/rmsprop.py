"""RMSprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from garboard._engine import Tensor, zeros_like
from garboard.optim._formula import FormulaOptimizer

__all__ = ["RMSprop"]

_Group = dict[str, Any]


class RMSprop(FormulaOptimizer):
    """Scale steps by a running mean of the gradient's square.

    s = alpha * s + (1 - alpha) * g^2; p = p - lr * g / (sqrt(s) + eps), with g = grad +
    weight_decay * p; with momentum, v = momentum * v + g / (sqrt(s) + eps), p = p - lr * v.
    `centered` takes the square of a running mean of g off s (Tieleman and Hinton, "Lecture 6.5",
    2012; Graves, arXiv:1308.0850).

    Keeps a tensor a parameter, one more with momentum, and one more where it is centered.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        alpha: How much of the mean of squares stays.
        eps: Keeps the divisor from zero.
        weight_decay: How much of the parameter is added to its gradient.
        momentum: How much of the last velocity stays.
        centered: Scale by the deviation instead.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster.
        capturable: Say that steps may be captured, which they may either way.
        differentiable: Refused unless False.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.RMSprop([x], lr=0.5, alpha=0.0)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.5
    """

    _rates = (
        "lr",
        "eps",
        "weight_decay",
        "momentum",
        "alpha",
    )
    _tensor_names = (
        "square_avg",
        "momentum_buffer",
        "grad_avg",
    )
    _is_capturable = True

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, options)

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: _Group) -> None:
        state["square_avg"] = zeros_like(parameter)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(parameter)
        if group["centered"]:
            state["grad_avg"] = zeros_like(parameter)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        alpha = group["alpha"]
        square = state["square_avg"]
        square.mul_(alpha).add_(gradient * gradient, alpha=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(gradient, 1 - alpha)
            scale = (square - mean * mean).sqrt_()
        else:
            scale = square.sqrt()
        towards = gradient / scale.add_(group["eps"])
        if group["momentum"] > 0:
            towards = state["momentum_buffer"].mul_(group["momentum"]).add_(towards)
        parameter.add_(towards, alpha=-group["lr"])
