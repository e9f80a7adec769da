"""Who holds a tensor: every holder that Python has, by name."""

from __future__ import annotations

import contextvars
import functools
import gc
import queue
import sys
import threading
from collections import deque
from types import SimpleNamespace

import garboard as gb
import pytest
from garboard import _engine
from garboard.leaks.holders._hops import links

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

shelf = {}
variable = contextvars.ContextVar("variable")


def made() -> gb.Tensor:
    return gb.zeros(2, 3)


def hops(tensor: gb.Tensor) -> list[str]:
    """Return the first chain's edges, without the root and what the hops lead to."""
    return [hop.partition(": ")[0] for hop in gb.leaks.who_holds(tensor).chains[0][1:]]


@pytest.fixture
def kept():
    """A global dict that ends empty."""
    yield shelf
    shelf.clear()


class TestAHolderIsNamed:
    def test_global_containers(self, kept):
        kept["a"] = [made(), made()]

        assert hops(kept["a"][1]) == ["global `shelf`", "['a']", "[1]"]

    def test_sets_and_rings(self, kept):
        kept["set"], kept["ring"] = {made()}, deque([made()], maxlen=4)

        assert hops(next(iter(kept["set"])))[-1] == "member"
        assert "deque of 1, at most 4" in str(gb.leaks.who_holds(kept["ring"][0]))

    def test_attributes_slots_and_namespaces(self, kept):
        class Slotted:
            __slots__ = ("state",)

        kept["slotted"], kept["space"] = Slotted(), SimpleNamespace(inner=SimpleNamespace())
        kept["slotted"].state, kept["space"].inner.state = made(), made()

        assert hops(kept["slotted"].state)[-1] == "attribute `state`"
        assert hops(kept["space"].inner.state)[-2:] == ["attribute `inner`", "attribute `state`"]

    def test_class_attributes(self, kept):
        class Run:
            newest = made()

        kept["run"] = Run
        assert hops(Run.newest)[-1] == "class attribute `newest`"

    def test_closures_defaults_and_partials(self, kept):
        captured = made()

        def closure():
            return captured

        def default(x=made()):  # noqa: B008
            return x

        def keyword(*, x=made()):  # noqa: B008
            return x

        kept.update(closure=closure, default=default, keyword=keyword)
        kept["partial"] = functools.partial(print, made())
        kept["named"] = functools.partial(default, made())
        kept["method"] = functools.partial(self.takes, made(), z=made())
        found = {name: hops(tensor)[-1] for name, tensor in (
            ("closure", captured),
            ("default", default.__defaults__[0]),
            ("keyword", keyword.__kwdefaults__["x"]),
        )}  # fmt: skip

        assert found == {
            "closure": "closure variable `captured`",
            "default": "default argument `x`",
            "keyword": "default argument `x`",
        }
        assert hops(kept["partial"].args[0])[-1] == "argument `args[0]`"
        assert hops(kept["named"].args[0])[-1] == "argument `x`"
        assert hops(kept["method"].args[0])[-1] == "argument `y`"
        assert hops(kept["method"].keywords["z"])[-1] == "argument `z`"

    def takes(self, y, z):
        return y, z

    def test_bound_methods(self, kept):
        class Bound:
            def __init__(self):
                self.state = made()

            def method(self):
                return self.state

        kept["method"] = Bound().method
        assert hops(kept["method"].__self__.state)[-2:] == ["bound to", "attribute `state`"]

    def test_generators(self, kept):
        def generator():
            state = made()
            yield state

        kept["generator"] = generator()
        assert hops(next(kept["generator"]))[-1] == "local `state`"

    def test_caches(self, kept):
        @functools.cache
        def cached(n):
            return made()

        kept["cached"] = cached
        assert hops(cached(3))[-1] == "cached result"

    def test_exceptions_by_their_frames(self, kept):
        def fail():
            local = made()
            raise ValueError(local.shape)

        try:
            fail()
        except ValueError as error:
            kept["error"] = error
        row = _engine._aliases(0)[-1]

        assert hops(row["tensor"])[-5:] == [
            "['error']",
            "attribute `__traceback__`",
            "next",
            "frame",
            "local `local`",
        ]

    def test_thread_locals_contexts_and_queues(self, kept):
        kept["local"], kept["queue"] = threading.local(), queue.Queue()
        kept["local"].state = made()
        kept["queue"].put(made())
        token = variable.set(made())
        try:
            assert hops(kept["local"].state)[-1] == "thread-local `state`"
            assert "attribute `queue`" in hops(kept["queue"].queue[0])
            assert gb.leaks.who_holds(variable.get()).chains[0][0] == "Context object"
        finally:
            variable.reset(token)
            del token

    def test_locals_of_running_frames(self):
        local = made()

        holders = gb.leaks.who_holds(local)

        assert holders.names[0].startswith("local `local` (")
        assert holders.chains[0][0].startswith("frame of TestAHolderIsNamed.test_locals_of_")

    def test_locals_of_other_threads(self):
        ready, go_on, found = threading.Event(), threading.Event(), []

        def hold():
            inside = made()
            found.append(_engine._birth(inside)[0])
            ready.set()
            go_on.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        ready.wait()
        try:
            row = next(it for it in _engine._aliases(0) if it["serial"] == found[0])
            names = gb.leaks.who_holds(row.pop("tensor")).names
        finally:
            go_on.set()
            thread.join()

        assert any(name.startswith("local `inside`") for name in names)

    def test_all_of_several(self, kept):
        kept["a"], kept["b"] = [made()], []
        kept["b"].append(kept["a"][0])

        holders = gb.leaks.who_holds(kept["a"][0])

        assert sorted(name.partition(" (")[0] for name in holders.names) == [
            "item `shelf['a'][0]`",
            "item `shelf['b'][0]`",
        ]

    def test_the_graph(self):
        x = gb.ones(3, requires_grad=True)
        y = x.exp()

        assert any(
            text.startswith("graph node exp #") for text in gb.leaks.who_holds(y.detach()).native
        )
        del y
        assert gb.leaks.who_holds(x).native == ()

    def test_many_nodes_of_a_line_as_one(self):
        x, w = gb.ones(3), gb.ones(3, requires_grad=True)
        products = [x * w for _ in range(1000)]

        (text,) = gb.leaks.who_holds(x).native

        assert text.startswith("graph nodes mul, recorded at tests/python/leaks/holders/")
        assert "(1000 of them, the newest #" in text
        assert gb.leaks.who_holds(x, limit=0).native == ("graph nodes (1000 of them)",)
        assert len(products) == 1000

    def test_no_more_lines_of_nodes_than_it_is_to(self):
        x, w = gb.ones(3), gb.ones(3, requires_grad=True)
        products = [x * w, x * w]
        sums = [(x * w).sum(), (x / w).sum()]

        native = gb.leaks.who_holds(x, limit=1).native

        assert len(products) == len(sums) == 2
        assert "(2 of them, the newest #" in native[0]
        assert native[1:] == ("graph nodes of other lines (2 of them)",)

    def test_nothing_of_thousands_that_are_garbage(self):
        def dropped():
            cycle = [gb.ones(3)]
            cycle.append(cycle)

        gc.disable()
        try:
            for _ in range(2000):
                dropped()
            holders = gb.leaks.who_holds(f"{__file__}:{dropped.__code__.co_firstlineno + 1}")
        finally:
            gc.enable()
        gc.collect()

        assert holders.tensor.endswith("the newest of 2000")
        assert holders.names == ()

    def test_arrays(self):
        x = gb.ones(3)
        array = x.numpy()

        assert gb.leaks.who_holds(x).native == ("an array, capsule or buffer outside the library",)
        del array


class TestAskingChangesNothing:
    def test_variables_of_frames_are_not_kept(self):
        gc.disable()
        try:
            before = gb.memory.live()
            local = made()
            gb.leaks.who_holds(local)
            del local
            after = gb.memory.live()
        finally:
            gc.enable()

        assert after == before

    def test_no_value_is_printed_and_no_repr_is_called(self, kept):
        class Loud:
            def __init__(self):
                self.state = gb.full((2,), 12345.0)

            def __repr__(self):
                raise AssertionError("repr")

            __hash__ = object.__hash__
            __eq__ = object.__eq__

        kept[Loud()] = loud = Loud()

        assert "12345" not in str(gb.leaks.who_holds(loud.state))

    def test_proxies_and_mocks_are_not_asked_what_they_are(self, kept):
        from unittest.mock import Mock

        class Proxy:
            def __init__(self, inner):
                object.__setattr__(self, "inner", inner)

            def __getattribute__(self, name):
                raise RuntimeError(f"asked for {name}")

        tensor = made()
        kept["proxy"], kept["mock"] = Proxy([tensor]), Mock(spec=dict)
        kept["mock"].items = [tensor]
        proxied = gb.leaks.who_holds(tensor)

        assert {"attribute `inner`", "attribute `items`"} <= {
            hop.partition(": ")[0] for chain in proxied.chains for hop in chain
        }

    def test_the_chain_is_the_same_each_time(self, kept):
        kept["a"] = SimpleNamespace(items=[made()])

        first, second = (gb.leaks.who_holds(kept["a"].items[0]) for _ in range(2))

        assert first == second

    def test_variables_and_containers_of_one_namespace_are_all_named(self, kept):
        kept["one"] = made()
        kept["two"] = [kept["one"]]
        names = gb.leaks.who_holds(kept["one"]).names

        assert [name.partition(" (")[0] for name in names] == [
            "item `shelf['one']`",
            "item `shelf['two'][0]`",
        ]

    def test_weak_references_are_no_holders(self, kept):
        import weakref

        tensor = made()
        kept["weak"] = weakref.ref(tensor)

        assert not any("weak" in name for name in gb.leaks.who_holds(tensor).names)

    def test_what_a_comprehension_makes_is_called_by_the_variable_that_will_have_it(self):
        def way_to(container):
            frame = sys._getframe()
            while frame.f_code.co_name != "made_here":
                frame = frame.f_back
            return [str(link.edge) for link in links([frame, container])]

        def made_here():
            lists = [way_to([1]) for _ in range(1)]
            dicts = {it: way_to({}) for it in range(1)}
            others = [way_to({}) for _ in range(1)]
            return lists[0], dicts[0], others[0]

        assert made_here() == (
            ["root", "local `lists`"],
            ["root", "local `dicts`"],
            ["root", "temporary value"],
        )
