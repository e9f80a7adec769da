"""What `./run gpu` runs: refused without a device, and its calls work on the stand-in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import garboard as gb
import pytest

from tests.house.tree import HOME
from tests.support.cuda_package import package_with, simulated_library


def run_module(package: Path, module: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module],
        cwd=HOME,
        env={**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{HOME}", **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(gb.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_device_the_page_is_refused_with_the_reason(tmp_path: Path):
    done = run_module(package_with(None, tmp_path), "tests.gpu")

    assert done.returncode == 1
    assert done.stderr.startswith(("run gpu: library not found: ", "run gpu: built without CUDA: "))


@pytest.mark.slow
def test_what_sanitizers_watch_can_be_called(tmp_path: Path):
    if (library := simulated_library()) is None:
        pytest.skip("needs the stand-in that ./run test builds with the C++ tests")
    groups = ["convolutions", "layers", "losses", "draws", "optimizers", "streams"]

    done = run_module(
        package_with(library, tmp_path),
        "tests.gpu.every_kernel",
        GARBOARD_GPU_GROUPS=" ".join(groups),
    )

    assert done.stdout.split("\n")[:-1] == [f"called {group}" for group in groups], done.stderr
