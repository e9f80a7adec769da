"""The stub of the extension says what the extension is."""

from __future__ import annotations

import pytest

from tests.house.tree import HOME


def test_the_stub_is_what_the_op_tables_say():
    stubs = pytest.importorskip("garboard._stubs")

    stub = (HOME / "python/garboard/_engine.pyi").read_text(encoding="utf-8")

    remedy = "run: python -m garboard._stubs python/garboard/_engine.pyi"
    assert stub == stubs.stub_text(), remedy
