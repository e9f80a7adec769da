"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import SgdState, Tensor
from garboard.optim._formula import check_rate, refuse_modes
from garboard.optim._functions import sgd
from garboard.optim._native import NativeOptimizer

__all__ = ["SGD", "sgd"]


class SGD(NativeOptimizer):
    """Descend along the gradient, with momentum where asked.

    g = grad + weight_decay * p; v = momentum * v + (1 - dampening) * g, or g the first time;
    p = p - lr * (g + momentum * v with nesterov, v with momentum, g without).

    Keeps one tensor a parameter where there is momentum, none without.

    Args:
        params: Tensors; or dicts with the key "params" and options that differ for them.
        lr: How far a step goes.
        momentum: How much of the last velocity stays.
        dampening: How much of the gradient the velocity does not take in.
        weight_decay: How much of the parameter is added to its gradient.
        nesterov: Look ahead; needs momentum, and no dampening.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster. So is `fused`.
        differentiable: Refused unless False.
        fused: Ignored.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.SGD([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x.item()
    0.0
    """

    _tensor_lists: ClassVar[dict[str, str]] = {"momentum_buffer": "velocities"}
    _new_state = SgdState

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        options = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, options)

    def _check_options(self, group: dict[str, Any]) -> None:
        refuse_modes("SGD", group)
        for name in ("lr", "momentum", "weight_decay"):
            check_rate("SGD", name, group[name])
        momentum, dampening = (
            check.worth("SGD", name, group[name]) for name in ("momentum", "dampening")
        )
        check.flag("SGD", "maximize", group["maximize"])
        is_nesterov = check.flag("SGD", "nesterov", group["nesterov"])
        if is_nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"SGD: nesterov with momentum {shown(momentum)} and dampening {shown(dampening)}; "
                "a positive momentum and no dampening are needed"
            )

    def _update(self, state: SgdState, group: dict[str, Any]) -> None:
        state.step(
            group["params"],
            lr=group["lr"],
            momentum=group["momentum"],
            dampening=group["dampening"],
            weight_decay=group["weight_decay"],
            nesterov=group["nesterov"],
            maximize=group["maximize"],
        )
