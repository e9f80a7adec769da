"""Ops that give a tensor's elements other sizes, and tensors of a sample's kind."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.func._batching.calls import SINGLY, UNCHANGED, Call, rule
from garboard.func._batching.dims import place_of
from garboard.func._batching.tensor import unasked

__all__: list[str] = []


def _numbers(given: tuple[Any, ...]) -> list[Any]:
    """Sizes or dims, given apart or as one."""
    one = len(given) == 1 and isinstance(given[0], (list, tuple))
    return list(given[0] if one else given)


@rule("reshape view")
def reshape(call: Call, x: Tensor, *sizes: Any, **named: Any) -> Any:
    value = call.value(x)
    given = named.get("shape", named.get("size", sizes))
    numbers = _numbers(given if isinstance(given, tuple) else (given,))
    if len(numbers) == 1 and not hasattr(numbers[0], "__index__"):
        return call.function(value, *sizes)  # seen as another dtype
    if -1 in numbers and (not x.numel() or numbers.count(-1) > 1):
        return NotImplemented
    return call.function(value, (value.shape[0], *numbers))


@rule("view_as reshape_as")
def as_other(call: Call, x: Tensor, other: Tensor) -> Any:
    value = call.value(x)
    sizes = (value.shape[0], *other.shape)
    return value.view(sizes) if call.name == "view_as" else value.reshape(sizes)


@rule("flatten")
def flatten(call: Call, x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:
    value = call.value(x)
    if not x.ndim:
        return value.unsqueeze(1)
    return value.flatten(place_of(start_dim, x.ndim), place_of(end_dim, x.ndim))


@rule("ravel")
def ravel(call: Call, x: Tensor) -> Any:
    return flatten(call, x)


@rule("unflatten")
def unflatten(call: Call, x: Tensor, dim: int, sizes: Any) -> Any:
    return call.value(x).unflatten(place_of(dim, x.ndim), sizes)


@rule("permute")
def permute(call: Call, x: Tensor, *dims: Any, **named: Any) -> Any:
    numbers = _numbers((named["dims"],) if named else dims)
    return call.value(x).permute(0, *(place_of(it, x.ndim) for it in numbers))


@rule("transpose swapaxes swapdims")
def transpose(call: Call, x: Tensor, dim0: int, dim1: int) -> Any:
    if not x.ndim:
        return call.value(x) if {dim0, dim1} <= {0, -1} else NotImplemented
    return call.value(x).transpose(place_of(dim0, x.ndim), place_of(dim1, x.ndim))


@rule("t T")
def turned(call: Call, x: Tensor) -> Any:
    value = call.value(x)
    return value.permute(0, *range(x.ndim, 0, -1)) if x.ndim > 1 else value


@rule("movedim moveaxis")
def movedim(call: Call, x: Tensor, source: Any, destination: Any) -> Any:
    def moved(dims: Any) -> Any:
        if isinstance(dims, (list, tuple)):
            return tuple(place_of(it, x.ndim) for it in dims)
        return place_of(dims, x.ndim)

    return call.value(x).movedim(moved(source), moved(destination))


@rule("squeeze")
def squeeze(call: Call, x: Tensor, *dims: Any, **named: Any) -> Any:
    value = call.value(x)
    numbers = _numbers((named["dim"],) if named else dims)
    if not x.ndim:
        return value
    if not dims and not named:
        places = [i + 1 for i, size in enumerate(x.shape) if size == 1]
    else:
        places = [place_of(it, x.ndim) for it in numbers]
    return value.squeeze(tuple(places))


@rule("unsqueeze")
def unsqueeze(call: Call, x: Tensor, dim: int) -> Any:
    return call.value(x).unsqueeze(place_of(dim, x.ndim + 1))


@rule("expand broadcast_to")
def expand(call: Call, x: Tensor, *sizes: Any, **named: Any) -> Any:
    value = call.value(x)
    numbers = _numbers((named.get("size", named.get("sizes")),) if named else sizes)
    missing = len(numbers) - x.ndim
    value = value.reshape(value.shape[0], *(1,) * missing, *x.shape) if missing > 0 else value
    return value.expand(value.shape[0], *numbers) if missing >= 0 else NotImplemented


@rule("expand_as")
def expand_as(call: Call, x: Tensor, other: Tensor) -> Any:
    return (
        expand(call, x, *other.shape) if call.is_batched(x) else x.expand(call.size, *other.shape)
    )


@rule("repeat tile")
def repeat(call: Call, x: Tensor, *sizes: Any, **named: Any) -> Any:
    numbers = _numbers((named.get("dims", named.get("repeats")),) if named else sizes)
    missing = len(numbers) - x.ndim
    value = call.value(x)
    if missing < 0:
        if call.name == "repeat":
            return NotImplemented
        numbers = [1] * -missing + numbers
    elif missing > 0:
        value = value.reshape(value.shape[0], *(1,) * missing, *x.shape)
    return value.repeat(1, *numbers)


@rule("diagonal")
def diagonal(call: Call, x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return call.value(x).diagonal(offset, place_of(dim1, x.ndim), place_of(dim2, x.ndim))


@rule("linalg.diagonal")
def diagonal_of_matrices(
    call: Call, x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> Any:
    return diagonal(call, x, offset, dim1, dim2)


@rule("diag_embed")
def diag_embed(call: Call, x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    ndim = x.ndim + 1
    return call.value(x).diag_embed(offset, place_of(dim1, ndim), place_of(dim2, ndim))


@rule("diag")
def diag(call: Call, x: Tensor, diagonal: int = 0) -> Any:
    value = call.value(x)
    return value.diag_embed(diagonal) if x.ndim == 1 else value.diagonal(diagonal, 1, 2)


@rule("trace")
def trace(call: Call, x: Tensor) -> Any:
    if x.ndim != 2:
        return NotImplemented
    return call.value(x).diagonal(0, 1, 2).sum(-1)


@rule("roll")
def roll(call: Call, x: Tensor, shifts: Any, dims: Any = None) -> Any:
    value = call.value(x)
    if dims is None or dims == ():
        return value.flatten(1).roll(shifts, 1).reshape(value.shape)
    numbers = dims if isinstance(dims, (list, tuple)) else [dims]
    return value.roll(shifts, tuple(place_of(it, x.ndim) for it in numbers))


@rule("fliplr flipud")
def flipped(call: Call, x: Tensor) -> Any:
    at = 2 if call.name == "fliplr" else 1
    return call.value(x).flip(at) if x.ndim >= at else NotImplemented


@rule("_become")
def become(call: Call, x: Any, other: Any) -> Any:
    """What `unsqueeze_` and the like do."""
    unasked(call.function, (x, other), {})
    x._value = other._value
    return UNCHANGED


@rule("_forget_history")
def forget_history(call: Call, x: Any) -> bool:
    """What `detach_` does."""
    x._value = x._value.detach()
    return True


@rule("as_strided")
def as_strided(
    call: Call, x: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Any:
    value = call.value(x)
    if value.stride(0) == 0 and call.size > 1:
        return SINGLY  # samples in one place, where gradients are those of the place
    first = value.storage_offset() if storage_offset is None else storage_offset
    sizes, strides = (it if isinstance(it, (list, tuple)) else (it,) for it in (size, stride))
    return value.as_strided((call.size, *sizes), (value.stride(0), *strides), first)


@rule("atleast_1d atleast_2d atleast_3d")
def at_least(call: Call, *tensors: Any) -> Any:
    if len(tensors) != 1 or not isinstance(tensors[0], Tensor):
        return NotImplemented
    (x,) = tensors
    value, wanted = call.value(x), int(call.name[8])
    if x.ndim >= wanted:
        return value
    if wanted == 3 and x.ndim:
        return value.unsqueeze(-1) if x.ndim == 2 else value[:, None, :, None]
    return value.reshape(call.size, *(1,) * (wanted - x.ndim), *x.shape)


@rule("hstack vstack row_stack dstack column_stack")
def stacked(call: Call, tensors: Any) -> Any:
    parts = [call.full(it) for it in tensors]
    least, along = {"hstack": (1, 2), "dstack": (3, 3)}.get(call.name, (2, 1))
    found = []
    for it in parts:
        ndim = it.ndim - 1
        if call.name == "column_stack":
            found.append(it.reshape(call.size, -1, 1) if ndim < 2 else it)
        elif least == 3 and 0 < ndim < 3:
            found.append(it.unsqueeze(-1) if ndim == 2 else it[:, None, :, None])
        else:
            found.append(it.reshape(call.size, *(1,) * max(least - ndim, 0), *it.shape[1:]))
    if call.name == "column_stack":
        along = 2
    elif call.name == "hstack" and found[0].ndim == 2:
        along = 1
    return _engine.cat(found, along)


@rule("hsplit vsplit dsplit")
def split_along(call: Call, x: Tensor, *given: Any) -> Any:
    along = {"hsplit": min(x.ndim, 2), "vsplit": 1, "dsplit": 3}[call.name]
    (parts,) = given
    if isinstance(parts, int) and (x.ndim < along or x.shape[along - 1] % parts):
        return NotImplemented
    return call.value(x).tensor_split(parts, along)


@rule("select_scatter slice_scatter diagonal_scatter")
def part_written(call: Call, x: Tensor, src: Tensor, *args: Any, **named: Any) -> Any:
    if call.name == "diagonal_scatter":
        names: tuple[str, ...] = ("offset", "dim1", "dim2")
        given = {"offset": 0, "dim1": 0, "dim2": 1}
    else:
        names = (
            ("dim", "index") if call.name == "select_scatter" else ("dim", "start", "end", "step")
        )
        given = {"dim": 0}
    given |= dict(zip(names, args, strict=False)) | named
    for key in ("dim", "dim1", "dim2"):
        if key in given:
            given[key] = place_of(given[key], x.ndim)
    return call.function(call.full(x), call.full(src), **given)


@rule("broadcast_tensors")
def broadcast_tensors(call: Call, *tensors: Any) -> Any:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    ndim = max(it.ndim for it in given)
    parts = [call.full(it).reshape(call.size, *(1,) * (ndim - it.ndim), *it.shape) for it in given]
    return call.function(*parts)


@rule("meshgrid")
def meshgrid(call: Call, *tensors: Any, indexing: str = "ij") -> Any:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    lines = [call.full(it).reshape(call.size, -1) for it in given]
    sizes = [it.shape[1] for it in lines]
    found = []
    for place, line in enumerate(lines):
        own = [1] * len(lines)
        own[place] = -1
        grid = line.reshape(call.size, *own).expand(call.size, *sizes)
        found.append(grid.transpose(1, 2) if indexing == "xy" and len(lines) > 1 else grid)
    return found


@rule("new_zeros new_ones new_empty")
def new(call: Call, x: Tensor, *sizes: Any, **named: Any) -> Any:
    given = _numbers((named.pop("size"),) if "size" in named else sizes)
    return call.function(call.value(x), (call.size, *given), **named)


@rule("new_full")
def new_full(call: Call, x: Tensor, size: Any, fill_value: Any, **named: Any) -> Any:
    if isinstance(fill_value, Tensor):
        return NotImplemented
    return call.function(call.value(x), (call.size, *size), fill_value, **named)


@rule("rand randn empty")
def drawn(call: Call, *sizes: Any, **named: Any) -> Any:
    given = _numbers((named.pop("size"),) if "size" in named else sizes)
    return call.function((call.size, *given), **named)


@rule("randint normal")
def drawn_between(call: Call, *given: Any, **named: Any) -> Any:
    sizes = named.pop("size", None)
    if sizes is None and given and isinstance(given[-1], (list, tuple)):
        *given, sizes = given  # type: ignore[assignment]
    if sizes is None or any(isinstance(it, Tensor) for it in (*given, *named.values())):
        return NotImplemented
    return call.function(*given, size=(call.size, *sizes), **named)


@rule("cat concat concatenate")
def cat(call: Call, tensors: Any, dim: int = 0, **named: Any) -> Any:
    if "out" in named or len({it.ndim for it in tensors}) != 1:
        return NotImplemented
    place = place_of(named.get("axis", dim), tensors[0].ndim)
    return call.function([call.full(it) for it in tensors], place)


@rule("stack")
def stack(call: Call, tensors: Any, dim: int = 0, **named: Any) -> Any:
    if "out" in named:
        return NotImplemented
    return call.function([call.full(it) for it in tensors], place_of(dim, tensors[0].ndim + 1))
