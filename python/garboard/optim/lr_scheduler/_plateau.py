"""The schedule that waits until a metric stops improving."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Literal, SupportsFloat

from garboard._arguments import check
from garboard._arguments.given import keys_of
from garboard._arguments.texts import shown
from garboard.optim.lr_scheduler._scheduler import LRScheduler, epochs, per_group, refuse_disposed
from garboard.optim.optimizer import Optimizer

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rate by `factor` when a metric has not improved for `patience` epochs.

    Args:
        optimizer: Whose groups' "lr" it writes.
        mode: "min" where less is better, "max" where more is.
        factor: What the rate is multiplied by; below 1.
        patience: How many epochs without improvement are borne.
        threshold: How much better counts.
        threshold_mode: "rel": a share of the best; "abs": a difference.
        cooldown: How many epochs after a reduction are not counted.
        min_lr: No rate goes below it; or a list of one a group.
        eps: Reductions by less than this are left out.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: A factor of 1 or more, another mode, or more or fewer `min_lr` than groups.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (1.0, 1.0, 1.0):
    ...     optimizer.step()
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.05]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: float = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: float = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        name = "ReduceLROnPlateau"
        self.optimizer: Optimizer = check.of_type(Optimizer, name, "optimizer", optimizer)
        self.mode: str = check.choice(name, "mode", mode, "min", "max")
        if check.worth(name, "factor", factor) >= 1:
            raise ValueError(f"{name}: factor {shown(factor)}; one below 1 is needed")
        self.factor: float = factor
        self.patience: float = epochs(name, "patience", patience, 0)
        self.threshold: float = check.real(name, "threshold", threshold)
        self.threshold_mode: str = check.choice(
            name, "threshold_mode", threshold_mode, "rel", "abs"
        )
        self.cooldown: float = epochs(name, "cooldown", cooldown, 0)
        is_one = not isinstance(min_lr, (list, tuple))
        self.default_min_lr: Any = min_lr if is_one else None
        self.min_lrs: list[float] = per_group(name, "min_lr", min_lr, optimizer)
        self.eps: float = check.real(name, "eps", eps)
        self.last_epoch: int = 0
        self.best: float = 0.0
        self.num_bad_epochs: int = 0
        self.cooldown_counter: float = 0
        self.mode_worse: float = inf if self.mode == "min" else -inf
        self._reset()
        self._last_lr = self._rates_now()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.num_bad_epochs = self.cooldown_counter = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs are not counted just now."""
        return self.cooldown_counter > 0

    def step(  # type: ignore[override]
        self, metrics: SupportsFloat, epoch: int | None = None
    ) -> None:
        """Look at a metric, and lower the rates where it has not improved for too long.

        Args:
            metrics: A number, or a tensor of one element.
            epoch: The number of the epoch; by default one more than the last.

        Raises:
            TypeError: `metrics` is no number.
            DisposedError: The optimizer has ended.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> schedule = gb.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        >>> schedule.step(gb.tensor(3.0))
        >>> schedule.best
        3.0
        """
        refuse_disposed("ReduceLROnPlateau", self.optimizer)
        current = check.worth("ReduceLROnPlateau.step", "metrics", metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._rates_now()

    def _reduce_lr(self, epoch: int) -> None:
        """Lower the rates: by PyTorch's name, for classes that do so in a way of their own."""
        floors = [*self.min_lrs, *[0.0] * len(self.optimizer.param_groups)]
        for group, floor in zip(self.optimizer.param_groups, floors, strict=False):
            before = float(group["lr"])
            after = max(before * self.factor, floor)
            if before - after > self.eps:
                group["lr"] = after

    def is_better(self, a: float, best: float) -> bool:
        """Tell whether `a` improves on `best` by more than the threshold.

        Args:
            a: The metric now.
            best: The best so far.

        Returns:
            A bool; False for NaN.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        >>> gb.optim.lr_scheduler.ReduceLROnPlateau(optimizer).is_better(0.5, 1.0)
        True
        """
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "abs":
            return a * sign > best * sign + self.threshold
        return a * sign > (best * (1 + sign * self.threshold)) * sign

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        op = "ReduceLROnPlateau.load_state_dict"
        names = keys_of(str, op, "state_dict", state_dict, "a schedule's attributes")
        vars(self).update({name: state_dict[name] for name in names if name != "optimizer"})
