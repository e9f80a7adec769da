"""The interpreter around the library: its exit, its copies by fork, its siblings."""

from __future__ import annotations

import pytest

from tests.support.programs import run_program


class TestAnExitIsSilent:
    def test_with_live_tensors_and_graphs(self):
        run_program("""
            import garboard as gb
            x = gb.ones(1000, requires_grad=True)
            y = (x * 2).exp()
            y.sum().backward()
            g = x.grad
            z = x.view(10, 100)
            array = gb.ones(3).numpy()
            view = memoryview(gb.ones(3))
        """)

    def test_with_open_scopes(self):
        run_program("""
            import garboard as gb
            outer = gb.dispose_scope("outer").__enter__()
            gb.dispose_scope("inner").__enter__()
            x = gb.ones(3) + 1
        """)

    def test_inside_a_scope(self):
        run_program("""
            import sys, garboard as gb
            with gb.dispose_scope():
                x = gb.ones(3)
                sys.exit(0)
        """)

    def test_inside_an_abandoned_generator_and_a_coroutine(self):
        run_program("""
            import asyncio, garboard as gb
            def batches():
                with gb.dispose_scope():
                    yield gb.ones(3)
            it = batches()
            x = next(it)
            async def main():
                async with gb.dispose_scope():
                    asyncio.create_task(asyncio.sleep(1000))
                    kept.append(gb.ones(1))
            kept = []
            asyncio.run(main())
        """)

    def test_with_cycles_and_hooks(self):
        run_program("""
            import garboard as gb
            class Handle(gb.Tensor):
                pass
            x = Handle([1.0, 2.0])
            x.requires_grad_()
            x.self = x
            x.register_hook(lambda g: x)
            y = x * 2
            y.register_hook(lambda g: y)
            cycle = [gb.ones(1)]
            cycle.append(cycle)
            del x, y, cycle
        """)

    def test_with_finalizers_that_compute(self):
        out = run_program("""
            import garboard as gb
            class Late:
                def __init__(self):
                    self.tensor = gb.ones(3)
                def __del__(self):
                    with gb_scope("late"):
                        print((self.tensor + 1).sum().item())
            gb_scope = gb.dispose_scope
            at_module_level = Late()
            in_a_cycle = Late()
            in_a_cycle.self = in_a_cycle
        """)
        assert out == "6.0\n6.0\n"

    def test_with_threads_that_still_compute(self):
        run_program("""
            import threading, garboard as gb
            def work():
                mine = []
                while True:
                    with gb.dispose_scope() as scope:
                        mine.append(scope.detach(gb.ones(100) * 2))
                        if len(mine) > 50:
                            mine.clear()
                        if len(mine) == 10:
                            started.release()
            started = threading.Semaphore(0)
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            for _ in range(6):
                started.acquire()
        """)

    def test_with_tensors_of_ended_threads(self):
        run_program("""
            import threading, garboard as gb
            kept = []
            def work():
                gb.dispose_scope("left open").__enter__()
                kept.append(gb.current_dispose_scope().detach(gb.ones(3)))
            for _ in range(5):
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()
        """)

    def test_with_callbacks_at_exit(self):
        out = run_program("""
            import atexit, weakref, garboard as gb
            x = gb.ones(3)
            atexit.register(lambda: print((x + 1).tolist()))
            weakref.finalize(x, print, "finalized")
        """)
        assert out == "finalized\n[2.0, 2.0, 2.0]\n"

    def test_with_an_uncaught_exception_that_holds_tensors(self):
        run_program("""
            import sys, garboard as gb
            def fail():
                with gb.dispose_scope():
                    x = gb.ones(3)
                    raise KeyError(x)
            try:
                fail()
            except KeyError as error:
                sys.last_value = error
        """)


class TestAPythonThatNoTestHasSeen:
    # The version is faked: what imports nothing but `sys` and `os` before it asks can be asked.
    PROGRAM = """
        import os, sys, typing
        {fake}
        try:
            import garboard
            print("imported")
        except ImportError as error:
            print(error, "garboard._engine" in sys.modules, sep="; loaded: ")
    """

    @pytest.mark.parametrize(
        ("fake", "said"),
        [
            ("sys.version_info = (3, 10, 9, 'final', 0)", "Python 3.10; it is tested with 3.11 to"),
            ("sys.version_info = (3, 15, 0, 'final', 0)", "Python 3.15; it is tested with 3.11 to"),
            ("sys.abiflags = 't'", "a free-threaded Python; it is tested with 3.11 to"),
        ],
    )
    def test_is_refused_before_the_extension_loads(self, fake, said):
        out = run_program(self.PROGRAM.format(fake=fake))

        assert out.startswith(f"garboard: {said}")
        assert "set GARBOARD_UNTESTED_PYTHON=1" in out
        assert out.endswith("; loaded: False\n")

    def test_is_tried_where_the_environment_asks_for_it(self):
        fake = "sys.abiflags = 't'; os.environ['GARBOARD_UNTESTED_PYTHON'] = '1'"

        assert run_program(self.PROGRAM.format(fake=fake)) == "imported\n"


class TestASubinterpreter:
    def test_is_refused_before_the_extension_loads(self):
        out = run_program("""
            import sys, garboard as gb
            x = gb.ones(3)
            if sys.version_info >= (3, 13):
                import _interpreters as interpreters
                inner = interpreters.create()
                run = interpreters.run_string
            else:
                import _xxsubinterpreters as interpreters
                inner = interpreters.create()
                run = interpreters.run_string
            run(inner, '''if True:
                import sys
                try:
                    import garboard
                except ImportError as error:
                    print(error)
                    print("garboard._engine" in sys.modules)
            ''')
            interpreters.destroy(inner)
            with gb.dispose_scope():
                print((x + 1).tolist())
        """)
        said, loaded, main = out.splitlines()
        assert said.startswith("garboard: imported in a subinterpreter; it runs in the main")
        assert (loaded, main) == ("False", "[2.0, 2.0, 2.0]")


class TestAForkedChild:
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_computes_and_exits_cleanly(self, when):
        out = run_program(f"""
            import os, garboard as gb
            if {when!r} == "after":
                x = gb.ones(100_000, requires_grad=True)
                (x * 2).sum().backward()
            child = os.fork()
            if child == 0:
                with gb.dispose_scope():
                    y = gb.ones(100_000) * 3
                    total = y.sum().item()
                if {when!r} == "after":
                    total += x.grad.sum().item()
                print(total, flush=True)
                raise SystemExit(0)
            assert os.waitpid(child, 0)[1] == 0
            print((gb.ones(2) + 1).tolist())
        """)
        total = "300000.0" if when == "before" else "500000.0"
        assert out.splitlines() == [total, "[2.0, 2.0]"]

    def test_of_a_process_with_busy_threads_computes(self):
        out = run_program("""
            import os, threading, garboard as gb
            def work():
                while not done.is_set():
                    with gb.dispose_scope():
                        gb.ones(100_000) * 2
                    started.set()
            done, started = threading.Event(), threading.Event()
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            started.wait()
            codes = []
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    with gb.dispose_scope("child"):
                        total = (gb.ones(200_000) + gb.rand(200_000) * 0).sum().item()
                    os._exit(0 if total == 200_000 else 1)
                codes.append(os.waitpid(child, 0)[1])
            done.set()
            for thread in threads:
                thread.join()
            print(codes)
        """)
        assert out == "[0, 0, 0, 0, 0]\n"

    def test_keeps_its_own_books(self):
        out = run_program("""
            import os, garboard as gb
            x = gb.zeros(1000)
            before = gb.memory.live()
            child = os.fork()
            if child == 0:
                same = gb.memory.live() == before
                del x
                gone = before.bytes - gb.memory.live().bytes
                agree = gb.memory.memory_allocated() == gb.memory.live().bytes
                os._exit(0 if (same, gone, agree) == (True, 4000, True) else 1)
            assert os.waitpid(child, 0)[1] == 0
            print(gb.memory.live() == before)
        """)
        assert out == "True\n"

    def test_of_an_open_scope_closes_its_own_copy(self):
        out = run_program("""
            import os, garboard as gb
            with gb.dispose_scope("shared") as scope:
                x = gb.ones(3)
                child = os.fork()
                if child == 0:
                    scope.dispose()
                    os._exit(0 if x.is_disposed else 1)
                assert os.waitpid(child, 0)[1] == 0
                print(x.tolist())
        """)
        assert out == "[1.0, 1.0, 1.0]\n"

    def test_is_what_multiprocessing_makes(self):
        out = run_program("""
            import multiprocessing, garboard as gb
            def square(n):
                with gb.dispose_scope():
                    return (gb.full((10,), float(n)) ** 2).sum().item()
            if __name__ == "__main__":
                gb.ones(3)
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    print(pool.map(square, range(4)))
        """)
        assert out == "[0.0, 10.0, 40.0, 90.0]\n"
