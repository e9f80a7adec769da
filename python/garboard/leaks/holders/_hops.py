"""Says how one object refers to the next: `losses[3]`, not list, tuple, cell, dict, dict.

A path as the interpreter sees it goes through namespaces, cells and closure tuples. Each rule here
knows one type of holder, names the edge, and says how far it leads.
"""

from __future__ import annotations

import ast
import gc
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context
from functools import partial
from inspect import CO_OPTIMIZED
from types import (
    AsyncGeneratorType,
    BuiltinMethodType,
    CellType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from garboard import _engine
from garboard._arguments.texts import printable, shown
from garboard._shown.notebook import CellOutputs, is_output_name
from garboard.leaks.evidence._classes import is_one, loaded_class
from garboard.leaks.holders._statements import statement_at
from garboard.leaks.holders._unasked import (
    attributes_of,
    first_is_there,
    is_a,
    is_cache,
    is_object_array,
    is_plain_tuple,
    items_of,
    keys_of,
    mro_of,
    space_of,
    type_name,
)

__all__ = ["Edge", "Link", "frame_of", "is_part", "links", "written"]


class Edge(NamedTuple):
    """How an object is referred to; `name` is the variable, attribute, index or key."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        if self.kind == "item":
            return f"[{self.name}]"
        return f"{self.kind} `{self.name}`" if self.name else self.kind


class Link(NamedTuple):
    """One hop of a chain: an edge, and the object it leads to."""

    edge: Edge
    object: Any


_LONGEST_KEY = 40
_WITH_FRAMES = (GeneratorType, CoroutineType, AsyncGeneratorType)
_MOST_AHEAD = 10  # objects that a rule sees: a context's tree of nodes is the deepest

Step = tuple[Edge, int]  # an edge, and how many objects of the path it passes


def links(path: Sequence[Any]) -> list[Link]:
    """Name the hops of a path from a root; the first link is the root itself."""
    found = [Link(Edge("root"), path[0])]
    at = 0
    while at + 1 < len(path):
        edge, passed = _step(path[at], path[at + 1 : at + 1 + _MOST_AHEAD])
        at += passed
        found.append(Link(Edge(edge.kind, printable(edge.name)), path[at]))
    return _from_fixture(found)


def _from_fixture(chain: list[Link]) -> list[Link]:
    """Begin at the fixture that has it: what pytest has around that is nobody's concern."""
    at = next((i for i, link in enumerate(chain) if link.edge.kind == "fixture"), None)
    return chain if at is None else [Link(Edge("root"), chain[at - 1].object), *chain[at:]]


def _step(holder: Any, ahead: Sequence[Any]) -> Step:
    for kind, rule in _RULES:
        if is_a(holder, kind):
            step = rule(holder, ahead)
            if step is not None:
                return step
    return _of_instance(holder, ahead) or (_of_key(holder, ahead[0]) or Edge("refers to"), 1)


def _of_key(holder: Any, thing: Any) -> Edge | None:
    """Name the way from an object to what has an item as long as the object lives."""
    if is_a(thing, WeakKeyDictionary):
        return Edge("weak key")
    is_apart = is_a(thing, dict) and all(it is not thing for it in gc.get_referents(holder))
    return Edge("key until it dies") if is_apart else None


def keys_to(mapping: Any, value: Any) -> Iterator[object]:
    """Yield the keys of `value`."""
    items = list(dict.items(mapping) if is_a(mapping, dict) else mapping.items())
    return (key for key, other in items if other is value)


def key_of(mapping: Any, value: Any) -> tuple[object] | None:
    """Return the key of `value`, in a tuple, if it is there."""
    return next(((key,) for key in keys_to(mapping, value)), None)


def name_of(space: Any, value: Any) -> str | None:
    """Return the name of `value` in a namespace; of several, one that a person gave it."""
    keys = sorted(keys_to(space, value), key=is_output_name)
    if not keys:
        return None
    return str.__str__(keys[0]) if is_a(keys[0], str) else written(keys[0])


def written(key: object, room: int = _LONGEST_KEY) -> str:
    """Return a key's text, unless that could be long, or the user's code would make it."""
    if type(key) in (str, int, bool, float, type(None)):
        text = shown(key)
    elif is_plain_tuple(key):
        parts: list[str] = []
        left = room - 2
        for item in key:
            if left < 0:
                break
            parts.append(written(item, left))
            left -= len(parts[-1]) + 2
        text = f"({', '.join(parts)})"
    else:
        text = type_name(type(key))
    return text if len(text) <= _LONGEST_KEY else f"{text[: _LONGEST_KEY - 3]}..."


def _namespace(kind: str, space: Any, ahead: Sequence[Any]) -> Step | None:
    """Pass a dict that is the namespace of its holder."""
    if len(ahead) < 2 or not is_a(ahead[0], dict) or ahead[0] is not space:
        return None
    name = name_of(space, ahead[1])
    return (Edge(kind, name), 2) if name is not None else None


def _of_module(module: ModuleType, ahead: Sequence[Any]) -> Step | None:
    return _namespace("global", attributes_of(module), ahead) or (Edge("callback"), 1)


def _of_frame(frame: FrameType, ahead: Sequence[Any]) -> Step | None:
    cell = is_a(ahead[0], CellType) and len(ahead) > 1
    value = ahead[1] if cell else ahead[0]
    for name, variable in _engine._frame_variables(frame):
        if variable is value:
            return Edge("local", name), 2 if cell else 1
    if is_a(ahead[0], dict) and len(ahead) > 1:  # of a module or a class body; or a copy
        key = name_of(ahead[0], ahead[1])
        if key is not None:
            return Edge("local" if frame.f_code.co_flags & CO_OPTIMIZED else "global", key), 2
    return _of_comprehension(frame, value) or (Edge("temporary value"), 1)


_COMPREHENSIONS: dict[type, type[ast.expr]] = {
    list: ast.ListComp,
    set: ast.SetComp,
    dict: ast.DictComp,
}


def _of_comprehension(frame: FrameType, value: Any) -> Step | None:
    """Name what a comprehension makes in its function's own frame, as from Python 3.12 on, by the
    variable that will have it."""
    kind = _COMPREHENSIONS.get(type(value))
    made = statement_at(printable(frame.f_code.co_filename), frame.f_lineno or 0) if kind else None
    if not isinstance(made, ast.Assign) or kind is None or not isinstance(made.value, kind):
        return None
    name = getattr(made.targets[0], "id", "")
    scope = "global" if frame.f_code.co_name == "<module>" else "local"
    return (Edge(scope, name), 1) if name else None


def _of_generator(generator: Any, ahead: Sequence[Any]) -> Step | None:
    frame = frame_of(generator)
    return _of_frame(frame, ahead) if frame is not None and ahead[0] is not frame else None


def frame_of(thing: Any) -> FrameType | None:
    """Return the frame of a generator or coroutine that has not ended; None of anything else."""
    if not is_a(thing, _WITH_FRAMES):
        return None
    frames = (getattr(thing, name, None) for name in ("gi_frame", "cr_frame", "ag_frame"))
    return next((frame for frame in frames if frame is not None), None)


def _of_function(function: FunctionType, ahead: Sequence[Any]) -> Step | None:
    first = ahead[0]
    code = function.__code__
    if first is function.__closure__ and len(ahead) > 2:
        cells = list(function.__closure__ or ())
        at = next((i for i, cell in enumerate(cells) if cell is ahead[1]), None)
        if at is not None:
            return Edge("closure variable", code.co_freevars[at]), 3
    if first is function.__defaults__ and len(ahead) > 1:
        names = code.co_varnames[: code.co_argcount][-len(function.__defaults__ or ()) :]
        for name, value in zip(names, function.__defaults__ or (), strict=False):
            if value is ahead[1]:
                return Edge("default argument", name), 2
    return (
        _namespace("default argument", function.__kwdefaults__, ahead)
        or _namespace("global", function.__globals__, ahead)
        or _namespace("attribute", function.__dict__, ahead)
    )


def _of_method(method: Any, ahead: Sequence[Any]) -> Step | None:
    return Edge("bound to" if ahead[0] is getattr(method, "__self__", None) else "function"), 1


def _of_partial(partial_: partial[Any], ahead: Sequence[Any]) -> Step | None:
    """Name what a function will be called with as the function does."""
    called = partial.func.__get__(partial_)
    is_bound = is_a(called, MethodType)
    function = called.__func__ if is_bound else called
    code = function.__code__ if is_a(function, FunctionType) else None
    if ahead[0] is partial.args.__get__(partial_) and len(ahead) > 1:
        at = first_is_there(ahead[1], ahead[0])
        names = code.co_varnames[is_bound : code.co_argcount] if code is not None else ()
        if at is not None:
            return Edge("argument", names[at] if at < len(names) else f"args[{at}]"), 2
    return _namespace("argument", partial.keywords.__get__(partial_), ahead)


def _of_type(cls: type, ahead: Sequence[Any]) -> Step | None:
    if is_a(ahead[0], dict) and len(ahead) > 1:
        name = name_of(space_of(cls), ahead[1])
        if name is not None:
            return Edge("class attribute", name), 2
    return None


def _of_context(context: Context, ahead: Sequence[Any]) -> Step | None:
    """Pass the nodes of the tree in which a context has its variables."""
    for passed, thing in enumerate(ahead, 1):
        for variable, value in context.items():
            if value is thing:
                return Edge("context variable", variable.name), passed
    return None


def _of_outputs(outputs: CellOutputs, ahead: Sequence[Any]) -> Step | None:
    step = _of_instance(outputs, ahead)
    return (Edge("output", step[0].name), step[1]) if step is not None else None


def _of_mapping(mapping: Any, ahead: Sequence[Any]) -> Step | None:
    key = key_of(mapping, ahead[0])
    if key is not None:
        return Edge("item", written(key[0])), 1
    return (Edge("key"), 1) if first_is_there(ahead[0], keys_of(mapping)) is not None else None


def _of_sequence(sequence: Any, ahead: Sequence[Any]) -> Step | None:
    at = first_is_there(ahead[0], items_of(sequence))
    return (Edge("item", str(at)), 1) if at is not None else None


def _of_set(members: Any, ahead: Sequence[Any]) -> Step | None:
    return (Edge("member"), 1) if first_is_there(ahead[0], items_of(members)) is not None else None


def _of_traceback(traceback: TracebackType, ahead: Sequence[Any]) -> Step | None:
    return Edge("frame" if ahead[0] is traceback.tb_frame else "next"), 1


def _of_exception(error: BaseException, ahead: Sequence[Any]) -> Step | None:
    for name in ("__traceback__", "__context__", "__cause__"):
        if ahead[0] is vars(BaseException)[name].__get__(error):
            return Edge("attribute", name), 1
    return None


def _of_wrapper(wrapper: Any, ahead: Sequence[Any]) -> Step | None:
    """Pass `staticmethod` and `classmethod`, which the class's attribute stands for."""
    function = wrapper.__func__
    return (Edge("wraps"), 1) if ahead[0] is function else None


def _of_cell(cell: CellType, ahead: Sequence[Any]) -> Step | None:
    return Edge("closure variable"), 1


_PARTS = ("_parameters", "_buffers", "_modules")


def is_part(owner: Any, thing: Any) -> bool:
    """Tell whether a dict is one in which a module of PyTorch's has its attributes."""
    if not is_a(thing, dict) or not is_one("module", owner):
        return False
    space = attributes_of(owner)
    return any(space.get(name) is thing for name in _PARTS)


def _of_module_part(owner: Any, ahead: Sequence[Any]) -> Step | None:
    passed = 1 if ahead[0] is attributes_of(owner) else 0
    if len(ahead) < passed + 2 or not is_part(owner, ahead[passed]):
        return None
    name = name_of(ahead[passed], ahead[passed + 1])
    return (Edge("attribute", name), passed + 2) if name is not None else None


def _of_instance(instance: Any, ahead: Sequence[Any]) -> Step | None:
    space = attributes_of(instance)
    fixtures = loaded_class("_pytest.fixtures", "FixtureDef")
    if fixtures is not None and is_a(instance, fixtures):
        step = _of_fixture(instance, ahead)
        if step is not None:
            return step
    part = _of_module_part(instance, ahead)
    if part is not None:
        return part
    step = _namespace("attribute", space, ahead)
    if step is not None:
        return _as_asked_for(instance, *step)
    name = name_of(space, ahead[0])
    if name is not None:
        return _as_asked_for(instance, Edge("attribute", name), 1)
    for cls in mro_of(type(instance)):
        for name, member in list(space_of(cls).items()):
            if type(member) is MemberDescriptorType:
                try:
                    value = member.__get__(instance)
                except AttributeError:
                    continue
                if value is ahead[0]:
                    return Edge("attribute", name), 1
    if ahead[0] is type(instance):
        return Edge("class"), 1
    return _of_special(instance, ahead)


def _as_asked_for(instance: Any, edge: Edge, passed: int) -> Step:
    """Call an attribute by the name of the property that gives it: `optimizer.state`."""
    if edge.name == "_seen" and is_one("optimizer", instance):
        return Edge(edge.kind, "state"), passed
    return Edge(edge.kind, _as_written(instance, edge.name)), passed


def _as_written(instance: Any, name: str) -> str:
    """Return `__rows` of `_Cache__rows`, which is what the class Cache writes."""
    if name.startswith("_") and "__" in name and not name.startswith("__"):
        for cls in mro_of(type(instance)):
            private = f"_{type_name(cls).lstrip('_')}__"
            if name.startswith(private) and not name.endswith("__"):
                return f"__{name.removeprefix(private)}"
    return name


def _of_fixture(fixture: Any, ahead: Sequence[Any]) -> Step | None:
    """Pass what pytest keeps a fixture's value in."""
    space = attributes_of(fixture)
    cached, name = space.get("cached_result"), space.get("argname")
    if not is_plain_tuple(cached) or not cached or type(name) is not str:
        return None
    passed = first_is_there(cached[0], ahead)
    return (Edge("fixture", name), passed + 1) if passed is not None else None


def _of_special(instance: Any, ahead: Sequence[Any]) -> Step | None:
    if is_cache(instance):
        return Edge("cached result"), 2 if is_a(ahead[0], dict) and len(ahead) > 1 else 1
    if is_object_array(instance):
        return _of_sequence(instance, ahead)
    if is_a(instance, threading.local) and len(ahead) > 2 and is_a(ahead[1], dict):
        return Edge("thread-local", name_of(ahead[1], ahead[2]) or ""), 3
    return None


_Rule = Callable[[Any, Sequence[Any]], Step | None]
_RULES: tuple[tuple[Any, _Rule], ...] = (
    (ModuleType, _of_module),
    (FrameType, _of_frame),
    (_WITH_FRAMES, _of_generator),
    (FunctionType, _of_function),
    ((MethodType, BuiltinMethodType), _of_method),
    (partial, _of_partial),
    (type, _of_type),
    (TracebackType, _of_traceback),
    (BaseException, _of_exception),
    (CellType, _of_cell),
    ((staticmethod, classmethod), _of_wrapper),
    (CellOutputs, _of_outputs),
    (Context, _of_context),
    (dict, _of_mapping),
    ((list, tuple, deque), _of_sequence),
    ((set, frozenset), _of_set),
)
