"""Puts the footer and the commands into IPython's shell, and takes them out again."""

from __future__ import annotations

from typing import Any
from weakref import proxy

from garboard.jupyter._footer import Footer
from garboard.jupyter._magics import Magics

__all__ = ["Extension"]


class Extension:
    """What one shell has of garboard's.

    Args:
        shell: The shell, which is held weakly: it holds what is registered with it.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = proxy(shell)
        footer = Footer(self._shell)
        magics = Magics(self._shell, footer)
        self._events = {"pre_run_cell": footer.before, "post_run_cell": footer.after}
        self._magics = {
            "leaks": ("line_cell", magics.leaks),
            "memory": ("line", magics.memory),
            "scope": ("cell", magics.scope),
        }
        for event, heard in self._events.items():
            shell.events.register(event, heard)
        for name, (kind, function) in self._magics.items():
            shell.register_magic_function(function, kind, name)

    def unload(self) -> None:
        """Take out what is still ours."""
        for event, heard in self._events.items():
            if heard in self._shell.events.callbacks[event]:
                self._shell.events.unregister(event, heard)
        for of_kind in self._shell.magics_manager.magics.values():
            for name, (_, function) in self._magics.items():
                if of_kind.get(name) == function:
                    del of_kind[name]
