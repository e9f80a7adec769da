"""Adafactor."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, Tensor
from garboard._ops.dtypes import finfo
from garboard.optim._formula import FormulaOptimizer, check_rate

__all__ = ["Adafactor"]

_Group = dict[str, Any]


def _factor_sizes(parameter: Tensor) -> dict[str, tuple[int, ...]]:
    """What stands for the squares of a gradient: of a matrix a column and a row, else all."""
    sizes = tuple(parameter.shape)
    if len(sizes) < 2:
        return {"variance": sizes}
    return {"row_var": (*sizes[:-1], 1), "col_var": (*sizes[:-2], 1, sizes[-1])}


class Adafactor(FormulaOptimizer):
    """Descend by the gradient over its usual size, of which a matrix keeps rows and columns alone.

    With t the number of steps, b = t^beta2_decay, and means along the last dim (row) and the one
    before (column):

        row = row + b (mean of g^2 - row), column likewise; v = row column / mean of row
        u = g / max(sqrt(v), eps1); u = u / max(1, rms(u) / d)
        p = p - max(eps2, rms(p)) min(lr, 1 / sqrt(t)) u

    (Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost", 2018).
    Of a parameter of fewer than two dims v is a mean of its own for each element.

    Keeps a row and a column a matrix, and as much as the parameter of what has fewer dims.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes at most, in units of the parameter's size.
        beta2_decay: The power of the number of steps with which means forget more slowly.
        eps: The least v that is divided by, as its root, or None for the dtype's eps; and the least
            size of a parameter.
        d: The largest root mean square of an update.
        weight_decay: How much of the parameter a step takes off, times lr.
        foreach: Ignored: it only makes PyTorch faster.
        maximize: Ascend instead of descending.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.

    >>> x = gb.tensor([[1.0, 2.0]], requires_grad=True)
    >>> optimizer = gb.optim.Adafactor([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x < gb.tensor([[1.0, 2.0]])
    tensor([[True, True]])
    """

    _rates = ("lr", "weight_decay")
    _decays_apart = True

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def _check_options(self, group: _Group) -> None:
        super()._check_options(group)
        if check.worth("Adafactor", "beta2_decay", group["beta2_decay"]) > 0:
            raise ValueError(
                f"Adafactor: beta2_decay {shown(group['beta2_decay'])}; 0 or less is needed"
            )
        if check.worth("Adafactor", "d", group["d"]) < 1:
            raise ValueError(f"Adafactor: d {shown(group['d'])}; 1 or more is needed")
        eps = group["eps"]
        if not isinstance(eps, (tuple, list)) or len(eps) != 2:
            raise ValueError(
                f"Adafactor: eps {shown(eps)}; two numbers, or None and one, are needed"
            )
        if eps[0] is not None:
            check_rate("Adafactor", "eps[0]", eps[0])
        check_rate("Adafactor", "eps[1]", eps[1])

    def _check_parameter(self, parameter: Tensor) -> None:
        if parameter.dtype.is_complex:
            raise DTypeError(
                f"Adafactor: a parameter of dtype {parameter.dtype}; real ones are needed"
            )

    def _sizes_of_state(self, parameter: Tensor) -> dict[str, tuple[int, ...]]:
        return _factor_sizes(parameter)

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: _Group) -> None:
        for name, sizes in _factor_sizes(parameter).items():
            state[name] = parameter.new_zeros(sizes)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        step, count = float(state["step"]), max(parameter.numel(), 1)
        forgets = step ** group["beta2_decay"]
        eps, least_size = group["eps"]
        eps = finfo(parameter.dtype).eps if eps is None else eps
        size = max(least_size, parameter.norm(2).item() / sqrt(count))
        squares = gradient.square()
        if parameter.dim() < 2:
            variance = state["variance"].lerp_(squares, forgets)
        else:
            rows = state["row_var"].lerp_(squares.mean(-1, keepdim=True), forgets)
            columns = state["col_var"].lerp_(squares.mean(-2, keepdim=True), forgets)
            variance = (rows @ columns).div_(rows.mean(-2, keepdim=True).clamp_(min=eps))
        update = variance.clamp(min=eps * eps).rsqrt_().mul_(gradient)
        too_large = max(1.0, update.norm(2).item() / (sqrt(count) * group["d"]))
        rate = size * min(group["lr"], 1 / sqrt(step))
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
        parameter.add_(update, alpha=-rate / too_large)
