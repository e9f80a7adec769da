"""Parts of PyTorch's `autograd.functional` that libraries import, as pytorch-minimize does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garboard import _engine
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import Tensor

__all__ = ["as_tuple", "construct_standard_basis_for", "grad_postprocess", "tuple_postprocess"]


def as_tuple(
    inp: Any, arg_name: str | None = None, fn_name: str | None = None
) -> tuple[bool, tuple[Tensor, ...]]:
    """Tell whether a tuple was given, and return one in any case.

    Args:
        inp: A tensor, or a tuple of them.
        arg_name: What messages call it.
        fn_name: Whose argument it is.

    Raises:
        TypeError: Something in it is no Tensor.

    >>> from garboard.autograd._functional_parts import as_tuple
    >>> as_tuple(gb.ones(1))
    (False, (tensor([1.]),))
    """
    is_tuple = isinstance(inp, tuple)
    tensors = inp if is_tuple else (inp,)
    for it in tensors:
        if not is_really(it, Tensor):
            raise TypeError(
                f"{fn_name or 'as_tuple'}: {arg_name or 'inp'} holds {shown(it)}; a Tensor, or a "
                "tuple of them, is needed"
            )
    return is_tuple, tensors


def tuple_postprocess(res: Any, to_unpack: bool | tuple[bool, bool]) -> Any:
    """Return results as the arguments were given: what was one tensor is one again.

    Args:
        res: A tuple, or a tuple of tuples.
        to_unpack: Whether a tuple was given; or a pair of that for both levels.

    >>> from garboard.autograd._functional_parts import tuple_postprocess
    >>> tuple_postprocess((3,), False), tuple_postprocess((3,), True)
    (3, (3,))
    """
    outer, inner = to_unpack if isinstance(to_unpack, tuple) else (to_unpack, True)
    if not inner:
        res = tuple([row[0] for row in res])
    return res if outer else res[0]


def grad_postprocess(inputs: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    """Return tensors, in tuples of tuples too, without a history unless it is asked for.

    Args:
        inputs: What was computed.
        create_graph: Whether it is to be differentiated.

    >>> from garboard.autograd._functional_parts import grad_postprocess
    >>> x = gb.ones(1, requires_grad=True)
    >>> grad_postprocess((x * 2,), False)
    (tensor([2.]),)
    """
    if create_graph:
        return inputs
    return tuple(
        [it.detach() if is_really(it, Tensor) else grad_postprocess(it, False) for it in inputs]
    )


def construct_standard_basis_for(
    tensors: Sequence[Tensor], tensor_numels: Sequence[int]
) -> tuple[Tensor, ...]:
    """Return the columns of an identity matrix, for the elements of each tensor.

    Args:
        tensors: For their dtypes and devices.
        tensor_numels: How many elements each has.

    Returns:
        For each a matrix of as many rows as there are elements in all, and a column for each of
        its own.

    >>> from garboard.autograd._functional_parts import construct_standard_basis_for
    >>> construct_standard_basis_for([gb.ones(1), gb.ones(2)], [1, 2])[1]
    tensor([[0., 0.],
            [1., 0.],
            [0., 1.]])
    """
    total = sum(tensor_numels)
    made, first = [], 0
    for it, count in zip(tensors, tensor_numels, strict=True):
        columns = _engine.zeros([total, count], dtype=it.dtype, device=it.device)
        columns.diagonal(-first).fill_(1)
        made.append(columns)
        first += count
    return tuple(made)
