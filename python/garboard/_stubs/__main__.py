"""Writes the stub of the engine: `python -m garboard._stubs path/to/_engine.pyi`."""

import sys
from pathlib import Path

from garboard._stubs.text import stub_text

__all__: list[str] = []

if __name__ == "__main__":
    Path(sys.argv[1]).write_text(stub_text(), encoding="utf-8")
