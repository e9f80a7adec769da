"""What all transforms share, and the inverse of each."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any
from weakref import ref

from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._engine import DisposeScope, ShapeError, Tensor
from garboard.distributions import constraints
from garboard.distributions.constraints import Constraint

__all__ = ["Transform"]


def _is_alike(one: object, other: object) -> bool:
    """Whether two attributes are of equal numbers, tensors by their elements."""
    if not is_really(one, Tensor) and not is_really(other, Tensor):
        return one == other
    with DisposeScope("transforms"):
        try:
            return bool((one == other).all())  # type: ignore[attr-defined]
        except ShapeError:
            return False


def _checked_size(op: str, given: object) -> int:
    size = check.count(op, "cache_size", given)
    if size > 1:
        raise ValueError(f"{op}: cache_size {size}; 0 or 1 is needed")
    return size


class Transform:
    """Base of transforms: a subclass has `_call`, `_inverse` and `log_abs_det_jacobian`.

    Two of one class are equal where their numbers and parts are; those of a user's own class, that
    names no `_compared`, only where they are one.

    Attributes:
        domain: What it takes.
        codomain: What it returns.
        bijective: Whether it has an inverse.

    Args:
        cache_size: 1 keeps the last pair of input and result, so that `inv` of the very result is
            exact; 0 keeps nothing.

    Raises:
        ValueError: Another cache size.

    >>> gb.distributions.transforms.ExpTransform()(gb.tensor(0.0))
    tensor(1.)
    """

    domain: Constraint = constraints.real
    codomain: Constraint = constraints.real
    bijective: bool = False
    _inv: Any = None  # PyTorch's name: a weak reference to the inverse, once it was asked for
    _compared: tuple[str, ...] | None = None  # the attributes that make two of a class equal

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = _checked_size(type(self).__name__, cache_size)
        self._cached_x_y: tuple[Tensor | None, Tensor | None] = None, None  # PyTorch's name
        super().__init__()  # a subclass may be a Module as well

    @property
    def event_dim(self) -> int:
        """How many of the last dims make one value of the domain and of the codomain.

        Raises:
            ValueError: They differ.
            TypeError: One of the two is no constraint.
        """
        for name in ("domain", "codomain"):
            check.of_type(Constraint, type(self).__name__, name, getattr(self, name))
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError(
                f"{type(self).__name__}: {self.domain.event_dim} dims in and "
                f"{self.codomain.event_dim} out; ask domain.event_dim or codomain.event_dim"
            )
        return self.domain.event_dim

    @property
    def sign(self) -> Tensor | int:
        """1 where it rises, -1 where it falls."""
        raise NotImplementedError(f"{type(self).__name__}: no sign of this transform")

    @property
    def inv(self) -> Transform:
        """The inverse: the same one as long as somebody holds it."""
        known: Transform | None = None if self._inv is None else self._inv()
        if known is None:
            known = _InverseTransform(self)
            self._inv = ref(known)
        return known

    def __getstate__(self) -> dict[str, object]:
        state = vars(self).copy()
        if isinstance(self._inv, ref):
            del state["_inv"]
        return state

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the same transform with a cache of this size.

        Args:
            cache_size: 0 or 1.

        Returns:
            The transform itself, if its cache has that size, else a new one.

        Raises:
            ValueError: Another size.

        >>> transform = gb.distributions.transforms.TanhTransform().with_cache()
        >>> transform.with_cache(1) is transform
        True
        """
        size = _checked_size(type(self).__name__, cache_size)
        if size == self._cache_size:
            return self
        made = copy.copy(self)
        made._cache_size, made._cached_x_y = size, (None, None)
        return made

    def __eq__(self, other: object) -> bool:
        if self is other or self._compared is None or type(self) is not type(other):
            return self is other
        return all(_is_alike(getattr(self, it), getattr(other, it)) for it in self._compared)

    def __hash__(self) -> int:
        return object.__hash__(self) if self._compared is None else hash(type(self))

    def __call__(self, x: Tensor) -> Tensor:
        check.tensor(type(self).__name__, "x", x)
        old_x, old_y = self._cached_x_y
        if old_y is not None and old_x is x:
            return old_y
        y = self._call(x)
        if self._cache_size:
            self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        check.tensor(type(self).__name__, "y", y)
        old_x, old_y = self._cached_x_y
        if old_x is not None and old_y is y:
            return old_x
        x = self._inverse(y)
        if self._cache_size:
            self._cached_x_y = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}: _call() is not defined")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}: this transform has no inverse")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Compute the logarithm of how much it stretches at `x`.

        Args:
            x: What it is given.
            y: What it makes of `x`.

        Returns:
            A new tensor, of one number an event.

        Raises:
            NotImplementedError: It has no such thing.

        >>> x = gb.tensor(2.0)
        >>> gb.distributions.transforms.ExpTransform().log_abs_det_jacobian(x, x.exp())
        tensor(2.)
        """
        raise NotImplementedError(f"{type(self).__name__}: no log_abs_det_jacobian()")

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the sizes of the result for an input of these.

        Args:
            shape: Sizes.

        Returns:
            Sizes; the same, for most transforms.

        >>> gb.distributions.transforms.ExpTransform().forward_shape((2,))
        (2,)
        """
        return check.sizes(type(self).__name__, "shape", shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the sizes of the input of a result of these.

        Args:
            shape: Sizes.

        Returns:
            Sizes; the same, for most transforms.

        >>> gb.distributions.transforms.ExpTransform().inverse_shape((2,))
        (2,)
        """
        return check.sizes(type(self).__name__, "shape", shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    """The inverse of a transform, whose cache it shares."""

    _compared = ("_inv",)
    _inv: Transform

    def __init__(self, of: Transform) -> None:
        super().__init__(of._cache_size)
        self._inv = of
        self.domain, self.codomain, self.bijective = of.codomain, of.domain, of.bijective

    @property
    def inv(self) -> Transform:
        return self._inv

    @property
    def sign(self) -> Tensor | int:
        return self._inv.sign

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"Inverse({self._inv})"
