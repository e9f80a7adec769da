"""One CMake target a floor, standing on the right ones, made of the sources in its folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.floors import STANDS_ON, known_by
from tests.house.tree import Tree, planted, project

TARGETS = {floor.rpartition("/")[2]: floor for floor in STANDS_ON if floor != "python/bindings"}


def commands(tree: Tree, file: str) -> list[list[str]]:
    """Return the commands of a CMake file, each as its words."""
    text = re.sub(r"#.*", "", tree.text(file))
    return [[match[1], *match[2].split()] for match in re.finditer(r"(\w+)\s*\(([^()]*)\)", text)]


def targets(tree: Tree) -> list[str]:
    """Return floors whose folder does not declare them, once, over what they stand on."""
    found = []
    for name, floor in TARGETS.items():
        file = f"{floor}/CMakeLists.txt"
        declared = [c for c in commands(tree, file) if c[0] == "garboard_floor"]
        if [command[1] for command in declared] != [name]:
            found.append(f"{file} must declare the floor {name}, once")
            continue
        lists = " ".join(declared[0][2:]).split("EXCEPT")[0].split()
        below = {TARGETS[word] for word in lists if word in TARGETS}
        reached = set().union(*map(known_by, below))
        if reached != known_by(floor) - {floor}:
            found.append(f"{file} must stand on what tests/house/floors.py says")
    return found


def listed_wrongly(tree: Tree) -> list[str]:
    """Return sources of the floors that a CMake file names, though they are found by their folder;
    and folders of the bindings, which are compiled in two ways, that are in no list, or in two."""
    lists: dict[str, list[str]] = {}
    for file in (file for file in tree.files if file.endswith("CMakeLists.txt")):
        folder = file.rpartition("/")[0]
        words = {word for command in commands(tree, file) for word in command[1:]}
        for word in words:
            if re.fullmatch(r"[\w/.]+\.(cpp|cu)", word):
                lists.setdefault(f"{folder}/{word}", []).append(file)
    floors = tuple(f"{floor}/" for floor in STANDS_ON)
    named = [
        f"{' and '.join(at)} names {file}; a floor's sources are found by their folder"
        for file, at in lists.items()
        if file.startswith(floors) and not file.startswith("kernels/cuda/")  # another library
    ]
    gone = [
        f"{at[0]} lists {file}, no file" for file, at in lists.items() if file not in tree.files
    ]
    return sorted(named + gone + unlisted_rooms(tree))


def unlisted_rooms(tree: Tree) -> list[str]:
    """Return folders of the bindings that are not in the one list or the other."""
    home = "python/bindings"
    file = f"{home}/CMakeLists.txt"
    listed = [
        word
        for command in (commands(tree, file) if file in tree.files else [])
        if command[0] == "garboard_bindings"
        for word in command[1:]
        if word not in ("HOT", "WRAPPED")
    ]
    sources = tree.under(home, suffixes=(".cpp",))
    rooms = {file.removeprefix(f"{home}/").partition("/")[0] for file in sources}
    return [
        f"{home}/{room} must be in one list of {file}, HOT or WRAPPED"
        for room in sorted(rooms | set(listed))
        if listed.count(room) != 1 or room not in rooms
    ]


def logic(tree: Tree) -> list[str]:
    """Return commands in a floor's file that are no list: they belong into cmake/."""
    ours = {"garboard_floor", "garboard_per_instruction_set", "garboard_roll_call_hash"}
    allowed = {*ours, "add_subdirectory", "if", "endif"}
    return [
        f"{floor}/CMakeLists.txt calls {command[0]}; logic belongs into cmake/"
        for floor in TARGETS.values()
        for command in commands(tree, f"{floor}/CMakeLists.txt")
        if command[0] not in allowed
    ]


CHECKS = [targets, listed_wrongly, logic]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_project_has_no_wrong(check):
    violations = check(project())

    assert not violations, "\n".join(violations)


def house() -> dict[str, str]:
    """Return the CMake files of a house that is in order."""
    names = {floor: name for name, floor in TARGETS.items()}
    return {
        f"{floor}/CMakeLists.txt": (
            f"# A floor.\ngarboard_floor({name} BELOW "
            f"{' '.join(names[below] for below in STANDS_ON[floor])})\n"
        )
        for name, floor in TARGETS.items()
    } | {f"{floor}/a.cpp": "" for floor in TARGETS.values()}


def test_a_house_in_order_is_found_so(tmp_path: Path):
    tree = planted(tmp_path, house())

    assert [violation for check in CHECKS for violation in check(tree)] == []


@pytest.mark.parametrize(
    ("check", "file", "text", "fault"),
    [
        (targets, "csrc/ops/CMakeLists.txt", "", "must declare the floor ops"),
        (
            targets,
            "csrc/memory/CMakeLists.txt",
            "garboard_floor(memory BELOW lifetime)",
            "must stand on",
        ),
        (listed_wrongly, "python/bindings/new/b.cpp", "", "must be in one list"),
        (
            listed_wrongly,
            "python/bindings/CMakeLists.txt",
            "garboard_bindings(HOT gone)",
            "must be in one list",
        ),
        (listed_wrongly, "csrc/CMakeLists.txt", "f(core/a.cpp)", "csrc/CMakeLists.txt names"),
        (
            logic,
            "csrc/core/CMakeLists.txt",
            "garboard_floor(core)\nexecute_process(COMMAND x)",
            "execute_process",
        ),
    ],
)
def test_a_planted_fault_is_found(check, file, text, fault, tmp_path: Path):
    violations = check(planted(tmp_path, house() | {file: text}))

    assert len(violations) == 1
    assert fault in violations[0]
