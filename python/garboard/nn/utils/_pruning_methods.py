"""Ways to prune: the smallest, any, whole slices, or what a mask says."""

from __future__ import annotations

from typing import Any, ClassVar

from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DisposeScope, Tensor, ones, rand
from garboard.nn.utils._pruning import BasePruningMethod, channel_dim, check_mask
from garboard.nn.utils._pruning_amounts import checked_amount, pruned_count, slice_norms

__all__ = [
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "RandomStructured",
    "RandomUnstructured",
]


def _without(mask: Tensor, scores: Tensor, amount: int | float) -> Tensor:
    """Return `mask` with zeros where the smallest `scores` are, elementwise."""
    pruned = pruned_count(amount, mask.numel())
    flat = mask.clone().reshape(-1)
    if pruned:
        flat[scores.reshape(-1).topk(pruned, largest=False).indices] = 0
    return flat.reshape(mask.shape)


def _without_slices(mask: Tensor, scores: Tensor, amount: int | float, dim: int) -> Tensor:
    """Return `mask` with zeros in the slices along `dim` with the smallest `scores`."""
    size = mask.shape[dim]
    pruned = pruned_count(amount, size)
    kept = ones(size, dtype=mask.dtype, device=mask.device)
    if pruned:
        kept[scores.topk(pruned, largest=False).indices] = 0
    return mask * kept.reshape([size if at == dim else 1 for at in range(mask.ndim)])


class Identity(BasePruningMethod):
    """Prune nothing: masks of ones.

    >>> gb.nn.utils.prune.Identity().prune(gb.tensor([3.0, -1.0]))
    tensor([ 3., -1.])
    """

    PRUNING_TYPE: ClassVar[str] = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        check_mask(t, default_mask)
        return default_mask


class RandomUnstructured(BasePruningMethod):
    """Prune elements that are drawn at random.

    Args:
        amount: How many: an integer, or a float that is their share.

    Raises:
        TypeError: `amount` is no number.
        ValueError: It is negative, or a share above 1.

    >>> pruned = gb.nn.utils.prune.RandomUnstructured(0.25).prune(gb.ones(2, 4))
    >>> pruned.sum()
    tensor(6.)
    """

    PRUNING_TYPE: ClassVar[str] = "unstructured"

    def __init__(self, amount: int | float) -> None:
        self.amount: int | float = checked_amount(amount)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        check_mask(t, default_mask)
        with no_grad(), DisposeScope("prune") as scope:
            scores = rand(t.shape, device=t.device)
            return scope.move_to_outer(_without(default_mask, scores, self.amount))


class L1Unstructured(BasePruningMethod):
    """Prune the elements that are nearest to zero.

    Args:
        amount: How many: an integer, or a float that is their share.

    Raises:
        TypeError: `amount` is no number.
        ValueError: It is negative, or a share above 1.

    >>> gb.nn.utils.prune.L1Unstructured(0.5).prune(gb.tensor([1.0, -4.0, 3.0, -2.0]))
    tensor([ 0., -4.,  3., -0.])
    """

    PRUNING_TYPE: ClassVar[str] = "unstructured"

    def __init__(self, amount: int | float) -> None:
        self.amount: int | float = checked_amount(amount)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        check_mask(t, default_mask)
        with no_grad(), DisposeScope("prune") as scope:
            return scope.move_to_outer(_without(default_mask, t.abs(), self.amount))


class RandomStructured(BasePruningMethod):
    """Prune slices along a dim that are drawn at random.

    Args:
        amount: How many: an integer, or a float that is their share.
        dim: The dim that the slices are numbered by.

    Raises:
        TypeError: An argument is no number.
        ValueError: `amount` is negative, or a share above 1.

    >>> pruned = gb.nn.utils.prune.RandomStructured(1, dim=0).prune(gb.ones(3, 2))
    >>> sorted(pruned.sum(dim=1).tolist())
    [0.0, 2.0, 2.0]
    """

    PRUNING_TYPE: ClassVar[str] = "structured"

    def __init__(self, amount: int | float, dim: int = -1) -> None:
        self.amount: int | float = checked_amount(amount)
        self.dim: int = check.integer("prune", "dim", dim)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        check_mask(t, default_mask)
        dim = channel_dim("prune", t, self.dim)
        with no_grad(), DisposeScope("prune") as scope:
            scores = rand(t.shape[dim], device=t.device)
            return scope.move_to_outer(_without_slices(default_mask, scores, self.amount, dim))


class LnStructured(BasePruningMethod):
    """Prune the slices along a dim that have the smallest norms.

    Args:
        amount: How many: an integer, or a float that is their share.
        n: The norm's order, as `gb.norm` takes it.
        dim: The dim that the slices are numbered by.

    Raises:
        TypeError: An argument is no number.
        ValueError: `amount` is negative, or a share above 1.

    >>> rows = gb.tensor([[1.0, 1.0], [3.0, 0.0]])
    >>> gb.nn.utils.prune.LnStructured(1, n=2, dim=0).prune(rows)
    tensor([[0., 0.],
            [3., 0.]])
    """

    PRUNING_TYPE: ClassVar[str] = "structured"

    def __init__(self, amount: int | float, n: float | str, dim: int = -1) -> None:
        self.amount: int | float = checked_amount(amount)
        self.n: Any = n if isinstance(n, str) else check.real("prune", "n", n)
        self.dim: int = check.integer("prune", "dim", dim)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        check_mask(t, default_mask)
        dim = channel_dim("prune", t, self.dim)
        with no_grad(), DisposeScope("prune") as scope:
            scores = slice_norms(t, self.n, dim)
            return scope.move_to_outer(_without_slices(default_mask, scores, self.amount, dim))


class CustomFromMask(BasePruningMethod):
    """Prune what a mask says.

    Args:
        mask: 0 for what is pruned, 1 or True for what stays.

    Raises:
        TypeError: It is no Tensor.

    >>> mask = gb.tensor([True, False])
    >>> gb.nn.utils.prune.CustomFromMask(mask).prune(gb.tensor([3.0, -1.0]))
    tensor([3., -0.])
    """

    PRUNING_TYPE: ClassVar[str] = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask: Tensor = check.tensor("prune", "mask", mask)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        check_mask(t, default_mask)
        return default_mask * self.mask.to(default_mask.dtype)
