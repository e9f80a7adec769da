"""Transforms made of others, and of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of, refuse_unless_list
from garboard._engine import ShapeError, Tensor
from garboard.distributions import constraints
from garboard.distributions._parameters import event_sum
from garboard.distributions._transform import Transform
from garboard.distributions.constraints import Constraint

__all__ = ["ComposeTransform", "IndependentTransform", "ReshapeTransform"]


class ReshapeTransform(Transform):
    """The same numbers in other sizes.

    Args:
        in_shape: The last sizes of what it takes.
        out_shape: Those of what it returns.
        cache_size: 1 keeps the last pair of input and result.

    Raises:
        ShapeError: Sizes of unequal counts.

    >>> gb.distributions.transforms.ReshapeTransform((4,), (2, 2))(gb.zeros(3, 4)).shape
    (3, 2, 2)
    """

    _compared = ("in_shape", "out_shape")
    bijective: bool = True

    def __init__(
        self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        op = "ReshapeTransform"
        self.in_shape: tuple[int, ...] = check.sizes(op, "in_shape", in_shape)
        self.out_shape: tuple[int, ...] = check.sizes(op, "out_shape", out_shape)
        if _count(self.in_shape) != _count(self.out_shape):
            raise ShapeError(
                f"{op}: {list(self.in_shape)} and {list(self.out_shape)}; as many elements are "
                "needed"
            )
        self.domain: Constraint = constraints.independent(constraints.real, len(self.in_shape))
        self.codomain: Constraint = constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        self.forward_shape(check.tensor("ReshapeTransform", "x", x).shape)
        batch = x.shape[: x.ndim - len(self.in_shape)]
        return _engine.zeros(batch, dtype=x.dtype, device=x.device)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _replaced(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _replaced(shape, self.out_shape, self.in_shape)


class IndependentTransform(Transform):
    """A transform whose last dims of the batch are part of the event.

    Args:
        base_transform: The transform.
        reinterpreted_batch_ndims: How many dims.
        cache_size: 1 keeps the last pair of input and result.

    Raises:
        ValueError: A negative number of dims.

    >>> transforms = gb.distributions.transforms
    >>> x = gb.ones(2, 3)
    >>> transform = transforms.IndependentTransform(transforms.ExpTransform(), 1)
    >>> transform.log_abs_det_jacobian(x, transform(x))
    tensor([3., 3.])
    """

    _compared = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        op = "IndependentTransform"
        self.base_transform: Transform = check.of_type(
            Transform, op, "base_transform", base_transform
        )
        dims = check.count(op, "reinterpreted_batch_ndims", reinterpreted_batch_ndims)
        self.reinterpreted_batch_ndims: int = dims
        self.domain: Constraint = constraints.independent(base_transform.domain, dims)
        self.codomain: Constraint = constraints.independent(base_transform.codomain, dims)
        self.bijective: bool = base_transform.bijective

    @property
    def sign(self) -> Tensor | int:
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        found = self.base_transform.log_abs_det_jacobian(x, y)
        return event_sum(found, self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self.base_transform.inverse_shape(shape)


class ComposeTransform(Transform):
    """Several transforms, one after the other.

    Args:
        parts: The transforms, in the order of their application.
        cache_size: 1 lets each keep its last pair of input and result.

    Raises:
        TypeError: Something else.

    >>> transforms = gb.distributions.transforms
    >>> both = transforms.ComposeTransform(
    ...     [transforms.AffineTransform(0.0, 2.0), transforms.ExpTransform()]
    ... )
    >>> both.inv(both(gb.tensor(3.0)))
    tensor(3.)
    """

    _compared = ("parts",)

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        refuse_unless_list("ComposeTransform", "parts", parts, "transforms")
        named = [
            check.of_type(Transform, "ComposeTransform", f"parts[{place}]", it)
            for place, it in enumerate(items_of(parts))
        ]
        self.parts: list[Transform] = [it.with_cache() for it in named] if cache_size else named
        self.bijective: bool = all(it.bijective for it in self.parts)
        self.domain: Constraint = constraints.real
        self.codomain: Constraint = constraints.real
        if self.parts:
            self.domain, self.codomain = self._ends()

    def _ends(self) -> tuple[Constraint, Constraint]:
        """What goes in and comes out; the event is as large as the largest part needs it."""
        first, last = self.parts[0].domain, self.parts[-1].codomain
        needed = last.event_dim
        for part in reversed(self.parts):
            needed = max(
                needed + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim
            )
        made = first.event_dim
        for part in self.parts:
            made = max(made, part.domain.event_dim)
            made += part.codomain.event_dim - part.domain.event_dim
        more, grown = needed - first.event_dim, max(made, last.event_dim) - last.event_dim
        return (
            constraints.independent(first, more) if more > 0 else first,
            constraints.independent(last, grown) if grown > 0 else last,
        )

    @property
    def inv(self) -> Transform:
        return super().inv if self.parts else self

    @property
    def sign(self) -> Tensor | int:
        sign: Tensor | int = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    def _call(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x if self.parts else x.alias()

    def _inverse(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y if self.parts else y.alias()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return _engine.zeros_like(x)
        found: Tensor | None = None
        events = self.domain.event_dim
        for place, part in enumerate(self.parts):
            after = part(x) if place + 1 < len(self.parts) else y
            grown = part.log_abs_det_jacobian(x, after)
            grown = event_sum(grown, events - part.domain.event_dim)
            found = grown if found is None else found + grown
            events += part.codomain.event_dim - part.domain.event_dim
            x = after
        return cast("Tensor", found)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        found = check.sizes("ComposeTransform", "shape", shape)
        for part in self.parts:
            found = part.forward_shape(found)
        return found

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        found = check.sizes("ComposeTransform", "shape", shape)
        for part in reversed(self.parts):
            found = part.inverse_shape(found)
        return found

    def __repr__(self) -> str:
        return f"ComposeTransform({self.parts})"


def _count(sizes: tuple[int, ...]) -> int:
    found = 1
    for size in sizes:
        found *= size
    return found


def _replaced(shape: Sequence[int], old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    given = check.sizes("ReshapeTransform", "shape", shape)
    cut = len(given) - len(old)
    if cut < 0 or given[cut:] != old:
        raise ShapeError(f"ReshapeTransform: sizes {list(given)}; the last must be {list(old)}")
    return (*given[:cut], *new)


identity_transform: Transform = ComposeTransform([])
