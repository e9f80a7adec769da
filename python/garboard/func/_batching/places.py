"""Ops that read or write elements by their places."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.func._batching.calls import SINGLY, UNCHANGED, Call, NotBatchedError, rule
from garboard.func._batching.dims import place_of
from garboard.func._batching.elementwise import aligned, elementwise
from garboard.func._batching.tensor import batch

__all__: list[str] = []


@rule("gather scatter scatter_add scatter_reduce scatter_ scatter_add_ scatter_reduce_")
def gather(call: Call, x: Tensor, dim: int, index: Tensor, *args: Any, **named: Any) -> Any:
    if not x.ndim or index.ndim != x.ndim:
        return NotImplemented
    more = [call.full(it) if isinstance(it, Tensor) else it for it in args]
    by_name = {key: call.full(it) if isinstance(it, Tensor) else it for key, it in named.items()}
    made = call.function(call.full(x), place_of(dim, x.ndim), call.full(index), *more, **by_name)
    return UNCHANGED if call.writes else made


@rule("take_along_dim")
def take_along_dim(call: Call, x: Tensor, indices: Tensor, dim: int | None = None) -> Any:
    if dim is None or not x.ndim or indices.ndim != x.ndim:
        return NotImplemented
    return call.function(call.full(x), call.full(indices), place_of(dim, x.ndim))


@rule("index_select")
def index_select(call: Call, x: Tensor, dim: int, index: Tensor) -> Any:
    if not x.ndim or index.ndim != 1:
        return NotImplemented
    place = place_of(dim, x.ndim)
    if not call.is_batched(index):
        return call.value(x).index_select(place, index)
    value = call.full(x)
    sizes = list(value.shape)
    sizes[place] = index.shape[0]
    rows = call.value(index).reshape(call.size, *(1,) * (place - 1), -1, *(1,) * (x.ndim - place))
    return value.gather(place, rows.expand(sizes))


@rule("index_add index_copy index_fill index_add_ index_copy_ index_fill_")
def index_written(call: Call, x: Tensor, dim: int, index: Tensor, *args: Any, **named: Any) -> Any:
    for key in ("source", "value", "tensor"):
        if key in named:
            args = (named.pop(key),)
    if call.is_batched(index) and x.ndim and index.ndim == 1:
        return _written_by_scatter(call, x, dim, index, *args, **named)
    if call.is_batched(index) or not x.ndim:
        return NotImplemented if not call.writes else SINGLY
    source = args[0] if args else None
    of_source = call.full(source) if isinstance(source, Tensor) and source.ndim else source
    if call.is_batched(source) and not source.ndim:  # type: ignore[union-attr]
        return NotImplemented if not call.writes else SINGLY
    place = place_of(dim, x.ndim)
    made = call.function(call.full(x), place, index, *([of_source] if args else []), **named)
    return UNCHANGED if call.writes else made


def _written_by_scatter(
    call: Call, x: Tensor, dim: int, index: Tensor, source: Any, alpha: Any = 1
) -> Any:
    """What each sample writes at places of its own."""
    if isinstance(source, Tensor) and not source.ndim:
        return SINGLY
    place, value = place_of(dim, x.ndim), call.value(x) if call.writes else call.full(x)
    sizes = list(value.shape)
    sizes[place] = index.shape[0]
    ones = (1,) * (place - 1), (1,) * (x.ndim - place)
    places = call.value(index).reshape(-1, *ones[0], index.shape[0], *ones[1]).expand(sizes)
    if call.name.startswith("index_fill"):
        made = getattr(value, "scatter" + "_" * call.writes)(place, places, source)
        return UNCHANGED if call.writes else made
    if tuple(source.shape) != tuple(sizes[1:]):
        return SINGLY
    of_source = call.full(source)
    op = "scatter_add" if call.name.startswith("index_add") else "scatter"
    of_source = of_source if alpha == 1 else of_source * alpha
    made = getattr(value, op + "_" * call.writes)(place, places, of_source)
    return UNCHANGED if call.writes else made


@rule("masked_select")
def masked_select(call: Call, x: Tensor, mask: Tensor) -> Any:
    if call.is_batched(mask) or mask.ndim > x.ndim:
        return NotImplemented
    return call.value(x)[:, mask.expand(x.shape)]


@rule("log_gamma_draws log_gamma_rsample binomial_draws von_mises_draws")
def drawn_singly(call: Call, *args: Any, **named: Any) -> Any:
    return SINGLY


@rule("index_put_ masked_scatter_ put_ index_reduce_ fill_diagonal_ map_ apply_")
def written_singly(call: Call, *args: Any, **named: Any) -> Any:
    return SINGLY


@rule("resize_ resize_as_ set_")
def resized(call: Call, *args: Any, **named: Any) -> Any:
    raise NotBatchedError(
        f"{call.name}: a sample's memory is part of its batch's; x.reshape is needed"
    )


@rule("embedding")
def embedding(
    call: Call,
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    *args: Any,
    **named: Any,
) -> Any:
    if not call.is_batched(weight):
        return call.function(
            call.value(input), weight, padding_idx, max_norm, norm_type, *args, **named
        )
    count = weight.shape[0]
    if weight.ndim != 2 or max_norm is not None or any(args) or any(named.values()):
        return NotImplemented
    places = call.full(input)
    samples = _engine.arange(call.size, device=places.device).reshape(-1, *(1,) * input.ndim)
    found = call.value(weight)[samples, _engine.where(places < 0, count, places)]  # -1 is no row
    if padding_idx is None:
        return found
    is_padding = (places == padding_idx % count).unsqueeze(-1)
    return _engine.where(is_padding, found.detach(), found)


@rule("take")
def take(call: Call, x: Tensor, index: Tensor) -> Any:
    places = call.full(index)
    return (
        call.full(x)
        .reshape(call.size, -1)
        .gather(1, _positive(places.flatten(1), x))
        .reshape(places.shape)
    )


def _positive(places: Tensor, x: Tensor) -> Tensor:
    return _engine.where(places < 0, places + x.numel(), places)


@rule("index_put")
def index_put(call: Call, x: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Any:
    if accumulate:
        return NotImplemented
    written = batch(call.full(x).clone(), call.level)
    try:
        written[tuple(indices)] = values
    except NotBatchedError:  # the values are samples of another level
        return NotImplemented
    return written._value


@rule("masked_fill masked_fill_")
def masked_fill(call: Call, x: Tensor, mask: Tensor, value: Any) -> Any:
    if not call.is_batched(value):
        return elementwise(call, x, mask, value)
    of_x, of_mask, of_value = aligned(call, [x, mask, value])
    made = _engine.where(of_mask, of_value.to(of_x.dtype), of_x)
    if not call.writes:
        return made
    of_x.copy_(made)
    return UNCHANGED


@rule("fill fill_")
def fill(call: Call, x: Tensor, value: Any) -> Any:
    if not call.is_batched(value):
        return elementwise(call, x, value)
    if value.numel() != 1:
        return NotImplemented if not call.writes else SINGLY
    written = call.value(x) if call.writes else call.full(x).clone()
    written.copy_(call.value(value).reshape(-1, *(1,) * x.ndim))
    return UNCHANGED if call.writes else written


@rule("searchsorted bucketize")
def searchsorted(call: Call, one: Tensor, two: Any, **named: Any) -> Any:
    of_line, of_input = (one, two) if call.name == "searchsorted" else (two, one)
    if not isinstance(of_input, Tensor) or named.get("sorter") is not None:
        return NotImplemented
    if not call.is_batched(of_line):
        parts = [call.value(it) if it is of_input else it for it in (one, two)]
        return call.function(*parts, **named)
    if of_line.ndim == 1:
        flat = call.full(of_input).reshape(call.size, -1)
        found = _engine.searchsorted(call.full(of_line), flat, **named)
        return found.reshape(call.size, *of_input.shape)
    if call.name == "bucketize" or of_line.ndim != of_input.ndim:
        return NotImplemented
    return call.function(call.full(one), call.full(two), **named)


def _is_index(given: Any) -> bool:
    return isinstance(given, Tensor) or (
        isinstance(given, (list, tuple)) or hasattr(given, "__array__")
    )


def _subscript(call: Call, x: Tensor, key: Any) -> tuple[tuple[Any, ...], Any]:
    """What of the samples' tensor a subscript of one names, and how to put its dims in order."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if any(isinstance(it, bool) for it in parts):
        raise IndexError
    if not any(map(_is_index, parts)):
        return (slice(None), *parts), None
    parts = [
        it if isinstance(it, Tensor) or not _is_index(it) else _engine.tensor(it) for it in parts
    ]
    if any(
        isinstance(it, Tensor) and it.dtype == _engine.bool and call.is_batched(it) for it in parts
    ):
        raise IndexError  # how many elements there are, each sample says for itself
    parts = _counted(parts)
    used = sum(it is not None and it is not Ellipsis for it in parts)
    if Ellipsis in [it for it in parts if not isinstance(it, Tensor)]:
        at = next(i for i, it in enumerate(parts) if it is Ellipsis)
        parts[at : at + 1] = [slice(None)] * (x.ndim - used)
    places = [i for i, it in enumerate(parts) if isinstance(it, Tensor)]
    width = max(it.ndim for it in parts if isinstance(it, Tensor))
    # One place, also as a tensor, is taken before, and leaves no dim.
    left = [it for it in parts if not isinstance(it, int) and not _is_one_place(it)]
    lines = [i for i, it in enumerate(left) if isinstance(it, Tensor)] or [0]
    beside = lines[-1] - lines[0] < max(1, sum(isinstance(it, Tensor) for it in left))
    if not any(call.is_batched(parts[i]) for i in places):
        if beside:
            return (slice(None), *parts), None
        return (slice(None), *parts), (0, width)
    own = [_wide(call, it, width) if isinstance(it, Tensor) else it for it in parts]
    samples = _engine.arange(call.size, device=call.full(x).device).reshape(-1, *(1,) * width)
    return (samples, *own), (1, width, lines[0] if beside else 0)


def _is_one_place(given: Any) -> bool:
    return isinstance(given, Tensor) and not given.ndim


def _counted(parts: list[Any]) -> list[Any]:
    """Masks as the places of what is true."""
    found: list[Any] = []
    for it in parts:
        if isinstance(it, Tensor) and it.dtype == _engine.bool:
            if not it.ndim:
                raise IndexError
            found += it.nonzero(as_tuple=True)
        else:
            found.append(it)
    return found


def _wide(call: Call, index: Tensor, width: int) -> Tensor:
    value = call.value(index)
    return value.reshape(value.shape[0], *(1,) * (width - index.ndim), *index.shape)


def _ordered(found: Tensor, order: Any, is_back: bool = False) -> Tensor:
    """The dims that indices made, where a sample's subscript would have them; or back."""
    if order is None:
        return found
    if order[0] == 0:  # in front of the samples' own
        width = order[1]
        return found.movedim(0, width) if is_back else found.movedim(width, 0)
    _, width, before = order
    if not before:
        return found
    here, there = range(1, 1 + width), range(1 + before, 1 + before + width)
    pair = (tuple(there), tuple(here)) if is_back else (tuple(here), tuple(there))
    return found.movedim(*pair)


@rule("__getitem__")
def getitem(call: Call, x: Tensor, key: Any) -> Any:
    place, order = _subscript(call, x, key)
    return _ordered(call.full(x)[place], order)


@rule("__setitem__")
def setitem(call: Call, x: Tensor, key: Any, written: Any) -> Any:
    try:
        place, order = _subscript(call, x, key)
    except IndexError:
        return SINGLY
    value = call.value(x)
    if not call.is_batched(written):
        if order is not None and isinstance(written, Tensor) and written.ndim:
            return SINGLY
        value[place] = written
        return UNCHANGED
    of_written = call.value(written)
    if order is not None:
        return SINGLY
    aimed = _size_of_subscript(x, key)
    missing = aimed - written.ndim
    if missing < 0:
        return SINGLY
    value[place] = of_written.reshape(call.size, *(1,) * missing, *written.shape)
    return UNCHANGED


def _size_of_subscript(x: Any, key: Any) -> int:
    """How many dims a subscript of one sample has."""
    return int(x._value.select(0, 0)[key].ndim)
