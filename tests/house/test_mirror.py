"""C++ tests stand where the source stands."""

from __future__ import annotations

from pathlib import Path

from tests.house.tree import Tree, planted, project


def astray(tree: Tree) -> list[str]:
    """Return C++ tests that mirror no source: tests/cpp/memory/pool_test.cpp is of
    csrc/memory/pool.h or .cpp; tests/cpp/kernels mirrors kernels/ and its folders."""
    found = []
    for file in tree.under("tests/cpp", suffixes=("_test.cpp",)):
        stem = file.removeprefix("tests/cpp/").removesuffix("_test.cpp")
        floor, _, name = stem.partition("/")
        folders = ["kernels/"] if floor == "kernels" else [f"csrc/{floor}/"]
        if floor == "kernels":
            folders += ["kernels/cpu/", "kernels/functors/", "kernels/cuda/"]
        sources = [f"{folder}{name}{end}" for folder in folders for end in (".h", ".cpp", ".cu")]
        if not set(sources) & set(tree.files):
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
            "tests/cpp/kernels/b_test.cpp": "",
            "tests/cpp/memory/a_test.cpp": "",
        },
    )

    assert astray(tree) == ["tests/cpp/memory/a_test.cpp mirrors no source"]
