"""Windows: what a loop in a loop builds up, and the outer one ends; what runs for a while."""

from __future__ import annotations

from textwrap import dedent

import pytest
from garboard.leaks.holders._windows import is_ever_longer, is_of_some_turns, is_window


@pytest.fixture
def at(tmp_path):
    """Return a file with a text, and the line of it that has a mark."""

    def write(text):
        file = tmp_path / "program.py"
        file.write_text(dedent(text), encoding="utf-8")
        return str(file), dedent(text).splitlines().index(marked(text)) + 1

    def marked(text):
        return next(line for line in dedent(text).splitlines() if line.endswith("# here"))

    return write


@pytest.mark.parametrize(
    "text",
    [
        """\
        for sequence in sequences:
            h = zeros(4)
            for token in sequence:
                h = cell(token, h)  # here
        """,
        """\
        for task in tasks:
            fast = meta
            for x in task:
                loss = net(fast, x)
                (slope,) = grad(loss, [fast])  # here
                fast = fast - slope
        """,
        """\
        while True:
            self.h, total = zeros(4), 0
            for x in xs:
                self.h = cell(x, self.h)  # here
        """,
        """\
        for task in tasks:
            w = meta
            for x in task:
                step = slope(w, x)
                w -= step  # here
        """,
    ],
)
def test_what_the_outer_loop_begins_anew_is_a_window(at, text):
    assert is_window(*at(text))


@pytest.mark.parametrize(
    "text",
    [
        """\
        h = zeros(4)
        for token in tokens:
            h = cell(token, h)  # here
        """,
        """\
        total = 0
        for epoch in range(3):
            for x in xs:
                total = total + net(x)  # here
        """,
        """\
        for epoch in range(3):
            h = h.detach_later()
            for x in xs:
                h = cell(x, h)  # here
        """,
        """\
        for fold in folds:
            h = zeros(4)
            def train():
                for x in xs:
                    h = cell(x, h)  # here
        """,
        """\
        for epoch in range(3):
            best = None
            for x in xs:
                h = cell(x, h)  # here
        """,
    ],
)
def test_what_goes_on_is_none(at, text):
    assert not is_window(*at(text))


def test_a_file_that_is_not_there_has_none():
    assert not is_window("no such file.py", 3)


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("if epoch == 0:", True),
        ("if epoch < 2:", True),
        ("if epoch % 2 == 0:", False),
        ("if i == 0:", False),  # of its own loop: in each turn of the outer one
        ("if ready == 0:", False),
        ("if epoch > 0:", False),
    ],
)
def test_what_runs_in_some_turns_of_an_outer_loop_ends(at, guard, expected):
    place = at(
        f"""\
        for epoch in range(4):
            for i in range(9):
                {guard}
                    kept.append(x)  # here
        """
    )

    assert is_of_some_turns(*place) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rows = zeros(0)\nfor x in xs:\n    rows = cat([rows, x])  # here\n", True),
        ("rows['a'] = vstack((rows['a'], x))  # here\n", True),
        ("rows = cat([rows, x])[-9:]  # here\n", False),
        ("rows = cat([rows, x])  # here\nif len(rows) > 9:\n    rows = rows[-9:]\n", False),
        ("rows = rows + x  # here\n", False),
        ("other = cat([rows, x])  # here\n", False),
        (
            "for request in requests:\n"
            "    rows = zeros(0)\n"
            "    for x in request:\n"
            "        rows = cat([rows, x])  # here\n",
            False,
        ),
        (
            "class Log:\n"
            "    def __init__(self):\n"
            "        self.rows = zeros(0)\n"
            "    def add(self, x):\n"
            "        self.rows = cat([self.rows, x])  # here\n",
            True,
        ),
        (
            "class Log:\n"
            "    def reset(self):\n"
            "        self.rows = zeros(0)\n"
            "    def add(self, x):\n"
            "        self.rows = cat([self.rows, x])  # here\n",
            False,
        ),
    ],
)
def test_what_is_joined_to_itself_and_never_cut_gets_ever_longer(at, text, expected):
    assert is_ever_longer(*at(text)) == expected


def test_a_file_that_cannot_be_read_has_nothing_that_gets_longer():
    assert not is_ever_longer("<unknown>", 3)
