"""Schedules that multiply the learning rate."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from garboard._arguments import check
from garboard._arguments.given import items_of, refuse_unless_list
from garboard.optim.lr_scheduler._scheduler import LRScheduler, epochs, per_group
from garboard.optim.optimizer import Optimizer

__all__ = [
    "ConstantLR",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "StepLR",
]

_Factor = Callable[[int], float]


class _OfFunctions(LRScheduler):
    """A schedule of functions, one a group, which are not saved; objects' attributes are."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: _Factor | Sequence[_Factor], last_epoch: int = -1
    ) -> None:
        name = type(self).__name__
        check.of_type(Optimizer, name, "optimizer", optimizer)
        self.lr_lambdas: list[Any] = per_group(name, "functions", lr_lambda, optimizer)
        for place, function in enumerate(self.lr_lambdas):
            check.function(name, f"lr_lambda[{place}]", function)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        saved = super().state_dict()
        saved["lr_lambdas"] = [
            None if isinstance(it, FunctionType) else dict(vars(it)) for it in self.lr_lambdas
        ]
        return saved

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        given = state_dict.get("lr_lambdas", ())
        rest = {name: it for name, it in state_dict.items() if name != "lr_lambdas"}
        super().load_state_dict(rest)
        for function, kept in zip(self.lr_lambdas, given, strict=False):
            if kept is not None:
                vars(function).update(kept)


class LambdaLR(_OfFunctions):
    """Multiply the first rate by a function of the epoch.

    lr = initial lr * lr_lambda(epoch).

    Args:
        optimizer: Whose groups' "lr" it writes.
        lr_lambda: A function of the epoch, or a list of one a group.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or something that cannot be called.
        ValueError: A list of more or fewer functions than groups.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.125]
    """

    def get_lr(self) -> list[float]:
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [rate * factor(self.last_epoch) for factor, rate in pairs]


class MultiplicativeLR(_OfFunctions):
    """Multiply the last rate by a function of the epoch.

    lr = lr * lr_lambda(epoch), from epoch 1 on.

    Args:
        optimizer: Whose groups' "lr" it writes.
        lr_lambda: A function of the epoch, or a list of one a group.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or something that cannot be called.
        ValueError: A list of more or fewer functions than groups.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.125]
    """

    def get_lr(self) -> list[float]:
        if self._is_initial:
            return self._rates_now()
        pairs = zip(self.lr_lambdas, self._rates_now(), strict=True)
        return [rate * factor(self.last_epoch) for factor, rate in pairs]


class StepLR(LRScheduler):
    """Multiply the rate by `gamma` every `step_size` epochs.

    lr = initial lr * gamma^(epoch // step_size).

    Args:
        optimizer: Whose groups' "lr" it writes.
        step_size: How many epochs a rate stays; 1 or more. Of 2.5 the epochs that it divides count.
        gamma: What the rate is multiplied by.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: A number out of range.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: float, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size: float = epochs("StepLR", "step_size", step_size, 1)
        self.gamma: float = check.real("StepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._rates_now()
        return [rate * self.gamma for rate in self._rates_now()]

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [rate * factor for rate in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiply the rate by `gamma` at each of some epochs.

    lr = initial lr * gamma^(how many milestones have passed).

    Args:
        optimizer: Whose groups' "lr" it writes.
        milestones: A list of epochs; one that stands twice counts twice, and 1.5 never.
        gamma: What the rate is multiplied by.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.5)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Sequence[float],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones: Counter[float] = Counter(_milestones(milestones))
        self.gamma: float = check.real("MultiStepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        times = self.milestones[self.last_epoch]
        return [rate * self.gamma**times for rate in self._rates_now()]

    def _get_closed_form_lr(self) -> list[float]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [rate * self.gamma**passed for rate in self.base_lrs]


def _milestones(given: Any) -> list[float]:
    refuse_unless_list("MultiStepLR", "milestones", given, "epochs")
    places = enumerate(items_of(given))
    return [check.real("MultiStepLR", f"milestones[{place}]", it) for place, it in places]


class ConstantLR(LRScheduler):
    """Multiply the rate by `factor` until epoch `total_iters`.

    From then on it is the initial one.

    Args:
        optimizer: Whose groups' "lr" it writes.
        factor: In (0, 1].
        total_iters: When the first rate comes back.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: A number out of range.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> for _ in range(1):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1 / 3,
        total_iters: float = 5,
        last_epoch: int = -1,
    ) -> None:
        _refuse_zero("ConstantLR", "factor", factor)
        self.factor: float = check.share("ConstantLR", "factor", factor)
        self.total_iters: float = epochs("ConstantLR", "total_iters", total_iters, 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [rate * self.factor for rate in self._rates_now()]
        if self.last_epoch != self.total_iters:
            return self._rates_now()
        return [rate / self.factor for rate in self._rates_now()]

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.factor if self.last_epoch < self.total_iters else 1.0
        return [rate * factor for rate in self.base_lrs]


class LinearLR(LRScheduler):
    """Change the rate in equal steps, from one factor to another.

    lr = initial lr * (start + (end - start) * min(epoch, total_iters) / total_iters).

    Args:
        optimizer: Whose groups' "lr" it writes.
        start_factor: The first factor, in (0, 1].
        end_factor: The last one, in [0, 1].
        total_iters: How many epochs lie between; of 0 the first factor stays.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: A number out of range.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> for _ in range(1):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.375]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: float = 5,
        last_epoch: int = -1,
    ) -> None:
        _refuse_zero("LinearLR", "start_factor", start_factor)
        self.start_factor: float = check.share("LinearLR", "start_factor", start_factor)
        self.end_factor: float = check.share("LinearLR", "end_factor", end_factor)
        self.total_iters: float = epochs("LinearLR", "total_iters", total_iters, 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._rates_now()]
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates_now()
        way = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * way
        return [rate * (1 + way / before) for rate in self._rates_now()]

    def _get_closed_form_lr(self) -> list[float]:
        share = _share(self.last_epoch, self.total_iters)
        factor = self.start_factor + (self.end_factor - self.start_factor) * share
        return [rate * factor for rate in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiply the rate by `gamma` at each epoch.

    lr = initial lr * gamma^epoch.

    Args:
        optimizer: Whose groups' "lr" it writes.
        gamma: What the rate is multiplied by.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma: float = check.real("ExponentialLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self._is_initial or self.last_epoch == 0:
            return self._rates_now()
        return [rate * self.gamma for rate in self._rates_now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [rate * self.gamma**self.last_epoch for rate in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Lower the rate to 0 by a power of what is left of `total_iters`.

    lr = initial lr * (1 - min(epoch, total_iters) / total_iters)^power.

    Args:
        optimizer: Whose groups' "lr" it writes.
        total_iters: When it is 0; a 0 here leaves it what it is.
        power: 1 lowers it in equal steps.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: A number out of range.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4)
    >>> for _ in range(1):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.375]
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: float = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters: float = epochs("PolynomialLR", "total_iters", total_iters, 0)
        self.power: float = check.real("PolynomialLR", "power", power)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self._is_initial or not 0 < self.last_epoch <= self.total_iters:
            return self._rates_now()
        left, before = (1 - (self.last_epoch - ago) / self.total_iters for ago in (0, 1))
        return [rate * (left / before) ** self.power for rate in self._rates_now()]

    def _get_closed_form_lr(self) -> list[float]:
        left = 1 - _share(self.last_epoch, self.total_iters)
        return [rate * left**self.power for rate in self.base_lrs]


def _share(epoch: int, of: float) -> float:
    return min(epoch, of) / of if of else 0.0


def _refuse_zero(op: str, name: str, given: Any) -> None:
    if check.worth(op, name, given) == 0:
        raise ValueError(f"{op}: {name} 0; a positive one is needed")
