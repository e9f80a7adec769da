"""Adam that steps only where there is a gradient, for the tables of embeddings."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from garboard._engine import Tensor
from garboard.optim._formula import FormulaOptimizer

__all__ = ["SparseAdam"]

_Group = dict[str, Any]


class SparseAdam(FormulaOptimizer):
    """Step as Adam does, in the rows that have a gradient; others and their state stay as they are.

    m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; p -= lr sqrt(1 - beta2^t) /
    (1 - beta1^t) * m / (sqrt(v) + eps), where t counts all steps (Kingma and Ba, "Adam",
    arXiv:1412.6980). Gradients are dense here, so a row whose gradient is all zeros counts as one
    without: what an embedding has not looked up.

    Keeps two tensors a parameter.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        betas: How much of the means of gradients and of their squares stays.
        eps: What is added to the root.
        maximize: Ascend instead of descending.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.

    >>> table = gb.nn.Embedding.from_pretrained(gb.ones(3, 2), freeze=False, sparse=True)
    >>> optimizer = gb.optim.SparseAdam(table.parameters(), lr=0.5)
    >>> table(gb.tensor([1])).sum().backward()
    >>> optimizer.step()
    >>> table.weight
    Parameter containing:
    tensor([[1.0000, 1.0000],
            [0.5000, 0.5000],
            [1.0000, 1.0000]], requires_grad=True)
    """

    _rates = ("lr", "eps")
    _tensor_names = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        tables = (parameter, gradient, *(state[name] for name in self._tensor_names))
        table, new, mean, square = (it if it.ndim else it.unsqueeze(0) for it in tables)
        is_met = new.ne(0) if new.ndim == 1 else new.ne(0).flatten(1).any(1)
        rows = is_met.nonzero().squeeze(1)
        new = new.index_select(0, rows)
        step, (beta1, beta2) = int(state["step"]), group["betas"]
        means = mean.index_select(0, rows).lerp_(new, 1 - beta1)
        squares = square.index_select(0, rows).mul_(beta2).addcmul_(new, new, value=1 - beta2)
        mean.index_copy_(0, rows, means)
        square.index_copy_(0, rows, squares)
        rate = group["lr"] * sqrt(1 - beta2**step) / (1 - beta1**step)
        table.index_add_(0, rows, means / squares.sqrt_().add_(group["eps"]), alpha=-rate)
