"""Packages whose CUDA library is another one, or none: links to all else that is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import garboard as gb

from tests.house.tree import HOME

LIBRARY = "libgarboard_cuda.so"


def simulated_library() -> Path | None:
    """Return the stand-in that runs the CUDA kernels on the CPU, where a build made it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    builds = [Path(gb.__file__).parents[2], HOME / "build" / f"py{version}"]  # run there, installed
    found = (build / "tests" / "support" / LIBRARY for build in builds)
    return next((library for library in found if library.is_file()), None)


def package_with(library: Path | None, folder: Path) -> Path:
    """Make `folder` one from which a garboard with this CUDA library is imported."""
    package = folder / "garboard"
    package.mkdir()
    for file in Path(gb.__file__).parent.iterdir():
        if file.name not in (LIBRARY, "__pycache__"):
            (package / file.name).symlink_to(file)
    if library:
        (package / LIBRARY).symlink_to(library)
    return folder


def run_python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the package in `folder` in front of every other."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=HOME,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
