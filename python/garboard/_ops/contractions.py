"""Sums of products over named dims: einsum and tensordot, by products of matrices, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, reduce
from importlib import import_module
from math import prod
from operator import mul
from sys import modules
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import items_of
from garboard._arguments.layouts import is_really
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._contexts.autocasting import count_of_blocks, lowered
from garboard._engine import DeviceError, DTypeError, ShapeError, Tensor
from garboard._ops.subscripts import Label, plan_of, read

if TYPE_CHECKING:
    from garboard.types import Size

__all__ = ["einsum", "tensordot"]

_Labels = tuple[Label, ...]
_Part = tuple[Tensor, _Labels]


def einsum(*args: Any) -> Tensor:
    """Multiply tensors along dims named by letters, and add up over those that go.

    `einsum("bik,bkj->bij", a, b)`: a letter that operands share is one dim, which broadcasts; one
    that the result lacks is added up. A letter twice in an operand takes the diagonal. `...` stands
    for dims without names. Without `->` the result has the dims of `...`, and then the letters that
    occur once, in alphabetical order. Two operands meet in one product of matrices; several, two at
    a time: in the order that `opt_einsum` finds where it is installed, else the pair with the
    smallest result first. Narrow integers that are added up alone become `int64`, as in `sum`.

    Args:
        *args: The subscripts, a string, and the operands, or a list of them; or each operand
            followed by a list of its labels, integers in [0, 52) or `...`, and last perhaps the
            result's.

    Returns:
        A tensor; of one operand, and where nothing is added up, a view. Until backward the graph
        keeps what each product on the way keeps.

    Raises:
        ValueError: The subscripts cannot be read, or do not name as many operands as are given.
        ShapeError: The subscripts do not fit the operands, or sizes of one letter differ.
        DTypeError: The operands are of bool, or of several dtypes and something is added up.
        DeviceError: They are on several devices.
        TypeError: An operand is no Tensor.
        DisposedError: An operand is disposed.

    >>> x = gb.tensor([[1, 2], [3, 4]])
    >>> gb.einsum("ij,j->i", x, gb.tensor([10, 1]))
    tensor([12, 34])
    """
    equation, operands = read(args)
    if count_of_blocks():
        operands = list(lowered(*operands))
    if not operands:
        raise ArgumentError("einsum: no operands; at least one is needed")
    plan = plan_of(equation, tuple(len(it.shape) for it in operands))
    if {*plan.output}.issuperset(label for labels in plan.inputs for label in labels):
        operands = _in_one_dtype(operands)  # nothing is added up: a product of elements
    _check_alike("einsum", operands)
    _check_sizes(tuple(it.shape for it in operands), plan.inputs)
    parts = [_diagonal(*part) for part in zip(operands, plan.inputs, strict=True)]
    if len(parts) > 2:
        parts = _joined(parts, plan.output)
    if len(parts) == 2:
        parts = [_product(parts[0], parts[1], frozenset(plan.output))]
    tensor, labels = parts[0]
    if gone := [place for place, label in enumerate(labels) if label not in plan.output]:
        tensor, labels = tensor.sum(gone), _without(labels, gone)
    if labels == plan.output and len(operands) > 1:
        return tensor
    return tensor.permute([labels.index(label) for label in plan.output])


@takes_axis
def tensordot(
    a: Tensor,
    b: Tensor,
    dims: int | tuple[Size, Size] | list[Size] | Tensor = 2,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Multiply along dims of both, and add up over those.

    Args:
        a: Tensor of any dtype but bool.
        b: Tensor of the same dtype.
        dims: How many of the last dims of `a` meet as many of the first of `b`; or two lists, of
            dims of `a` and of those of `b` that they meet.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the dims of `a` that are left, and then of those of `b`. Until backward the
        graph keeps each tensor whose partner requires grad.

    Raises:
        ShapeError: Sizes that meet differ, a dim is named twice, or the lists are not of one
            length.
        IndexOutOfRangeError: A dim lies outside.
        DTypeError: The dtypes differ, or are bool.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: `dims` is neither an integer nor two lists.
        DisposedError: A tensor is disposed.

    >>> gb.tensordot(gb.ones(2, 3, 4), gb.ones(3, 4, 5)).shape
    (2, 5)
    """
    check.tensor("tensordot", "a", a)
    check.tensor("tensordot", "b", b)
    of_a, of_b = _met_dims(a, b, dims)
    _check_alike("tensordot", [a, b])
    for i, k in zip(of_a, of_b, strict=True):
        if a.shape[i] != b.shape[k] and 1 not in (a.shape[i], b.shape[k]):
            raise ShapeError(
                f"tensordot: sizes {[*a.shape]} and {[*b.shape]} differ at dims {i} and {k}; they "
                "must be equal or 1"
            )
    labels_a = tuple(range(a.ndim))
    labels_b = tuple(of_a[of_b.index(k)] if k in of_b else a.ndim + k for k in range(b.ndim))
    left = frozenset(label for label in (*labels_a, *labels_b) if label not in of_a)
    return written("tensordot", _product((a, labels_a), (b, labels_b), left)[0], out)


def _met_dims(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if is_really(dims, Tensor):
        dims = dims.tolist()
    if not isinstance(dims, (list, tuple)):
        count = check.integer("tensordot", "dims", dims, "an integer, or two lists of them,")
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise ShapeError(
                f"tensordot: dims {count} of tensors of {a.ndim} and {b.ndim} dims; 0 to "
                f"{min(a.ndim, b.ndim)} are needed"
            )
        return list(range(a.ndim - count, a.ndim)), list(range(count))
    both = items_of(dims)
    if len(both) != 2:
        raise ShapeError(f"tensordot: dims has {len(both)} items; two lists are needed")
    found = []
    for tensor, given in zip((a, b), both, strict=True):
        listed = items_of(given) if isinstance(given, (list, tuple)) else [given]
        own = [check.integer("tensordot", "a dim", it) for it in listed]
        for dim in own:
            if not -tensor.ndim <= dim < tensor.ndim:
                raise _engine.IndexOutOfRangeError(
                    f"tensordot: dim {dim} of a tensor of {tensor.ndim} dims; "
                    f"{-tensor.ndim} to {tensor.ndim - 1} is needed"
                )
        found.append([dim % tensor.ndim for dim in own])
        if len({*found[-1]}) != len(own):
            raise ShapeError(f"tensordot: dims {own} name one twice; each is named once")
    if len(found[0]) != len(found[1]):
        raise ShapeError(
            f"tensordot: {len(found[0])} dims of one and {len(found[1])} of the other; as many of "
            "one as of the other are needed"
        )
    return found[0], found[1]


def _in_one_dtype(operands: list[Tensor]) -> list[Tensor]:
    dtypes = [it.dtype for it in operands]
    if dtypes.count(dtypes[0]) == len(dtypes):
        return operands
    common = reduce(_engine.promote_types, dtypes)
    return [it.to(common) for it in operands]


def _check_alike(op: str, operands: list[Tensor]) -> None:
    first = operands[0]
    for other in operands[1:]:
        if other.dtype != first.dtype:
            raise DTypeError(
                f"{op}: dtypes {first.dtype} and {other.dtype}; they must be equal, convert with "
                "to()"
            )
        if other.device != first.device:
            raise DeviceError(
                f"{op}: tensors on {first.device} and {other.device}; they must be on one device, "
                "use to()"
            )
    if first.dtype == _engine.bool:
        raise DTypeError(f"{op}: dtype bool; numbers are needed, convert with to()")


@lru_cache(maxsize=512)
def _check_sizes(shapes: tuple[Size, ...], inputs: tuple[_Labels, ...]) -> None:
    sizes: dict[Label, int] = {}
    for number, (shape, labels) in enumerate(zip(shapes, inputs, strict=True)):
        for label, size in zip(labels, shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == 1:
                sizes[label] = size
            elif size not in (1, known):
                name = f"dim {label} of '...'" if isinstance(label, int) else label
                raise ShapeError(
                    f"einsum: operand {number} of sizes {[*shape]} has {size} along "
                    f"{name}, another {known}; they must be equal or 1"
                )


def _without(labels: _Labels, gone: list[int]) -> _Labels:
    return tuple(label for place, label in enumerate(labels) if place not in gone)


def _diagonal(tensor: Tensor, labels: _Labels) -> _Part:
    """Return the diagonal where an operand has a label twice."""
    for label in labels if len({*labels}) < len(labels) else ():
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if tensor.shape[first] != tensor.shape[second]:
                raise ShapeError(
                    f"einsum: sizes {tensor.shape[first]} and {tensor.shape[second]} of {label} in "
                    "one operand; for a diagonal they must be equal"
                )
            tensor = tensor.diagonal(0, first, second)
            labels = (*_without(labels, [first, second]), label)
    return tensor, labels


def _sizes_of(parts: list[_Part]) -> dict[Label, int]:
    sizes: dict[Label, int] = {}
    for tensor, labels in parts:
        for label, size in zip(labels, tensor.shape, strict=True):
            sizes[label] = max(size, sizes.get(label, 1)) if size else 0
    return sizes


def _joined(parts: list[_Part], output: _Labels) -> list[_Part]:
    """Multiply two at a time until two are left."""
    path = _path_of(parts, output) if len(parts) > 2 else None
    while len(parts) > 2:
        chosen = next(path, None) if path else None
        first, second = sorted(chosen) if chosen else _cheapest(parts, output)
        others = [it for place, it in enumerate(parts) if place not in (first, second)]
        needed = frozenset((*output, *(label for _, labels in others for label in labels)))
        parts = [*others, _product(parts[first], parts[second], needed)]
    return parts


@cache
def _path_finder() -> Callable[..., Any] | None:
    """Return what finds the order to multiply in; None where it is not installed."""
    try:
        return cast("Callable[..., Any]", import_module("opt_einsum").contract_path)
    except ImportError:
        return None


def _path_of(parts: list[_Part], output: _Labels) -> Iterator[tuple[int, int]] | None:
    """Return the pairs that `opt_einsum` chooses; None where it is missing or switched off."""
    switches = modules.get("garboard.backends.opt_einsum")  # as they are where nobody loaded them
    contract_path = _path_finder()
    if contract_path is None or not getattr(switches, "enabled", True):
        return None
    names: dict[Label, str] = {}
    for label in (label for _, labels in parts for label in labels):
        names.setdefault(label, chr(0xC0 + len(names)))
    inputs = ",".join("".join(names[label] for label in labels) for _, labels in parts)
    result = "".join(names[label] for label in output if label in names)
    sizes = _sizes_of(parts)
    shapes = [tuple(sizes[label] for label in labels) for _, labels in parts]
    pairs, _ = contract_path(
        f"{inputs}->{result}",
        *shapes,
        shapes=True,
        memory_limit=None,
        optimize=getattr(switches, "strategy", None) or "auto",
    )
    return iter(pairs) if all(len(pair) == 2 for pair in pairs) else None


def _cheapest(parts: list[_Part], output: _Labels) -> tuple[int, int]:
    """Return the pair whose result is larger by the least than what it is made of."""
    sizes = _sizes_of(parts)
    best, pair = None, (0, 1)
    counts: dict[Label, int] = {}
    for _, labels in parts:
        for label in labels:
            counts[label] = counts.get(label, 0) + 1
    for i in range(len(parts)):
        for k in range(i + 1, len(parts)):
            of_i, of_k = parts[i][1], parts[k][1]
            both = {*of_i, *of_k}
            own = [
                label
                for label in both
                if label in output or counts[label] > (label in of_i) + (label in of_k)
            ]
            grown = (
                prod(sizes[label] for label in own)
                - prod(sizes[label] for label in of_i)
                - prod(sizes[label] for label in of_k)
            )
            cost = (grown, prod(sizes[label] for label in both))
            if best is None or cost < best:
                best, pair = cost, (i, k)
    return pair


class _Side(NamedTuple):
    """How an operand becomes one of a product; None where it is so already."""

    gone: tuple[int, ...]  # dims that are added up
    kept: tuple[int, ...] | None  # the sizes that are left
    order: tuple[int, ...] | None
    sizes: tuple[int, ...] | None

    def of(self, tensor: Tensor) -> Tensor:
        if self.gone:
            tensor = tensor.sum(self.gone, keepdim=True)  # of narrow integers a wide one
        if self.kept is not None:
            tensor = tensor.reshape(self.kept)
        if self.order is not None:
            tensor = tensor.permute(self.order)
        return tensor if self.sizes is None else tensor.reshape(self.sizes)


class _Pairing(NamedTuple):
    """How two operands are multiplied, and what comes of it."""

    left: _Side
    right: _Side
    multiply: Callable[[Tensor, Tensor], Tensor]
    sizes: tuple[int, ...] | None
    labels: _Labels

    def of(self, a: Tensor, b: Tensor) -> Tensor:
        left, right = self.left.of(a), self.right.of(b)
        if left.dtype != right.dtype:  # one was added up
            left, right = _in_one_dtype([left, right])
        out = self.multiply(left, right)
        return out if self.sizes is None else out.reshape(self.sizes)


def _product(a: _Part, b: _Part, needed: frozenset[Label]) -> _Part:
    """Multiply two tensors and add up over the labels that nobody needs any more."""
    pairing = _pairing(a[0].shape, a[1], b[0].shape, b[1], needed)
    return pairing.of(a[0], b[0]), pairing.labels


@lru_cache(maxsize=512)
def _pairing(
    shape_a: Size, labels_a: _Labels, shape_b: Size, labels_b: _Labels, needed: frozenset[Label]
) -> _Pairing:
    """One product of matrices, whose rows, columns and depth are several dims each, or where
    nothing is added up, an elementwise one."""
    a = dict(zip(labels_a, shape_a, strict=True))
    b = dict(zip(labels_b, shape_b, strict=True))
    gone_a, of_x = _left_of(a, b, needed)
    gone_b, of_y = _left_of(b, a, needed)
    shared = [label for label in of_x if label in of_y]
    batch = [label for label in shared if label in needed]
    depth = [label for label in shared if label not in needed]
    rows = [label for label in of_x if label not in of_y]
    columns = [label for label in of_y if label not in of_x]
    labels = (*batch, *rows, *columns)
    sizes = {
        it: max(of_x.get(it, 1), of_y.get(it, 1)) if of_x.get(it, 1) and of_y.get(it, 1) else 0
        for it in (*labels, *depth)
    }

    def side(
        given: dict[Label, int],
        gone: tuple[int, ...],
        of: dict[Label, int],
        groups: Sequence[list[Label]],
        ones: tuple[int, int] | None,
    ) -> _Side:
        """`groups` of labels become a dim each, or, of an elementwise product, stay what they are,
        with so many dims of 1 at a place."""
        order = [label for group in groups for label in group]
        whole = [of[label] for label in order]
        flat = [prod(of[label] for label in group) for group in groups]
        if ones is not None:
            flat = [*whole[: ones[0]], *[1] * ones[1], *whole[ones[0] :]]
        return _Side(
            gone,
            tuple(of.values()) if len(of) < len(given) else None,
            tuple([*of].index(label) for label in order) if order != [*of] else None,
            tuple(flat) if flat != whole else None,
        )

    if not depth:
        behind, between = len(batch) + len(rows), len(batch)
        left = side(a, gone_a, of_x, (batch, rows), (behind, len(columns)))
        right = side(b, gone_b, of_y, (batch, columns), (between, len(rows)))
        return _Pairing(left, right, mul, None, labels)
    groups = (batch,) if batch else ()
    left = side(a, gone_a, of_x, (*groups, rows, depth), None)
    right = side(b, gone_b, of_y, (*groups, depth, columns), None)
    one_each = len(rows) == 1 and len(columns) == 1 and len(batch) == len(groups)
    result = None if one_each else tuple(sizes[label] for label in labels)
    return _Pairing(left, right, _engine.bmm if batch else _engine.mm, result, labels)


def _left_of(
    own: dict[Label, int], other: dict[Label, int], needed: frozenset[Label]
) -> tuple[tuple[int, ...], dict[Label, int]]:
    """Return the places of dims that are added up first, and the sizes of what is left: without
    dims of one's own that nobody needs, and those of size 1 that broadcast against the other's."""
    gone, left = [], {}
    for place, (label, size) in enumerate(own.items()):
        if label not in other:
            if label not in needed:
                gone.append(place)
                continue
        elif other[label] == 1 and size != 1 and label not in needed:
            gone.append(place)
            continue
        elif size == 1 and (other[label] != 1 or label not in needed):
            continue
        left[label] = size
    return tuple(gone), left


all_overridable(globals())
