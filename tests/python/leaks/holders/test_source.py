"""Reading the user's source: what stores, what empties, what accumulates."""

from __future__ import annotations

import linecache
from pathlib import Path
from textwrap import dedent

import pytest
from garboard.leaks.holders._emptying import is_emptied
from garboard.leaks.holders._source import Scope, accumulation_at, calling_line
from garboard.leaks.holders._statements import tree_of
from garboard.leaks.holders._storing import storing_line


@pytest.fixture
def source(tmp_path: Path):
    def write(text: str) -> str:
        file = tmp_path / f"m{len(list(tmp_path.iterdir()))}.py"
        file.write_text(dedent(text), encoding="utf-8")
        return str(file)

    return write


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("total += loss", ("total", "total", True)),
        ("self.sum += loss * n", ("self.sum", "sum", True)),
        ("ema = 0.9 * ema + 0.1 * loss", ("ema", "ema", False)),
        ("total = total + loss", ("total", "total", False)),
        ("s['m'] = s['m'] + loss", ("s['m']", "'m'", False)),
        ("self.mean.mul_(0.9).add_(x)", ("self.mean", "mean", False)),
        ("total.backward()", None),
        ("total = loss", None),
        ("print(total)", None),
    ],
)
def test_an_accumulation_is_read(source, line, expected):
    found = accumulation_at(source(line), 1)

    assert (tuple(found)[:3] if found else None) == expected


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("losses.append(loss)", "loss"),
        ("self.losses.add(loss.detach())", "loss.detach()"),
        ("losses[step] = loss", "loss"),
        ("losses += [loss]", "[loss]"),
        ("losses['a'] += loss", "loss"),
        ("keep = lambda x: losses.append(x)", "x"),
        ("if ok: losses.insert(0, loss)", "loss"),
        ("losses = losses + [loss]", "[loss]"),
        ("losses = [*losses, loss]", "loss"),
        ("losses = Node(loss, losses)", "loss"),
        ("losses = (loss, losses)", "loss"),
        ("losses = {**losses, step: loss}", "loss"),
        ("losses.get().append(loss)", "loss"),
        ("losses.setdefault(step, []).append(loss)", "loss"),
        ("losses.callback(close, loss)", "loss"),
        ("setattr(losses, name, loss)", "loss"),
    ],
)
def test_what_stores_is_found(source, line, value):
    file = source(f"first = 1\n{line}")
    is_attribute = "self." in line

    found = storing_line(Scope(file, 0, is_attribute), "losses")

    assert (found.line, found.value) == (2, value)


def test_of_several_stores_the_nearest_is_taken(source):
    file = source("xs.append(1)\n\n\n\nxs.append(2)\n")

    assert storing_line(Scope(file), "xs", near=4).line == 5
    assert storing_line(Scope(file), "xs", near=2).line == 1


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("xs = make()", "make()"),
        ("a, xs = first, make()", "make()"),
        ("a, (*xs, b) = make()", "make()"),
        ("xs: list[Tensor] = make()", "make()"),
    ],
)
def test_where_nothing_stores_the_assignment_is_taken(source, line, value):
    found = storing_line(Scope(source(f"a = 1\n{line}\n")), "xs")

    assert (found.line, found.value) == (2, value)


def test_the_same_name_in_another_function_is_another_variable(source):
    file = source(
        """\
        def one():
            xs = []
            xs.append(1)

        def two():
            xs = []
            xs.clear()
        """
    )

    assert not is_emptied(Scope(file, 1), "xs")
    assert is_emptied(Scope(file, 5), "xs")
    assert storing_line(Scope(file), "xs") is None  # a global of that name is filled nowhere


@pytest.mark.parametrize(
    "line",
    [
        "xs.pop(0)",
        "xs.clear()",
        "del xs[:-10]",
        "xs[:] = []",
        "xs = xs[-10:]",
        "for epoch in range(3):\n    xs = []",
        "for epoch in range(3):\n    xs, ys = [], []",
        "for epoch in range(3):\n    xs: list[Tensor] = []",
        "xs, ys = xs[-10:], []",
        "xs[at] = 1\nat = (at + 1) % most",
        "xs[at] = 1\nat += 1\nat %= most",
    ],
)
def test_what_takes_items_out_is_found(source, line):
    assert is_emptied(Scope(source(line)), "xs")


@pytest.mark.parametrize(
    "line",
    [
        "xs = []",
        "xs, ys = [], []",
        "xs.append(1)",
        "ys.pop()",
        "self.xs.pop()",
        "xs[0] = 1",
        "xs[at] = 1\nof = at % most",
    ],
)
def test_what_does_not_empty_is_told_apart(source, line):
    assert not is_emptied(Scope(source(line)), "xs")


def test_an_attribute_is_emptied_where_another_method_begins_it_anew(source):
    text = """\
        class Metric:
            def __init__(self):
                self.xs = []
            def {name}(self, xs):
                self.xs = []
        """

    assert is_emptied(Scope(source(text.format(name="reset")), 0, True), "xs")
    assert not is_emptied(Scope(source(text.format(name="__init__")), 0, True), "xs")


@pytest.mark.parametrize("text", ["", "%%time\nx = (", "not python at all ("])
def test_what_is_no_python_is_passed_over(source, text):
    file = source(text)

    assert accumulation_at(file, 1) is None
    assert storing_line(Scope(file), "xs") is None
    assert not is_emptied(Scope("no such file.py"), "xs")


class TestAttributesOfOneName:
    def test_are_told_apart_by_their_class(self, source):
        file = source("""\
            class Pool:
                def put(self, x):
                    self.items.append(x)

                def flush(self):
                    self.items.clear()

            class History:
                def note(self, x):
                    self.items.append(x)

            def fill(pool, history):
                history.items.extend(pool)
            """)
        history = Scope(file, 0, True, ("History", "object"))

        assert storing_line(history, "items", 2).line == 10
        assert storing_line(history, "items", 13).line == 13
        assert not is_emptied(history, "items")
        assert is_emptied(Scope(file, 0, True, ("Pool", "object")), "items")

    def test_of_a_library_s_object_are_set_by_any_method_that_has_it(self, source):
        file = source("""\
            class Mask(Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.kept = x
            """)

        assert storing_line(Scope(file, 0, True, ("Context", "object")), "kept").line == 4


def test_an_assignment_on_the_line_of_birth_is_what_stores(source):
    file = source("""\
        self.state = cell(x, self.state)
        local.state.append(y)
        """)

    assert storing_line(Scope(file, 0, True), "state", 1).line == 1
    assert storing_line(Scope(file, 0, True), "state", 2).line == 2


def test_the_nearest_call_of_a_name_is_found(source):
    file = source("Timer(1)\n\nthreading.Timer(2)\n\nif Timer:\n    start()\n")

    assert calling_line(file, {"Timer"}, near=1) == 1
    assert calling_line(file, {"Timer", "Thread"}, near=4) == 3
    assert calling_line(file, {"Thread"}, near=4) is None


def test_a_file_is_read_once_until_it_changes(source):
    file = source("xs.append(1)\n")
    before = tree_of(file)

    assert tree_of(file) is before

    Path(file).write_text("first = 1\nxs.append(2)\n", encoding="utf-8")
    linecache.checkcache(file)

    assert storing_line(Scope(file), "xs").line == 2
