"""Other threads run during long operations, and may end what those read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.fixture(autouse=True)
def given_up_by_choice_alone() -> Iterator[None]:
    """Let no thread ask for the GIL: it changes hands where its holder gives it up."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(before)


def while_it_runs(work: Callable[[], object], other: Callable[[], object]) -> None:
    """Run `work`, and `other` on another thread, which first runs when `work` gives up the GIL."""
    go, done = threading.Lock(), threading.Event()

    def wait_and_run() -> None:
        with go:
            other()
        done.set()

    go.acquire()
    thread = threading.Thread(target=wait_and_run)
    thread.start()
    go.release()  # it wakes, and waits for the GIL
    work()
    done.wait()
    thread.join()


@pytest.fixture(scope="module")
def matrix() -> gb.Tensor:
    return gb.rand(700, 700)


@pytest.fixture(scope="module")
def vector() -> gb.Tensor:
    return gb.rand(1 << 24)


LONG = {
    "a product": lambda m, _: m @ m,
    "a product in float64": lambda m, _: m.double() @ m.double(),
    "an elementwise op": lambda _, v: v.exp(),
    "an op in place": lambda _, v: v.clone().mul_(2),
    "a reduction": lambda _, v: v.view(4, -1).max(0),
    "a softmax": lambda _, v: v.view(4096, 4096).softmax(1),
    "a conversion": lambda _, v: v.double(),
}


class TestALongOperation:
    @pytest.mark.parametrize("name", LONG)
    def test_lets_others_run(self, name, matrix, vector):
        ran = []

        def work() -> None:
            for _ in range(100):  # the other one may lose the race for the core
                before = len(ran)
                LONG[name](matrix, vector)
                if len(ran) > before:
                    return
            pytest.fail("nobody else ran")

        while_it_runs(work, lambda: ran.append(True))

    def test_reads_what_another_disposes(self, matrix):
        expected = (matrix @ matrix).tolist()
        for _ in range(5):
            x = matrix.clone()
            results = []
            while_it_runs(lambda x=x, results=results: results.append(x @ x), x.dispose)

            assert x.is_disposed
            assert results[0].tolist() == expected

    def test_reads_what_anothers_scope_ends(self, matrix):
        expected = (matrix @ matrix).tolist()
        with gb.dispose_scope() as scope:
            x = matrix.clone()
            results = []
            while_it_runs(
                lambda: results.append((x @ x).detach_from_dispose_scope()), scope.dispose
            )

        assert x.is_disposed
        assert results[0].tolist() == expected

    def test_adopts_its_result_into_the_scope_that_is_still_open(self, matrix):
        def work(inner: gb.DisposeScope) -> None:
            result = matrix @ matrix
            if inner.is_disposed:
                adopted.append(result)

        adopted: list[gb.Tensor] = []
        with gb.dispose_scope("outer") as outer:
            for _ in range(50):  # the other one may lose the race for the core
                with gb.dispose_scope("inner") as inner:
                    while_it_runs(lambda inner=inner: work(inner), inner.dispose)
                if adopted:
                    break
            assert adopted[0] in outer

        assert adopted[0].is_disposed

    def test_frees_what_others_end_as_soon_as_it_is_over(self, matrix):
        live = gb.memory.live()
        x = gb.rand(100)
        while_it_runs(lambda: matrix @ matrix, x.dispose)

        assert gb.memory.live() == live

    def test_runs_beside_another(self, matrix):
        results: list[list[float]] = []
        expected = (matrix @ matrix).sum().item()
        while_it_runs(
            lambda: results.extend([(matrix @ matrix).sum().item()] for _ in range(5)),
            lambda: results.extend([(matrix @ matrix).sum().item()] for _ in range(5)),
        )

        assert results == [[expected]] * 10

    def test_counts_its_inputs_apart_from_an_op_that_others_run_inside_of(self, matrix):
        class Late:
            def __float__(self) -> float:
                thread.start()  # lets the other one begin its product inside this addition
                began.wait()
                return 1.0

        def multiply() -> None:
            began.set()
            products.append((matrix @ matrix).shape)

        began, products = threading.Event(), []
        thread = threading.Thread(target=multiply)
        x = gb.ones(3)
        assert (x + Late()).tolist() == [2, 2, 2]
        thread.join()
        assert products == [(700, 700)]

        y = gb.rand(1000)
        live = gb.memory.live().bytes
        y.dispose()
        assert gb.memory.live().bytes == live - 4000

    def test_keeps_the_books_while_others_allocate(self, vector):
        def allocate() -> None:
            for _ in range(200):
                with gb.dispose_scope():
                    (gb.rand(1000) + 1).sum()

        while_it_runs(lambda: [vector.exp() for _ in range(5)], allocate)

        assert gb.memory.memory_allocated() == gb.memory.live("cpu").bytes

    def test_of_another_thread_does_not_hold_memory_in_a_forked_child(self):
        said = run_program(
            """
            import os, threading, garboard as gb
            def compute():
                x = gb.rand(1000, 1000)
                while not done:
                    x @ x
                    started.set()
            done, started = [], threading.Event()
            thread = threading.Thread(target=compute)
            thread.start()
            started.wait()
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    y = gb.rand(1000)
                    before = gb.memory.live()
                    z = gb.rand(1000)
                    z.dispose()
                    os._exit(gb.memory.live() != before)
                assert os.waitpid(child, 0)[1] == 0
            done.append(True)
            thread.join()
            """
        )
        assert said == ""

    def test_ends_with_the_interpreter(self):
        said = run_program(
            """
            import threading, garboard as gb
            def compute():
                x = gb.rand(600, 600)
                while True:
                    x @ x
                    started.set()
            started = threading.Event()
            threading.Thread(target=compute, daemon=True).start()
            started.wait()
            """
        )
        assert said == ""


class TestABackwardPass:
    def test_of_many_small_nodes_lets_others_run(self):
        sys.setswitchinterval(0.0005)
        refused = []

        def run(y: gb.Tensor) -> None:  # on both threads: either may be the first
            try:
                y.backward(retain_graph=True)
            except gb.GradientError as error:
                refused.append(str(error))

        for _ in range(50):  # the other one may lose the race for the core
            x = gb.ones(1, requires_grad=True)
            y = x
            for _ in range(50_000):
                y = y * 1
            while_it_runs(lambda y=y: run(y), lambda y=y: run(y))
            assert x.grad.item() == 2 - len(refused)
            if refused:
                break

        assert "another backward pass is under way" in refused[0]


class TestPrinting:
    def test_for_the_first_time_on_two_threads_stops_neither(self):
        said = run_program(
            """
            import sys, threading, garboard as gb
            sys.setswitchinterval(1000)
            x = gb.ones(1)
            began, go = threading.Event(), threading.Event()

            class Waiting:
                def find_spec(self, name, *_):
                    if name == "garboard._printing":
                        began.set()
                        go.wait()

            sys.modules.pop("garboard._printing", None)
            sys.meta_path.insert(0, Waiting())
            thread = threading.Thread(target=lambda: repr(x))
            thread.start()
            began.wait()
            go.set()
            print(x)
            thread.join()
            """
        )
        assert said == "tensor([1.])\n"
