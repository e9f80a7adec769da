"""Adagrad and Adadelta: steps scaled by what gradients have been, element by element."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, full_like
from garboard.optim._formula import FormulaOptimizer, in_parts
from garboard.optim._state import scalar

__all__ = ["Adadelta", "Adagrad"]

_Group = dict[str, Any]


class Adadelta(FormulaOptimizer):
    """Scale steps by running means of the squares of gradients and of steps.

    s = rho * s + (1 - rho) * g^2; d = sqrt(a + eps) / sqrt(s + eps) * g;
    a = rho * a + (1 - rho) * d^2; p = p - lr * d, with g = grad + weight_decay * p (Zeiler,
    arXiv:1212.5701).

    Keeps two tensors a parameter.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        rho: How much of either mean stays, in [0, 1].
        eps: Keeps the divisor from zero.
        weight_decay: How much of the parameter is added to its gradient.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster.
        capturable: Say that steps may be captured, which they may either way.
        differentiable: Refused unless False.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.Adadelta([x], rho=0.5, eps=1.0)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    -0.1547
    """

    _rates = (
        "lr",
        "eps",
        "weight_decay",
    )
    _tensor_names = (
        "square_avg",
        "acc_delta",
    )
    _is_capturable = True

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, options)

    def _check_options(self, group: _Group) -> None:
        super()._check_options(group)
        check.share("Adadelta", "rho", group["rho"])

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        rho, eps = group["rho"], group["eps"]
        square, steps = state["square_avg"], state["acc_delta"]
        square.mul_(rho).add_(gradient * gradient, alpha=1 - rho)
        delta = (steps + eps).sqrt_().div_((square + eps).sqrt_()).mul_(gradient)
        steps.mul_(rho).add_(delta * delta, alpha=1 - rho)
        parameter.add_(delta, alpha=-group["lr"])


class Adagrad(FormulaOptimizer):
    """Scale steps by the root of the sum of all squares of the gradient.

    s = s + g^2; p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps), with g = grad +
    weight_decay * p (Duchi, Hazan and Singer, JMLR 12, 2011).

    Keeps a tensor a parameter, from the beginning, as PyTorch's does.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        lr_decay: How fast steps become shorter.
        weight_decay: How much of the parameter is added to its gradient.
        initial_accumulator_value: What s starts from.
        eps: Keeps the divisor from zero.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster. So is `fused`.
        differentiable: Refused unless False.
        fused: Ignored.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.Adagrad([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.5
    """

    _rates = (
        "lr",
        "lr_decay",
        "eps",
        "weight_decay",
        "initial_accumulator_value",
    )
    _tensor_names = ("sum",)

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        options = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, options)
        with no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    state = self.state[parameter]
                    state["step"] = scalar(0)
                    self._begin(parameter, state, group)

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: _Group) -> None:
        state["sum"] = full_like(parameter, in_parts(parameter, group["initial_accumulator_value"]))

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        rate = group["lr"] / (1 + (float(state["step"]) - 1) * group["lr_decay"])
        total = state["sum"].add_(gradient * gradient)
        parameter.add_(gradient / total.sqrt().add_(group["eps"]), alpha=-rate)
