"""Losses scaled up, so that small gradients do not vanish in float16."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from math import inf
from typing import Any
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, NotBegunError
from garboard._arguments.given import keys_of
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import GarboardError, Tensor
from garboard.optim.optimizer import Optimizer

_DEEPEST = 64

__all__ = ["GradScaler", "OptState"]

_SAVED = ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker")


# What the scale lies between: its reciprocal is a number of float32, too.
_LEAST, _MOST = 2.0**-126, 2.0**127


def _scale(op: str, name: str, given: Any) -> float:
    number = check.worth(op, name, given)
    if not _LEAST <= number <= _MOST:
        raise ValueError(f"{op}: {name} {shown(number)}; a positive number of float32 is needed")
    return number


def _growth(op: str, name: str, given: Any) -> float:
    number = check.worth(op, name, given)
    if not 1 < number < inf:
        raise ValueError(f"{op}: {name} {shown(number)}; more than 1 is needed")
    return number


def _backoff(op: str, name: str, given: Any) -> float:
    number = check.worth(op, name, given)
    if not 0 < number < 1:
        raise ValueError(f"{op}: {name} {shown(number)}; less than 1, and more than 0, is needed")
    return number


class OptState(Enum):
    """What was done with an optimizer since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _Step:
    """How far one optimizer is."""

    def __init__(self) -> None:
        self.stage = OptState.READY
        self.found_inf: bool | None = None  # None: not looked yet


class GradScaler:
    """Scale losses up before backward, and gradients down before a step.

    A step whose gradients are infinite or NaN is left out, and the scale made smaller; after so
    many good ones it is made larger. For float16, whose smallest numbers are far from 0; bfloat16
    needs none (Micikevicius et al., "Mixed precision training", arXiv:1710.03740).

    Args:
        device: "cuda" or "cpu". Without a CUDA device one for it does nothing, with a warning.
        init_scale: The scale at first.
        growth_factor: What it is multiplied by after `growth_interval` good steps; more than 1.
        backoff_factor: What it is multiplied by after a bad one; between 0 and 1.
        growth_interval: How many good steps it takes.
        enabled: False does nothing: `scale` returns what it is given, `step` steps.

    Raises:
        ValueError: A factor on the wrong side of 1, a scale that is no positive number of float32,
            or another device.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.Linear(2, 1)
    >>> optimizer = gb.optim.SGD(layer.parameters(), lr=0.1)
    >>> scaler = gb.amp.GradScaler("cpu", init_scale=8.0)
    >>> scaler.scale(layer(gb.ones(1, 2)).sum()).backward()
    >>> layer.bias.grad
    tensor([8.])
    >>> scaler.step(optimizer)
    >>> layer.bias.grad
    tensor([1.])
    >>> scaler.update()
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        op = "GradScaler"
        self._device: str = check.choice(op, "device", device, "cuda", "cpu")
        self._enabled: bool = check.flag(op, "enabled", enabled)
        if self._enabled and device == "cuda" and not _engine._cuda_device_count():
            warn(
                "GradScaler: there is no CUDA device, and nothing is scaled; 'cpu' is for the CPU",
                stacklevel=2,
            )
            self._enabled = False
        self._scale: float = _scale(op, "init_scale", init_scale)
        self._growth_factor: float = _growth(op, "growth_factor", growth_factor)
        self._backoff_factor: float = _backoff(op, "backoff_factor", backoff_factor)
        self._growth_interval: int = check.count(op, "growth_interval", growth_interval, 1)
        self._growth_tracker: int = 0
        self._has_scaled: bool = False
        self._steps: dict[int, tuple[Any, _Step]] = {}  # by optimizer, which is kept meanwhile

    def scale(self, outputs: Any) -> Any:
        """Multiply a loss by the scale.

        Args:
            outputs: A tensor, or a list or tuple of them, in lists too.

        Returns:
            New tensors, likewise.

        Raises:
            TypeError: Something else.

        >>> gb.amp.GradScaler("cpu", init_scale=4.0).scale(gb.tensor(2.0))
        tensor(8.)
        """
        if not self._enabled:
            return outputs
        made = self._scaled(outputs, 0)
        self._has_scaled = True
        return made

    def _scaled(self, outputs: Any, depth: int) -> Any:
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable) and depth < _DEEPEST:
            made = [self._scaled(one, depth + 1) for one in outputs]
            return tuple(made) if isinstance(outputs, tuple) else made
        needed = f"a Tensor, or a list of them, at most {_DEEPEST} deep, is needed"
        raise TypeError(f"GradScaler.scale: outputs is of type {type(outputs).__name__}; {needed}")

    def _check_begun(self, op: str) -> None:
        if not self._has_scaled:
            raise NotBegunError(f"{op}: no loss was scaled; call scale(loss).backward() first")

    def _step_of(self, op: str, optimizer: Any) -> _Step:
        check.of_type(Optimizer, op, "optimizer", optimizer)
        self._check_begun(op)
        _, step = self._steps.setdefault(id(optimizer), (optimizer, _Step()))
        return step

    def _unscale(self, optimizer: Any, step: _Step) -> None:
        parameters = [it for group in optimizer.param_groups for it in group["params"]]
        gradients = [it.grad for it in parameters if it.grad is not None]
        if any(it.dtype == _engine.float16 for it in gradients):
            raise ValueError(
                "GradScaler.unscale_: a gradient of dtype float16; parameters in float32 are "
                "needed, which autocast converts"
            )
        with no_grad():
            for gradient in gradients:
                gradient.mul_(1.0 / self._scale)
            found = [not bool(it.isfinite().all()) for it in gradients]
        step.found_inf = any(found) if found else None

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale: before they are clipped.

        Args:
            optimizer: The optimizer.

        Raises:
            GarboardError: It was done already since the last `update`, or the step was; or no loss
                was scaled yet.
            ValueError: A gradient is float16.
            TypeError: It is no optimizer.

        >>> x = gb.nn.Parameter(gb.ones(1))
        >>> optimizer, scaler = gb.optim.SGD([x], lr=0.1), gb.amp.GradScaler("cpu")
        >>> scaler.scale(x.sum()).backward()
        >>> scaler.unscale_(optimizer)
        >>> x.grad
        tensor([1.])
        """
        if not self._enabled:
            return
        op = "GradScaler.unscale_"
        step = self._step_of(op, optimizer)
        if step.stage is not OptState.READY:
            done = "step()" if step.stage is OptState.STEPPED else "unscale_()"
            raise GarboardError(f"{op}: {done} was called since the last update(); once is needed")
        self._unscale(optimizer, step)
        step.stage = OptState.UNSCALED

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Take an optimizer's step, unless a gradient is infinite or NaN.

        Gradients are divided by the scale first, unless `unscale_` has done that.

        Args:
            optimizer: The optimizer.
            *args: For its `step`.
            **kwargs: Likewise; no closure.

        Returns:
            What its `step` returns, or None.

        Raises:
            GarboardError: It was done already since the last `update`; there is no gradient; no
                loss was scaled yet; or a closure is given.
            ValueError: A gradient is float16.
            TypeError: It is no optimizer.

        >>> x = gb.nn.Parameter(gb.ones(1))
        >>> optimizer, scaler = gb.optim.SGD([x], lr=0.5), gb.amp.GradScaler("cpu")
        >>> scaler.scale(x.sum() * float("inf")).backward()
        >>> scaler.step(optimizer)  # left out
        >>> x
        Parameter containing:
        tensor([1.], requires_grad=True)
        """
        op = "GradScaler.step"
        if not self._enabled:
            return check.of_type(Optimizer, op, "optimizer", optimizer).step(*args, **kwargs)
        if args or "closure" in kwargs:
            raise GarboardError(f"{op}: a closure; compute the loss before, without one")
        step = self._step_of(op, optimizer)
        if step.stage is OptState.STEPPED:
            raise GarboardError(f"{op}: step() was called since the last update(); once is needed")
        if step.stage is OptState.READY:
            self._unscale(optimizer, step)
            step.stage = OptState.UNSCALED
        if step.found_inf is None:
            raise GarboardError(f"{op}: no parameter has a gradient; call backward() first")
        made = None if step.found_inf else optimizer.step(**kwargs)
        step.stage = OptState.STEPPED
        return made

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Make the scale smaller after a bad step, or larger after many good ones.

        Args:
            new_scale: What it is instead.

        Raises:
            GarboardError: No step was taken since the last one.
            ValueError: `new_scale` is no positive number of float32.
            TypeError: It is no number.

        >>> scaler = gb.amp.GradScaler("cpu")
        >>> scaler.update(8.0)
        >>> scaler.get_scale()
        8.0
        """
        op = "GradScaler.update"
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = _scale(op, "new_scale", new_scale)
            self._steps.clear()
            return
        self._check_begun(op)
        found = [step.found_inf for _, step in self._steps.values() if step.found_inf is not None]
        if not found:
            raise GarboardError(f"{op}: no step since the last update(); call step() first")
        self._steps.clear()
        if any(found):
            self._scale = max(self._scale * self._backoff_factor, _LEAST)
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if grown <= _MOST else self._scale
            self._growth_tracker = 0

    def get_scale(self) -> float:
        """Return the scale; 1 where nothing is scaled.

        >>> gb.amp.GradScaler("cpu").get_scale()
        65536.0
        """
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return what the scale is multiplied by after good steps.

        >>> gb.amp.GradScaler("cpu").get_growth_factor()
        2.0
        """
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by after good steps.

        Args:
            new_factor: More than 1.

        Raises:
            ValueError: It is not.
            TypeError: It is no number.

        >>> gb.amp.GradScaler("cpu").set_growth_factor(4.0)
        """
        op = "GradScaler.set_growth_factor"
        self._growth_factor = _growth(op, "new_factor", new_factor)

    def get_backoff_factor(self) -> float:
        """Return what the scale is multiplied by after a bad step.

        >>> gb.amp.GradScaler("cpu").get_backoff_factor()
        0.5
        """
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by after a bad step.

        Args:
            new_factor: Between 0 and 1.

        Raises:
            ValueError: It is not.
            TypeError: It is no number.

        >>> gb.amp.GradScaler("cpu").set_backoff_factor(0.25)
        """
        op = "GradScaler.set_backoff_factor"
        self._backoff_factor = _backoff(op, "new_factor", new_factor)

    def get_growth_interval(self) -> int:
        """Return how many good steps it takes until the scale grows.

        >>> gb.amp.GradScaler("cpu").get_growth_interval()
        2000
        """
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set how many good steps it takes until the scale grows.

        Args:
            new_interval: 1 or more.

        Raises:
            ValueError: It is less.
            TypeError: It is no integer.

        >>> gb.amp.GradScaler("cpu").set_growth_interval(100)
        """
        op = "GradScaler.set_growth_interval"
        self._growth_interval = check.count(op, "new_interval", new_interval, 1)

    def is_enabled(self) -> bool:
        """Tell whether anything is scaled.

        Returns:
            A bool.

        >>> gb.amp.GradScaler("cpu").is_enabled()
        True
        """
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Return scale, factors and counts, to be saved; an empty dict where nothing is scaled.

        >>> gb.amp.GradScaler("cpu").state_dict()["scale"]
        65536.0
        """
        if not self._enabled:
            return {}
        return {name: getattr(self, f"_{name.removeprefix('_')}") for name in _SAVED}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state that was saved.

        Args:
            state_dict: What `state_dict` has returned.

        Raises:
            ValueError: It is empty, something is missing, or a number is not what a scaler has.
            TypeError: It is no dict, or holds something else.

        >>> scaler, other = gb.amp.GradScaler("cpu", init_scale=4.0), gb.amp.GradScaler("cpu")
        >>> other.load_state_dict(scaler.state_dict())
        >>> other.get_scale()
        4.0
        """
        op = "GradScaler.load_state_dict"
        if not self._enabled:
            return
        there = set(keys_of(str, op, "state_dict", state_dict, "numbers"))
        if missing := [name for name in _SAVED if name not in there]:
            raise ArgumentError(
                f"{op}: missing keys {missing}; what state_dict() returned is needed"
            )
        scale = _scale(op, "scale", state_dict["scale"])
        growth = _growth(op, "growth_factor", state_dict["growth_factor"])
        backoff = _backoff(op, "backoff_factor", state_dict["backoff_factor"])
        interval = check.count(op, _SAVED[3], state_dict[_SAVED[3]], 1)
        tracker = check.count(op, _SAVED[4], state_dict[_SAVED[4]])
        self._scale, self._growth_factor, self._backoff_factor = scale, growth, backoff
        self._growth_interval, self._growth_tracker = interval, tracker
