"""The parts of dispose scopes that walk containers, decorate and wait: set on the native type."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, overload

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.texts import printable
from garboard._engine import DisposeScope, Tensor, _PackedSequence, parse_bytes
from garboard._native import add_methods

__all__ = ["act_on_nests", "dispose_scope", "holds", "tensors_in"]

_F = TypeVar("_F", bound=Callable[..., Any])
_D = TypeVar("_D", Tensor, _PackedSequence)

_Member = Tensor | _PackedSequence

if TYPE_CHECKING:

    @overload
    def dispose_scope(
        name: str | None = None, *, limit: int | str | None = None
    ) -> DisposeScope: ...
    @overload
    def dispose_scope(name: _F, *, limit: int | str | None = None) -> _F: ...
    def dispose_scope(name: Any = None, *, limit: Any = None) -> Any: ...
else:
    dispose_scope = DisposeScope


def _has_members(item: object) -> bool:
    """Tell whether `item` says what moves between scopes with it, as modules and optimizers do."""
    return hasattr(type(item), "_scope_members")


def _is_member(item: object) -> bool:
    """Tell whether `item` is what a scope has members of."""
    return issubclass(type(item), (Tensor, _PackedSequence))


def _parts_of(nest: Any) -> Iterator[Any]:
    """Yield what stands in any nest of tuples, lists and dicts, each nest visited once.

    A module or an optimizer comes before its tensors. A packed sequence, a tuple too, is one thing.
    """
    stack, seen = [nest], set()
    while stack:
        item = stack.pop()
        # By its type: isinstance would ask an object that is no nest for its class.
        is_nest = issubclass(type(item), (tuple, list, dict)) and not _is_member(item)
        if not is_nest:
            yield item
        if _is_member(item) or not (is_nest or _has_members(item)):
            continue
        if id(item) in seen:
            continue
        seen.add(id(item))
        if issubclass(type(item), dict):
            stack.extend(reversed(dict.values(item)))
        elif is_nest:
            stack.extend(reversed(items_of(item)))
        else:
            stack.extend(reversed(item._scope_members()))


def _members_in(nest: Any) -> Iterator[_Member]:
    """Yield the tensors and packed sequences in any nest, modules and optimizers included."""
    return (part for part in _parts_of(nest) if _is_member(part))


def tensors_in(nest: Any) -> Iterator[Tensor]:
    """Yield the tensors in any nest of tuples, lists, dicts, modules, optimizers and sequences."""
    for member in _members_in(nest):
        if isinstance(member, Tensor):
            yield member
        else:
            yield from (part for part in member if part is not None)


# What may stand in a nest beside tensors, for there is nothing of it to end.
_PLAIN = (type(None), bool, int, float, str)


def _checked(op: str, given: Any) -> list[Any]:
    """The tensors and owners in what a method of a scope was given, each once."""
    parts = list(_parts_of(given))
    for part in parts:
        is_plain = isinstance(part, _PLAIN) and not any(part is one for one in given)
        if not is_plain and not _is_member(part) and not _has_members(part):
            raise TypeError(
                f"{op}: an argument of type {type(part).__name__}; a Tensor, a PackedSequence, a "
                "Module, an Optimizer, or a tuple, list or dict of them is needed"
            )
    return [part for part in parts if not isinstance(part, _PLAIN)]


def act_on_nests(scope: DisposeScope, op: str, other: DisposeScope | None, *given: Any) -> Any:
    """Call a method of a scope with the tensors in `given`, which is returned.

    A module whose home the scope was has another from then on: what it registers later moves there.
    """
    parts = _checked(op, given)
    targets = () if other is None else (other,)
    getattr(scope, op)(*targets, *(part for part in parts if _is_member(part)))
    for part in parts:
        if op != "dispose_everything_but" and hasattr(type(part), "_move_home"):
            outer = {"detach": None, "attach": scope, "move_to_outer": scope.outer}.get(op, other)
            part._move_home(None if op == "attach" else scope, outer)
    return given[0] if len(given) == 1 else given


def holds(scope: DisposeScope, given: Any) -> bool:
    """Tell whether `given`, which is no tensor, has tensors, and all of them are in the scope."""
    members = list(_members_in(given))
    return bool(members) and all(member in scope for member in members)


def _move_results_out(scope: DisposeScope, result: Any) -> Any:
    members = tuple(member for member in _members_in(result) if not member.is_disposed)
    if members:
        scope.move_to_outer(*members)
    return result


def _name_of(function: Callable[..., Any], attribute: str) -> str | None:
    from functools import partial

    name = getattr(function, attribute, None)
    if name is None and isinstance(function, partial):
        return _name_of(function.func, attribute)
    return printable(name) if isinstance(name, str) else None


def _decorate(self: DisposeScope, function: Callable[..., Any]) -> Callable[..., Any]:
    """Run each call of `function` in a scope of its own; the tensors it returns move out of it.

    Raises:
        TypeError: `function` is a generator function: its scope would stay open between two items
            and adopt what the caller makes.
    """
    import inspect
    from functools import wraps

    called = _name_of(function, "__qualname__") or f"what is of type {type(function).__name__}"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"dispose_scope: {called} is a generator function, whose scope would adopt what its "
            "caller makes between two items; open a scope around each item instead"
        )
    name = self.name if self.name is not None else _name_of(function, "__name__")
    limit = self._limit

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def in_scope_async(*arguments: Any, **named: Any) -> Any:
            with DisposeScope(name, limit=limit) as scope:
                return _move_results_out(scope, await function(*arguments, **named))

        return in_scope_async

    @wraps(function)
    def in_scope(*arguments: Any, **named: Any) -> Any:
        with DisposeScope(name, limit=limit) as scope:
            return _move_results_out(scope, function(*arguments, **named))

    return in_scope


async def _aenter(self: DisposeScope) -> DisposeScope:
    return self.__enter__()


async def _aexit(self: DisposeScope, *error: Any) -> None:
    self.__exit__(*error)


def _move_to_outer(self: _D) -> _D:
    """Hand this to the scope around its own; without one, detach it.

    Returns:
        The same. In no scope it is left alone.

    Raises:
        DisposedError: It has ended.

    >>> with gb.dispose_scope():
    ...     x = gb.ones(2).move_to_outer_dispose_scope()
    >>> x
    tensor([1., 1.])
    """
    _engine._require_living(self, "move_to_outer_dispose_scope")
    scope = _engine._scope_of(self)
    if scope is not None:
        scope.move_to_outer(self)
    return self


def _move_to_other(self: _D, other: _Member | DisposeScope) -> _D:
    """Hand this to `other`, a scope or what is in the scope that is meant.

    Args:
        other: An open DisposeScope; or a tensor or packed sequence, and where that is in no scope,
            detach.

    Returns:
        The same.

    Raises:
        DisposedError: It, or `other`, has ended.
        TypeError: `other` is neither.
        GarboardError: The scope was never opened, or it has closed.

    >>> with gb.dispose_scope():
    ...     x = gb.ones(2)
    ...     with gb.dispose_scope():
    ...         y = gb.zeros(2).move_to_other_dispose_scope(x)
    ...     print(y)
    tensor([0., 0.])
    """
    if not isinstance(other, (Tensor, _PackedSequence, DisposeScope)):
        raise TypeError(
            f"move_to_other_dispose_scope: other is of type {type(other).__name__}; a Tensor, a "
            "PackedSequence or a DisposeScope is needed"
        )
    for one in (self,) if isinstance(other, DisposeScope) else (self, other):
        _engine._require_living(one, "move_to_other_dispose_scope")
    target = other if isinstance(other, DisposeScope) else _engine._scope_of(other)
    scope = _engine._scope_of(self)
    if target is None:
        return _detach(self)
    if scope is None:
        target.attach(self)
    else:
        scope.move_to_other(target, self)
    return self


def _detach(self: _D) -> _D:
    """Take this out of its scope: no scope ends it any more.

    Returns:
        The same. In no scope it is left alone.

    Raises:
        DisposedError: It has ended.

    >>> with gb.dispose_scope():
    ...     x = gb.ones(2).detach_from_dispose_scope()
    >>> x
    tensor([1., 1.])
    """
    _engine._require_living(self, "detach_from_dispose_scope")
    scope = _engine._scope_of(self)
    if scope is not None:
        scope.detach(self)
    return self


def _expect(self: DisposeScope, *, bytes: int | str) -> None:
    """Assert that what was born in this scope and lives has at most so many bytes, now.

    What has left the scope since, detached or moved, counts as well; of a closed scope, what lived
    at its close. What only reference cycles hold is garbage. Unlike the scope's `limit`, it is no
    budget that an op can exceed, but a check at one place: at a step's end, say.

    Args:
        bytes: At most, on all devices; a number, or a text such as "1 MiB".

    Raises:
        LeakError: More bytes live; the report says who holds them.
        TypeError: `bytes` is neither an integer nor a string.
        ValueError: `bytes` < 0.
        GarboardError: `bytes` is no amount.

    >>> with gb.dispose_scope("step") as scope:
    ...     x = gb.ones(256)
    ...     scope.expect(bytes="1 KiB")
    """
    most = parse_bytes(bytes) if isinstance(bytes, str) else check.count("expect", "bytes", bytes)
    # By name: the watcher stands above scopes, and imports them.
    import_module("garboard.leaks._scope_bytes").expect_bytes(self, most)


add_methods(
    DisposeScope,
    {"__call__": _decorate, "__aenter__": _aenter, "__aexit__": _aexit, "expect": _expect},
)
for _type in (Tensor, _PackedSequence):
    add_methods(
        _type,
        {
            "move_to_outer_dispose_scope": _move_to_outer,
            "move_to_other_dispose_scope": _move_to_other,
            "detach_from_dispose_scope": _detach,
        },
    )
