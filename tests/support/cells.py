"""IPython's shell in this very process, whose cells tests and programs of the zoo run."""

from __future__ import annotations

import atexit
import gc
import sys
import textwrap
from contextlib import redirect_stdout
from io import StringIO
from types import TracebackType
from typing import Any, NamedTuple, Self

__all__ = ["Notebook", "Ran"]


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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

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
