"""The line that fills a container by another name: of an argument, a loop's variable, another's
attribute."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from garboard.leaks.holders._source import variable_called
from garboard.leaks.holders._statements import Scope
from garboard.leaks.holders._storing import is_read_later, storing_in_class, storing_line


@pytest.fixture
def source(tmp_path: Path):
    def write(text: str) -> str:
        file = tmp_path / "program.py"
        file.write_text(dedent(text), encoding="utf-8")
        return str(file)

    return write


@pytest.mark.parametrize(
    "call",
    [
        "log(xs, 1)",
        "log(value=1, rows=xs)",
        "pool.submit(log, xs, 1)",
        "Thread(target=log, args=(xs, 1)).start()",
    ],
)
def test_a_function_fills_what_it_is_given(source, call):
    file = source(f"""\
        def log(rows, value):
            rows.append(value)
        def other(rows):
            rows.append(0)
        xs = []
        {call}
        """)

    assert storing_line(Scope(file), "xs", near=6).line == 2


def test_of_two_functions_the_one_that_makes_it_stores_it(source):
    file = source("""\
        rows = []
        def first():
            rows.append(load())
        def second():
            def load():
                return 1
            one = load()
            two = load()
            rows.append(one + two)
        """)

    assert storing_line(Scope(file), "rows", near=5).line == 9
    assert storing_line(Scope(file), "rows", near=2).line == 3


@pytest.mark.parametrize(
    "loop",
    [
        "for rows in (xs, ys):",
        "for value, rows in zip(range(2), [xs, ys]):",
        "for name, rows in {'x': xs, 'y': ys}.items():",
        "for i, rows in enumerate((xs, ys)):",
    ],
)
def test_a_loop_over_containers_fills_each(source, loop):
    file = source(f"""\
        xs = []
        ys = []
        {loop}
            rows.append(value)
        """)

    assert storing_line(Scope(file), "xs", near=9).line == 4
    assert storing_line(Scope(file), "ys", near=9).line == 4


def test_an_object_fills_what_it_was_made_with(source):
    file = source("""\
        class Logger:
            def __init__(self, sink):
                self.sink = sink
            def log(self, value):
                self.sink.append(value)
        xs = []
        logger = Logger(xs)
        """)

    assert storing_line(Scope(file), "xs", near=7).line == 5


def test_a_context_variable_is_called_as_the_program_does(source):
    file = source("_seen = ContextVar('seen')\n_seen.get()[step] = x\n")

    assert variable_called(file, "seen") == "_seen"
    assert variable_called(file, "other") == "other"
    assert storing_line(Scope(file), "_seen").line == 2


def test_a_class_that_is_a_list_fills_itself(source):
    file = source("""\
        class Curve(list):
            def note(self, loss):
                self.append(loss)
        """)

    assert storing_in_class(file, "Curve").line == 3
    assert storing_in_class(file, "Other") is None


def test_what_a_name_was_given_last_is_told_from_what_it_began_with(source):
    file = source("""\
        last = None
        made()
        last = error
        """)

    assert storing_line(Scope(file), "last", near=2).line == 3


def test_a_list_that_is_hung_on_a_function_is_filled_by_its_variable(source):
    file = source("""\
        def recorded(function):
            results = []
            def inner(x):
                results.append(function(x))
            inner.results = results
            return inner
        results = 0
        """)

    assert storing_line(Scope(file, 0, True), "results", near=9).line == 4


@pytest.mark.parametrize(
    "statement",
    [
        "obj.__dict__.setdefault(self.name, []).append(value)",
        "getattr(obj, self.name).append(value)",
        "vars(obj)[self.name].append(value)",
        "obj.__dict__[self.name] = value",
    ],
)
def test_an_attribute_whose_name_is_computed_is_filled_by_what_computes_one(source, statement):
    file = source(f"""\
        class History:
            def __set__(self, obj, value):
                {statement}
        """)

    assert storing_line(Scope(file, 0, True), "_image").line == 3
    assert storing_line(Scope(file), "_image") is None


@pytest.mark.parametrize(
    "statement", ["getattr(obj, 'other').append(value)", "vars(obj)['other'] = value"]
)
def test_an_attribute_of_another_name_is_none(source, statement):
    file = source(f"def fill(obj, value):\n    {statement}\n")

    assert storing_line(Scope(file, 0, True), "_image") is None


def test_what_an_object_is_made_with_is_not_what_it_is_given_later(source):
    file = source("""\
        class Stream:
            def __init__(self, cell):
                self.cell, self.state = cell, zeros()
            def feed(self, x):
                near(x)
                y = near(x)
                self.state = self.cell(x)
        """)

    assert storing_line(Scope(file, 0, True), "state", near=1).line == 7


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("def f(self, x):\n    h = g(x, self.h)\n    self.h = h\n    return h", False),
        ("def f(self, x):\n    h = g(x, self.h)\n    self.h = h\n    return self.h.mean()", True),
        ("def f(self, x):\n    self.h = h\ndef loss(self):\n    return self.h.mean()", True),
        ("def f(x):\n    h = g(x, s[0])\n    s[0] = h\n    return s[0].mean()", True),
        ("def f(x):\n    h = g(x, s[0])\n    s[0] = h\ndef other(s):\n    return s", False),
    ],
)
def test_what_a_loss_is_made_of_after_it_is_stored_is_read_later(source, text, is_read):
    file = source(text)
    stores = ("self.h", "s[0]")
    line = next(i for i, it in enumerate(text.splitlines(), 1) if it.strip()[-1] == "h"
                and it.strip().startswith(stores))  # fmt: skip

    found = storing_line(Scope(file, 0, "self" in text), "h" if "self" in text else "s", near=line)

    assert found.line == line
    assert is_read_later(file, found) == is_read
