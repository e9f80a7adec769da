"""The fixture `a_notebook`: what libraries look for to know that they run in Jupyter."""

from __future__ import annotations

import builtins

import pytest


class ZMQInteractiveShell:
    """The name is what they look for."""


@pytest.fixture
def a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
