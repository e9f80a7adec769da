"""Steps as functions of lists, under the names that PyTorch's modules of optimizers have."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, maximum

__all__ = ["adam", "adamw", "sgd"]


def check_lists(op: str, **lists: Any) -> None:
    """Check that all are lists of tensors, of one length."""
    for name, given in lists.items():
        if not isinstance(given, (list, tuple)):
            raise TypeError(
                f"{op}: {name} is of type {type(given).__name__}; a list of tensors is needed"
            )
        list_of(Tensor, op, name, given, "tensors")
    counts = {name: len(given) for name, given in lists.items()}
    if len({*counts.values()}) > 1:
        told = ", ".join(f"{count} {name}" for name, count in counts.items())
        raise ValueError(f"{op}: {told}; as many of each are needed")


@no_grad()
def sgd(
    params: Sequence[Tensor],
    d_p_list: Sequence[Tensor],
    momentum_buffer_list: list[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Take the step of `optim.SGD` for lists of parameters and gradients.

    Args:
        params: What is written into.
        d_p_list: A gradient for each.
        momentum_buffer_list: A velocity for each, or None, in whose place one is put.
        has_sparse_grad: Ignored, as are the four after it.
        foreach: Ignored.
        fused: Ignored.
        grad_scale: Ignored.
        found_inf: Ignored.
        weight_decay: How much of the parameter is added to its gradient.
        momentum: How much of the last velocity stays.
        lr: How far the step goes.
        dampening: How much of the gradient the velocity does not take in.
        nesterov: Look ahead.
        maximize: Ascend instead of descending.

    Raises:
        TypeError: What is no list of tensors, or no number.
        ValueError: Lists of other lengths, or a number that is not finite.

    >>> from garboard.optim.sgd import sgd
    >>> x, slope, velocity = gb.tensor([1.0]), gb.tensor([2.0]), gb.zeros(1)
    >>> sgd(
    ...     [x], [slope], [velocity], lr=0.25, momentum=0.5,
    ...     weight_decay=0, dampening=0, nesterov=False, maximize=False,
    ... )
    >>> x, velocity
    (tensor([0.5000]), tensor([2.]))
    """
    check_lists("sgd", params=params, d_p_list=d_p_list)
    list_of((Tensor, type(None)), "sgd", "momentum_buffer_list", momentum_buffer_list, "tensors")
    for name, number in {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}.items():
        check.worth("sgd", name, number)
    check.worth("sgd", "dampening", dampening)
    if momentum and len(momentum_buffer_list) != len(params):
        raise ValueError(
            f"sgd: {len(momentum_buffer_list)} velocities of {len(params)} parameters; one each is "
            "needed"
        )
    for place, (parameter, given) in enumerate(zip(params, d_p_list, strict=True)):
        gradient = -given if maximize else given
        if weight_decay:
            gradient = gradient.add(parameter, alpha=weight_decay)
        if momentum:
            velocity = momentum_buffer_list[place]
            if velocity is None:
                velocity = momentum_buffer_list[place] = gradient.detach().clone()
            else:
                velocity.mul_(momentum).add_(gradient, alpha=1 - dampening)
            gradient = gradient.add(velocity, alpha=momentum) if nesterov else velocity
        parameter.add_(gradient, alpha=-lr)


@no_grad()
def adam(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    max_exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Take the step of `optim.Adam` for lists of real parameters and gradients.

    Args:
        params: What is written into.
        grads: A gradient for each.
        exp_avgs: A running mean for each.
        exp_avg_sqs: A running mean of squares for each.
        max_exp_avg_sqs: The greatest of these for each, with `amsgrad`; else empty.
        state_steps: A tensor of the number of steps for each, which grows by one.
        foreach: Ignored, as are the six after it.
        capturable: Ignored.
        differentiable: Ignored.
        fused: Ignored.
        grad_scale: Ignored.
        found_inf: Ignored.
        has_complex: Ignored.
        decoupled_weight_decay: Let the decay shrink the parameter itself, as AdamW's does.
        amsgrad: Scale by the greatest mean of squares so far.
        beta1: How much of the mean stays.
        beta2: How much of the mean of squares stays.
        lr: How far the step goes.
        weight_decay: How much of the parameter is added to its gradient.
        eps: Keeps the divisor from zero.
        maximize: Ascend instead of descending.

    >>> x, mean, square, step = gb.tensor([1.0]), gb.zeros(1), gb.zeros(1), gb.tensor(0.0)
    >>> from garboard.optim.adam import adam
    >>> adam(
    ...     [x], [gb.ones(1)], [mean], [square], [], [step], lr=0.5, beta1=0.9, beta2=0.99,
    ...     weight_decay=0, eps=1e-8, amsgrad=False, maximize=False,
    ... )
    >>> x, step
    (tensor([0.5000]), tensor(1.))
    """
    op = "adamw" if decoupled_weight_decay else "adam"
    means = {"exp_avgs": exp_avgs, "exp_avg_sqs": exp_avg_sqs}
    check_lists(op, params=params, grads=grads, **means, state_steps=state_steps)
    if amsgrad:
        check_lists(op, params=params, max_exp_avg_sqs=max_exp_avg_sqs)
    for name, number in {"lr": lr, "weight_decay": weight_decay, "eps": eps}.items():
        check.worth(op, name, number)
    check.share(op, "beta1", beta1, is_whole_allowed=False)
    check.share(op, "beta2", beta2, is_whole_allowed=False)
    lists = zip(params, grads, exp_avgs, exp_avg_sqs, state_steps, strict=True)
    for place, (parameter, given, mean, square, count) in enumerate(lists):
        gradient = -given if maximize else given
        if weight_decay and decoupled_weight_decay:
            parameter.mul_(1 - lr * weight_decay)
        elif weight_decay:
            gradient = gradient.add(parameter, alpha=weight_decay)
        step = count.add_(1).item()
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).add_(gradient * gradient, alpha=1 - beta2)
        if amsgrad:
            most = max_exp_avg_sqs[place]
            square = most.copy_(maximum(most, square))
        scale = square.sqrt().div_(sqrt(1 - beta2**step)).add_(eps)
        parameter.add_(mean / scale, alpha=-lr / (1 - beta1**step))


def adamw(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    max_exp_avg_sqs: Sequence[Tensor],
    state_steps: Sequence[Tensor],
    *ignored: object,
    amsgrad: bool,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """Take the step of `optim.AdamW` for lists of real parameters and gradients.

    Args:
        params: What is written into.
        grads: A gradient for each.
        exp_avgs: A running mean for each.
        exp_avg_sqs: A running mean of squares for each.
        max_exp_avg_sqs: The greatest of these for each, with `amsgrad`; else empty.
        state_steps: A tensor of the number of steps for each, which grows by one.
        ignored: What `adam` ignores, too.
        amsgrad: Scale by the greatest mean of squares so far.
        beta1: How much of the mean stays.
        beta2: How much of the mean of squares stays.
        lr: How far the step goes.
        weight_decay: By what share of itself, times `lr`, a parameter shrinks.
        eps: Keeps the divisor from zero.
        maximize: Ascend instead of descending.

    >>> x, mean, square, step = gb.tensor([1.0]), gb.zeros(1), gb.zeros(1), gb.tensor(0.0)
    >>> from garboard.optim.adamw import adamw
    >>> adamw(
    ...     [x], [gb.zeros(1)], [mean], [square], [], [step], lr=0.5, beta1=0.9, beta2=0.99,
    ...     weight_decay=0.5, eps=1e-8, amsgrad=False, maximize=False,
    ... )
    >>> x
    tensor([0.7500])
    """
    adam(
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        max_exp_avg_sqs,
        state_steps,
        decoupled_weight_decay=True,
        amsgrad=amsgrad,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
    )
