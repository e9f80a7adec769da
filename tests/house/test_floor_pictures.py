"""The picture of the floors in the READMEs is what the includes say."""

from __future__ import annotations

from tests.house.floors import STANDS_ON, floor_of, known_by
from tests.house.tree import Tree, planted, project

README = "csrc/README.md"


def picture(tree: Tree) -> str:
    """Return a line for each floor, the highest first: what it includes and nothing below does."""
    used: dict[str, set[str]] = {floor: set() for floor in STANDS_ON}
    for floor in STANDS_ON:
        for file in tree.under(floor):
            targets = (floor_of(path) for _, path in tree.includes(file))
            used[floor] |= {target for target in targets if target and target != floor}
    lines = []
    for floor in reversed(STANDS_ON):
        nearest = sorted(
            target
            for target in used[floor]
            if not any(target in known_by(other) for other in used[floor] - {target})
        )
        lines.append(f"    {floor:<16} {'on ' + ', '.join(nearest) if nearest else ''}".rstrip())
    return "\n".join(lines)


def test_the_picture_of_the_floors_is_what_the_includes_say():
    drawn = picture(project())

    assert drawn in project().text(README), f"{README} must show:\n{drawn}"


def test_a_floor_stands_on_the_nearest_that_it_includes(tmp_path):
    tree = planted(
        tmp_path,
        {
            "csrc/device/a.h": '#include "csrc/core/b.h"\n',
            "csrc/memory/c.h": '#include "csrc/core/b.h"\n#include "csrc/device/a.h"\n',
        },
    )

    assert "csrc/memory      on csrc/device\n" in picture(tree)
    assert "csrc/device      on csrc/core\n" in picture(tree)
