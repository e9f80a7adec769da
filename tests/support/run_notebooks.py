"""Runs notebooks in a kernel of their own, and tells what of their outputs must stay the same.

`python -m tests.support.run_notebooks` runs those of the project again and stores their outputs.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

__all__ = ["NOTEBOOKS", "executed", "outputs_of", "stored"]

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PACKAGE = re.compile(r"[^\s'\"]*/garboard/(?=[\w/]+\.py)")  # where it is installed
# With machine, load and instruction set; how often garbage is collected depends on the time.
_CHANGING = (
    (re.compile(r"^  garbage .*\n", re.MULTILINE), ""),
    (re.compile(r"\b[A-Z]+-[0-9a-f]{6}\b|\b0x[0-9a-f]+\b"), "#"),
    (re.compile(r"-?\d+(\.\d*)?(e[+-]?\d+)?"), "#"),
    (re.compile(r"# (bytes|[KMG]iB)|\bnone\b"), "#"),
    (re.compile(r"[ -]+"), " "),
)


def stored(path: Path) -> Any:
    """Return a notebook as it lies in its file."""
    import nbformat

    return nbformat.read(path, 4)


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of this run.

    Raises:
        CellExecutionError: A cell raises that is not tagged `raises-exception`.
    """
    from nbclient import NotebookClient

    notebook = stored(path)
    with TemporaryDirectory() as home:
        client = NotebookClient(
            notebook,
            timeout=120,
            kernel_name="python3",
            resources={"metadata": {"path": home}},
            store_widget_state=False,
            record_timing=False,
        )
        client.execute(env={**os.environ, "IPYTHONDIR": home})
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                output.traceback = [_PACKAGE.sub("garboard/", it) for it in output.traceback]
    return notebook


def outputs_of(notebook: Any) -> list[list[str]]:
    """Return the texts of each cell's outputs, without what differs from run to run."""
    return [
        [_lasting(text) for text in _texts(cell.outputs)]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _texts(outputs: list[Any]) -> list[str]:
    found, printed = [], ""
    for output in outputs:
        if output.output_type == "stream":
            printed += output.text  # which arrives in pieces
        elif output.output_type == "error":
            found.append(f"{output.ename}: {output.evalue}")
        else:
            found.append(output.data["text/plain"])
    return [*found, printed]


def _lasting(text: str) -> str:
    text = _COLOURS.sub("", text)
    for pattern, mark in _CHANGING:
        text = pattern.sub(mark, text)
    return text


def main() -> int:
    """Run each notebook that is named, or all, and store it."""
    import nbformat

    asked = [FOLDER / name for name in sys.argv[1:]] or NOTEBOOKS
    for path in asked:
        nbformat.write(executed(path), path)
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
