"""Which modules are running, while they run."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from garboard._engine import Tensor
from garboard._hooks import RemovableHandle
from garboard._names.missing import module_getattr
from garboard.nn.module import Module
from garboard.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from garboard.utils._pytree import tree_leaves

__all__ = ["ModuleTracker"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

_TOP = "Global"


class ModuleTracker:
    """Tell which modules run, in forward and in backward, within a block.

    The first module that is called gives the name for those within it: its class's, and theirs
    behind dots. In backward a module counts as running from when the gradient of what it returned
    is there until those of what it was given are.

    Attributes:
        parents: The names of the modules that are running; "Global" is always among them.
        is_bw: Whether backward is running.

    >>> model = gb.nn.Sequential(gb.nn.Linear(2, 2))
    >>> with gb.utils.module_tracker.ModuleTracker() as tracker:
    ...     handle = model[0].register_forward_hook(lambda *_: print(sorted(tracker.parents)))
    ...     y = model(gb.ones(1, 2))
    ['Global', 'Sequential']
    """

    def __init__(self) -> None:
        self.parents: set[str] = {_TOP}
        self.is_bw: bool = False
        self._names: WeakKeyDictionary[Module, str] = WeakKeyDictionary()
        self._handles: list[RemovableHandle] = []

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ()  # hooks stay where they are

    def __enter__(self) -> Self:
        self._handles = [
            register_module_forward_pre_hook(self._begins),
            register_module_forward_hook(self._ends, always_call=True),
        ]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self.parents = {_TOP}
        self.is_bw = False

    def _name_of(self, module: Module) -> str:
        if module not in self._names:
            for name, part in module.named_modules(prefix=type(module).__name__):
                self._names.setdefault(part, name)
        return self._names[module]

    def _begins(self, module: Module, args: Any) -> None:
        name = self._name_of(module)
        if self.is_bw:  # it is called again, for what backward needs
            self.parents, self.is_bw = {_TOP}, False
        self.parents.add(name)
        asking = [it for it in tree_leaves(args) if _asks(it)]
        waiting = [len(asking)]

        def ends(gradient: Tensor) -> None:
            waiting[0] -= 1
            if not waiting[0]:
                self._in_backward()
                self.parents.discard(name)

        for one in asking:
            one.register_hook(ends)

    def _ends(self, module: Module, args: Any, output: Any) -> None:
        name = self._name_of(module)
        self.parents.discard(name)

        def begins(gradient: Tensor) -> None:
            self._in_backward()
            self.parents.add(name)

        for one in tree_leaves(output):
            if _asks(one):
                one.register_hook(begins)

    def _in_backward(self) -> None:
        if not self.is_bw:
            self.is_bw, self.parents = True, {_TOP}


def _asks(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad
