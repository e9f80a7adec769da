"""What type checkers say to users: what is right is left in peace, what is wrong is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import garboard as gb
import pytest

from tests.support.type_checkers import CHECKERS, checked

TYPED = Path(__file__).resolve().parents[1] / "typed"


def lines_marked(folder: Path, word: str) -> set[tuple[str, int]]:
    """Return the lines whose comment is `word`, as file and number."""
    return {
        (file.name, number)
        for file in folder.glob("*.py")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if line.endswith(f"# {word}")
    }


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_exactly_the_lines_marked_wrong_are_errors(checker, tmp_path):
    programs = shutil.copytree(TYPED, tmp_path / "typed")
    lines = ["import garboard as gb", *(f"gb.{name}.__doc__" for name in gb._SUBMODULES)]
    (programs / "submodules.py").write_text("\n".join(lines))

    complaints = checked(checker, programs)

    found = {(complaint.file, complaint.line) for complaint in complaints}
    wrong = lines_marked(programs, "wrong")
    unjust = [str(it) for it in complaints if it[:2] not in wrong]
    assert not unjust, "\n".join(unjust)
    assert not wrong - found, f"{checker} does not find them"
