"""Adam, and Adam with weight decay that stands apart from the gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from garboard import _check as check
from garboard._engine import AdamState, Tensor
from garboard._texts import shown
from garboard.optim.optimizer import Optimizer

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Scale steps by running means of the gradient and of its square.

    m = beta1 * m + (1 - beta1) * g; s = beta2 * s + (1 - beta2) * g^2;
    p = p - lr * (m / (1 - beta1^t)) / (sqrt(s / (1 - beta2^t)) + eps),
    with g = grad + weight_decay * p (Kingma and Ba, arXiv:1412.6980, algorithm 1).

    Keeps two tensors a parameter, from its first step.

    Args:
        params: Tensors; or dicts with the key "params" and options that differ for them.
        lr: How far a step goes.
        betas: How much of either mean stays, each in [0, 1).
        eps: Keeps the divisor from zero.
        weight_decay: How much of the parameter is added to its gradient.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> with gb.optim.Adam([x], lr=0.1) as optimizer:
    ...     (x * x).sum().backward()
    ...     optimizer.step()
    >>> round(x.item(), 4)
    0.9
    """

    _tensor_lists: ClassVar[dict[str, str]] = {"exp_avg": "means", "exp_avg_sq": "squares"}
    _new_state = AdamState
    _is_decoupled: ClassVar[bool] = False

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        )

    def _check_options(self, group: dict[str, Any]) -> None:
        for name in ("lr", "eps", "weight_decay"):
            check.rate(self._name, name, group[name])
        betas = group["betas"]
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            given = f"of {len(betas)}" if isinstance(betas, (tuple, list)) else shown(betas)
            raise ValueError(f"{self._name}: betas {given}; two in [0, 1) are needed")
        for place, beta in enumerate(betas):
            check.share(self._name, f"betas[{place}]", beta, is_whole_allowed=False)

    def _update(self, state: AdamState, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        state.step(
            group["params"],
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            decoupled=self._is_decoupled,
        )

    def _state_of(self, state: AdamState, place: int) -> dict[str, Any]:
        found = super()._state_of(state, place)
        return {"step": state.steps[place], **found} if found else found

    def _load(self, state: AdamState, entries: list[dict[str, Any]]) -> None:
        super()._load(state, entries)
        state.steps = [entry.get("step", 0) for entry in entries]


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter itself: p = p - lr * weight_decay * p first.

    Loshchilov and Hutter, arXiv:1711.05101. State and errors are Adam's.

    Args:
        params: Tensors; or dicts with the key "params" and options that differ for them.
        lr: How far a step goes.
        betas: How much of either mean stays, each in [0, 1).
        eps: Keeps the divisor from zero.
        weight_decay: By what share of itself, times `lr`, a parameter shrinks.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> with gb.optim.AdamW([x], lr=0.1, weight_decay=0.5) as optimizer:
    ...     (x * 0).sum().backward()
    ...     optimizer.step()
    >>> round(x.item(), 4)
    0.95
    """

    _is_decoupled = True

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)
