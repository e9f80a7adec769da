"""Complex numbers: their parts and conjugates, which real numbers have too, and what they are not.

A conjugate is computed when it is asked for, so `is_conj` is never true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard._arguments.layouts import memory_format

__all__ = ["conj", "is_complex", "is_conj", "isreal", "real", "resolve_conj", "resolve_neg"]


def is_complex(input: Tensor) -> bool:
    """Tell whether numbers are of a complex dtype.

    Args:
        input: Tensor of any dtype.

    Returns:
        A bool.

    Raises:
        TypeError: It is no Tensor.

    >>> gb.is_complex(gb.ones(2)), gb.is_complex(gb.tensor([1j]))
    (False, True)
    """
    return check.tensor("is_complex", "input", input).dtype.is_complex


def isreal(input: Tensor) -> Tensor:
    """Tell of each element whether it is real: that its imaginary part is 0.

    Args:
        input: Tensor of any dtype and sizes.

    Returns:
        A new bool tensor of `input`'s sizes; all True where `input` is not complex.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.isreal(gb.tensor([1 + 1j, 2]))
    tensor([False,  True])
    """
    x = check.tensor("isreal", "input", input)
    if not x.dtype.is_complex:
        return _engine.ones_like(x, dtype=_engine.bool)
    with _engine.DisposeScope("isreal") as scope:
        return scope.move_to_outer(x.imag == 0)


def real(input: Tensor) -> Tensor:
    """Look at the real parts of complex numbers; of real numbers return the tensor itself.

    Args:
        input: Tensor of any dtype.

    Returns:
        A view of float32, or of float64 where `input` is complex128: writing into it writes into
        `input`. Or `input`, where it is not complex.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.real(gb.tensor([1 + 2j]))
    tensor([1.])
    """
    return _engine._real(input) if _is_complex("real", input) else input


def conj(input: Tensor) -> Tensor:
    """Return the conjugates of complex numbers; of real numbers the tensor itself.

    Args:
        input: Tensor of any dtype.

    Returns:
        A new tensor of `input`'s sizes and dtype; or `input`, where it is not complex.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.conj(gb.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return _engine._conj(input) if _is_complex("conj", input) else input


def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself: what was conjugated is so in memory.

    Args:
        input: Tensor of any dtype.

    Returns:
        `input`.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.resolve_conj(gb.ones(1))
    tensor([1.])
    """
    return _itself("resolve_conj", input)


def resolve_neg(input: Tensor) -> Tensor:
    """Return the tensor itself: what was negated is so in memory.

    Args:
        input: Tensor of any dtype.

    Returns:
        `input`.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.resolve_neg(-gb.ones(1))
    tensor([-1.])
    """
    return _itself("resolve_neg", input)


def is_conj(input: Tensor) -> bool:
    """Return False: what was conjugated is so in memory.

    Args:
        input: Tensor of any dtype.

    Returns:
        False.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.tensor([1j]).conj().is_conj()
    False
    """
    _engine._require_living(check.tensor("is_conj", "input", input), "is_conj")
    return False


def _is_complex(op: str, input: Tensor) -> bool:
    _engine._require_living(check.tensor(op, "input", input), op)
    return input.dtype.is_complex


def _itself(op: str, input: Tensor) -> Tensor:
    _engine._require_living(check.tensor(op, "input", input), op)
    return input


def _set_real(self: Tensor, value: Tensor | float) -> None:
    part = real(self)
    part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)


def _set_imag(self: Tensor, value: Tensor | float) -> None:
    part = _engine.imag(self)
    part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)


def _adjoint(self: Tensor) -> Tensor:
    _engine._require_living(self, "mH")
    return conj(self.mT)


def _flat_adjoint(self: Tensor) -> Tensor:
    _engine._require_living(self, "H")
    if self.ndim not in (0, 2):
        raise _engine.ShapeError(f"H: sizes {[*self.shape]}; two dims are needed, or use mH")
    return conj(self.T)


def _to_complex(self: Tensor) -> complex:
    return complex(self.item())


def _cfloat(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """Return the numbers as complex64.

    Args:
        memory_format: Heard, and without effect: a tensor is in one layout.

    Returns:
        A new tensor, or the tensor itself.

    Raises:
        TypeError: `memory_format` is none.

    >>> gb.ones(1).cfloat()
    tensor([1.+0.j])
    """
    if memory_format is not None:
        check.memory_format("cfloat", memory_format)
    return self.to(_engine.complex64)


def _cdouble(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """Return the numbers as complex128.

    Args:
        memory_format: Heard, and without effect: a tensor is in one layout.

    Returns:
        A new tensor, or the tensor itself.

    Raises:
        TypeError: `memory_format` is none.

    >>> gb.ones(1).cdouble().dtype
    garboard.complex128
    """
    if memory_format is not None:
        check.memory_format("cdouble", memory_format)
    return self.to(_engine.complex128)


add_methods(
    Tensor,
    {
        "__complex__": _to_complex,
        "cdouble": _cdouble,
        "cfloat": _cfloat,
        "conj": conj,
        "is_complex": is_complex,
        "is_conj": is_conj,
        "isreal": isreal,
        "resolve_conj": resolve_conj,
        "resolve_neg": resolve_neg,
        "H": property(_flat_adjoint, doc="A matrix with its dims swapped, and conjugated."),
        "mH": property(_adjoint, doc="The tensor with its last two dims swapped, and conjugated."),
        "real": property(real, _set_real, doc="The real parts: a view, or the tensor itself."),
        "imag": property(
            _engine.imag, _set_imag, doc="The imaginary parts of complex numbers: a view."
        ),
    },
)

all_overridable(globals())
