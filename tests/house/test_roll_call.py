"""A kernel has its place in every table by one line, and what does not fit is said by the build.

The number that tells two builds apart changes with all that both libraries must agree on.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.test_headers import COMPILER, OPTIONS
from tests.house.tree import HOME, planted

SCRIPT = HOME / "cmake" / "roll_call_hash.cmake"
CMAKE = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
FILES = {
    "kernels/arguments.h": "struct Copy {\n  View out;\n  View x;\n};\n",
    "kernels/roll_call.h": "using Kernels = TypeList<Copy, Fill>;\n",
    "csrc/core/view.h": "struct View {\n  void* data;\n};\n",
}


START = """
#include "kernels/cpu/loop/parts.h"
namespace garboard::kernels {
struct Planted {
  static constexpr const char* name = "planted";
  const View& out;
};
"""
FAULTS = {
    "a call of a kernel that is on no roll call": (
        "void call(const View& out) { run(Planted{out}, {}); }",
        "the struct needs a line in kernels/roll_call.h",
    ),
    "a kernel that is on no roll call": (
        "namespace GARBOARD_ISA { template <> void kernel(const Planted&, Stream) {} }",
        "OnRollCall",
    ),
    "a kernel that returns something else": (
        "namespace GARBOARD_ISA { template <> int kernel(const Copy&, Stream) { return 0; } }",
        "Copy",
    ),
    "a kernel that takes something else": (
        "namespace GARBOARD_ISA { template <> void kernel(const Copy&, int) {} }",
        "Copy",
    ),
}


def compiler(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [COMPILER, *OPTIONS, f"-I{HOME}", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def number(root: Path, files: dict[str, str]) -> str:
    planted(root, files)
    header = root / "hash.h"
    command = [str(CMAKE), f"-DOUT={header}", f"-DROOT={root}", "-P", str(SCRIPT)]
    subprocess.run(command, check=True, capture_output=True)
    return header.read_text()


@pytest.mark.skipif(CMAKE is None, reason="needs cmake")
@pytest.mark.parametrize(
    ("file", "text"),
    [
        pytest.param(
            "kernels/arguments.h", "struct Copy {\n  View x;\n  View out;\n};\n", id="order"
        ),
        pytest.param("kernels/roll_call.h", "using Kernels = TypeList<Fill, Copy>;\n", id="list"),
        pytest.param("csrc/core/view.h", "struct View {\n  char* data;\n};\n", id="type"),
        pytest.param("kernels/functors/unary.h", "struct Exp {};\n", id="functor"),
    ],
)
def test_the_number_changes_with_what_both_libraries_are_made_from(file, text, tmp_path: Path):
    before = number(tmp_path / "before", FILES)

    after = number(tmp_path / "after", FILES | {file: text})

    assert after != before


@pytest.mark.skipif(CMAKE is None, reason="needs cmake")
def test_the_number_is_the_same_for_the_same_text_elsewhere(tmp_path: Path):
    assert number(tmp_path / "one", FILES) == number(tmp_path / "two", FILES)


@pytest.mark.skipif(CMAKE is None, reason="needs cmake")
def test_the_number_leaves_alone_what_one_library_has_for_itself(tmp_path: Path):
    before = number(tmp_path / "before", FILES)

    after = number(tmp_path / "after", FILES | {"kernels/cpu/loop/loop.h": "void run();\n"})

    assert after == before


@pytest.mark.parametrize(("text", "told"), FAULTS.values(), ids=FAULTS)
def test_the_compiler_refuses(text: str, told: str):
    assert compiler("-x", "c++", "-", text=f"{START}}}").returncode == 0

    done = compiler("-x", "c++", "-", text=f"{START}{text}}}")

    assert done.returncode
    assert told in done.stderr


def test_the_linker_names_each_kernel_that_no_source_defines(tmp_path: Path):
    roll_call = (HOME / "kernels" / "roll_call.h").read_text()
    names = set(re.findall(r"^    (\w+)[,>]", roll_call, re.MULTILINE))
    options = [option for option in OPTIONS if option != "-fsyntax-only"]
    table, library = HOME / "kernels" / "cpu" / "table.cpp", tmp_path / "library.so"

    command = [COMPILER, *options, f"-I{HOME}", "-fPIC", "-shared", "-Wl,-z,defs"]
    done = subprocess.run([*command, table, "-o", library], capture_output=True, text=True)

    assert done.returncode
    found = set(re.findall(r"undefined reference to .*::kernel<\w+::\w+::(\w+)>", done.stderr))
    assert found == names
    assert len(names) > 20
