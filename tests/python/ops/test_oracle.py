"""What agreed with PyTorch by its own database of samples still does, where PyTorch is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[3]


@pytest.mark.slow
def test_nothing_that_agreed_differs():
    pytest.importorskip("torch")

    done = subprocess.run(
        [sys.executable, "-m", "tests.oracle", "--quiet"], cwd=HOME, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
