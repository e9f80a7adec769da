"""Pruning: parameters with elements that stay zero while the others train.

A pruned parameter `weight` is kept as the parameter `weight_orig` and the buffer `weight_mask`,
under which state dicts of PyTorch have it, too; before each forward `weight` is their product.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from garboard._arguments import check
from garboard._arguments.given import items_of, list_of
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DisposeScope, ShapeError, Tensor, cat, ones_like
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter
from garboard.nn.utils._pruning import BasePruningMethod, PruningContainer, pruning_hooks
from garboard.nn.utils._pruning_amounts import _compute_norm as _compute_norm
from garboard.nn.utils._pruning_amounts import _compute_nparams_toprune as _compute_nparams_toprune
from garboard.nn.utils._pruning_amounts import _validate_pruning_amount as _validate_pruning_amount
from garboard.nn.utils._pruning_amounts import (
    _validate_pruning_amount_init as _validate_pruning_amount_init,
)
from garboard.nn.utils._pruning_amounts import _validate_pruning_dim as _validate_pruning_dim
from garboard.nn.utils._pruning_amounts import (
    _validate_structured_pruning as _validate_structured_pruning,
)
from garboard.nn.utils._pruning_methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

_M = TypeVar("_M", bound=Module)


def identity(module: _M, name: str) -> _M:
    """Keep a parameter as if it were pruned, with a mask of ones.

    Args:
        module: Whose parameter it is.
        name: The parameter's name.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.prune.identity(gb.nn.Linear(2, 1), "weight")
    >>> sorted(layer.state_dict())
    ['bias', 'weight_mask', 'weight_orig']
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: _M, name: str, amount: int | float) -> _M:
    """Prune elements of a parameter that are drawn at random.

    Args:
        module: Whose parameter it is.
        name: The parameter's name.
        amount: How many of those that are left: an integer, or a float that is their share.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter, or not so many elements.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.prune.random_unstructured(gb.nn.Linear(2, 3), "weight", amount=1)
    >>> layer.get_buffer("weight_mask").sum()
    tensor(5.)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: _M, name: str, amount: int | float, importance_scores: Tensor | None = None
) -> _M:
    """Prune the elements of a parameter that are nearest to zero.

    Args:
        module: Whose parameter it is.
        name: The parameter's name.
        amount: How many of those that are left: an integer, or a float that is their share.
        importance_scores: What to choose by instead of the elements, in the parameter's sizes.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter, or not so many elements.
        ShapeError: The scores have other sizes.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.prune.l1_unstructured(gb.nn.Linear(2, 3), "weight", amount=0.5)
    >>> layer.get_buffer("weight_mask").sum()
    tensor(3.)
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: _M, name: str, amount: int | float, dim: int) -> _M:
    """Prune slices of a parameter that are drawn at random.

    Args:
        module: Whose parameter it is.
        name: The parameter's name.
        amount: How many of those that are left: an integer, or a float that is their share.
        dim: The dim that the slices are numbered by.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter, it has fewer than 2 dims, or not so many slices.
        IndexOutOfRangeError: There is no such dim.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.prune.random_structured(gb.nn.Linear(2, 3), "weight", 1, dim=0)
    >>> layer.get_buffer("weight_mask").sum()
    tensor(4.)
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: _M,
    name: str,
    amount: int | float,
    n: float | str,
    dim: int,
    importance_scores: Tensor | None = None,
) -> _M:
    """Prune the slices of a parameter that have the smallest norms.

    Args:
        module: Whose parameter it is.
        name: The parameter's name.
        amount: How many of those that are left: an integer, or a float that is their share.
        n: The norm's order, as `gb.norm` takes it.
        dim: The dim that the slices are numbered by.
        importance_scores: What to choose by instead of the elements, in the parameter's sizes.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter, it has fewer than 2 dims, or not so many slices.
        IndexOutOfRangeError: There is no such dim.
        ShapeError: The scores have other sizes.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.prune.ln_structured(gb.nn.Linear(2, 3), "weight", 1, n=2, dim=0)
    >>> layer.get_buffer("weight_mask").sum()
    tensor(4.)
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: _M, name: str, mask: Tensor) -> _M:
    """Prune what a mask says.

    Args:
        module: Whose parameter it is.
        name: The parameter's name.
        mask: 0 for what is pruned, 1 or True for what stays; in the parameter's sizes.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter.
        ShapeError: The mask has other sizes.
        TypeError: An argument of a wrong type.

    >>> mask = gb.tensor([[True, False]])
    >>> layer = gb.nn.utils.prune.custom_from_mask(gb.nn.Linear(2, 1), "weight", mask)
    >>> layer.get_buffer("weight_mask")
    tensor([[1., 0.]])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters as if they were one: where all smallest elements lie.

    All or nothing, as far as the masks go: none is set before all are made.

    Args:
        parameters: Modules, each with the name of a parameter of it; a list or tuple of pairs.
        pruning_method: Which elements to choose, such as `L1Unstructured`.
        importance_scores: What to choose by instead of the elements, for those pairs it has.
        kwargs: What the method takes, such as `amount`, of all elements together.

    Raises:
        ValueError: There is no such parameter, a pair is named twice, or no pair is named.
        ShapeError: Scores have other sizes than their parameter.
        TypeError: An argument of a wrong type, or a method for slices.

    >>> model = gb.nn.Sequential(gb.nn.Linear(2, 3), gb.nn.Linear(3, 2))
    >>> prune = gb.nn.utils.prune
    >>> pairs = [(layer, "weight") for layer in model]
    >>> prune.global_unstructured(pairs, prune.L1Unstructured, amount=0.5)
    >>> sum(layer.get_buffer("weight_mask").sum().item() for layer in model)
    6.0
    """
    op = "global_unstructured"
    pairs = _pairs(op, parameters)
    if not isinstance(pruning_method, type) or not issubclass(pruning_method, BasePruningMethod):
        raise TypeError(f"{op}: pruning_method {shown(pruning_method)}; a class is needed")
    if pruning_method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f"{op}: {pruning_method.__name__} is {pruning_method.PRUNING_TYPE}; an unstructured "
            "method is needed"
        )
    scores = check.of_type(dict, op, "importance_scores", importance_scores or {})
    method = PruningContainer(pruning_method(**kwargs))
    with no_grad(), DisposeScope(op) as scope:
        judged, masks = [], []
        for module, name in pairs:
            whole, mask = _original(op, module, name)
            score = scores.get((module, name), whole * mask)
            if check.tensor(op, "importance_scores", score).shape != whole.shape:
                raise ShapeError(
                    f"{op}: importance_scores of sizes {list(score.shape)} for {shown(name)} of "
                    f"{list(whole.shape)}; the same are needed"
                )
            judged.append(score.detach().reshape(-1))
            masks.append(mask.reshape(-1))
        made = method.compute_mask(cat(judged), default_mask=cat(masks))
        flat = made.split([mask.numel() for mask in masks])
        shapes = [_original(op, *pair)[0].shape for pair in pairs]
        parts = [
            scope.move_to_outer(part.reshape(shape).clone())
            for part, shape in zip(flat, shapes, strict=True)
        ]
    for (module, name), part in zip(pairs, parts, strict=True):
        custom_from_mask(module, name, part)


def _pairs(op: str, given: Any) -> list[tuple[Module, str]]:
    kinds = (list, tuple)
    pairs: list[tuple[Module, str]] = []
    for pair in list_of(kinds, op, "parameters", given, "pairs of a module and a name"):
        if len(items_of(pair)) != 2:
            raise TypeError(f"{op}: {shown(pair)} in parameters; a module and a name are needed")
        module, name = items_of(pair)
        check.of_type(Module, op, "a module", module)
        pairs.append((module, check.text(op, "a name", name)))
    if not pairs or len(set(pairs)) < len(pairs):
        raise ValueError(
            f"{op}: parameters {'names a pair twice' if pairs else 'is empty'}; "
            "each that is pruned is needed, once"
        )
    return pairs


def _original(op: str, module: Module, name: str) -> tuple[Tensor, Tensor]:
    """Return the whole parameter, and the mask of it so far, without history."""
    is_pruned_here = any(it._tensor_name == name for it in pruning_hooks(module).values())
    found = vars(module).get(f"{name}_orig" if is_pruned_here else name)
    if not isinstance(found, Parameter):
        raise ValueError(
            f"{op}: {type(module).__name__} has no parameter {shown(name)}; one is needed"
        )
    whole = found.detach()
    return whole, getattr(module, f"{name}_mask") if is_pruned_here else ones_like(whole)


def remove(module: _M, name: str) -> _M:
    """Let a pruned parameter be an ordinary one again, with zeros where it was pruned.

    It is the parameter that it was, so optimizers that have it go on.

    Args:
        module: Whose parameter it is.
        name: The parameter's name.

    Returns:
        `module`.

    Raises:
        ValueError: It is not pruned.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.prune.l1_unstructured(gb.nn.Linear(2, 1), "weight", amount=1)
    >>> sorted(gb.nn.utils.prune.remove(layer, "weight").state_dict())
    ['bias', 'weight']
    """
    check.of_type(Module, "remove", "module", module)
    said = check.text("remove", "name", name)
    found = {key: it for key, it in pruning_hooks(module).items() if it._tensor_name == said}
    if not found:
        raise ValueError(
            f"remove: {shown(said)} of {type(module).__name__} is not pruned; prune it first"
        )
    for key, method in found.items():
        method.remove(module)
        module._forward_pre_hooks.remove(key)
    return module


def is_pruned(module: Module) -> bool:
    """Tell whether a module, or one in it, has a parameter that is pruned.

    Args:
        module: Any module.

    Returns:
        A bool.

    Raises:
        TypeError: It is no module.

    >>> model = gb.nn.Sequential(gb.nn.Linear(2, 1))
    >>> before = gb.nn.utils.prune.is_pruned(model)
    >>> layer = gb.nn.utils.prune.identity(model[0], "bias")
    >>> before, gb.nn.utils.prune.is_pruned(model)
    (False, True)
    """
    check.of_type(Module, "is_pruned", "module", module)
    return any(pruning_hooks(one) for one in module.modules())
