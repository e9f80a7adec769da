"""Weights divided by their largest singular value, the older way: by a hook before each forward."""

from __future__ import annotations

from typing import Any, TypeVar

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, empty
from garboard.nn._convolutions.transposed_convolution import (
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter
from garboard.nn.utils._norms import part_of, spectral_matrix

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]

_M = TypeVar("_M", bound=Module)


class SpectralNorm:
    """Computes the weight before each forward; `handle` takes it off.

    Args:
        name: The weight's name.
        n_power_iterations: How many steps are made before each forward.
        dim: The weight's dim of outputs.
        eps: What norms are no smaller than.

    >>> from garboard.nn.utils.spectral_norm import SpectralNorm
    >>> hook = SpectralNorm.apply(gb.nn.Linear(20, 40), "weight", 1, 0, 1e-12)
    >>> hook.name, hook.n_power_iterations
    ('weight', 1)
    """

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        op = "spectral_norm"
        self.name: str = check.text(op, "name", name)
        self.n_power_iterations: int = check.count(op, "n_power_iterations", n_power_iterations, 1)
        self.dim: int = check.integer(op, "dim", dim)
        self.eps: float = check.rate(op, "eps", eps)
        self.handle: Any = None

    @classmethod
    def apply(
        cls, module: Module, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> SpectralNorm:
        """Norm a weight as `spectral_norm` does.

        Returns:
            What computes it.

        Args:
            module: What has the weight.
            name, n_power_iterations, dim, eps: As for the class.
        """
        return _normed(module, cls(name, n_power_iterations, dim, eps))

    def remove(self, module: Module) -> None:
        """Let the weight be an ordinary parameter again, as `remove_spectral_norm` does.

        Args:
            module: What has the weight.

        >>> layer = gb.nn.utils.spectral_norm(gb.nn.Linear(2, 2))
        >>> gb.nn.utils.remove_spectral_norm(layer).weight.shape
        (2, 2)
        """
        remove_spectral_norm(module, self.name)

    def __call__(self, module: Module, args: object) -> None:
        given = check.of_type(Module, "spectral_norm", "module", module)
        setattr(module, self.name, self.compute_weight(given, given.training))

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """Return the weight divided, after steps of the power method if they are to be made.

        Args:
            module: What has the weight.
            do_power_iteration: Whether steps are made.

        >>> from garboard.nn.utils.spectral_norm import SpectralNorm
        >>> layer = gb.nn.Linear(2, 3)
        >>> hook = SpectralNorm.apply(layer, "weight", 1, 0, 1e-12)
        >>> hook.compute_weight(layer, do_power_iteration=False).shape
        (3, 2)
        """
        steps = self.n_power_iterations if do_power_iteration else 0
        ends = ("orig", "u", "v")
        weight, u, v = (part_of("spectral_norm", module, f"{self.name}_{it}") for it in ends)
        matrix = spectral_matrix(weight, self.dim)
        with no_grad():
            for _ in range(steps):
                v.copy_(self._unit(matrix.mH @ u))
                u.copy_(self._unit(matrix @ v))
            u, v = u.clone(), v.clone()  # what backward reads, a later call does not change
        made: Tensor = weight / u.vdot(matrix @ v)
        return made

    def _unit(self, vector: Tensor) -> Tensor:
        return vector / vector.norm().clamp(min=self.eps)


def _hook_of(module: Module, name: str) -> SpectralNorm | None:
    hooks = module._forward_pre_hooks
    found = [it for it in hooks.snapshot() if isinstance(it, SpectralNorm)] if hooks else []
    return next((it for it in found if it.name == name), None)


def spectral_norm(
    module: _M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> _M:
    """Divide a weight by its largest singular value, which steps of the power method follow.

    Miyato et al., "Spectral normalization for generative adversarial networks", arXiv:1802.05957.
    The weight is computed before each forward from the parameter `name_orig`; the method's vectors
    are the buffers `name_u` and `name_v`, and move while the module trains.

    Args:
        module: Whose weight it is.
        name: The weight's name.
        n_power_iterations: How many steps are made before each forward.
        eps: What norms are no smaller than.
        dim: The weight's dim of outputs; 0 by default, 1 of a transposed convolution.

    Returns:
        `module`.

    Raises:
        ValueError: There is no such parameter, it is normed already, or a number lies outside.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.spectral_norm(gb.nn.Linear(20, 40))
    >>> sorted(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if dim is None:
        kinds = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
        dim = 1 if isinstance(module, kinds) else 0
    _normed(module, SpectralNorm(name, n_power_iterations, dim, eps))
    return module


def _normed(module: Module, hook: SpectralNorm) -> SpectralNorm:
    op = "spectral_norm"
    check.of_type(Module, op, "module", module)
    said = hook.name
    weight = vars(module).get(said)
    if not isinstance(weight, Parameter):
        is_normed = _hook_of(module, said) is not None
        raise ArgumentError(
            f"{op}: {type(module).__name__} has no parameter {shown(said)}"
            f"{', which is normed already' if is_normed else ''}; one is needed"
        )
    with no_grad():
        sizes = spectral_matrix(weight.detach(), hook.dim).shape
        drawn = [
            hook._unit(empty(size, dtype=weight.dtype, device=weight.device).normal_())
            for size in sizes
        ]
    delattr(module, said)
    module.register_parameter(f"{said}_orig", weight)
    setattr(module, said, weight.detach())
    for one, vector in zip("uv", drawn, strict=True):
        module.register_buffer(f"{said}_{one}", vector)
    hook.handle = module.register_forward_pre_hook(hook)
    return hook


def remove_spectral_norm(module: _M, name: str = "weight") -> _M:
    """Let a weight be an ordinary parameter again: what was computed last.

    Args:
        module: Whose weight it is.
        name: The weight's name.

    Returns:
        `module`.

    Raises:
        ValueError: The weight is not normed.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.spectral_norm(gb.nn.Linear(20, 40))
    >>> sorted(gb.nn.utils.remove_spectral_norm(layer).state_dict())
    ['bias', 'weight']
    """
    op = "remove_spectral_norm"
    check.of_type(Module, op, "module", module)
    said = check.text(op, "name", name)
    hook = _hook_of(module, said)
    if hook is None:
        raise ValueError(f"{op}: {shown(said)} of {type(module).__name__} is not normed")
    original: Parameter = getattr(module, f"{said}_orig")
    made = Parameter(hook.compute_weight(module, False).detach(), original.requires_grad)
    hook.handle.remove()
    for gone in (said, *(f"{said}_{one}" for one in ("orig", "u", "v"))):
        delattr(module, gone)
    module.register_parameter(said, made)
    return module
