"""How much is pruned: an integer counts, a float is a share. Methods of one's own ask here, too."""

from __future__ import annotations

from typing import Any

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import Tensor, norm
from garboard.nn.utils._pruning import channel_dim

__all__ = ["checked_amount", "pruned_count", "slice_norms"]


def checked_amount(amount: Any) -> int | float:
    """Return `amount`; raise TypeError for no number, and ValueError unless it is one of either."""
    value: int | float = check.rate("prune", "amount", amount)
    if not hasattr(value, "__index__"):
        return float(check.share("prune", "amount", value))
    return check.integer("prune", "amount", value)


def pruned_count(amount: int | float, size: int) -> int:
    """Return how many of `size` are pruned; raise ValueError where there are fewer."""
    _validate_pruning_amount(amount, size)
    return _compute_nparams_toprune(amount, size)


def slice_norms(t: Tensor, n: float | str, dim: int) -> Tensor:
    """Return the norm of each slice of `t` along `dim`."""
    return norm(t, p=n, dim=[at for at in range(t.ndim) if at != dim])


# By PyTorch's names, which methods of others import.


def _validate_pruning_amount_init(amount: int | float) -> None:
    checked_amount(amount)


def _validate_pruning_amount(amount: int | float, tensor_size: int) -> None:
    if not isinstance(amount, float) and amount > tensor_size:
        raise ValueError(
            f"prune: amount {shown(amount)} of {shown(tensor_size)} that are there; give fewer"
        )


def _compute_nparams_toprune(amount: int | float, tensor_size: int) -> int:
    return round(amount * tensor_size) if isinstance(amount, float) else amount


def _validate_structured_pruning(t: Tensor) -> None:
    channel_dim("prune", t, 0)


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    channel_dim("prune", t, dim)


def _compute_norm(t: Tensor, n: float | str, dim: int) -> Tensor:
    return slice_norms(t, n, channel_dim("prune", t, dim))
