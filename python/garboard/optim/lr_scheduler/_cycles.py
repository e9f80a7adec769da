"""Schedules that rise and fall: cosines, triangles, one cycle."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from math import cos, floor, log, pi
from types import FunctionType
from typing import Any, Literal

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.optim.lr_scheduler._scheduler import LRScheduler, per_group, write_rates
from garboard.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]

# What a phase of one cycle is, by the names of its state.
_PHASE = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")


def _cosine(start: float, end: float, share: float) -> float:
    return end + (start - end) / 2 * (1 + cos(pi * share))


def _line(start: float, end: float, share: float) -> float:
    return (end - start) * share + start


class CosineAnnealingLR(LRScheduler):
    """Lower the rate along half a cosine, to `eta_min` at epoch `T_max`, and then raise it again.

    lr = eta_min + (initial lr - eta_min) / 2 * (1 + cos(pi * epoch / T_max)) (Loshchilov and
    Hutter, arXiv:1608.03983, without its restarts).

    Args:
        optimizer: Whose groups' "lr" it writes.
        T_max: How many epochs half a cosine takes; it need not be whole. Below 0 it is as above.
        eta_min: The least rate.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: A `T_max` of 0.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step()
    >>> schedule.step()
    >>> round(schedule.get_last_lr()[0], 4)
    0.25
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: float,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        # Below 0 where warming up takes longer than all: such a schedule is made, and never begins.
        if check.worth("CosineAnnealingLR", "T_max", T_max) == 0:
            raise ValueError("CosineAnnealingLR: T_max 0; another number is needed")
        self.T_max: float = T_max
        self.eta_min: float = check.real("CosineAnnealingLR", "eta_min", eta_min)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        rates, epoch, period, least = self._rates_now(), self.last_epoch, self.T_max, self.eta_min
        if self._is_initial or epoch == 0:
            return rates
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - period) % (2 * period) == 0:
            rise = (1 - cos(pi / period)) / 2
            firsts = self.base_lrs
            return [
                rate + (first - least) * rise for rate, first in zip(rates, firsts, strict=True)
            ]
        ratio = (1 + cos(pi * epoch / period)) / (1 + cos(pi * (epoch - 1) / period))
        return [ratio * (rate - least) + least for rate in rates]

    def _get_closed_form_lr(self) -> list[float]:
        share = self.last_epoch / self.T_max
        return [_cosine(rate, self.eta_min, share) for rate in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lower the rate along half a cosine, and begin anew, each time for `T_mult` times as long.

    lr = eta_min + (initial lr - eta_min) / 2 * (1 + cos(pi * T_cur / T_i)) (Loshchilov and Hutter,
    arXiv:1608.03983).

    Args:
        optimizer: Whose groups' "lr" it writes.
        T_0: How many epochs the first half cosine takes; 1 or more.
        T_mult: How much longer each takes than the one before; 1 or more.
        eta_min: The least rate.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: A `T_0` or `T_mult` below 1, or a negative epoch.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    ...     rates += [round(rate, 4) for rate in schedule.get_last_lr()]
    >>> rates
    [0.25, 0.5, 0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        name = "CosineAnnealingWarmRestarts"
        self.T_0: int = check.count(name, "T_0", T_0, 1)
        self.T_i: float = self.T_0
        self.T_mult: int = check.count(name, "T_mult", T_mult, 1)
        self.eta_min: float = check.real(name, "eta_min", eta_min)
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        # In PyTorch's order, which is not CosineAnnealingLR's: rates agree to the last bit.
        height = 1 + cos(pi * self.T_cur / self.T_i)
        return [self.eta_min + (rate - self.eta_min) * height / 2 for rate in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on by one; or to an epoch, which may be a fraction.

        Args:
            epoch: Where to go, `epoch + batch / batches` say.

        Raises:
            ValueError: A negative epoch.
            DisposedError: The optimizer has ended.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
        >>> schedule = gb.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> schedule.step(3.0)
        >>> round(schedule.get_last_lr()[0], 4)
        0.25
        """
        if epoch is None and self.last_epoch >= 0:
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._go_to(0 if epoch is None else epoch)
        super().step(self.last_epoch + 1 if epoch is None else floor(epoch))

    def _go_to(self, epoch: float) -> None:
        if check.worth("CosineAnnealingWarmRestarts.step", "epoch", epoch) < 0:
            raise ValueError(
                f"CosineAnnealingWarmRestarts.step: epoch {shown(epoch)}; 0 or more is needed"
            )
        cycle = 0
        if epoch >= self.T_0 and self.T_mult == 1:
            cycle = int(epoch // self.T_0)
            begin: float = cycle * self.T_0
        elif epoch >= self.T_0:
            cycle = int(log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            begin = self.T_0 * (self.T_mult**cycle - 1) / (self.T_mult - 1)
        else:
            begin = 0
        self.T_cur = epoch - begin
        self.T_i = self.T_0 * self.T_mult**cycle


class CyclicLR(LRScheduler):
    """Let the rate go up and down between two bounds, step by step.

    Smith, "Cyclical learning rates for training neural networks", arXiv:1506.01186. Momentum goes
    the other way where `cycle_momentum` asks for it.

    Args:
        optimizer: Whose groups' "lr" it writes.
        base_lr: The lower bound, or a list of one a group.
        max_lr: The upper bound, or a list of one a group.
        step_size_up: How many steps the way up takes.
        step_size_down: How many the way down takes; as many by default.
        mode: "triangular"; "triangular2" halves the height at each cycle; "exp_range" scales it by
            gamma^step.
        gamma: For "exp_range".
        scale_fn: Scales the height, instead of `mode`.
        scale_mode: What `scale_fn` is a function of: the number of the "cycle", from 1, or the
            number of steps, "iterations".
        cycle_momentum: Write "momentum", or the first of "betas", too.
        base_momentum: The lower bound of momentum, or a list.
        max_momentum: The upper bound of momentum, or a list.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: Another mode, no steps, lists of other lengths, or an optimizer without
            momentum.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.lr_scheduler.CyclicLR(
    ...     optimizer, base_lr=0.25, max_lr=0.75, step_size_up=2, cycle_momentum=False
    ... )
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        name = "CyclicLR"
        check.of_type(Optimizer, name, "optimizer", optimizer)
        up = check.worth(name, "step_size_up", step_size_up)
        down = up if step_size_down is None else check.worth(name, "step_size_down", step_size_down)
        if not (up > 0 and down >= 0):
            raise ValueError(f"{name}: {up} steps up and {down} down; positive ones are needed")
        self.total_size: float = up + down
        self.step_ratio: float = up / self.total_size
        self.mode: str = check.choice(name, "mode", mode, "triangular", "triangular2", "exp_range")
        self.gamma: float = check.real(name, "gamma", gamma)
        self.scale_mode: str = check.choice(name, "scale_mode", scale_mode, "cycle", "iterations")
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self._scale_fn_custom: Any = scale_fn and check.function(name, "scale_fn", scale_fn)
        self.max_lrs: list[float] = per_group(name, "max_lr", max_lr, optimizer)
        lows = per_group(name, "base_lr", base_lr, optimizer)
        if last_epoch == -1:
            write_rates(optimizer, lows)
        self.cycle_momentum: bool = check.flag(name, "cycle_momentum", cycle_momentum)
        if self.cycle_momentum:
            self.use_beta1: bool = has_betas(name, optimizer)
            lowest = per_group(name, "base_momentum", base_momentum, optimizer)
            highest = per_group(name, "max_momentum", max_momentum, optimizer)
            self.base_momentums: list[float] = lowest
            self.max_momentums: list[float] = highest
            if last_epoch == -1:
                bound_momentum(optimizer, self.use_beta1, lowest, highest)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def _height(self) -> tuple[float, float]:
        """How high the rate stands between its bounds, in [0, 1], and by what that is scaled."""
        cycle = floor(1 + self.last_epoch / self.total_size)
        way = 1 + self.last_epoch / self.total_size - cycle
        if way <= self.step_ratio:
            height = way / self.step_ratio
        else:
            height = (way - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        if self._scale_fn_custom is not None:
            return height, self._scale_fn_custom(at)
        if self.mode == "triangular":
            return height, 1.0
        return height, 0.5 ** (at - 1) if self.mode == "triangular2" else self.gamma**at

    def get_lr(self) -> list[float]:
        height, scale = self._height()
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        rates = [low + (high - low) * height * scale for low, high in pairs]
        if self.cycle_momentum:
            both = zip(self.base_momentums, self.max_momentums, strict=True)
            write_momentum(
                self.optimizer,
                self.use_beta1,
                [high - (high - low) * height * scale for low, high in both],
            )
        return rates

    def state_dict(self) -> dict[str, Any]:
        saved, scale = super().state_dict(), self._scale_fn_custom
        is_function = scale is None or isinstance(scale, FunctionType)
        saved["_scale_fn_custom"] = None if is_function else dict(vars(scale))
        return saved

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        kept = state_dict.get("_scale_fn_custom") if isinstance(state_dict, Mapping) else None
        scale = self._scale_fn_custom
        super().load_state_dict(state_dict)
        self._scale_fn_custom = scale
        if kept is not None and scale is not None:
            vars(scale).update(kept)


def has_betas(name: str, optimizer: Optimizer) -> bool:
    """Whether the first of an optimizer's betas is its momentum."""
    for option in ("betas", "momentum"):
        if option in optimizer.defaults:
            return option == "betas"
    raise ValueError(
        f"{name}: an optimizer without momentum and betas; cycle_momentum=False is needed"
    )


def write_momentum(optimizer: Optimizer, is_beta: bool, values: list[float]) -> None:
    """Write each group's momentum, or the first of its betas."""
    for group, value in zip(optimizer.param_groups, values, strict=False):
        if is_beta:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


def bound_momentum(
    optimizer: Optimizer, is_beta: bool, lows: list[float], tops: list[float]
) -> None:
    """Begin at the upper bound of each group's momentum, and keep both in the group."""
    write_momentum(optimizer, is_beta, tops)
    for group, low, top in zip(optimizer.param_groups, lows, tops, strict=True):
        group["max_momentum"], group["base_momentum"] = top, low


class OneCycleLR(LRScheduler):
    """Raise the rate to `max_lr`, then lower it far below where it began, in one cycle of steps.

    Smith and Topin, "Super-convergence", arXiv:1708.07120. Call `step()` after every batch, at most
    `total_steps` times.

    Args:
        optimizer: Whose groups' "lr" it writes.
        max_lr: The greatest rate, or a list of one a group.
        total_steps: How many steps the cycle has; or give the next two.
        epochs: How many epochs it has.
        steps_per_epoch: How many steps an epoch has.
        pct_start: What share of the steps the way up takes.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: Let momentum, or the first of the betas, go the other way.
        base_momentum: The lower bound of momentum, or a list.
        max_momentum: The upper bound of momentum, or a list.
        div_factor: The first rate is max_lr / div_factor.
        final_div_factor: The last one is the first / final_div_factor.
        three_phase: Go back down to the first rate as fast as up, and only then to the last.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        TypeError: No Optimizer, or a number that is none.
        ValueError: No number of steps, one out of range, lists of other lengths, an optimizer
            without momentum; or a step beyond the last.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5, momentum=0.9)
    >>> schedule = gb.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        name = "OneCycleLR"
        check.of_type(Optimizer, name, "optimizer", optimizer)
        if total_steps is not None:
            self.total_steps: int = check.count(name, "total_steps", total_steps, 1)
        elif epochs is None or steps_per_epoch is None:
            raise ValueError(
                f"{name}: no number of steps; total_steps, or epochs and steps_per_epoch, is needed"
            )
        else:
            self.total_steps = check.count(name, "epochs", epochs, 1) * check.count(
                name, "steps_per_epoch", steps_per_epoch, 1
            )
        share = float(check.share(name, "pct_start", pct_start))
        self._anneal_func_type: str = check.choice(
            name, "anneal_strategy", anneal_strategy, "cos", "linear"
        )
        last = self.total_steps - 1
        peak = share * self.total_steps - 1
        # Where each phase ends, and between which of a group's values it runs.
        phases = [
            (peak, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
            (last, "max_lr", "min_lr", "base_momentum", "max_momentum"),
        ]
        if check.flag(name, "three_phase", three_phase):
            down = 2 * share * self.total_steps - 2
            phases[1:] = [
                (down, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                (last, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        self._schedule_phases: list[dict[str, Any]] = [
            dict(zip(_PHASE, phase, strict=True)) for phase in phases
        ]
        self.cycle_momentum: bool = check.flag(name, "cycle_momentum", cycle_momentum)
        highs = per_group(name, "max_lr", max_lr, optimizer)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highs, strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
            write_rates(optimizer, [group["initial_lr"] for group in optimizer.param_groups])
        if self.cycle_momentum:
            self.use_beta1: bool = has_betas(name, optimizer)
            lows = per_group(name, "base_momentum", base_momentum, optimizer)
            tops = per_group(name, "max_momentum", max_momentum, optimizer)
            if last_epoch == -1:
                bound_momentum(optimizer, self.use_beta1, lows, tops)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"OneCycleLR.step: step {step} of {self.total_steps}; a cycle ends with its last"
            )
        ends = [phase["end_step"] for phase in self._schedule_phases[:-1]]
        place = bisect_left(ends, step)
        start = ends[place - 1] if place else 0.0
        end, *names = (self._schedule_phases[place][it] for it in _PHASE)
        way = (step - start) / (end - start) if end != start else 1.0
        between = _line if self._anneal_func_type == "linear" else _cosine
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            momenta = [between(group[names[2]], group[names[3]], way) for group in groups]
            write_momentum(self.optimizer, self.use_beta1, momenta)
        return [between(group[names[0]], group[names[1]], way) for group in groups]
