"""Resilient backpropagation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from garboard._arguments.texts import shown
from garboard._engine import Tensor, full_like, ones_like, where, zeros_like
from garboard.optim._formula import FormulaOptimizer, check_rate, in_parts

__all__ = ["Rprop"]

_Group = dict[str, Any]


class Rprop(FormulaOptimizer):
    """Step by the sign of the gradient; each element has a step size of its own.

    Where the sign is that of the last step the size grows by etas[1], where it has turned it
    shrinks by etas[0] and the element waits (Riedmiller and Braun, "A direct adaptive method for
    faster backpropagation learning", 1993).

    Keeps two tensors a parameter.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        etas: By what sizes shrink and grow: 0 < etas[0] < 1 < etas[1].
        step_sizes: The least size and the greatest.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster.
        capturable: Say that steps may be captured, which they may either way.
        differentiable: Refused unless False.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.Rprop([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.5
    """

    _rates = ("lr",)
    _tensor_names = (
        "prev",
        "step_size",
    )
    _is_capturable = True

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, options)

    def _check_options(self, group: _Group) -> None:
        super()._check_options(group)
        for name, given in (("etas", group["etas"]), ("step_sizes", group["step_sizes"])):
            if not isinstance(given, (tuple, list)) or len(given) != 2:
                raise ValueError(f"Rprop: {name} {shown(given)}; two numbers are needed")
            for place, value in enumerate(given):
                check_rate("Rprop", f"{name}[{place}]", value)
        if not 0 < group["etas"][0] < 1 < group["etas"][1]:
            raise ValueError("Rprop: etas out of order; 0 < etas[0] < 1 < etas[1] is needed")

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: _Group) -> None:
        state["prev"] = zeros_like(parameter)
        state["step_size"] = full_like(parameter, in_parts(parameter, group["lr"]))

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        shrink, grow = group["etas"]
        before, size = state["prev"], state["step_size"]
        agreed = (before * gradient).sign_()
        factor = ones_like(size).masked_fill_(agreed > 0, grow).masked_fill_(agreed < 0, shrink)
        size.mul_(factor).clamp_(*group["step_sizes"])
        moved = where(agreed < 0, 0.0, gradient).to(size.dtype)
        parameter.sub_(moved.sign() * size)
        before.copy_(moved)
