"""What programs take from the inside of PyTorch's transforms of functions.

The parts that `vmap` is made of there are refused: here it is made of others. Those that a program
puts in their place are called.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from garboard import func
from garboard._arguments import check
from garboard._engine import Tensor
from garboard._names.paths import publish
from garboard.func._hidden_batches import add_batch_dim, is_batchedtensor, remove_batch_dim
from garboard.func._replaced_parts import PARTS, refusing
from garboard.utils._pytree import TreeSpec, tree_flatten, tree_is_leaf, tree_unflatten

__all__ = ["apis", "eager_transforms", "vmap"]


def _get_name(func: Callable[..., Any]) -> str:
    """The name of a function, in messages."""
    return str(getattr(func, "__name__", type(func).__name__))


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: Any = None) -> Any:
    """The leaves of a nest with one for each of a form, where one may stand for many.

    Args:
        tree: The nest.
        treespec: The form.
        is_leaf: Tells of a part of the nest whether it is a leaf.

    Returns:
        A list; or None where the nest does not fit the form.

    >>> from garboard._functorch import _broadcast_to_and_flatten
    >>> from garboard.utils._pytree import tree_flatten
    >>> _broadcast_to_and_flatten((0, None), tree_flatten((1, [2, 3]))[1])
    [0, None, None]
    """
    op = "_broadcast_to_and_flatten"
    check.of_type(TreeSpec, op, "treespec", treespec)
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    parts, spec = tree_flatten(tree, lambda it: it is not tree)
    if spec.type is not treespec.type or len(parts) != treespec.num_children:
        return None
    found: list[Any] = []
    for part, below in zip(parts, treespec.children_specs, strict=True):
        leaves = _broadcast_to_and_flatten(part, below, is_leaf)
        if leaves is None:
            return None
        found += leaves
    return found


def _published(name: str, **members: object) -> ModuleType:
    made = ModuleType(name, __doc__)
    vars(made).update(members)
    publish(made)
    return made


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    """What a function gave in `vmap`, with its samples along a dim; None leaves it as it is.

    Args:
        name: The function's, in messages.
        batched_output: A tensor; anything where `out_dim` is None.
        vmap_level: Which call of `vmap`, from 1, the outermost.
        batch_size: How many samples there are.
        out_dim: Where they are to stand.

    Raises:
        ValueError: No tensor, or samples where a result is to have none.
    """
    is_tensor = isinstance(batched_output, Tensor)
    if is_tensor and out_dim is not None:
        return remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)
    if out_dim is not None:
        raise ValueError(
            f"vmap: {name} returned a {type(batched_output).__name__}; tensors are needed"
        )
    if is_tensor and is_batchedtensor(batched_output):
        raise ValueError(f"vmap: out_dims is None where {name} returned samples that differ")
    return batched_output


_LEVELS = {
    "_add_batch_dim": add_batch_dim,
    "_remove_batch_dim": remove_batch_dim,
}

vmap = _published(
    f"{__name__}.vmap",
    **_LEVELS,
    Tensor=Tensor,
    _broadcast_to_and_flatten=_broadcast_to_and_flatten,
    _get_name=_get_name,
    **{name: refusing(name) for name in PARTS},
    _maybe_remove_batch_dim=_maybe_remove_batch_dim,
    tree_flatten=tree_flatten,
    tree_unflatten=tree_unflatten,
    vmap=func.vmap,
)
apis = _published(
    f"{__name__}.apis", grad=func.grad, grad_and_value=func.grad_and_value, vmap=func.vmap
)
eager_transforms = _published(
    f"{__name__}.eager_transforms",
    **{
        name: getattr(func, name)
        for name in ("functionalize", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp")
        if hasattr(func, name)
    },
)
