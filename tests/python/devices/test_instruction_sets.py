"""Kernels for older processors than this one give what NumPy does, too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import garboard as gb
import pytest

BUILT = gb.cpu.instruction_sets()
OLDER = BUILT[BUILT.index(gb.cpu.instruction_set()) + 1 :]


@pytest.mark.parametrize("name", OLDER)
def test_every_op_agrees_with_numpy(name):
    folder = Path(__file__).parents[3]
    tests = folder / "tests" / "python" / "ops" / "test_ops.py"

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *(f"--rootdir={folder}", "-k", "TestEveryOp and agrees_with_numpy", str(tests)),
        ],
        cwd=folder,
        env={**os.environ, "GARBOARD_ISA": name},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
