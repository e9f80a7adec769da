"""How many items the program allows a container, however it says so."""

from __future__ import annotations

import ast
from collections import deque
from textwrap import dedent

import pytest
from garboard._shown.site import Site
from garboard.leaks.holders._bounding import may_be_emptied, may_be_trimmed, room_of
from garboard.leaks.holders._emptying import is_emptied, limits
from garboard.leaks.holders._hops import Edge, Link
from garboard.leaks.holders._readers import are_items_tensors
from garboard.leaks.holders._statements import Scope
from garboard.leaks.holders._values import Values


@pytest.fixture
def scope(tmp_path):
    def write(text, is_attribute=False):
        file = tmp_path / f"m{len(list(tmp_path.iterdir()))}.py"
        file.write_text(dedent(text), encoding="utf-8")
        return Scope(str(file), 0, is_attribute)

    return write


class Buffer:
    SETTINGS = {"most": 60}  # noqa: RUF012

    def __init__(self, rows, **others):
        self.rows = rows
        vars(self).update(others)


def chain_of(buffer):
    """Return the hops to the rows of a buffer."""
    return [Link(Edge("root"), buffer), Link(Edge("attribute", "rows"), buffer.rows)]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("if len(xs) - most > 0:\n    xs.pop()", "0 + most"),
        ("more = len(xs) - most\nif more > 0:\n    del xs[:more]", "0 + most"),
        ("if most - len(xs) < 0:\n    xs.pop()", "most - 0"),
        ("if len(xs) > 2 * most:\n    xs.pop()", "2 * most"),
        ("if len(xs) // 2 > most:\n    xs.pop()", "most * 2"),
        ("while (size := len(xs)) > most:\n    xs.pop()", "most"),
        ("del xs[:-most]", "most"),
        ("del xs[most:]", "most"),
        ("xs = [*xs, x][-most:]", "most"),
        ("xs[:] = (xs + [x])[-most:]", "most"),
        ("xs = heapq.nlargest(most, xs)", "most"),
        ("xs = deque(xs, maxlen=most)", "most"),
        ("for old in sorted(xs)[:-most]:\n    del xs[old]", "most"),
        ("assert len(xs) < most", "most"),
    ],
)
def test_what_a_length_may_be_is_read(scope, text, limit):
    assert [ast.unparse(it) for it in limits(scope(text), "xs")] == [limit]


@pytest.mark.parametrize(
    "text",
    ["recent = xs[-most:]", "for x in ys[:-1]:\n    xs.append(x)", "assert len(xs) == 5"],
)
def test_what_reads_some_items_is_no_limit(scope, text):
    assert limits(scope(text), "xs") == []


@pytest.mark.parametrize(
    "made",
    [
        "if not hasattr(self, 'rows'):\n            self.rows = []",
        "if self.rows is None:\n            self.rows = []",
        "if getattr(self, 'rows', None) is None:\n            self.rows = []",
        "if 'rows' not in vars(self):\n            self.rows = []",
        "try:\n            self.rows\n        except AttributeError:\n            self.rows = []",
    ],
)
def test_what_makes_an_attribute_when_it_is_first_needed_ends_nothing(scope, made):
    text = f"class A:\n    def add(self, x):\n        {made}\n        self.rows.append(x)\n"

    assert not is_emptied(scope(text, is_attribute=True), "rows")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10 ** 3", 1000),
        ("self.most", 50),
        ("self.SETTINGS['most']", 60),
        ("min(self.most, 20)", 20),
        ("self.sizes[1]", 7),
        ("len(self.rows)", 3),
        ("now - self.rows[0][0]", None),
        ("self.rows[0][0]", 4),
        ("max(self.share, 2)", 2),
        ("self.most // 0", None),
        ("self.endless", None),
        ("1 << 200", None),
        ("nothing(self)", None),
    ],
)
def test_numbers_are_told_as_they_are_now(text, number):
    rows = deque([(4, "a"), (5, "b"), (6, "c")])
    buffer = Buffer(rows, most=50, sizes=(1, 7), share=0.5, endless=float("inf"))
    values = Values(chain_of(buffer), ["rows"])

    assert values.number(ast.parse(text, mode="eval").body, "") == number


def test_functions_that_call_each_other_have_no_number(scope):
    file = scope("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n").file
    values = Values(chain_of(Buffer([])), ["rows"])

    assert values.number(ast.parse("f(1)", mode="eval").body, file) is None


class TestRoom:
    def near(self, scope, text):
        return Site(scope(text).file, 1, "")

    def test_is_what_a_function_is_given_that_trims(self, scope):
        near = self.near(
            scope,
            """
            def trim(items, most):
                while len(items) > most:
                    items.pop(0)
            class Buffer:
                def add(self, x):
                    self.rows.append(x)
                    trim(self.rows, 40)
            """,
        )
        chain = chain_of(Buffer([1, 2, 3]))

        assert may_be_trimmed(chain, near)
        assert room_of(chain, near) == 40

    def test_grows_with_a_sum_that_has_a_bound(self, scope):
        near = self.near(
            scope,
            """
            class Buffer:
                def add(self, x):
                    self.rows.append(x)
                    self.bytes += x.nbytes
                    while self.bytes > self.most_bytes:
                        self.rows.pop(0)
            """,
        )
        chain = chain_of(Buffer([1, 2, 3], bytes=30, most_bytes=200))

        assert room_of(chain, near) == 20

    def test_is_not_what_is_compared_before_storing_goes_on(self, scope):
        near = self.near(
            scope,
            """
            class Buffer:
                def add(self, x, step):
                    if self.step > self.warmup:
                        self.rows.append(x)
                    self.step += 1
            """,
        )
        chain = chain_of(Buffer([1, 2, 3], step=50, warmup=10))

        assert room_of(chain, near) is None

    def test_is_none_of_another_container_s(self, scope):
        near = self.near(
            scope,
            """
            def trim(items, most):
                while len(items) > most:
                    items.pop(0)
            class Buffer:
                def add(self, x):
                    self.rows.append(x)
                    self.recent.append(x)
                    trim(self.recent, 40)
            """,
        )
        chain = chain_of(Buffer([1, 2, 3]))

        assert not may_be_emptied(chain, near)
        assert room_of(chain, near) is None


@pytest.mark.parametrize(
    ("text", "are"),
    [
        ("mean = sum(x.item() for x in xs) / len(xs)", True),
        ("for x in xs[-10:]:\n    print(x.item())", True),
        ("print(xs[-1].item())", True),
        ("mean = sum(xs) / len(xs)", False),
        ("for x in ys:\n    print(x.item())", False),
        ("print(xs[-10:].count(0))", False),
        ("xs['loss'].append(loss)", False),
        ("for x in xs:\n    x.append(1)", False),
    ],
)
def test_items_are_tensors_where_they_are_asked_for_what_numbers_lack(scope, text, are):
    assert are_items_tensors(scope(text), "xs") is are
