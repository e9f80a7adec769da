"""When and where PyTorch's tensors are born, while somebody watches.

Every object that the garbage collector knows begins in its youngest generation. Looking there
before each collection and at the end of each step finds every new tensor, of all threads, in the
step of its birth. The line is told by a mode that sees PyTorch's functions return; modes are a
thread's own, so in other threads than the watch's the line is unknown.
"""

from __future__ import annotations

import gc
import os
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count
from threading import get_ident
from types import FrameType
from typing import Any
from weakref import ref

from garboard._shown.site import Site, number_of
from garboard.leaks.evidence._torch_itself import torch

__all__ = ["Birth", "Recorder"]
_RemovableHandle = torch.utils.hooks.RemovableHandle

_MOST_POINTERS = 4096
_MOST_ROOTS = 100_000


class _Nothing:
    """Nothing is one of these."""


class Birth(ref):  # type: ignore[type-arg]
    """One tensor's birth; refers to it weakly.

    Attributes:
        serial: Never used twice.
        site: The line's number; 0 where it was not seen.
        step: The process's step.
        nbytes: Of its own storage; 0 for a view, -1 while nobody has asked.
        key: The tensor's `id`.
        node: The line that gave it a graph in place, with the node's place in the order of
            recording; zeros where its birth did.
    """

    __slots__ = ("key", "nbytes", "node", "serial", "site", "step")

    node: tuple[int, int]
    serial: int
    site: int
    step: int
    nbytes: int
    key: int


class Recorder:
    """Births of tensors, hooks and graphs, between `open()` and `close()`, which nest."""

    def __init__(self) -> None:
        self.births: dict[int, Birth] = {}  # by the tensor's id, oldest first
        self.step = 1
        self.live_bytes = 0
        self.walked: dict[int, bool] = {}  # roots of backward passes: was the graph to be kept?
        self._serials = count(1)
        self.next_serial = 1
        self._optimizers: dict[int, tuple[ref[Any], int]] = {}
        self._unsized: list[Birth] = []
        self._passing = 0  # the line of the backward pass that runs
        self._pointers: dict[int, int] = {}  # of storages: the line that made them
        self._older_pointers: dict[int, int] = {}
        self._sequence: list[int] = []  # the first node of each step
        self._first_step = 1
        self._hooks: dict[tuple[int, int], tuple[ref[Any], int, int]] = {}
        self._watchers = 0
        self._modes: dict[int, list[_Lines]] = {}  # by thread: as often as it watches

    # Beginning and end

    def open(self) -> None:
        self._watchers += 1
        if self._watchers == 1:
            self._sequence, self._first_step = [_sequence_number()], self.step
            self._note_all(gc.get_objects(), 0)
            gc.callbacks.append(self._before_collection)
            _RemovableHandle.__init__ = _noting(_RemovableHandle.__init__, self)
        modes = self._modes.setdefault(get_ident(), [])
        modes.append(_Lines(self) if not modes else modes[0])
        if len(modes) == 1:
            modes[0].__enter__()

    def close(self) -> None:
        modes = self._modes.get(get_ident())
        if modes and len(modes) == 1:
            modes[0].leave()
        if modes and modes.pop() and not modes:
            del self._modes[get_ident()]
        self._watchers -= 1
        if self._watchers == 0:
            gc.callbacks.remove(self._before_collection)
            _RemovableHandle.__init__ = _RemovableHandle.__init__.__wrapped__
            self.births.clear()
            self.walked.clear()
            self._optimizers.clear()
            self._hooks.clear()
            self._pointers.clear()
            self._older_pointers.clear()
            self._unsized.clear()
            self.live_bytes = 0

    # Steps

    def advance(self) -> int:
        """Find what this step has left, end it, and return it."""
        self.scan()
        done, self.step = self.step, self.step + 1
        self._sequence.append(_sequence_number())
        if len(self._pointers) > _MOST_POINTERS:
            self._older_pointers, self._pointers = self._pointers, {}
        if len(self.walked) > _MOST_ROOTS:
            for root in list(self.walked)[: _MOST_ROOTS // 2]:
                del self.walked[root]
        return done

    def step_of_node(self, sequence: int) -> int:
        """Return the step in which a node of the watch's thread was recorded."""
        return self._first_step - 1 + bisect_right(self._sequence, sequence)

    # Births

    def scan(self) -> None:
        """Note the young tensors whose birth no mode has seen."""
        if self._watchers:
            self._note_all(gc.get_objects(generation=0), self.step)

    def _before_collection(self, phase: str, info: Mapping[str, Any]) -> None:
        if phase == "start":
            self.scan()

    def _note_all(self, things: list[Any], step: int) -> None:
        optimizer: Any = getattr(sys.modules.get("torch.optim"), "Optimizer", _Nothing)
        roles: dict[type, Callable[[Any], None] | None] = {}  # not kept: it would keep the types
        with torch._C.DisableTorchFunction():
            for thing in things:
                kind = type(thing)
                if kind not in roles:
                    roles[kind] = None
                    if type.__subclasscheck__(torch.Tensor, kind):
                        roles[kind] = partial(self._note_found, step)
                    elif type.__subclasscheck__(optimizer, kind):
                        roles[kind] = self._note_optimizer
                note = roles[kind]
                if note is not None:
                    note(thing)

    def _note_found(self, step: int, tensor: Any) -> None:
        if id(tensor) not in self.births:
            # A pass makes tensors where others were that are gone: their lines tell nothing.
            self.note(tensor, self._passing or self._line_of_storage(tensor), step)

    def _note_optimizer(self, optimizer: Any) -> None:
        key = id(optimizer)
        if key in self._optimizers:
            return
        gone = self._optimizers.pop
        self._optimizers[key] = (ref(optimizer, lambda _: gone(key, None)), self._new_serial())

    def _new_serial(self) -> int:
        serial = next(self._serials)
        self.next_serial = serial + 1
        return serial

    def note(self, tensor: Any, site: int, step: int) -> None:
        """Note a birth; one that is known already is left as it is."""
        key = id(tensor)
        if key in self.births:
            return
        birth = Birth(tensor, self._forget)
        birth.key, birth.site, birth.step, birth.nbytes = key, site, step, -1
        birth.node = (0, 0)
        birth.serial = self._new_serial()
        self.births[key] = birth
        self._unsized.append(birth)
        if site:
            self._pointers[_pointer(tensor)] = site

    def _forget(self, birth: Birth) -> None:
        if self.births.get(birth.key) is birth:
            del self.births[birth.key]
            self.live_bytes -= max(birth.nbytes, 0)

    def _line_of_storage(self, tensor: Any) -> int:
        """A parameter is an alias that no function returns: it has its storage's line."""
        pointer = _pointer(tensor)
        return self._pointers.get(pointer) or self._older_pointers.get(pointer) or 0

    def size(self) -> int:
        """Return the living bytes, of tensors that are no views."""
        unsized, self._unsized = self._unsized, []
        with torch._C.DisableTorchFunction():
            for birth in unsized:
                tensor = birth()
                if tensor is not None:
                    birth.nbytes = 0 if tensor._is_view() else _nbytes(tensor)
                    self.live_bytes += birth.nbytes
        return self.live_bytes

    def optimizers(self, before: int) -> Iterator[Any]:
        """Yield the living optimizers that are older than a serial."""
        for weak, serial in list(self._optimizers.values()):
            optimizer = weak()
            if optimizer is not None and serial < before:
                yield optimizer

    # What functions tell besides

    def note_returned(self, tensor: Any, known: Birth | None) -> None:
        """Note the line that a function returns a new tensor to.

        The collector may have run when the tensor became an object, and found it without a line.
        """
        if known is None:
            self.note(tensor, here(), self.step)
        else:
            known.site = here()
            self._pointers[_pointer(tensor)] = known.site

    def note_in_place(self, birth: Birth, tensor: Any) -> None:
        """Note the line that a tensor known already has its newest node from."""
        with torch._C.DisableTorchFunction():
            node = tensor.grad_fn
            if node is not None:
                birth.node = (here(), node._sequence_nr())

    @contextmanager
    def passing(self, site: int) -> Iterator[None]:
        """What a backward pass gives to hooks, and no function returns, is of the pass's line."""
        self.scan()  # what is young by now has other lines
        before, self._passing = self._passing, site
        try:
            yield
        finally:
            self._passing = before

    def note_backward(self, root: Any, keeps: bool, site: int) -> None:
        """Note that a pass went from a tensor, and the gradients that it made."""
        with torch._C.DisableTorchFunction():
            node = root.grad_fn
            for it in _first_behind(node):  # the root may die, and a kept output lead to the rest
                self.walked[it._sequence_nr() + 1] = keeps
            self.scan()  # of the pass's line still
            for birth in list(self.births.values()):
                leaf: Any = birth()
                is_leaf = leaf is not None and leaf.requires_grad and leaf.is_leaf
                if is_leaf and leaf.grad is not None:
                    self.note(leaf.grad, site, self.step)

    def note_hook(self, table: Any, number: int, site: int) -> None:
        self._hooks[id(table), number] = (ref(table), site, self.step)

    def hooks(self) -> list[tuple[object, dict[int, tuple[int, int]]]]:
        """Return the tables of hooks, with the line and step of each that is registered."""
        found: dict[int, tuple[object, dict[int, tuple[int, int]]]] = {}
        for (key, number), (weak, site, step) in list(self._hooks.items()):
            table = weak()
            if table is None or number not in table:
                del self._hooks[key, number]
                continue
            found.setdefault(key, (table, {}))[1][number] = (site, step)
        return list(found.values())


class _Lines(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """Sees what PyTorch's functions return to the program, and notes the line."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder: Recorder | None = recorder

    def leave(self) -> None:
        """Come off the thread's stack where this is on top; else be of no effect from now on."""
        self._recorder = None
        stack = torch.overrides._get_current_function_mode_stack()
        if stack and stack[-1] is self:
            self.__exit__(None, None, None)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder, named = self._recorder, kwargs or {}
        if func in _PASSES and args and recorder is not None:
            keeps = bool(named.get("retain_graph") or named.get("create_graph"))
            with recorder.passing(here()):
                result = func(*args, **named)
                roots = args[0] if isinstance(args[0], tuple | list) else args[:1]
                for root in roots:
                    recorder.note_backward(root, keeps or any(args[2:4]), here())
            return result
        first = recorder.next_serial if recorder is not None else 0
        result = func(*args, **named)
        recorder = self._recorder
        if recorder is None:
            return result
        if type(result) is torch.Tensor or isinstance(result, torch.Tensor):
            known = recorder.births.get(id(result))
            if known is None or known.serial >= first:
                recorder.note_returned(result, known)
            elif result.requires_grad and _is_in_place(func):
                recorder.note_in_place(known, result)
        elif isinstance(result, tuple | list):
            for part in result:
                if isinstance(part, torch.Tensor):
                    known = recorder.births.get(id(part))
                    if known is None or known.serial >= first:
                        recorder.note_returned(part, known)
        return result


_PASSES = (torch.Tensor.backward, torch.autograd.backward)  # of the latter, newer versions ask

_MOST_BEHIND = 16  # nodes between a root and what a program keeps, such as of `y[0].sum()`


def _first_behind(root: Any) -> list[Any]:
    """Return the root of a pass and the nodes next to it, without leaves."""
    found = [root] if root is not None else []
    for node in found:
        behind = (it for it, _ in node.next_functions if it is not None)
        found += [it for it in behind if it.next_functions and it not in found]
        if len(found) >= _MOST_BEHIND:
            break
    return found


def _is_in_place(function: Any) -> bool:
    """Tell `add_` and `__iadd__` from what may return what it is given, and records nothing."""
    name: str = function.__name__
    is_named_so = name.endswith("_") and (name.startswith("__i") or not name.endswith("__"))
    return is_named_so and name != "requires_grad_"


def _noting(init: Any, recorder: Recorder) -> Any:
    """Wrap what every registration of a hook goes through."""

    def __init__(self: Any, hooks_dict: Any, **named: Any) -> None:  # noqa: N807
        init(self, hooks_dict, **named)
        recorder.note_hook(hooks_dict, self.id, here())

    __init__.__wrapped__ = init  # type: ignore[attr-defined]
    return __init__


def _pointer(tensor: Any) -> int:
    try:
        return int(tensor.data_ptr())
    except (RuntimeError, NotImplementedError):  # without memory of its own: sparse, fake
        return 0


def _nbytes(tensor: Any) -> int:
    try:
        return int(tensor.untyped_storage().nbytes())
    except (RuntimeError, NotImplementedError):
        return 0


def _sequence_number() -> int:
    return int(torch._C._autograd._get_sequence_nr())


_LEAKS = os.path.dirname(os.path.dirname(__file__))
_OURS = (os.path.dirname(torch.__file__) + os.sep, os.path.dirname(_LEAKS) + os.sep)
_PLUMBING = {"contextlib", "copy", "functools", "pickle"}
_is_plumbing: dict[str, bool] = {}
_sites: dict[tuple[str, int], int] = {}


def here() -> int:
    """Return the number of the innermost line of the program: neither PyTorch's nor ours."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        is_plumbing = _is_plumbing.get(file)
        if is_plumbing is None:
            name = str(frame.f_globals.get("__name__", ""))
            is_plumbing = _is_plumbing[file] = file.startswith(_OURS) or name in _PLUMBING
        if not is_plumbing:
            key = (file, frame.f_lineno)
            found = _sites.get(key)
            if found is None:
                found = _sites[key] = number_of(Site(*key, frame.f_code.co_qualname))
            return found
        frame = frame.f_back
    return 0
