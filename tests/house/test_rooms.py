"""Folders inside a floor: each has its sentence, none is crowded, and includes go one way."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

# What is cut into folders, and of which files the includes go one way; the list may only grow.
EVERY, HEADERS = (".h", ".cpp", ".cu"), (".h",)
ROOMY = {
    "csrc/memory": EVERY,
    "csrc/ops": HEADERS,  # a gradient rule calls whatever op it needs
    "kernels/cpu": EVERY,
    "kernels/cuda": EVERY,
    "python/bindings": EVERY,
}
MOST_FILES = 20


def room_of(floor: str, path: str) -> str | None:
    """Return the folder of the floor in which a path lies, if it is one of the floor's folders."""
    room, slash, _ = path.removeprefix(f"{floor}/").partition("/")
    return room if path.startswith(f"{floor}/") and slash else None


def uses(tree: Tree, floor: str) -> dict[str, dict[str, str]]:
    """Return for each folder the others that it includes, with a file that does."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for file in tree.under(floor, suffixes=ROOMY[floor]):
        room = room_of(floor, file)
        for _, target in tree.includes(file):
            other = room_of(floor, target)
            if room and other and other != room:
                found[room][other] = f"{file} includes {target}"
    return found


def circles(tree: Tree, floor: str) -> list[str]:
    """Return the includes between folders that can be reached from each other."""
    direct = uses(tree, floor)

    def reached(room: str, seen: set[str]) -> set[str]:
        for other in direct.get(room, {}):
            if other not in seen:
                seen.add(other)
                reached(other, seen)
        return seen

    return [
        f"{why}, and {other}/ leads back to {room}/"
        for room, others in sorted(direct.items())
        for other, why in sorted(others.items())
        if room in reached(other, set())
    ]


def untold(tree: Tree, floor: str) -> list[str]:
    """Return folders that the floor's README says nothing of, and those that are gone."""
    rooms = {room for file in tree.under(floor) if (room := room_of(floor, file))}
    readme = f"{floor}/README.md"
    told = set(
        re.findall(r"^- `(\w+)/`: \w", tree.text(readme), re.M) if readme in tree.files else []
    )
    return [f"{readme} says nothing of {room}/" for room in sorted(rooms - told)] + [
        f"{readme} tells of {room}/, which is not there" for room in sorted(told - rooms)
    ]


def crowded(tree: Tree, floor: str) -> list[str]:
    """Return folders with more files than one finds a file among."""
    counts: dict[str, int] = defaultdict(int)
    for file in tree.under(floor):
        if room := room_of(floor, file):
            counts[room] += 1
    return [
        f"{floor}/{room} has {count} files; {MOST_FILES} at most, split it by idea"
        for room, count in sorted(counts.items())
        if count > MOST_FILES
    ]


@pytest.mark.parametrize("floor", ROOMY)
@pytest.mark.parametrize("check", [circles, untold, crowded], ids=lambda check: check.__name__)
def test_a_floor_has_no_folder_that_is(check, floor):
    violations = check(project(), floor)

    assert not violations, "\n".join(violations)


HOUSE = {
    "csrc/ops/README.md": "# Ops\n\n- `a/`: the first.\n- `b/`: the second, on it.\n",
    "csrc/ops/a/one.h": '#include "csrc/core/x.h"\n',
    "csrc/ops/b/two.h": '#include "csrc/ops/a/one.h"\n',
}


def test_a_house_in_order_is_found_so(tmp_path: Path):
    tree = planted(tmp_path, HOUSE)

    assert [it for check in (circles, untold, crowded) for it in check(tree, "csrc/ops")] == []


@pytest.mark.parametrize(
    ("check", "planting", "fault"),
    [
        (circles, {"csrc/ops/a/back.h": '#include "csrc/ops/b/two.h"\n'}, "leads back to a/"),
        (untold, {"csrc/ops/c/three.h": ""}, "says nothing of c/"),
        (untold, {"csrc/ops/README.md": "- `a/`: x.\n- `b/`: x.\n- `d/`: x.\n"}, "tells of d/"),
        (crowded, {f"csrc/ops/a/file{i}.h": "" for i in range(MOST_FILES)}, "has 21 files"),
    ],
)
def test_a_planted_fault_is_found(tmp_path: Path, check, planting, fault):
    violations = check(planted(tmp_path, {**HOUSE, **planting}), "csrc/ops")

    assert any(fault in violation for violation in violations)
