"""The user's own lines, mended: where a change can be made, and where none is."""

from __future__ import annotations

import inspect
import textwrap
import weakref

import pytest
from garboard.leaks.holders._mending import End
from garboard.leaks.holders._patches import (
    Patch,
    bounded_after,
    bounded_cache,
    removed_at_the_end,
    with_method_on_sum,
    with_methods_on_stored,
)
from garboard.leaks.holders._statements import Scope
from garboard.leaks.holders._storing import storing_line

from tests.support.patching import patched


class Written:
    """A program in a file, and what patches of it give."""

    def __init__(self, folder, text: str) -> None:
        self.text = textwrap.dedent(text).lstrip("\n")
        self.file = str(folder / "program.py")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(self.text)

    def after(self, patch: Patch) -> str:
        return patched(self.text, str(patch)) if patch.edits else self.text

    def storing(self, name: str):
        found = storing_line(Scope(self.file), name)
        assert found is not None
        return found


@pytest.fixture
def written(tmp_path):
    return lambda text: Written(tmp_path, text)


def test_what_is_added_is_found_behind_letters_of_two_bytes(written):
    program = written("größe = 0\ngröße += verlust_ü + 1  # ü\n")

    after = program.after(with_method_on_sum(program.file, 2, "item"))

    assert after == "größe = 0\ngröße += (verlust_ü + 1).item()  # ü\n"


def test_a_statement_over_several_lines_stays_so(written):
    program = written("seen.append(\n    (step,  # when\n     loss)\n)\n")
    storing = program.storing("seen")

    after = program.after(with_methods_on_stored(program.file, storing, [End(("1",), "item")]))

    assert after == "seen.append(\n    (step,  # when\n     loss.item())\n)\n"


@pytest.mark.parametrize(
    ("kind", "stored", "bound"),
    [
        ("list", "x.append(y)", "del x[:-32]"),
        ("list", "x[i].append(y)", "del x[i][:-32]"),
        ("set", "x.add(y)", "while len(x) > 32:\n        x.pop()"),
        ("deque", "x.append(y)", "while len(x) > 32:\n        x.popleft()"),
        ("dict", "x[k] = y", "while len(x) > 32:\n        x.pop(next(iter(x)))"),
    ],
)
def test_a_container_is_bounded_behind_the_line_that_fills_it(written, kind, stored, bound):
    program = written(f"for y in ys:\n    {stored}  # every step")
    depth = stored.count("x[i]")

    after = program.after(bounded_after(program.file, program.storing("x"), depth, kind))

    assert after.rstrip("\n") == f"for y in ys:\n    {stored}  # every step\n    {bound}"


@pytest.mark.parametrize(
    "line",
    [
        "for y in ys: x.append(y)",
        "x.append(y); z = 1",
        "hook = layer.register(lambda y: x.append(y))",
        "x.insert(at, y)",
    ],
)
def test_what_a_line_behind_would_not_bound_is_left(written, line):
    program = written(f"{line}\n")

    assert not bounded_after(program.file, program.storing("x"), 0, "list").edits


def test_a_handle_is_removed_before_the_block_returns_and_takes_a_free_name(written):
    program = written(
        """
        def step(handle):
            net.register_forward_hook(seen)
            y = net(x)
            return y
        """
    )

    after = program.after(removed_at_the_end(program.file, 2))

    assert after == (
        "def step(handle):\n"
        "    hook_handle = net.register_forward_hook(seen)\n"
        "    y = net(x)\n"
        "    hook_handle.remove()\n"
        "    return y\n"
    )


@pytest.mark.parametrize(
    ("line", "kind", "behind"),
    [
        ("x.appendleft(y)", "deque", "while len(x) > 32:\n    x.pop()\n"),
        ("x.insert(0, y)", "list", "del x[32:]\n"),
        ("heapq.heappush(x, y)", "heap", "x.sort()\ndel x[:-32]\n"),
        ("heapq.heappush(x, y)", "frontier", "x.sort()\ndel x[32:]\n"),
    ],
)
def test_what_comes_first_or_by_its_rank_is_bounded_at_the_other_end(written, line, kind, behind):
    program = written(f"{line}\n")

    (edit,) = bounded_after(program.file, program.storing("x"), 0, kind).edits

    assert edit.text == behind


@pytest.mark.parametrize(
    "rest", ["return net(x)", "if done:\n        continue\n    net(x)", ""], ids=str
)
def test_a_block_that_may_be_left_before_its_end_keeps_its_hook(written, rest):
    program = written(f"while True:\n    net.register_forward_hook(seen)\n    {rest}\n")

    assert not removed_at_the_end(program.file, 2).edits


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@lru_cache(None)", "@lru_cache(maxsize=32)"),
        ("@functools.lru_cache(maxsize=None)", "@functools.lru_cache(maxsize=32)"),
        ("@functools.cache", "@functools.lru_cache(maxsize=32)"),
    ],
)
def test_a_cache_gets_a_bound(written, before, after):
    program = written(f"{before}\ndef f(n):\n    return n\n")

    found = program.after(bounded_cache(program.file, 1))

    assert found == f"{after}\ndef f(n):\n    return n\n"


def test_a_name_that_nothing_imports_is_not_used(written):
    program = written("from cachetools import cache\n@cache\ndef f(n):\n    return n\n")

    assert not bounded_cache(program.file, 2).edits


def test_paths_below_the_working_directory_are_relative(written, tmp_path, monkeypatch):
    program = written("total += loss\n")
    patch = with_method_on_sum(program.file, 1, "item")
    elsewhere = str(patch).splitlines()[:2]
    monkeypatch.chdir(tmp_path)
    below = str(patch).splitlines()[:2]

    assert elsewhere == [f"--- {program.file}", f"+++ {program.file}"]
    assert below == ["--- a/program.py", "+++ b/program.py"]


def test_no_change_is_no_text():
    assert str(Patch()) == ""


def test_a_file_of_the_interpreter_is_not_mended():
    line = inspect.getsourcelines(weakref.WeakKeyDictionary.__setitem__)[1] + 1
    storing = storing_line(Scope(weakref.__file__, 0, True), "data", line)

    assert storing is not None
    assert str(bounded_after(weakref.__file__, storing, 0, "dict")) == ""
