"""Gradients of each sample of a batch, by one pass.

`func` and `utils` stand on `nn`: what is theirs is asked for by the root, which loads it then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import garboard
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import GradientError, Tensor
from garboard.nn.module import Module
from garboard.nn.utils.stateless import functional_call

__all__ = ["call_for_per_sample_grads"]


def call_for_per_sample_grads(
    module: Module,
    *,
    batch_size: int | None = None,
    loss_reduction: str = "sum",
    batch_first: bool = True,
) -> Callable[..., Any]:
    """Make a call of a module whose backward leaves a gradient for each sample.

    A parameter that requires grad is given a `grad_sample` of the batch's size and its own, and
    no `grad`. Each sample is computed as a batch of one, so samples do not meet: a batch norm in
    training is refused. Buffers are shared.

    Args:
        module: What is called.
        batch_size: How many samples there are; by default as many as the tensors have.
        loss_reduction: "mean" where the loss is the mean over the samples, of which each gradient
            then is `batch_size` times its part; "sum" otherwise.
        batch_first: Whether the samples stand in dim 0 of arguments and results, or in dim 1.

    Returns:
        A function of what the module takes, where each tensor is of the batch.

    Raises:
        TypeError: `module` is no Module, or `batch_size` no integer.
        ValueError: Another `loss_reduction`.
        RuntimeError: The arguments are of another batch, or of none; a parameter has a
            `grad_sample` from before: set it to None first.

    >>> from garboard.nn.utils._per_sample_grad import call_for_per_sample_grads
    >>> layer = gb.nn.Linear(2, 1)
    >>> call_for_per_sample_grads(layer)(gb.ones(3, 2)).sum().backward()
    >>> getattr(layer.weight, "grad_sample").shape, layer.weight.grad is None
    ((3, 1, 2), True)
    """
    op = "call_for_per_sample_grads"
    check.of_type(Module, op, "module", module)
    wanted = None if batch_size is None else check.count(op, "batch_size", batch_size, 1)
    is_mean = check.choice(op, "loss_reduction", loss_reduction, "sum", "mean") == "mean"
    dim = 0 if check.flag(op, "batch_first", batch_first) else 1

    def call(*args: Any, **kwargs: Any) -> Any:
        count = _batch_size(op, [args, kwargs], dim, wanted)
        expanded = {
            name: _expanded(op, name, parameter, count, count if is_mean else 1)
            for name, parameter in module.named_parameters()
            if parameter.requires_grad
        }
        return garboard.func.vmap(
            partial(_one, module, dim), (0, dim, dim), dim, randomness="different"
        )(expanded, args, kwargs)

    return call


def _one(
    module: Module, dim: int, own: dict[str, Tensor], args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """What the module makes of a batch of one sample, without the batch's dim."""

    def grown(it: Any) -> Any:
        return it.unsqueeze(dim) if isinstance(it, Tensor) else it

    tree_map = garboard.utils._pytree.tree_map
    found = functional_call(module, own, tree_map(grown, args), tree_map(grown, named))
    return tree_map(lambda it: it.squeeze(dim) if isinstance(it, Tensor) else it, found)


def _batch_size(op: str, given: Any, dim: int, wanted: int | None) -> int:
    tensors = [it for it in garboard.utils._pytree.tree_leaves(given) if isinstance(it, Tensor)]
    if any(it.ndim <= dim for it in tensors):
        raise ArgumentError(f"{op}: a tensor without the batch's dim; each needs one")
    sizes = {it.shape[dim] for it in tensors} | (set() if wanted is None else {wanted})
    if len(sizes) != 1 or sizes == {0}:
        raise ArgumentError(
            f"{op}: batches of sizes {sorted(sizes)}; one size, of a sample at least, is needed"
        )
    return int(sizes.pop())


def _expanded(op: str, name: str, parameter: Tensor, count: int, factor: int) -> Tensor:
    """One handle on a parameter for each sample; its gradient becomes `grad_sample`."""
    if getattr(parameter, "grad_sample", None) is not None:
        raise GradientError(
            f"{op}: {shown(name)} has a grad_sample, which would be added to; set it to None first"
        )
    leaf = parameter.detach().expand(count, *parameter.shape).requires_grad_()

    def keep(leaf: Tensor) -> None:
        found, leaf.grad = leaf.grad, None
        assert found is not None
        found = found.mul_(factor) if factor != 1 else found
        old = getattr(parameter, "grad_sample", None)
        parameter.grad_sample = found if old is None else old + found  # type: ignore[attr-defined]

    leaf.register_post_accumulate_grad_hook(keep)
    return leaf
