"""What PyTorch has at its root beneath other ops: draws of gamma numbers, sizes, conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard._ops.dtypes import finfo

if TYPE_CHECKING:
    from garboard._contexts.generator import Generator
    from garboard.types import DType

__all__ = [
    "_cast_Double",
    "_cast_Float",
    "_cast_Half",
    "_cast_Int",
    "_cast_Long",
    "_sample_dirichlet",
    "_shape_as_tensor",
    "_standard_gamma",
]


def _concentration(op: str, given: Tensor, generator: Any) -> Tensor:
    if generator is not None:
        raise TypeError(f"{op}: a generator; draws come from the one of all, so leave it out")
    if not check.tensor(op, "concentration", given).is_floating_point():
        raise DTypeError(f"{op}: concentration of dtype {given.dtype}; a floating one is needed")
    return given


def _standard_gamma(concentration: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw x of the density x^(c - 1) e^-x / Gamma(c) for each c, with gradients of it.

    Args:
        concentration: Tensor of a floating dtype, above 0.
        generator: None alone: draws come from the generator of all.

    Returns:
        A tensor of the same sizes and dtype, above 0.

    Raises:
        TypeError: `concentration` is no Tensor, or a generator is given.
        DTypeError: It is of another dtype.

    >>> from garboard._root.parts_of_ops import _standard_gamma
    >>> bool((_standard_gamma(gb.ones(3)) > 0).all())
    True
    """
    from garboard.distributions._gamma_draws import log_gamma_rsample

    c = _concentration("_standard_gamma", concentration, generator)
    return log_gamma_rsample(c).exp().to(c.dtype).clamp(min=finfo(c.dtype).tiny)


def _sample_dirichlet(concentration: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw probabilities of the density of Dirichlet's distribution, with gradients.

    Args:
        concentration: Tensor of a floating dtype, above 0; a distribution for each row.
        generator: None alone: draws come from the generator of all.

    Returns:
        A tensor of the same sizes and dtype, whose rows sum to one.

    Raises:
        TypeError: `concentration` is no Tensor, or a generator is given.
        DTypeError: It is of another dtype.
        ShapeError: It has no dims.

    >>> from garboard._root.parts_of_ops import _sample_dirichlet
    >>> _sample_dirichlet(gb.ones(4, 3)).shape
    (4, 3)
    """
    from garboard.distributions import Dirichlet

    op = "_sample_dirichlet"
    c = _concentration(op, concentration, generator)
    if c.ndim == 0:
        raise ShapeError(f"{op}: concentration without dims; one at least is needed")
    return Dirichlet(c, validate_args=False).rsample()


def _shape_as_tensor(input: Tensor) -> Tensor:
    """Return the sizes of a tensor as an int64 tensor of one dim.

    Args:
        input: Any tensor.

    Raises:
        TypeError: It is no Tensor.

    >>> from garboard._root.parts_of_ops import _shape_as_tensor
    >>> _shape_as_tensor(gb.ones(2, 3))
    tensor([2, 3])
    """
    sizes = [*check.tensor("_shape_as_tensor", "input", input).shape]
    return _engine.tensor(sizes, dtype=_engine.int64)


def _caster(name: str, dtype: DType) -> Any:
    def cast(input: Tensor, non_blocking: bool = False) -> Tensor:
        return check.tensor(name, "input", input).to(dtype)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"""Return a tensor of {dtype}.

    Args:
        input: Any tensor.
        non_blocking: Ignored.

    Raises:
        TypeError: It is no Tensor.

    {">" * 3} gb.{name}(gb.ones(1)).dtype
    {dtype}
    """
    return cast


_cast_Double = _caster("_cast_Double", _engine.float64)  # noqa: N816
_cast_Float = _caster("_cast_Float", _engine.float32)  # noqa: N816
_cast_Half = _caster("_cast_Half", _engine.float16)  # noqa: N816
_cast_Int = _caster("_cast_Int", _engine.int32)  # noqa: N816
_cast_Long = _caster("_cast_Long", _engine.int64)  # noqa: N816
