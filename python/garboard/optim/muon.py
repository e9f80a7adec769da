"""Muon."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, ShapeError, Tensor, addmm, bfloat16
from garboard.optim._formula import FormulaOptimizer, check_rate

__all__ = ["Muon"]

_Group = dict[str, Any]
_MOST_ROUNDS = 100
_RATES = ("original", "match_rms_adamw", "spectral_unclamped")


def _orthogonal(
    update: Tensor, coefficients: tuple[float, float, float], rounds: int, eps: float
) -> Tensor:
    """The matrix with all singular values near 1 that `update` is nearest to, in bfloat16."""
    a, b, c = coefficients
    is_tall = update.shape[0] > update.shape[1]
    x = update.to(bfloat16)
    x = x.t() if is_tall else x
    x = x / x.norm().clamp_(min=eps)
    for _ in range(rounds):
        gram = x @ x.t()
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.t() if is_tall else x


def _rate(group: _Group, rows: int, columns: int) -> float:
    lr: float = group["lr"]
    if group["adjust_lr_fn"] == "match_rms_adamw":
        return lr * 0.2 * sqrt(max(rows, columns))
    ratio = rows / max(columns, 1)
    return lr * sqrt(ratio if group["adjust_lr_fn"] == "spectral_unclamped" else max(1.0, ratio))


class Muon(FormulaOptimizer):
    """Descend by the momentum of matrices with its singular values made equal.

    m = m + (1 - momentum) (g - m); u = g + momentum (m - g) if nesterov else m;
    p = p - lr weight_decay p - rate O(u), where O is five rounds of
    x = a x + (b x x^T + c (x x^T)^2) x from u / |u| (a Newton-Schulz iteration, in bfloat16), and
    rate = lr sqrt(max(1, rows / columns)) (Jordan et al., "Muon: an optimizer for hidden layers in
    neural networks", 2024).

    It is for the weights of hidden layers; give what has other than two dims, embeddings and the
    last layer to another optimizer. Keeps a tensor a parameter.

    Args:
        params: Matrices, pairs of names and matrices, or dicts with the key "params" and options
            that differ for them.
        lr: How far a step goes.
        weight_decay: How much of the parameter a step takes off, times lr.
        momentum: How much of the mean stays.
        nesterov: Look ahead along the mean.
        ns_coefficients: a, b and c.
        eps: The least norm that is divided by.
        ns_steps: How many rounds, below 100.
        adjust_lr_fn: "original", or None, as above; "match_rms_adamw" for
            rate = 0.2 lr sqrt(max(rows, columns)) (Liu et al., "Muon is scalable for LLM training",
            2025); "spectral_unclamped" for rate = lr sqrt(rows / columns).

    Raises:
        ShapeError: A parameter is no matrix.
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.

    >>> x = gb.tensor([[1.0, 0.0], [0.0, 2.0]], requires_grad=True)
    >>> optimizer = gb.optim.Muon([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> bool((x.trace() < 3).item())
    True
    """

    _tensor_names = ("momentum_buffer",)
    _number_names = ()
    _decays_apart = True
    _counts_steps = False

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        options = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, options)

    def _check_parameter(self, parameter: Tensor) -> None:
        if parameter.dtype.is_complex:
            raise DTypeError(f"Muon: a parameter of dtype {parameter.dtype}; real ones are needed")
        if parameter.dim() != 2:
            raise ShapeError(
                f"Muon: a parameter of sizes {list(parameter.shape)}; matrices are needed, give "
                "others to optim.AdamW"
            )

    def _check_options(self, group: _Group) -> None:
        super()._check_options(group)
        check_rate("Muon", "momentum", group["momentum"])
        check.flag("Muon", "nesterov", group["nesterov"])
        coefficients = group["ns_coefficients"]
        if not isinstance(coefficients, (tuple, list)) or len(coefficients) != 3:
            raise ValueError(
                f"Muon: ns_coefficients {shown(coefficients)}; three numbers are needed"
            )
        for place, coefficient in enumerate(coefficients):
            check.worth("Muon", f"ns_coefficients[{place}]", coefficient)
        if check.count("Muon", "ns_steps", group["ns_steps"]) >= _MOST_ROUNDS:
            raise ValueError(
                f"Muon: ns_steps {shown(group['ns_steps'])}; fewer than {_MOST_ROUNDS} are needed"
            )
        if group["adjust_lr_fn"] is not None:
            check.choice("Muon", "adjust_lr_fn", group["adjust_lr_fn"], *_RATES)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        momentum = group["momentum"]
        mean = state["momentum_buffer"].lerp_(gradient, 1 - momentum)
        update = gradient.lerp(mean, momentum) if group["nesterov"] else mean
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
        parameter.add_(update.to(parameter.dtype), alpha=-_rate(group, *parameter.shape))
