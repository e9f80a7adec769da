"""Notebooks for tests: `a_notebook`, what libraries look for to know that they run in Jupyter, and
`notebook`, IPython itself."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import pytest

from tests.support.cells import Notebook as Notebook


class ZMQInteractiveShell:
    """The name is what they look for."""


@pytest.fixture
def a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook that has imported garboard, in cell 1."""
    pytest.importorskip("IPython")
    vars(builtins).pop("_", None)  # a debugger's: with it IPython would leave its own alone
    found = Notebook()
    found.run("import garboard as gb")
    yield found
    found.close()
