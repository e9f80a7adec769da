"""Optimizers whose step is a formula of ops, a parameter at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, overload

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import enable_grad, no_grad
from garboard._engine import DeviceError, Tensor, _is_captured, view_as_real, zeros_like
from garboard.optim._state import scalar
from garboard.optim.optimizer import Optimizer

__all__ = ["FormulaOptimizer", "check_betas", "check_rate", "in_parts", "refuse_modes"]

_Group = dict[str, Any]
_T = TypeVar("_T")


_MODES = {
    "capturable": "the host counts its steps; Adam and AdamW without amsgrad, SGD, RMSprop, "
    "Adadelta and Rprop can be captured",
    "differentiable": "write the step with ops that are recorded",
}


def refuse_modes(name: str, group: _Group, is_capturable: bool = False) -> None:
    """Refuse what an optimizer does not do; what only makes PyTorch faster is taken and ignored.

    All of it stands in the groups, so that state dicts fit PyTorch's optimizers, too.

    Raises:
        NotImplementedError: One of them is asked for.
        TypeError: It is neither True nor False.
    """
    for option, instead in _MODES.items():
        if option in group and check.flag(name, option, group[option]):
            if option == "capturable" and is_capturable:
                continue
            raise NotImplementedError(f"{name}: {option}=True is not in garboard yet; {instead}")
    for option in ("foreach", "fused"):
        if group.get(option) is not None:
            check.flag(name, option, group[option])


def _parts(given: Any) -> Any:
    is_complex = isinstance(given, Tensor) and given.is_complex()
    return view_as_real(given) if is_complex else given


def in_parts(parameter: Tensor, number: float) -> complex:
    """A number for each part of the parameter's."""
    return complex(number, number) if parameter.is_complex() else number


def check_rate(name: str, option: str, given: Any) -> None:
    """Raise unless an option is a number that is not negative; True is 1, as in PyTorch."""
    check.rate(name, option, int(given) if isinstance(given, bool) else given)


def check_betas(name: str, betas: Any) -> None:
    """Raise ValueError unless `betas` are two shares below 1."""
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        given = f"of {len(betas)}" if isinstance(betas, (tuple, list)) else shown(betas)
        raise ValueError(f"{name}: betas {given}; two in [0, 1) are needed")
    for place, beta in enumerate(betas):
        check.share(name, f"betas[{place}]", beta, is_whole_allowed=False)


class FormulaOptimizer(Optimizer):
    """Base of optimizers that update each parameter by itself."""

    # Options that are not negative, and tensors of a parameter's sizes in the state.
    _rates: ClassVar[tuple[str, ...]] = ("lr", "eps", "weight_decay")
    _tensor_names: ClassVar[tuple[str, ...]] = ()
    _number_names: ClassVar[tuple[str, ...]] = ("step",)
    # Whether the update itself takes decay off the parameter, and whether the state counts steps.
    _decays_apart: ClassVar[bool] = False
    _counts_steps: ClassVar[bool] = True
    # Whether no update reads what the host counts, so that replays of a captured one are right.
    _is_capturable: ClassVar[bool] = False

    def _names_of_tensors(self) -> tuple[str, ...]:
        return self._tensor_names

    def _check_options(self, group: _Group) -> None:
        refuse_modes(self._name, group, self._is_capturable)
        for name in self._rates:
            check_rate(self._name, name, group[name])
        for name in ("maximize", "centered", "decoupled_weight_decay"):
            if name in group:
                check.flag(self._name, name, group[name])
        if "betas" in group:
            check_betas(self._name, group["betas"])

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], _T]) -> _T: ...
    def step(self, closure: Callable[[], _T] | None = None) -> _T | None:
        """Update every parameter that has a gradient.

        Args:
            closure: Computes the loss anew, with gradients; called first.

        Returns:
            What `closure` returned, or None.

        Raises:
            DisposedError: The optimizer or one of its parameters has ended.
            DeviceError: The step is captured, and its replays would do something else.
            TypeError: `closure` cannot be called.

        >>> x = gb.tensor([1.0], requires_grad=True)
        >>> optimizer = gb.optim.RMSprop([x], lr=0.5, alpha=0.0)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> round(x.item(), 4)
        0.5
        """
        result = None
        if closure is not None:
            check.function(f"{self._name}.step", "closure", closure, "a function, or None,")
            with enable_grad():
                result = closure()
        with no_grad():
            for group in self.param_groups:
                if "betas" in group:  # schedulers and programs set them
                    check_betas(self._name, group["betas"])
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._step_of(parameter, parameter.grad, group)
        return result

    def _step_of(self, parameter: Tensor, gradient: Tensor, group: _Group) -> None:
        if group.get("maximize", False):
            gradient = -gradient
        decay = group.get("weight_decay", 0)
        if decay and group.get("decoupled_weight_decay", False):
            parameter.mul_(1 - group["lr"] * decay)
        elif decay and not self._decays_apart:
            gradient = gradient.add(parameter, alpha=decay)
        state = self.state[parameter]
        if parameter.is_cuda and _is_captured():
            self._check_capture(state)
        if self._counts_steps and "step" not in state:
            state["step"] = scalar(0)
            self._begin(parameter, state, group)
        elif not state:
            self._begin(parameter, state, group)
        if self._counts_steps:
            state["step"] += 1
        if not parameter.is_complex():
            self._update(parameter, gradient, state, group)
            return
        # Both parts of a complex number are numbers of their own, as in PyTorch.
        seen = {name: _parts(it) for name, it in state.items()}
        self._update(_parts(parameter), _parts(gradient), seen, group)

    def _check_capture(self, state: dict[str, Any]) -> None:
        """Raise DeviceError unless replays of a captured step do what steps do."""
        if not self._is_capturable:
            raise DeviceError(f"{self._name}.step: captured work; {_MODES['capturable']}")
        if not state:
            raise DeviceError(
                f"{self._name}.step: its first step is captured, whose replays would begin anew; "
                "take a step before the capture"
            )

    def _begin(self, parameter: Tensor, state: dict[str, Any], group: _Group) -> None:
        """Make the state of one parameter; zeros of its sizes by default."""
        for name in self._tensor_names:
            state[name] = zeros_like(parameter)

    def _update(
        self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: _Group
    ) -> None:
        """Write into one parameter and its state; decay has been added to the gradient, unless
        `_decays_apart`."""
        raise NotImplementedError
