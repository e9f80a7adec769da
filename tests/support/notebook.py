"""Notebooks for tests: `a_notebook`, what libraries look for to know that they run in Jupyter, and
`notebook`, IPython itself."""

from __future__ import annotations

import atexit
import builtins
import gc
import sys
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, NamedTuple

import pytest


class ZMQInteractiveShell:
    """The name is what they look for."""


@pytest.fixture
def a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)


class Ran(NamedTuple):
    """What a cell has shown: as text, and the bundles of what it displayed."""

    text: str
    displayed: list[dict[str, Any]]

    @property
    def html(self) -> str:
        """The HTML of all that was displayed."""
        return "\n".join(it["data"].get("text/html", "") for it in self.displayed)

    @property
    def plain(self) -> str:
        """What a terminal shows of it."""
        return "\n".join(it["data"].get("text/plain", "") for it in self.displayed)


class Notebook:
    """IPython's shell, without history files and colours, in this very process."""

    def __init__(self, **settings: Any) -> None:
        from IPython.core.displaypub import CapturingDisplayPublisher
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.update(settings)
        self._main = sys.modules["__main__"]
        self.shell = InteractiveShell.instance(config=config)
        self.shell.display_pub = CapturingDisplayPublisher()

    def run(self, source: str) -> Ran:
        """Run a cell."""
        with redirect_stdout(StringIO()) as out:
            self.shell.run_cell(textwrap.dedent(source).strip(), store_history=True)
        found = Ran(out.getvalue(), list(self.shell.display_pub.outputs))
        self.shell.display_pub.outputs.clear()
        return found

    def close(self) -> None:
        """Leave the process as it was."""
        from garboard.jupyter._clearing import clear_out, clear_tracebacks

        shell = self.shell
        atexit.unregister(shell.atexit_operations)
        shell.restore_sys_module_state()
        clear_out(shell)
        clear_tracebacks(shell)
        shell.user_ns.clear()
        type(shell).clear_instance()
        sys.modules["__main__"] = self._main
        gc.collect()


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook that has imported garboard, in cell 1."""
    pytest.importorskip("IPython")
    found = Notebook()
    found.run("import garboard as gb")
    yield found
    found.close()
