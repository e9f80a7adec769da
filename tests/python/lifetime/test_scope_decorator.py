"""A dispose scope as a decorator: one for each call, and the results move out."""

from __future__ import annotations

import asyncio
import collections
import functools

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


Point = collections.namedtuple("Point", "x y")


class TestWithoutACall:
    def test_decorates_as_with_one(self):
        inside = []

        @gb.dispose_scope
        def step(x):
            """Double it."""
            inside.append(x + 0)
            inside.append(gb.current_dispose_scope().name)
            return x * 2

        assert step(gb.ones(1)).item() == 2
        assert inside[0].is_disposed
        assert inside[1] == "step"
        assert (step.__name__, step.__doc__) == ("step", "Double it.")

    def test_takes_a_budget(self):
        step = gb.dispose_scope(lambda: gb.zeros(1000), limit=100)

        with pytest.raises(gb.ScopeLimitError):
            step()

    def test_takes_methods_and_coroutines(self):
        class Model:
            @gb.dispose_scope
            def step(self):
                return gb.ones(1)

            @gb.dispose_scope
            async def wait(self):
                return gb.ones(2)

        assert Model().step().tolist() == [1]
        assert asyncio.run(Model().wait()).tolist() == [1, 1]

    def test_refuses_what_is_no_function(self):
        def items():
            yield gb.ones(1)

        with pytest.raises(TypeError, match=r"items is a generator function"):
            gb.dispose_scope(items)
        for wrong in (3, gb.nn.ReLU(), gb.nn.ReLU, gb.ones(1)):
            kind = type(wrong).__name__
            with pytest.raises(TypeError, match=f"name is of type .*{kind}; a string, a function"):
                gb.dispose_scope(wrong)


class TestTheDecorator:
    def test_ends_all_but_what_is_returned(self):
        inside = []

        @gb.dispose_scope()
        def step(x):
            y = x * 2
            inside.append(y)
            return y + 1

        result = step(gb.ones(1))

        assert inside[0].is_disposed
        assert result.item() == 3.0

    @pytest.mark.parametrize(
        "nest",
        [
            lambda t: t,
            lambda t: (t, 1),
            lambda t: [None, [t]],
            lambda t: {"a": {"b": (t, "text")}},
            lambda t: Point(t, [t]),
            lambda t: collections.OrderedDict(a=[t]),
        ],
        ids=["tensor", "tuple", "lists", "dicts", "namedtuple", "ordereddict"],
    )
    def test_moves_any_returned_nest_out(self, nest):
        made = []

        @gb.dispose_scope()
        def make():
            made.append(gb.ones(1))
            return nest(made[0])

        make()

        assert not made[0].is_disposed

    def test_moves_a_nest_that_holds_itself_out(self):
        @gb.dispose_scope()
        def make():
            nest = [gb.ones(1)]
            nest.append(nest)
            return nest

        nest = make()

        assert nest[0].item() == 1.0
        nest.clear()

    def test_moves_a_returned_module_out(self):
        @gb.dispose_scope()
        def build():
            return gb.nn.Linear(2, 3)

        layer = build()

        assert layer(gb.ones(1, 2)).shape == (1, 3)

    def test_moves_only_one_scope_outward(self):
        @gb.dispose_scope()
        def make():
            return gb.ones(1)

        with gb.dispose_scope() as scope:
            x = make()
            assert x in scope

        assert x.is_disposed

    def test_leaves_a_returned_argument_where_it_was(self):
        @gb.dispose_scope()
        def same(x):
            return x

        with gb.dispose_scope() as outer, gb.dispose_scope():
            x = outer.attach(gb.ones(1))
            same(x)
            assert x in outer

    def test_opens_a_scope_for_each_call_even_within_itself(self):
        depths = []

        @gb.dispose_scope()
        def down(n):
            scope = gb.current_dispose_scope()
            depths.append(scope.name)
            x = gb.ones(1)
            return x if n == 0 else down(n - 1) + x

        assert down(3).item() == 4.0
        assert depths == ["down"] * 4

    def test_keeps_the_functions_face(self):
        @gb.dispose_scope("train")
        def step(x: int, *, y: int = 2) -> str:
            """Say the scope's name."""
            return gb.current_dispose_scope().name

        assert step(1) == "train"
        assert (step.__name__, step.__doc__) == ("step", "Say the scope's name.")

    def test_wraps_methods_partials_and_callables(self):
        class Model:
            @gb.dispose_scope()
            def forward(self, x):
                return x + gb.ones(1)

            def __call__(self, x):
                return self.forward(x)

        model = Model()
        assert model.forward(gb.ones(1)).item() == 2.0
        assert gb.dispose_scope()(functools.partial(gb.add, 1))(gb.ones(1)).item() == 2.0
        assert gb.dispose_scope()(model)(gb.ones(1)).item() == 2.0
        assert gb.dispose_scope()(lambda: gb.ones(1))().item() == 1.0

    def test_disposes_when_the_function_raises(self):
        made = []

        @gb.dispose_scope()
        def fail():
            made.append(gb.ones(1))
            raise KeyError

        with pytest.raises(KeyError):
            fail()

        assert made[0].is_disposed

    def test_refuses_generator_functions(self):
        def batches():
            yield gb.ones(1)

        async def rows():
            yield gb.ones(1)

        for function in (batches, rows, functools.partial(batches)):
            with pytest.raises(TypeError, match=r"batches|rows.*generator function"):
                gb.dispose_scope()(function)

    def test_passes_its_budget_on(self):
        @gb.dispose_scope(limit=100)
        def big():
            return gb.zeros(1000)

        with pytest.raises(gb.ScopeLimitError):
            big()
