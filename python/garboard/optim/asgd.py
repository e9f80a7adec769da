"""Averaged stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.optim._formula import FormulaOptimizer, check_rate
from garboard.optim._state import scalar

__all__ = ["ASGD"]

_Group = dict[str, Any]


class ASGD(FormulaOptimizer):
    """Descend in steps that become shorter, and keep the average of where that led.

    p = p * (1 - lambd * eta) - eta * g; eta = lr / (1 + lambd * lr * t)^alpha; from step `t0` on
    `state[p]["ax"]` is the mean of p (Polyak and Juditsky, "Acceleration of stochastic
    approximation by averaging", 1992).

    Keeps a tensor a parameter.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        lambd: How fast the parameter and the steps shrink.
        alpha: The power with which steps become shorter.
        t0: When to begin with the average.
        weight_decay: How much of the parameter is added to its gradient.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster.
        capturable: Refused unless False.
        differentiable: Refused unless False.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `capturable` or `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.ASGD([x], lr=0.25, lambd=0.0)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.5
    """

    _rates = (
        "lr",
        "weight_decay",
    )
    _tensor_names = ("ax",)
    _number_names = (
        "step",
        "eta",
        "mu",
    )

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, options)

    def _check_options(self, group: _Group) -> None:
        super()._check_options(group)
        for name in ("lambd", "alpha"):
            check_rate("ASGD", name, group[name])
        check.real("ASGD", "t0", group["t0"])

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: _Group) -> None:
        state["eta"], state["mu"] = scalar(group["lr"]), scalar(1)
        super()._begin(parameter, state, group)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        lr, decay = group["lr"], group["lambd"]
        step, eta, share = (float(state[name]) for name in self._number_names)
        parameter.mul_(1 - decay * eta).add_(gradient, alpha=-eta)
        mean = state["ax"]
        if share == 1:
            mean.copy_(parameter)
        else:
            mean.add_(parameter - mean, alpha=share)
        state["eta"].fill_(lr / (1 + decay * lr * step) ** group["alpha"])
        state["mu"].fill_(1 / max(1, step - group["t0"]))
