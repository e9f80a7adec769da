"""The rooms of the leak watcher: imports go one way, and each room has its sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.test_imports import imported_by, modules_of
from tests.house.tree import Tree, planted, project

HOME = "python/garboard/leaks"
NAME = "garboard.leaks"


def rooms(tree: Tree) -> list[str]:
    """Return the rooms as the README lists them, from the top down."""
    return re.findall(r"^- `(\w+)/`: \w", tree.text(f"{HOME}/README.md"), re.M)


def room_of(module: str, order: list[str]) -> int:
    """Return how far down a module stands: 0 is what users open."""
    room = module.removeprefix(f"{NAME}.").partition(".")[0]
    return order.index(room) + 1 if room in order else 0


def upward(tree: Tree) -> list[str]:
    """Return imports from a room into one above it."""
    modules, order, found = modules_of(tree), rooms(tree), []
    for name, file in modules.items():
        if not name.startswith(f"{NAME}."):
            continue
        for target in imported_by(name, tree.text(file), modules):
            is_ours = target == NAME or target.startswith(f"{NAME}.")
            if is_ours and room_of(target, order) < room_of(name, order):
                found.append(f"{file} imports {target}, which stands above it")
    return found


def untold(tree: Tree) -> list[str]:
    """Return rooms that the README says nothing of, and those that are gone."""
    files = [it.removeprefix(f"{HOME}/") for it in tree.under(HOME, suffixes=(".py",))]
    there, told = {it.partition("/")[0] for it in files if "/" in it}, set(rooms(tree))
    return [f"the README says nothing of {room}/" for room in sorted(there - told)] + [
        f"the README tells of {room}/, which is not there" for room in sorted(told - there)
    ]


@pytest.mark.parametrize("check", [upward, untold], ids=lambda check: check.__name__)
def test_no_room_is_out_of_order(check):
    violations = check(project())

    assert not violations, "\n".join(violations)


HOUSE = {
    f"{HOME}/README.md": "- `judging/`: verdicts.\n- `evidence/`: rows.\n",
    f"{HOME}/__init__.py": "from garboard.leaks._watch import watch",
    f"{HOME}/_watch.py": "from garboard.leaks.judging._trial import Trial",
    f"{HOME}/judging/_trial.py": "from garboard.leaks.evidence._rows import rows",
    f"{HOME}/evidence/_rows.py": "from garboard import _engine",
}


def test_a_house_in_order_is_found_so(tmp_path: Path):
    tree = planted(tmp_path, HOUSE)

    assert upward(tree) == untold(tree) == []


@pytest.mark.parametrize(
    ("check", "planting", "fault"),
    [
        (upward, {"evidence/_up.py": "from garboard.leaks.judging import _trial"}, "judging"),
        (upward, {"evidence/_up.py": "def f():\n    from garboard.leaks import _watch"}, "_watch"),
        (upward, {"judging/_up.py": "from garboard.leaks import watch"}, "imports garboard.leaks,"),
        (untold, {"holders/_new.py": ""}, "says nothing of holders/"),
        (untold, {"README.md": "- `judging/`: x.\n- `evidence/`: x.\n- `old/`: x.\n"}, "tells of"),
    ],
)
def test_a_planted_fault_is_found(tmp_path: Path, check, planting, fault):
    files = HOUSE | {f"{HOME}/{name}": text for name, text in planting.items()}

    violations = check(planted(tmp_path, files))

    assert len(violations) == 1
    assert fault in violations[0]
