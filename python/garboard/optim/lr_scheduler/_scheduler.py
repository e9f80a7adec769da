"""What all schedules share: where they stand, the rates they began with, their state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from warnings import warn

from garboard._arguments import check
from garboard._arguments.given import items_of, keys_of
from garboard._arguments.texts import shown
from garboard._engine import DisposedError, Tensor
from garboard.optim.optimizer import Optimizer

__all__ = ["LRScheduler", "epochs", "per_group", "refuse_disposed", "write_rates"]


def refuse_disposed(name: str, optimizer: Optimizer) -> None:
    """Raise DisposedError where the optimizer of a schedule has ended."""
    if optimizer._is_disposed:
        raise DisposedError(f"{name}.step: its optimizer is disposed; make both anew")


def epochs(op: str, name: str, given: Any, least: int) -> Any:
    """How many epochs something takes, which need not be a whole number."""
    if check.worth(op, name, given) < least:
        raise ValueError(f"{op}: {name} {shown(given)}; {least} or more is needed")
    return given


def per_group(op: str, name: str, given: Any, optimizer: Optimizer) -> list[Any]:
    """One value for all groups, or a list of one each; tensors are copied, a group's its own."""
    count = len(optimizer.param_groups)
    values = items_of(given) if isinstance(given, (list, tuple)) else [given] * count
    if len(values) != count:
        raise ValueError(f"{op}: {len(values)} {name}; {count} are needed, one a parameter group")
    return [it.detach().clone() if isinstance(it, Tensor) else it for it in values]


def write_rates(optimizer: Optimizer, rates: list[Any], name: str = "lr") -> None:
    """Write an option of each group; into the tensor where it is one."""
    for group, rate in zip(optimizer.param_groups, rates, strict=False):
        if isinstance(group.get(name), Tensor):
            group[name].fill_(float(rate))
        else:
            group[name] = rate


class LRScheduler:
    """Base of schedules. A subclass defines `get_lr()`: the rate of each group now.

    Making one writes the first rates. Call `step()` after the optimizer's, once an epoch or once a
    step, as the schedule is meant.

    Args:
        optimizer: Whose groups' "lr" it writes; "initial_lr" keeps the one from before.
        last_epoch: How many steps the schedule has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or no number.
        KeyError: `last_epoch` says the schedule goes on, and a group has no "initial_lr".

    >>> class Halves(gb.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [rate * 0.5**self.last_epoch for rate in self.base_lrs]
    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = Halves(optimizer)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    # While its making writes the first rates: one that goes on leaves what the optimizer has.
    _is_initial = False
    # Not in the state dict.
    _unsaved: ClassVar[tuple[str, ...]] = ("optimizer", "_steps_before")

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        name = type(self).__name__
        self.optimizer: Optimizer = check.of_type(Optimizer, name, "optimizer", optimizer)
        epoch = check.integer(name, "last_epoch", last_epoch)
        for place, group in enumerate(optimizer.param_groups):
            if epoch == -1:
                group.setdefault("initial_lr", _number(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"{name}: group {place} has no 'initial_lr', which a schedule that goes on "
                    "from last_epoch needs; load the optimizer's state dict first"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch: int = epoch
        self._last_lr: list[float] = [_number(group["lr"]) for group in optimizer.param_groups]
        self._steps_before = optimizer._step_count
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> list[float]:
        """Return the rate of each group at `last_epoch`; a subclass defines it.

        Raises:
            NotImplementedError: The subclass has no `get_lr`.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> gb.optim.lr_scheduler.StepLR(optimizer, 10).get_lr()
        [0.5]
        """
        raise NotImplementedError(
            f"{type(self).__name__}: get_lr() is missing; a schedule defines it"
        )

    def _rates_now(self) -> list[float]:
        """The rate of each group before this step."""
        return [_number(group["lr"]) for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[float]:
        """Return the rates that were written last, one a group.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> gb.optim.lr_scheduler.StepLR(optimizer, 10).get_last_lr()
        [0.5]
        """
        return self._last_lr

    def step(self, epoch: float | None = None) -> None:
        """Go on by one, and write the rates.

        Args:
            epoch: Go there instead, to a fraction too, where the schedule has a formula for it.

        Raises:
            TypeError: `epoch` is no number.
            DisposedError: The optimizer has ended.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> schedule = gb.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> optimizer.step()
        >>> schedule.step()
        >>> optimizer.param_groups[0]["lr"]
        0.25
        """
        name = type(self).__name__
        refuse_disposed(name, self.optimizer)
        is_too_early = self.optimizer._step_count == self._steps_before
        if epoch is None and self._step_count == 1 and is_too_early:
            warn(
                f"{name}.step: called before the optimizer's first step, whose rate is skipped; "
                "call optimizer.step() first",
                stacklevel=2,
            )
        self._step_count += 1
        self._get_lr_called_within_step = True  # which a user's own get_lr() may ask
        try:
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = check.real(f"{name}.step", "epoch", epoch)
                closed = getattr(self, "_get_closed_form_lr", self.get_lr)
                rates = closed()
        finally:
            self._get_lr_called_within_step = False
        write_rates(self.optimizer, rates)
        self._last_lr = self._rates_now()

    def state_dict(self) -> dict[str, Any]:
        """Return where the schedule stands: all its attributes but the optimizer.

        Functions that were given are left out, objects that can be called keep their attributes.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> gb.optim.lr_scheduler.StepLR(optimizer, 10).state_dict()["last_epoch"]
        0
        """
        return {name: it for name, it in vars(self).items() if name not in self._unsaved}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from where a schedule of the same kind stood.

        Args:
            state_dict: What `state_dict()` returned.

        Raises:
            TypeError: No dict with names for keys; nothing is changed then.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> schedule = gb.optim.lr_scheduler.StepLR(optimizer, 10)
        >>> schedule.load_state_dict({**schedule.state_dict(), "last_epoch": 9})
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.05]
        """
        op = f"{type(self).__name__}.load_state_dict"
        names = keys_of(str, op, "state_dict", state_dict, "a schedule's attributes")
        if unknown := [name for name in names if name in self._unsaved]:
            raise TypeError(f"{op}: keys [{', '.join(map(shown, unknown))}] are never saved")
        vars(self).update({name: state_dict[name] for name in names})


def _number(rate: Any) -> Any:
    return rate.item() if isinstance(rate, Tensor) else rate
