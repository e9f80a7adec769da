"""Adam, and Adam with weight decay that stands apart from the gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from garboard._arguments import check
from garboard._engine import AdamState, DeviceError, Tensor, _is_captured
from garboard.optim._amsgrad import AmsgradState
from garboard.optim._formula import check_betas, check_rate, refuse_modes
from garboard.optim._functions import adam
from garboard.optim._native import NativeOptimizer

__all__ = ["Adam", "AdamW", "adam"]


class Adam(NativeOptimizer):
    """Scale steps by running means of the gradient and of its square.

    m = beta1 * m + (1 - beta1) * g; s = beta2 * s + (1 - beta2) * g^2;
    p = p - lr * (m / (1 - beta1^t)) / (sqrt(s / (1 - beta2^t)) + eps),
    with g = grad + weight_decay * p (Kingma and Ba, arXiv:1412.6980, algorithm 1).

    Keeps two tensors a parameter, from its first step; three with `amsgrad`, which divides by the
    root of the greatest s so far (Reddi, Kale and Kumar, arXiv:1904.09237).

    Args:
        params: Tensors; or dicts with the key "params" and options that differ for them.
        lr: How far a step goes.
        betas: How much of either mean stays, each in [0, 1).
        eps: Keeps the divisor from zero.
        weight_decay: How much of the parameter is added to its gradient.
        amsgrad: Scale by the greatest mean of squares so far.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster. So is `fused`.
        capturable: Let the device count the steps, so that captured ones are counted when they
            are replayed; all parameters of a group are on one device then. Not with `amsgrad`.
        differentiable: Refused unless False.
        fused: Ignored.
        decoupled_weight_decay: Let the decay shrink the parameter itself, as AdamW's does.

    Raises:
        ValueError: An option out of range, or no parameters.
        TypeError: An option of another type, or something that is no Tensor.
        NotImplementedError: `differentiable`, or `capturable` with `amsgrad`.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> with gb.optim.Adam([x], lr=0.1) as optimizer:
    ...     (x * x).sum().backward()
    ...     optimizer.step()
    >>> round(x.item(), 4)
    0.9
    """

    _tensor_lists: ClassVar[dict[str, str]] = {"exp_avg": "means", "exp_avg_sq": "squares"}
    _number_names: ClassVar[tuple[str, ...]] = ("step",)
    _new_state = AdamState

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, options)

    def _check_options(self, group: dict[str, Any]) -> None:
        is_capturable = not group["amsgrad"]
        refuse_modes(self._name, group, is_capturable)
        for name in ("lr", "eps", "weight_decay"):
            check_rate(self._name, name, group[name])
        for name in ("amsgrad", "maximize", "decoupled_weight_decay"):
            check.flag(self._name, name, group[name])
        check_betas(self._name, group["betas"])

    def _update(self, state: AdamState | AmsgradState, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        if group["amsgrad"] and _is_captured():
            raise DeviceError(f"{self._name}.step: captured work; leave amsgrad out")
        self._fitting(state, group).step(
            group["params"],
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            decoupled=group["decoupled_weight_decay"],
            maximize=group["maximize"],
            capturable=bool(group.get("capturable", False)),
        )

    def _fitting(
        self, state: AdamState | AmsgradState, group: dict[str, Any]
    ) -> AdamState | AmsgradState:
        """The group's state; one of the other kind, with what this one has, where it must be."""
        if isinstance(state, AmsgradState) == bool(group["amsgrad"]):
            return state
        other = AmsgradState() if group["amsgrad"] else AdamState()
        other.means, other.squares, other.steps = state.means, state.squares, state.steps
        place = next(place for place, it in enumerate(self._states) if it is state)
        self._states[place] = other
        return other

    def _names_of_tensors(self) -> tuple[str, ...]:
        return (*self._tensor_lists, "max_exp_avg_sq")

    def _engine_names(self) -> tuple[str, ...]:
        return ("step", *self._names_of_tensors())

    def _entries_of(self, state: AdamState | AmsgradState, count: int) -> list[dict[str, Any]]:
        entries = super()._entries_of(state, count)
        maxima = state.maxima if isinstance(state, AmsgradState) else ()
        # Counted by the device, they are the engine's own, which programs may write into.
        counts = () if isinstance(state, AmsgradState) else state.counts
        steps: list[int] | list[Tensor] = list(counts) or state.steps
        for place, entry in enumerate(entries):
            if not entry:
                continue
            entries[place] = {"step": steps[place], **entry}
            if place < len(maxima) and (most := maxima[place]) is not None:
                entries[place]["max_exp_avg_sq"] = most
        return entries

    def _load(self, state: AdamState | AmsgradState, entries: list[dict[str, Any]]) -> None:
        group = next(
            g for g, it in zip(self.param_groups, self._states, strict=True) if it is state
        )
        state = self._fitting(state, group)
        super()._load(state, entries)
        state.steps = [int(entry.get("step", 0)) for entry in entries]
        if isinstance(state, AmsgradState):
            state.maxima = [entry.get("max_exp_avg_sq") for entry in entries]


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter itself: p = p - lr * weight_decay * p first.

    Loshchilov and Hutter, arXiv:1711.05101. State and errors are Adam's.

    Args:
        params: Tensors; or dicts with the key "params" and options that differ for them.
        lr: How far a step goes.
        betas: How much of either mean stays, each in [0, 1).
        eps: Keeps the divisor from zero.
        weight_decay: By what share of itself, times `lr`, a parameter shrinks.
        amsgrad: Scale by the greatest mean of squares so far.
        maximize: Ascend instead of descending.
        foreach: Ignored: it only makes PyTorch faster. So is `fused`.
        capturable: Let the device count the steps, so that captured ones are counted when they
            are replayed; all parameters of a group are on one device then. Not with `amsgrad`.
        differentiable: Refused unless False.
        fused: Ignored.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> with gb.optim.AdamW([x], lr=0.1, weight_decay=0.5) as optimizer:
    ...     (x * 0).sum().backward()
    ...     optimizer.step()
    >>> round(x.item(), 4)
    0.95
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
