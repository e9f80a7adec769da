"""Norms of weights apart from their directions, the older way: by a hook before each forward."""

from __future__ import annotations

from typing import Any, TypeVar

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter
from garboard.nn.utils._norms import direction_norm, part_of, refuse_lazy

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]

_M = TypeVar("_M", bound=Module)


class WeightNorm:
    """Computes the weight before each forward; `handle` takes it off.

    Args:
        name: The weight's name.
        dim: Each slice along it has a norm of its own; None for one of all.

    >>> from garboard.nn.utils.weight_norm import WeightNorm
    >>> hook = WeightNorm.apply(gb.nn.Linear(20, 40), "weight", 0)
    >>> hook.name, hook.dim
    ('weight', 0)
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name: str = check.text("weight_norm", "name", name)
        self.dim: int | None = check.dim("weight_norm", "dim", dim)
        self.handle: Any = None

    @classmethod
    def apply(cls, module: Module, name: str, dim: int | None) -> WeightNorm:
        """Norm a weight as `weight_norm` does.

        Returns:
            What computes it.

        Args:
            module: What has the weight.
            name: Of the weight.
            dim: Of whose slices norms are kept; None of the whole.
        """
        return _normed(module, cls(name, dim))

    def remove(self, module: Module) -> None:
        """Let the weight be an ordinary parameter again, as `remove_weight_norm` does.

        Args:
            module: What has the weight.

        >>> from garboard.nn.utils.weight_norm import WeightNorm
        >>> layer = gb.nn.utils.weight_norm(gb.nn.Linear(2, 2))
        >>> WeightNorm("weight", 0).remove(layer)
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'weight']
        """
        remove_weight_norm(module, self.name)

    def __call__(self, module: Module, args: object) -> None:
        setattr(module, self.name, self.compute_weight(module))

    def compute_weight(self, module: Module) -> Tensor:
        """Return the weight of a module's norm and direction.

        >>> from garboard.nn.utils.weight_norm import WeightNorm
        >>> layer = gb.nn.utils.weight_norm(gb.nn.Linear(2, 3))
        >>> WeightNorm("weight", 0).compute_weight(layer).shape
        (3, 2)
        """
        norm, direction = (part_of("weight_norm", module, f"{self.name}_{one}") for one in "gv")
        made: Tensor = direction * (norm / direction_norm(direction, self.dim))
        return made


def _hook_of(module: Module, name: str) -> WeightNorm | None:
    hooks = module._forward_pre_hooks
    found = [it for it in hooks.snapshot() if isinstance(it, WeightNorm)] if hooks else []
    return next((it for it in found if it.name == name), None)


def weight_norm(module: _M, name: str = "weight", dim: int | None = 0) -> _M:
    """Learn the norm of a weight apart from its direction: w = g v / |v|.

    Salimans and Kingma, arXiv:1602.07868. The weight is computed before each forward from the
    parameters `name_g` and `name_v`. `nn.utils.parametrizations.weight_norm` computes it whenever
    it is read, and does not mind copies and changed weights.

    Args:
        module: Whose weight it is.
        name: The weight's name.
        dim: Each slice along it has a norm of its own; None for one of all.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter, or it is normed already.
        IndexOutOfRangeError: `dim` lies outside.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.weight_norm(gb.nn.Linear(20, 40))
    >>> {name: it.shape for name, it in layer.named_parameters()}
    {'bias': (40,), 'weight_g': (40, 1), 'weight_v': (40, 20)}
    """
    _normed(module, WeightNorm(name, dim))
    return module


def _normed(module: Module, hook: WeightNorm) -> WeightNorm:
    op = "weight_norm"
    check.of_type(Module, op, "module", module)
    said = hook.name
    weight = vars(module).get(said)
    if not isinstance(weight, Parameter):
        is_normed = _hook_of(module, said) is not None
        raise ArgumentError(
            f"{op}: {type(module).__name__} has no parameter {shown(said)}"
            f"{', which is normed already' if is_normed else ''}; one is needed"
        )
    refuse_lazy(op, module, said, weight)
    norm = Parameter(direction_norm(weight.detach(), hook.dim), weight.requires_grad)
    delattr(module, said)
    module.register_parameter(f"{said}_g", norm)
    module.register_parameter(f"{said}_v", weight)
    setattr(module, said, hook.compute_weight(module))
    hook.handle = module.register_forward_pre_hook(hook)
    return hook


def remove_weight_norm(module: _M, name: str = "weight") -> _M:
    """Let a weight be an ordinary parameter again.

    Args:
        module: Whose weight it is.
        name: The weight's name.

    Returns:
        `module`.

    Raises:
        ValueError: The weight is not normed.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.weight_norm(gb.nn.Linear(20, 40))
    >>> [name for name, _ in gb.nn.utils.remove_weight_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    op = "remove_weight_norm"
    check.of_type(Module, op, "module", module)
    said = check.text(op, "name", name)
    hook = _hook_of(module, said)
    if hook is None:
        raise ValueError(f"{op}: {shown(said)} of {type(module).__name__} is not normed")
    direction: Parameter = getattr(module, f"{said}_v")
    made = Parameter(hook.compute_weight(module).detach(), direction.requires_grad)
    hook.handle.remove()
    for gone in (said, f"{said}_g", f"{said}_v"):
        delattr(module, gone)
    module.register_parameter(said, made)
    return module
