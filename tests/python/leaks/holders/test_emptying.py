"""What the program's source says of a container's end, and of the room in it."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from garboard.leaks.holders._emptying import (
    Reach,
    is_begun_anew,
    is_emptied,
    is_trimmed,
    limits,
)
from garboard.leaks.holders._statements import Scope


@pytest.fixture
def scope(tmp_path):
    def write(text, is_attribute=False):
        file = tmp_path / f"m{len(list(tmp_path.iterdir()))}.py"
        file.write_text(dedent(text), encoding="utf-8")
        return Scope(str(file), 0, is_attribute)

    return write


@pytest.mark.parametrize(
    "text",
    [
        "xs[key].pop(0)",
        "del xs['a'][:-10]",
        "for x in xs:\n    x.popleft()",
        "for key, x in xs.items():\n    x.pop()",
        "row = xs.setdefault(key, [])\nrow.pop(0)",
        "row = xs[key]\ndel row[0]",
        "xs[f'epoch{e % 5}'] = 1",
        "for epoch in range(3):\n    for i in range(9):\n        xs[i] = 1",
        "for epoch in range(3):\n    for i, x in enumerate(data):\n        xs[i] = x",
        "full = len(xs) >= most",
        "xs.get()",
        "xs[5:] = []",
        "heapq.heappop(xs)",
        "xs = xs[-10:] + [x]",
        "xs = [*xs, x][-10:]",
        "xs = kept(xs, x)",
    ],
)
def test_what_takes_items_out_of_it_or_of_what_is_in_it_trims(scope, text):
    assert is_trimmed(scope(text), "xs")


@pytest.mark.parametrize(
    "text",
    [
        "xs.get(key)",
        "xs.clear()",
        "del xs[:]",
        "xs[:] = []",
        "assert len(xs) == 3",
        "for i in range(9):\n    xs[i] = 1",
        "for epoch in range(3):\n    for i in range(9):\n        xs[epoch, i] = 1",
        "row = xs[2:]\nrow.pop()",
        "for y in ys:\n    y.pop()",
    ],
)
def test_what_ends_all_or_nothing_does_not_trim(scope, text):
    assert not is_trimmed(scope(text), "xs")


@pytest.mark.parametrize("text", ["xs.clear()", "del xs[:]", "xs[:] = []", "xs['a'].clear()"])
def test_what_ends_all_empties(scope, text):
    assert is_emptied(scope(text), "xs")


def test_what_its_length_is_compared_with_is_found(scope):
    text = """\
        class Pool:
            def offer(self, x):
                if len(self.xs) < self.most:
                    self.xs.append(x)
            def is_full(self):
                return 250 <= len(self.xs)
        """

    found = limits(scope(text, is_attribute=True), "xs")

    assert sorted(map(ast.unparse, found)) == ["250", "self.most"]


def test_a_variable_that_a_loop_makes_without_it_is_begun_anew(scope):
    assert is_begun_anew(scope("for x in data:\n    run = Run()"), "run")
    assert not is_begun_anew(scope("for x in data:\n    run = run.after(x)"), "run")
    assert not is_begun_anew(scope("run = Run()"), "run")


@pytest.mark.parametrize("line", ["xs = xs + [x]", "xs = [*xs, x]", "xs = Node(x, xs)"])
def test_what_is_made_anew_with_one_more_is_not_emptied(scope, line):
    assert not is_emptied(scope(f"for x in data:\n    {line}"), "xs")
    assert is_emptied(scope(f"for x in data:\n    {line}\n    xs = []"), "xs")


def test_a_length_that_is_outgrown_has_bounded_nothing(scope):
    draw = scope("if len(xs) > 8:\n    draw(xs)")

    assert is_emptied(draw, "xs", Reach(lambda limit: limit.value > 8))
    assert not is_emptied(draw, "xs", Reach(lambda limit: limit.value == 8))


def is_number(*numbers):
    return lambda it: isinstance(it, ast.Constant) and it.value in numbers


FAR = Reach(is_outgrown=is_number(3), is_far=is_number(10**6), is_long=is_number(10**6))

OUT_OF_REACH = [
    "if len(xs) >= 1000000:\n    xs.clear()",
    "if 1000000 == len(xs):\n    xs.clear()",
    "while True:\n    if len(xs) > 1000000:\n        xs = []",
    "if step and step % 1000000 == 0:\n    del xs[:]",
    "if not step % 1000000:\n    xs.clear()",
    "def flush():\n    xs.clear()\nif len(xs) > 1000000:\n    flush()",
    "def flush():\n    xs.clear()\ndef close():\n    flush()\n"
    "while True:\n    if len(xs) > 1000000:\n        flush()\nclose()",
    "def flush():\n    xs.clear()\nclass Log:\n    def __exit__(self):\n        flush()\n"
    "if len(xs) > 1000000:\n    flush()\nwith Log():\n    pass",
    "if len(xs) == 3:\n    xs.pop(0)",
    "if len(xs) < 3:\n    xs.pop(0)",
]

IN_REACH = [
    "if len(xs) >= 50:\n    xs.clear()",
    "if len(xs) >= 1000000:\n    xs.pop(0)",
    "if len(xs) >= 1000000 or done:\n    xs.clear()",
    "if len(xs) < 1000000:\n    xs.clear()",
    "if len(xs) >= 1000000:\n    pass\nelse:\n    xs.clear()",
    "if step % 1000000 != 0:\n    xs.clear()",
    "if step % 100 == 0:\n    xs.clear()",
    "def flush():\n    xs.clear()\nif len(xs) > 1000000:\n    flush()\nflush()",
    "def flush():\n    xs.clear()\nif len(xs) > 1000000:\n    flush()\nend.call(flush)",
    "def flush():\n    xs.clear()",
    "if len(xs) > 3:\n    xs.pop(0)",
]


@pytest.mark.parametrize("text", OUT_OF_REACH)
def test_what_only_a_far_number_ends_is_not_emptied(scope, text):
    assert not is_emptied(scope(text), "xs", FAR)


@pytest.mark.parametrize("text", IN_REACH)
def test_what_ends_in_other_ways_as_well_is_emptied(scope, text):
    assert is_emptied(scope(text), "xs", FAR)


def test_a_far_length_that_ends_all_is_no_room(scope):
    text = "if len(xs) >= 1000000:\n    xs.clear()\nassert ys"

    assert limits(scope(text), "xs", FAR) == []
    assert len(limits(scope(text), "xs")) == 1
    assert len(limits(scope("if len(xs) < 1000000:\n    xs.append(x)"), "xs", FAR)) == 1


@pytest.mark.parametrize(
    ("text", "is_anew"),
    [
        ("def reset(self):\n    self.xs = []", True),
        ("def __init__(self):\n    self.xs = []", False),
        ("def __new__(cls):\n    cls.one.xs = []", False),
        ("def recorded(f):\n    def inner(): f()\n    inner.xs = []\n    return inner", False),
        ("def made():\n    log = Logger()\n    log.xs = []\n    return log", False),
        ("def tracked(cls):\n    cls.xs = []\n    return cls\n@tracked\nclass A: pass", False),
        ("def cleared():\n    log = the_logger()\n    log.xs = []\n    return log", True),
    ],
)
def test_what_makes_an_object_begins_nothing_of_it_anew(scope, text, is_anew):
    assert is_emptied(scope(text, is_attribute=True), "xs") == is_anew
