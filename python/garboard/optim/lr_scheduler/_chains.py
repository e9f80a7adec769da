"""Schedules made of schedules: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from garboard._arguments import check
from garboard._arguments.given import items_of, list_of, refuse_unless_list
from garboard.optim.lr_scheduler._plateau import ReduceLROnPlateau
from garboard.optim.lr_scheduler._scheduler import LRScheduler, refuse_disposed, write_rates
from garboard.optim.optimizer import Optimizer

__all__ = ["ChainedScheduler", "SequentialLR"]


def _checked(name: str, given: Any, optimizer: Optimizer | None) -> list[LRScheduler]:
    schedules = list_of(LRScheduler, name, "schedulers", given, "schedules")
    if not schedules:
        raise ValueError(f"{name}: no schedulers; at least one is needed")
    owner = schedules[0].optimizer if optimizer is None else optimizer
    for place, schedule in enumerate(schedules):
        if schedule.optimizer is not owner:
            raise ValueError(
                f"{name}: schedulers[{place}] is of another optimizer; all of the same are needed"
            )
        if isinstance(schedule, ReduceLROnPlateau):
            raise ValueError(f"{name}: schedulers[{place}] asks for a metric; call it by itself")
    return schedules


class _OfSchedules(LRScheduler):
    """Schedules that are saved by their own state dicts."""

    _schedulers: list[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        hidden = ("optimizer", "_schedulers")
        saved = {name: it for name, it in vars(self).items() if name not in hidden}
        saved["_schedulers"] = [it.state_dict() for it in self._schedulers]
        return saved

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        op = f"{type(self).__name__}.load_state_dict"
        inner = state_dict.get("_schedulers", ())
        refuse_unless_list(op, "_schedulers", inner, "state dicts")
        if len(inner) != len(self._schedulers):
            raise ValueError(f"{op}: {len(inner)} schedulers; {len(self._schedulers)} are needed")
        super().load_state_dict({n: it for n, it in state_dict.items() if n != "_schedulers"})
        for schedule, saved in zip(self._schedulers, items_of(inner), strict=True):
            schedule.load_state_dict(saved)


def _take_back(schedules: list[LRScheduler]) -> None:
    """Undo the step that making each of them was."""
    for schedule in schedules:
        if isinstance(schedule, _OfSchedules):
            _take_back(schedule._schedulers)
        else:
            schedule.last_epoch -= 1
            schedule._step_count -= 1


class SequentialLR(_OfSchedules):
    """Follow one schedule after the other.

    Args:
        optimizer: The optimizer of all of them.
        schedulers: A list of schedules that have just been made.
        milestones: The epochs at which the next one begins: one fewer than schedules, ascending.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: Something that is no schedule, or no list of them.
        ValueError: Schedules of another optimizer, one that asks for a metric, or more or fewer
            milestones.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.SequentialLR(
    ...     optimizer,
    ...     [
    ...         gb.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=10),
    ...         gb.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5),
    ...     ],
    ...     milestones=[2],
    ... )
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Iterable[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        check.of_type(Optimizer, "SequentialLR", "optimizer", optimizer)
        refuse_unless_list("SequentialLR", "milestones", milestones, "epochs")
        own = _checked("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(own) - 1:
            raise ValueError(
                f"SequentialLR: {len(milestones)} milestones of {len(own)} schedulers; "
                f"{len(own) - 1} are needed"
            )
        self.optimizer: Optimizer = optimizer
        self._schedulers = own
        self._milestones = list(milestones)
        self.last_epoch: int = check.integer("SequentialLR", "last_epoch", last_epoch) + 1
        # Making each of them has written its first rate: only that of the first one counts.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        _take_back(own)
        first = own[bisect_right(self._milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go on by one in the schedule whose turn it is.

        Raises:
            DisposedError: The optimizer has ended.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> inner = gb.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> schedule = gb.optim.lr_scheduler.SequentialLR(optimizer, [inner], [])
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.25]
        """
        refuse_disposed("SequentialLR", self.optimizer)
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[place]
        is_its_first = place > 0 and self._milestones[place - 1] == self.last_epoch
        if is_its_first and isinstance(schedule, _OfSchedules):
            write_rates(self.optimizer, [it["initial_lr"] for it in self.optimizer.param_groups])
            schedule.step()
        elif is_its_first:
            schedule.step(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


class ChainedScheduler(_OfSchedules):
    """Let several schedules change the rate at each step, one after the other.

    Args:
        schedulers: A list of them, of one optimizer.
        optimizer: That optimizer; by default the first one's.

    Raises:
        TypeError: Something that is no schedule, or no list of them.
        ValueError: Schedules of different optimizers, or one that asks for a metric.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = gb.optim.lr_scheduler.ChainedScheduler(
    ...     [
    ...         gb.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=10),
    ...         gb.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5),
    ...     ]
    ... )
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._schedulers = _checked("ChainedScheduler", schedulers, optimizer)
        self.optimizer: Optimizer = self._schedulers[0].optimizer
        self._last_lr = self._rates_now()

    def step(self) -> None:  # type: ignore[override]
        """Go on by one in all of them.

        Raises:
            DisposedError: The optimizer has ended.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> inner = gb.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> schedule = gb.optim.lr_scheduler.ChainedScheduler([inner])
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.25]
        """
        refuse_disposed("ChainedScheduler", self.optimizer)
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = self._rates_now()
