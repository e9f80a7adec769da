"""Which callable of garboard stands for an entry of PyTorch's op_db: the one of the same name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import garboard as gb
import torch

__all__ = [
    "DRAWN",
    "SIGNS_ALONE",
    "VALUES_ALONE",
    "call_of",
    "in_place_of",
    "is_compared",
    "method_of",
]

#: Drawn at random: the shapes and dtypes are compared, the elements are not.
DRAWN = frozenset(
    [
        "bernoulli",
        "cauchy",
        "empty",
        "empty_like",
        "empty_permuted",
        "empty_permuted",
        "empty_strided",
        "exponential",
        "geometric",
        "log_normal",
        "multinomial",
        "new_empty",
        "new_empty_strided",
        "nn.functional.alpha_dropout",
        "nn.functional.dropout",
        "nn.functional.dropout1d",
        "nn.functional.dropout2d",
        "nn.functional.dropout3d",
        "nn.functional.feature_alpha_dropout",
        "nn.functional.fractional_max_pool2d",
        "nn.functional.fractional_max_pool3d",
        "nn.functional.gumbel_softmax",
        "nn.functional.rrelu",
        "normal",
        "rand_like",
        "randint",
        "randint_like",
        "randn",
        "randn_like",
        "randperm",
        "uniform",
    ]
)

#: Which of equal elements comes first is nobody's promise: of these results the values count.
VALUES_ALONE = frozenset(["argsort", "kthvalue", "median", "mode", "nanmedian", "sort", "topk"])

#: The sign of each vector is nobody's promise: what PyTorch compares in its own tests is compared.
SIGNS_ALONE = frozenset(["linalg.eig", "linalg.eigh", "linalg.svd", "svd"])

#: Entries whose samples are not the arguments of the function they are named after.
_REARRANGED: dict[str, Callable[..., Any]] = {
    "einsum": lambda tensors, equation: gb.einsum(equation, tensors),
    "nn.functional.embedding": lambda weight, indices, **more: gb.nn.functional.embedding(
        indices, weight, **more
    ),
    "nn.functional.embedding_bag": lambda weight, indices, *rest, **more: (
        gb.nn.functional.embedding_bag(indices, weight, *rest, **more)
    ),
    "linalg.lstsq:grad_oriented": lambda a, b, **more: tuple(gb.linalg.lstsq(a, b, **more))[:2],
    "linalg.pinv:singular": lambda a, b: gb.linalg.pinv(a @ b.mT),
    "polygamma": lambda input, n, **more: gb.polygamma(n, input, **more),
    "special.polygamma": lambda input, n, **more: gb.special.polygamma(n, input, **more),
    "zero_": lambda input: input.clone().zero_(),
    "where": lambda input, condition, other, **more: gb.where(condition, input, other, **more),
}


def _found(path: str) -> Any:
    """What `path` leads to from garboard, or None."""
    thing: Any = gb
    for name in path.split("."):
        try:
            thing = getattr(thing, name)
        except AttributeError:
            return None
    return thing if callable(thing) else None


def method_of(name: str) -> Callable[..., Any] | None:
    """The method of Tensor, or None."""
    method = getattr(gb.Tensor, name, None)
    return method if callable(method) else None


def _attribute_of(name: str) -> Callable[..., Any] | None:
    is_there = inspect.isdatadescriptor(inspect.getattr_static(gb.Tensor, name, None))
    return (lambda tensor: getattr(tensor, name)) if is_there else None


def is_compared(entry: Any, sample: Any) -> bool:
    """Whether the results of a sample are to agree: not where elements are dropped at random or
    gradients are sparse, nor where a module of PyTorch's is to be called with our tensors."""
    if sample.kwargs.get("dropout_p") or sample.kwargs.get("sparse"):
        return False
    if entry.name == "nn.functional.multi_head_attention_forward" and sample.args[9]:
        return False
    return not any(isinstance(it, torch.nn.Module) for it in sample.kwargs.values())


def call_of(entry: Any) -> Callable[..., Any] | None:
    """What is called with a sample of `entry`; None where garboard has no such name."""
    label = f"{entry.name}:{entry.variant_test_name}"
    if (rearranged := _REARRANGED.get(label) or _REARRANGED.get(entry.name)) is not None:
        return rearranged if _found(entry.name) or method_of(entry.name) else None
    if entry.variant_test_name == "in_place":  # whose samples are those of the method
        return method_of(f"{entry.name}_")
    found = _found(entry.name) or method_of(entry.name)
    if found is None and "." not in entry.name:
        found = _attribute_of(entry.name)
    if found is not None and isinstance(entry.op, functools.partial):
        return functools.partial(found, *entry.op.args, **entry.op.keywords)
    return found


def in_place_of(entry: Any) -> Callable[..., Any] | None:
    """The form that writes into its first argument, where PyTorch and garboard both have it."""
    if getattr(entry, "inplace_variant", None) is None:
        return None
    if entry.name.startswith("nn.functional."):
        found = call_of(entry)
        return functools.partial(found, inplace=True) if found else None
    return method_of(entry.name if entry.name.endswith("_") else f"{entry.name}_")
