"""Birth sites: the innermost line outside the library, however the call got there."""

from __future__ import annotations

import contextlib
import copy
import functools
import sys
import threading
import weakref
from types import CodeType

import garboard as gb
import pytest
from garboard import _engine

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def site(tensor: gb.Tensor) -> tuple[str, int, str]:
    return _engine._site(_engine._birth(tensor)[1])


def here() -> tuple[str, int, str]:
    """Return what a birth on the caller's line should say."""
    frame = sys._getframe(1)
    return __file__, frame.f_lineno, frame.f_code.co_qualname


class TestASiteIs:
    def test_file_line_and_function(self):
        x, expected = gb.ones(1), here()

        assert site(x) == expected
        assert expected[2] == "TestASiteIs.test_file_line_and_function"

    def test_one_for_each_line(self):
        x = gb.ones(1)
        y = gb.ones(1)

        assert site(y)[1] == site(x)[1] + 1

    def test_one_for_all_calls_of_a_line(self):
        sites = {_engine._birth(gb.ones(1) + 1)[1] for _ in range(100)}

        assert len(sites) == 1

    def test_the_line_of_each_call_of_a_long_expression(self):
        pair = [
            gb.ones(1),
            gb.ones(2),
        ]

        assert site(pair[1])[1] == site(pair[0])[1] + 1

    @pytest.mark.parametrize(
        "make",
        [
            lambda x: gb.zeros(2),
            lambda x: x + 1,
            lambda x: 1 - x,
            lambda x: -x,
            lambda x: x @ x,
            lambda x: x == 1,
            lambda x: x[0],
            lambda x: x.T,
            lambda x: next(iter(x)),
            lambda x: x.sum(),
            lambda x: gb.tensor([1, 2]),
            lambda x: gb.Tensor(x),
            lambda x: gb.cat([x, x]),
            lambda x: gb.nn.functional.relu(x),
            lambda x: gb.nn.Parameter(x),
            lambda x: gb.nn.Linear(2, 2).weight,
            lambda x: gb.nn.Sequential(gb.nn.ReLU())(x),
            lambda x: copy.deepcopy(x),
        ],
        ids=range(18),
    )
    def test_the_users_line_for_every_way_of_making(self, make):
        x = gb.ones(2, 2)

        born = site(make(x))

        assert born == (__file__, make.__code__.co_firstlineno, make.__code__.co_qualname)

    def test_that_of_storages_and_nodes_too(self):
        x = gb.ones(3, requires_grad=True)
        _, storage, node = _engine._next_serials()
        y, expected = x * 2, here()

        assert _engine._site(_engine._storages(storage)[0]["site"]) == expected
        assert _engine._site(_engine._nodes(node)[0]["site"]) == expected
        assert y.requires_grad

    def test_that_of_backward_for_what_backward_makes(self):
        x = gb.ones(3, requires_grad=True)
        y = (x * 2).exp().sum()
        storage = _engine._next_serials()[1]
        expected = y.backward() or here()

        assert {_engine._site(row["site"]) for row in _engine._storages(storage)} == {expected}
        assert site(x.grad)[1] == here()[1]


class TestCallsThroughOtherCode:
    def test_through_a_comprehension(self):
        listed, expected = [gb.ones(1) for _ in range(3)], here()
        yielded = list(gb.ones(1) for _ in range(3))

        assert {site(t)[:2] for t in listed} == {expected[:2]}
        assert {site(t)[2] for t in yielded} == {f"{expected[2]}.<locals>.<genexpr>"}

    def test_through_a_generator(self):
        def batches():
            yield gb.ones(1)

        (x,) = batches()

        assert site(x)[1:] == (batches.__code__.co_firstlineno + 1, batches.__qualname__)

    def test_through_a_lambda_and_map(self):
        make = lambda n: gb.ones(n)  # noqa: E731
        tensors = list(map(make, [1, 2]))

        assert {site(t)[1:] for t in tensors} == {
            (make.__code__.co_firstlineno, make.__qualname__),
        }

    def test_through_a_partial_is_the_line_that_called_it(self):
        make = functools.partial(gb.full, (2,))
        x, expected = make(3), here()

        assert site(x) == expected

    def test_through_functools_and_contextlib(self):
        @functools.lru_cache
        def cached(n):
            return gb.ones(n)

        @contextlib.contextmanager
        def block():
            yield gb.ones(1)

        with block() as x:
            assert site(x)[1] == block.__wrapped__.__code__.co_firstlineno + 2
        assert site(cached(1))[1] == cached.__wrapped__.__code__.co_firstlineno + 2
        reduced, expected = functools.reduce(gb.add, [gb.ones(1), gb.ones(1)]), here()
        assert site(reduced) == expected

    def test_through_a_decorated_scope_is_the_functions_own_line(self):
        @gb.dispose_scope()
        def step():
            return gb.ones(1)

        assert site(step())[1:] == (
            step.__wrapped__.__code__.co_firstlineno + 2,
            step.__wrapped__.__qualname__,
        )

    def test_through_a_module_called_by_the_library(self):
        class Mine(gb.nn.Module):
            def forward(self, x):
                return x + 1

        x = gb.nn.Sequential(Mine())(gb.ones(1))

        assert site(x)[1:] == (Mine.forward.__code__.co_firstlineno + 1, Mine.forward.__qualname__)

    def test_through_sort_and_min_keys(self):
        tensors = []

        def key(n):
            tensors.append(gb.ones(1))
            return n

        sorted([3, 1], key=key)

        assert {site(t)[2] for t in tensors} == {key.__qualname__}

    def test_through_exec_is_the_text_it_was_given(self):
        names: dict[str, object] = {"gb": gb}

        exec(compile("\n\nx = gb.ones(1)", "<made up>", "exec"), names)

        assert site(names["x"]) == ("<made up>", 3, "<module>")

    def test_in_an_instruction_without_a_line_is_the_first_of_its_code(self):
        code = compile("\n\nx = gb.ones(1)", "<made up>", "exec")
        count = len(code.co_code) // 2
        # Entries of 1 to 8 instructions each; form 15 says that they have no line.
        lengths = [8] * (count // 8) + [count % 8] * (count % 8 > 0)
        nowhere = bytes(0x80 | 15 << 3 | length - 1 for length in lengths)
        names: dict[str, object] = {"gb": gb}

        exec(code.replace(co_linetable=nowhere), names)

        assert site(names["x"]) == ("<made up>", code.co_firstlineno, "<module>")

    def test_through_eval_is_the_text_it_was_given(self):
        assert site(eval("gb.ones(1)")) == ("<string>", 1, "<module>")

    def test_through_a_finalizer_is_the_finalizers(self):
        made = []

        class Late:
            def __del__(self):
                made.append(gb.ones(1))

        late = Late()
        del late

        assert site(made[0])[1:] == (
            Late.__del__.__code__.co_firstlineno + 1,
            Late.__del__.__qualname__,
        )

    def test_through_a_weak_references_callback_is_the_callbacks(self):
        made = []

        def make(_):
            made.append(gb.ones(1))

        x = gb.ones(1)
        reference = weakref.ref(x, make)
        del x

        assert reference() is None
        assert site(made[0])[1:] == (make.__code__.co_firstlineno + 1, make.__qualname__)

    def test_through_a_hook_is_the_hooks(self):
        made = []

        def hook(gradient):
            made.append(gradient * 2)

        x = gb.ones(1, requires_grad=True)
        x.register_hook(hook)
        (x * 2).backward()

        assert site(made[0])[1:] == (hook.__code__.co_firstlineno + 1, hook.__qualname__)

    def test_through_a_metaclass_and_new(self):
        class Handle(gb.Tensor):
            def __new__(cls, data):
                return super().__new__(cls, data)

        x = Handle([1.0])

        assert site(x)[1:] == (
            Handle.__new__.__code__.co_firstlineno + 1,
            Handle.__new__.__qualname__,
        )

    def test_through_a_constructor_is_the_constructors(self):
        class Made:
            def __init__(self):
                self.x = gb.ones(1)

        made = [Made() for _ in range(50)]  # later ones through frames of the interpreter's own

        line = Made.__init__.__code__.co_firstlineno + 1
        assert {site(it.x)[1:] for it in made} == {(line, Made.__init__.__qualname__)}

    def test_through_copy_is_the_line_that_called_it(self):
        x = gb.ones(2)
        copied, expected = copy.deepcopy({"a": [x]})["a"][0], here()

        assert site(copied) == expected


class TestABirthAlsoHas:
    def test_a_serial_that_rises_and_is_never_reused(self):
        seen = [_engine._birth(gb.ones(1))[0] for _ in range(5)]

        assert seen == list(range(seen[0], seen[0] + 5))

    def test_a_step(self):
        ended = _engine._advance_birth_step()

        assert _engine._birth(gb.ones(1))[2] == ended + 1

    def test_a_thread(self):
        others = []
        for _ in range(2):
            thread = threading.Thread(target=lambda: others.append(_engine._birth(gb.ones(1))[3]))
            thread.start()
            thread.join()

        mine = _engine._birth(gb.ones(1))[3]
        assert others[1] == others[0] + 1
        assert mine not in others

    def test_a_line_in_the_registry_for_each_that_lives(self):
        since = _engine._next_serials()[0]
        with gb.dispose_scope("step"):
            x, expected = gb.ones(2, 3), here()
            (row,) = _engine._aliases(since)

            assert row["tensor"] is x
            assert _engine._site(row["site"]) == expected
            assert (row["shape"], row["dtype"], row["nbytes"]) == ((2, 3), "float32", 24)
            assert (row["scope"].name, row["owner"]) == ("step", "PYTHON")
            del row
        assert _engine._aliases(since) == []


class TestCodeThatRanOnce:
    """A cell of a notebook, a test, a template: compiled, run, and gone."""

    def run(self, text: str, file: str = "<cell>") -> tuple[gb.Tensor, weakref.ref[CodeType], int]:
        code = compile(text, file, "exec")
        names: dict[str, object] = {"gb": gb}
        exec(code, names)
        return names["x"], weakref.ref(code), id(code)

    def test_ends_although_its_tensors_live(self):
        runs = [self.run(f"x = gb.ones(1)  # {i}", f"<cell {i}>") for i in range(1000)]

        assert [reference() for _, reference, _ in runs] == [None] * 1000
        assert [site(x)[0] for x, _, _ in runs] == [f"<cell {i}>" for i in range(1000)]

    def test_has_the_site_of_its_own_text_where_memory_is_used_again(self):
        places = set()
        for i in range(300):
            x, _, place = self.run("\n" * i + "x = gb.ones(1)", f"<cell {i % 7}>")
            places.add(place)

            assert site(x) == (f"<cell {i % 7}>", i + 1, "<module>")
        if len(places) == 300:
            pytest.skip("no memory was used again: a sanitizer holds it back")

    def test_has_the_site_of_an_equal_line_of_an_equal_file(self):
        self.run("x = gb.ones(1) + 1")
        before = _engine._site_count()

        for _ in range(100):
            self.run("x = gb.ones(1) + 1")

        assert _engine._site_count() == before

    def test_may_define_functions_that_run_later(self):
        names: dict[str, object] = {"gb": gb}
        exec(compile("def make():\n    return gb.ones(1)\n", "<cell>", "exec"), names)
        make = names.pop("make")
        assert site(make()) == ("<cell>", 2, "make")
        code = weakref.ref(make.__code__)

        make.__code__ = (lambda: gb.ones(2)).__code__

        assert code() is None
        assert site(make())[0] == __file__
        assert site(make())[2].endswith("<lambda>")

    def test_ends_although_a_history_of_stacks_names_it(self):
        gb.memory._record_memory_history("stack")
        try:
            runs = [
                self.run("def make():\n    return gb.ones(1000)\nx = make()", f"<cell {i}>")
                for i in range(50)
            ]
            assert [reference() for _, reference, _ in runs] == [None] * 50
            entries = gb.memory._snapshot()["device_traces"][0]
        finally:
            gb.memory._record_memory_history(None)

        named = {
            frame["filename"]: frame["line"]
            for entry in entries
            for frame in entry["frames"]
            if frame["filename"].startswith("<cell") and frame["name"] == "make"
        }
        assert named == {f"<cell {i}>": 2 for i in range(50)}

    def test_may_be_the_librarys_until_its_path_is_known(self):
        text = "def make(gb):\n    return gb.ones(1)\n"
        names: dict[str, object] = {}
        exec(compile(text, "/made/up/library.py", "exec"), names)
        make = names["make"]
        assert site(make(gb)) == ("/made/up/library.py", 2, "make")

        _engine._add_library_path("/made/up/")

        x, expected = make(gb), here()
        assert site(x) == expected
