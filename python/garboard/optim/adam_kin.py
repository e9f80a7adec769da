"""Adam's kin: Adamax, NAdam, RAdam."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from garboard._engine import Tensor, maximum
from garboard.optim._formula import FormulaOptimizer
from garboard.optim._state import scalar

__all__ = ["Adamax", "NAdam", "RAdam"]

_Group = dict[str, Any]


class Adamax(FormulaOptimizer):
    """Scale steps by a running mean of the gradient and a decaying maximum of it.

    m = beta1 * m + (1 - beta1) * g; u = max(beta2 * u, |g| + eps);
    p = p - lr / (1 - beta1^t) * m / u, with g = grad + weight_decay * p (Kingma and Ba,
    arXiv:1412.6980, algorithm 2).

    Keeps two tensors a parameter.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        betas: How much of either mean stays, each in [0, 1).
        eps: Keeps the divisor from zero.
        weight_decay: How much of the parameter is added to its gradient.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster.
        capturable: Refused unless False.
        differentiable: Refused unless False.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `capturable` or `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.Adamax([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.5
    """

    _rates = (
        "lr",
        "eps",
        "weight_decay",
    )
    _tensor_names = (
        "exp_avg",
        "exp_inf",
    )

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, options)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"].lerp_(gradient, 1 - beta1)
        most = state["exp_inf"]
        most.copy_(maximum(most * beta2, gradient.abs().add_(group["eps"])))
        parameter.add_(mean / most, alpha=-group["lr"] / (1 - beta1 ** float(state["step"])))


class NAdam(FormulaOptimizer):
    """Adam with Nesterov's momentum.

    As Adam, with mu_t = beta1 * (1 - 0.96^(t * momentum_decay) / 2) and their product up to t:
    p = p - lr * ((1 - mu_t) / (1 - product) * g + mu_{t+1} / (1 - product * mu_{t+1}) * m) /
    (sqrt(s / (1 - beta2^t)) + eps) (Dozat, "Incorporating Nesterov momentum into Adam", 2016).

    Keeps two tensors a parameter.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        betas: How much of either mean stays, each in [0, 1).
        eps: Keeps the divisor from zero.
        weight_decay: How much of the parameter is added to its gradient.
        momentum_decay: How fast mu grows.
        decoupled_weight_decay: Let the decay shrink the parameter itself, as AdamW's does.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster.
        capturable: Refused unless False.
        differentiable: Refused unless False.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `capturable` or `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.NAdam([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.4718
    """

    _rates = (
        "lr",
        "eps",
        "weight_decay",
        "momentum_decay",
    )
    _tensor_names = (
        "exp_avg",
        "exp_avg_sq",
    )
    _number_names = (
        "step",
        "mu_product",
    )

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, options)

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: _Group) -> None:
        state["mu_product"] = scalar(1)
        super()._begin(parameter, state, group)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        beta1, beta2 = group["betas"]
        step, decay = float(state["step"]), group["momentum_decay"]
        now, then = (beta1 * (1 - 0.5 * 0.96 ** (t * decay)) for t in (step, step + 1))
        product = float(state["mu_product"].mul_(now))
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).add_(gradient * gradient, alpha=1 - beta2)
        scale = (square / (1 - beta2**step)).sqrt_().add_(group["eps"])
        parameter.add_(gradient / scale, alpha=-group["lr"] * (1 - now) / (1 - product))
        parameter.add_(mean / scale, alpha=-group["lr"] * then / (1 - product * then))


class RAdam(FormulaOptimizer):
    """Adam whose scaling waits until the mean of squares is worth something.

    With r_inf = 2 / (1 - beta2) - 1 and r = r_inf - 2 t beta2^t / (1 - beta2^t): where r > 5,
    Adam's step times sqrt((r - 4) (r - 2) r_inf / ((r_inf - 4) (r_inf - 2) r)); before that,
    p = p - lr * m / (1 - beta1^t) (Liu et al., arXiv:1908.03265).

    Keeps two tensors a parameter.

    Args:
        params: Tensors, pairs of names and tensors, or dicts with the key "params" and options that
            differ for them.
        lr: How far a step goes.
        betas: How much of either mean stays, each in [0, 1).
        eps: Keeps the divisor from zero.
        weight_decay: How much of the parameter is added to its gradient.
        decoupled_weight_decay: Let the decay shrink the parameter itself, as AdamW's does.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster.
        capturable: Refused unless False.
        differentiable: Refused unless False.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `capturable` or `differentiable`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = gb.optim.RAdam([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    0.5
    """

    _rates = (
        "lr",
        "eps",
        "weight_decay",
    )
    _tensor_names = (
        "exp_avg",
        "exp_avg_sq",
    )

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[_Group],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, options)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        beta1, beta2 = group["betas"]
        step = float(state["step"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).add_(gradient * gradient, alpha=1 - beta2)
        rate = group["lr"] / (1 - beta1**step)
        rest = 1 - beta2**step
        most = 2 / (1 - beta2) - 1
        length = most - 2 * step * beta2**step / rest
        if length <= 5:
            parameter.add_(mean, alpha=-rate)
            return
        worth = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        scale = square.sqrt().add_(group["eps"])
        parameter.add_(mean / scale, alpha=-rate * sqrt(worth) * sqrt(rest))
