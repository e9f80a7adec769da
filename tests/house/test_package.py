"""What is shipped: the source archive can be built, the wheel has what the package needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tests.house.tree import HOME, project

# Built, each once. Beside them stand the licences of what they hold.
BINARIES = (
    r"garboard/_engine\.[\w-]+\.so",
    r"garboard/libgarboard\.so",
    r"garboard/libscipy_openblas\.so",
    r"garboard/LICENSE\.openblas\.txt",
    r"garboard/share/cmake/garboard/garboard-config\.cmake",
    r"garboard/include/csrc/core/dtype\.h",
    r"garboard-[\d.]+\.dist-info/licenses/LICENSE",
    r"garboard-[\d.]+\.dist-info/entry_points\.txt",
)
OF_NO_USE = re.compile(r"\.(o|a|cpp|cu|toml|ninja)$|(^|/)(tests|build)/")


def shipped_sources() -> list[str]:
    """Return the files of the Python package, without what compiling or testing left there."""
    return project().under("python/garboard", suffixes=("",))


def faults_of_wheel(names: list[str], sources: list[str]) -> list[str]:
    """Return what a wheel of these files lacks, has twice, or should not have."""
    wanted = [file.removeprefix("python/") for file in sources]
    counts = {pattern: sum(bool(re.fullmatch(pattern, it)) for it in names) for pattern in BINARIES}
    return [
        *(f"{file} is missing" for file in wanted if file not in names),
        *(f"{pattern} is there {n} times, not once" for pattern, n in counts.items() if n != 1),
        *(f"{name} is of no use to users" for name in names if OF_NO_USE.search(name)),
    ]


def test_the_wheel_has_what_the_package_needs():
    try:
        files = distribution("garboard").files or []
    except PackageNotFoundError:
        pytest.skip("needs what ./run test installs: a package on PYTHONPATH comes from no wheel")
    names = [str(file) for file in files if "__pycache__" not in file.parts]  # pip's own

    faults = faults_of_wheel(
        [name for name in names if not name.startswith("..")], shipped_sources()
    )

    assert not faults, "\n".join(faults)


GOOD = [
    "garboard/__init__.py",
    "garboard/py.typed",
    "garboard/_engine.cpython-313-x86_64-linux-gnu.so",
    "garboard/libgarboard.so",
    "garboard/libscipy_openblas.so",
    "garboard/LICENSE.openblas.txt",
    "garboard/share/cmake/garboard/garboard-config.cmake",
    "garboard/include/csrc/core/dtype.h",
    "garboard-0.1.0.dist-info/licenses/LICENSE",
    "garboard-0.1.0.dist-info/entry_points.txt",
]


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        ([it for it in GOOD if it != "garboard/py.typed"], "py.typed is missing"),
        ([it for it in GOOD if "_engine" not in it], "is there 0 times"),
        ([*GOOD, "garboard/_engine.cpython-311-x86_64-linux-gnu.so"], "is there 2 times"),
        ([*GOOD, "garboard/csrc/core/a.cpp"], "a.cpp is of no use"),
        ([*GOOD, "tests/python/test_a.py"], "test_a.py is of no use"),
    ],
)
def test_a_planted_fault_of_a_wheel_is_found(names, fault):
    sources = ["python/garboard/__init__.py", "python/garboard/py.typed"]

    faults = faults_of_wheel(names, sources)

    assert faults_of_wheel(GOOD, sources) == []
    assert len(faults) == 1
    assert fault in faults[0]


def test_the_types_are_among_the_sources_of_the_package():
    assert {"python/garboard/py.typed", "python/garboard/_engine.pyi"} <= set(shipped_sources())


def test_the_source_archive_has_all_that_building_and_testing_need(tmp_path: Path):
    pytest.importorskip("scikit_build_core")
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=HOME, check=True, capture_output=True
    )
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}

    tree = project()
    needed = tree.under("cmake", "csrc", "kernels", "python", "tests", "docs", suffixes=("",))
    needed += [
        "CMakeLists.txt",
        "CMakePresets.json",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "run",
    ]

    assert sorted(set(needed) - names) == []
    assert [name for name in names if re.search(r"^build|(^|/)\.|\.so$|__pycache__", name)] == []
