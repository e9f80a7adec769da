"""C++ tests stand where the source stands."""

from __future__ import annotations

from pathlib import Path

from tests.house.tree import Tree, planted, project


def astray(tree: Tree) -> list[str]:
    """Return C++ tests that mirror no source: tests/cpp/memory/heap/pool_test.cpp is of
    csrc/memory/heap/pool.h or .cpp; tests/cpp/kernels mirrors kernels/."""
    found = []
    for file in tree.under("tests/cpp", suffixes=("_test.cpp",)):
        stem = file.removeprefix("tests/cpp/").removesuffix("_test.cpp")
        source = stem if stem.startswith("kernels/") else f"csrc/{stem}"
        if not {f"{source}{end}" for end in (".h", ".cpp", ".cu")} & set(tree.files):
            found.append(f"{file} mirrors no source")
    return found


def test_every_cpp_test_mirrors_a_source():
    violations = astray(project())

    assert not violations, "\n".join(violations)


def test_a_planted_stray_is_found(tmp_path: Path):
    tree = planted(
        tmp_path,
        {
            "csrc/core/a.h": "",
            "kernels/cpu/b.cpp": "",
            "tests/cpp/core/a_test.cpp": "",
            "tests/cpp/kernels/cpu/b_test.cpp": "",
            "tests/cpp/memory/a_test.cpp": "",
        },
    )

    assert astray(tree) == ["tests/cpp/memory/a_test.cpp mirrors no source"]
