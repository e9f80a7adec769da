"""Ctrl-C: what takes long ends between two pieces of it, and leaves the books balanced."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import pytest
from garboard.func._batching import tensor as batching
from garboard.leaks import _watch
from garboard.nn.utils import stateless

from tests.fuzz.stories.modes import modes_here
from tests.support.live_memory import balanced  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")

ENDLESS = 1 << 40  # elements, all one and the same
LONG = 1 << 31  # more than a timer's 20 ms, however fast the machine is
SOON = 0.1  # seconds
AT_MOST = 10.0  # of the processor's, for a machine may be shared; alone it is 0.1


@pytest.fixture(autouse=True, params=[1, 2], ids=["one thread", "two threads"])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = gb.get_num_threads()
    gb.set_num_threads(request.param)
    yield request.param
    gb.set_num_threads(before)


class CtrlC:
    """The user's Ctrl-C, by the alarm; late ones hit nobody."""

    is_armed = False

    def __call__(self, *_: object) -> None:
        if self.is_armed:
            self.is_armed = False
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, CtrlC())
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def is_interrupted(work: Callable[[], Any]) -> bool:
    """Run `work`, with Ctrl-C soon; tell whether that ended it."""
    ctrl_c = signal.getsignal(signal.SIGALRM)
    began = time.process_time()
    try:
        ctrl_c.is_armed = True
        signal.setitimer(signal.ITIMER_REAL, SOON)
        work()
        ctrl_c.is_armed = False
    except KeyboardInterrupt:
        assert time.process_time() - began < AT_MOST
        return True
    signal.setitimer(signal.ITIMER_REAL, 0)
    return False


def zeros(*sizes: int, dtype: gb.dtype = gb.float32) -> gb.Tensor:
    """A tensor of any sizes that takes the memory of one element."""
    return gb.zeros(*[1] * len(sizes), dtype=dtype).expand(*sizes)


def classes(*sizes: int) -> gb.Tensor:
    return zeros(*sizes, dtype=gb.int64)


@pytest.fixture(scope="module", autouse=True)
def what_transforms_import() -> None:
    """SciPy is imported at the first transform; Python drops a Ctrl-C that comes in parts of it."""
    gb.fft.rfft(gb.zeros(2))


REDUCTIONS = {
    "sum": lambda: zeros(ENDLESS).sum(),
    "a sum in float64": lambda: zeros(ENDLESS, dtype=gb.float64).sum(),
    "a sum of integers": lambda: zeros(ENDLESS, dtype=gb.int64).sum(),
    "a sum of few rows": lambda: gb.zeros(3, 1).expand(3, ENDLESS).sum(1),
    "a sum of a few columns": lambda: gb.zeros(16).expand(ENDLESS, 16).sum(0),
    "a sum of many columns": lambda: gb.zeros(1000).expand(ENDLESS, 1000).sum(0),
    "a sum of short columns": lambda: gb.zeros(16, 3).T.expand(ENDLESS, 3, 16).sum((0, 1)),
    "a sum of dense rows": lambda: gb.zeros(3, 7).expand(ENDLESS, 3, 7).sum(),
    "max": lambda: zeros(ENDLESS).max(),
    "any": lambda: zeros(ENDLESS, dtype=gb.bool).any(),
    "prod": lambda: zeros(ENDLESS).prod(),
    "mean": lambda: zeros(ENDLESS).mean(),
    "var": lambda: zeros(ENDLESS).var(),
    "var of columns": lambda: gb.zeros(20).expand(ENDLESS, 20).var(0),
    "argmax": lambda: zeros(ENDLESS).argmax(),
    "argmax of bytes": lambda: zeros(ENDLESS, dtype=gb.uint8).argmax(),
    "argmin of rows": lambda: gb.zeros(3, 1).expand(3, ENDLESS).argmin(1),
    "max of columns": lambda: gb.zeros(7).expand(ENDLESS, 7).max(0),
}
PRODUCTS = {
    "vectors": lambda: zeros(ENDLESS) @ zeros(ENDLESS),
    "a matrix and a vector": lambda: zeros(3, ENDLESS) @ zeros(ENDLESS),
    "few rows": lambda: zeros(4, ENDLESS) @ zeros(ENDLESS, 5),
    "many rows": lambda: zeros(64, ENDLESS) @ zeros(ENDLESS, 64),
    "float64": lambda: zeros(4, ENDLESS, dtype=gb.float64) @ zeros(ENDLESS, 5, dtype=gb.float64),
    "integers": lambda: classes(4, ENDLESS) @ classes(ENDLESS, 5),
    "batches": lambda: gb.bmm(zeros(2, 3, ENDLESS), zeros(2, ENDLESS, 4)),
    "linear": lambda: gb.nn.functional.linear(zeros(4, ENDLESS), zeros(5, ENDLESS), gb.zeros(5)),
    "square": lambda: zeros(20_000, 20_000) @ zeros(20_000, 20_000),
    "square in float64": lambda: (
        zeros(5_000, 60_000, dtype=gb.float64) @ zeros(60_000, 5_000, dtype=gb.float64)
    ),
}
INDEXED = {
    "unique of long columns": lambda: gb.zeros(1 << 20, 64).unique(dim=0),
    "transforms of many rows": lambda: gb.fft.rfft(gb.zeros(1 << 22).unfold(0, 1 << 14, 1 << 6)),
    "topk": lambda: zeros(ENDLESS).topk(2),
    "unique of many columns": lambda: gb.zeros(2, 1 << 21).unique(dim=0),
    "a pool of one line": lambda: gb.nn.functional.avg_pool1d(gb.zeros(1, 1 << 21), 1 << 20, 1),
    "a pool": lambda: gb.nn.functional.max_pool2d(gb.zeros(1, 2000, 2000), 1001, 1, 500),
    "bincount": lambda: classes(ENDLESS).bincount(),
    "scatter_add_": lambda: gb.zeros(3).scatter_add_(0, classes(ENDLESS), zeros(ENDLESS)),
    "scatter_ of a number": lambda: gb.zeros(3).scatter_(0, classes(ENDLESS), 1.0),
    "scatter_reduce": lambda: gb.zeros(3).scatter_reduce(
        0, classes(ENDLESS), zeros(ENDLESS), "amax"
    ),
    "index_copy_": lambda: gb.zeros(3).index_copy_(0, classes(ENDLESS), zeros(ENDLESS)),
    "assignment": lambda: gb.zeros(3).__setitem__(classes(ENDLESS), 1.0),
}
PYTHONS_OWN = {
    "tolist": lambda: zeros(1 << 14, 1 << 14).tolist(),
    "tensor of a list": lambda: gb.tensor([[1.0] * 1000] * 100_000),
    "cross_entropy of many classes": lambda: gb.nn.functional.cross_entropy(
        zeros(8, 1 << 26), classes(8)
    ),
    "cross_entropy": lambda: gb.nn.functional.cross_entropy(
        zeros(1 << 20, 1 << 16), classes(1 << 20)
    ),
}


@pytest.mark.parametrize("work", [*REDUCTIONS.values()], ids=REDUCTIONS)
def test_a_reduction_that_would_take_hours_ends(work):
    assert is_interrupted(work)


@pytest.mark.parametrize("work", [*PRODUCTS.values()], ids=PRODUCTS)
def test_a_product_that_would_take_hours_ends(work):
    assert is_interrupted(work)


def test_a_signal_that_is_there_before_the_first_look_is_heard():
    said = run_program(
        """
        import signal
        import threading

        import garboard as gb

        of_threading = threading.main_thread
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background

        def main_thread():
            signal.raise_signal(signal.SIGINT)  # heard in here, at the latest
            return of_threading()

        threading.main_thread = main_thread
        try:
            gb.zeros(1).expand(1 << 40).sum()
        except KeyboardInterrupt:
            print("ended")
        """
    )

    assert said == "ended\n"


@pytest.mark.parametrize("work", [*INDEXED.values()], ids=INDEXED)
def test_an_index_that_names_one_place_for_hours_ends(work):
    assert is_interrupted(work)


def test_ctrl_c_while_numpy_is_imported_is_no_missing_numpy():
    said = run_program(
        """
        import importlib.abc, sys
        import garboard as gb

        class Stops(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path, target=None):
                if name == "numpy":
                    raise KeyboardInterrupt

        sys.meta_path.insert(0, Stops())
        try:
            gb.ones(1).numpy()
        except KeyboardInterrupt:
            print("ended")
        """
    )

    assert said == "ended\n"


@pytest.mark.parametrize("work", [*PYTHONS_OWN.values()], ids=PYTHONS_OWN)
def test_what_takes_seconds_ends(work):
    assert is_interrupted(work)


def test_what_was_half_written_is_a_tensor_of_a_later_version():
    x = gb.ones(1 << 24)
    versions = [x._version]

    def write() -> None:
        for _ in range(1000):
            x.normal_()
            versions.append(x._version)

    assert is_interrupted(write)

    assert x._version >= versions[-1]
    assert x.shape == (1 << 24,)
    assert (x.fill_(2) == 2).all()


def test_a_backward_pass_of_many_nodes_ends():
    x = gb.ones(1, requires_grad=True)
    y = x
    for _ in range(1 << 18):
        y = y * 1

    def begin(_: gb.Tensor) -> None:
        signal.getsignal(signal.SIGALRM).is_armed = True
        signal.setitimer(signal.ITIMER_REAL, 0.002)

    y.register_hook(begin)
    with pytest.raises(KeyboardInterrupt):
        y.backward()

    assert x.grad is None


def test_a_long_op_of_a_backward_pass_ends_it():
    x = gb.ones(1, requires_grad=True)
    y = x.expand(ENDLESS)

    assert is_interrupted(lambda: y.backward(zeros(ENDLESS)))

    assert x.grad is None
    assert x._version == 0


def test_a_handler_that_returns_lets_the_work_go_on():
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(gb.ones(3).sum().item()))
    ones = gb.ones(1, dtype=gb.int64).expand(LONG)

    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    total = ones.sum()
    signal.setitimer(signal.ITIMER_REAL, 0)

    assert total.item() == LONG
    assert set(seen) == {3.0}


def test_a_handler_may_run_long_ops_of_its_own_and_end_what_the_op_reads():
    x = gb.ones(1, dtype=gb.int64)
    wide = x.expand(LONG)
    inner = []

    def handle(*_: object) -> None:
        x.dispose()
        wide.dispose()
        inner.append(gb.ones(1 << 22).sum().item())

    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    total = wide.sum()

    assert total.item() == LONG
    assert inner == [float(1 << 22)]


def test_what_a_handler_raises_is_what_the_op_raises():
    class MineError(Exception):
        pass

    def handle(*_: object) -> None:
        raise MineError("told to end")

    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(MineError, match="told to end"):
        zeros(ENDLESS).sum()


def test_work_of_another_thread_goes_on():
    results: list[float] = []
    ones = gb.ones(1, dtype=gb.int64).expand(1 << 28)

    def wait() -> None:
        while not results:  # with no lock, which an interrupt might leave half taken
            pass

    thread = threading.Thread(target=lambda: results.append(ones.sum().item()))
    thread.start()
    is_interrupted(wait)
    thread.join()

    assert results == [1 << 28]


def test_a_worker_threads_work_of_minutes_holds_up_nobody_but_itself(threads):
    said = run_program(
        f"""
        import threading, garboard as gb
        gb.set_num_threads({threads})
        thread = threading.Thread(target=lambda: gb.zeros(1).expand(1 << 40).sum(), daemon=True)
        thread.start()
        for _ in range(100):
            gb.ones(1 << 16).sum()
        print(thread.is_alive())
        """
    )

    assert said == "True\n"


def test_a_scope_ends_what_the_interrupted_block_made():
    with gb.dispose_scope() as scope:
        kept = gb.ones(10)
        assert is_interrupted(lambda: zeros(ENDLESS).sum())
        assert len(scope) <= 3

    assert kept.is_disposed


def test_a_program_ends_by_its_first_ctrl_c(threads):
    said = run_program(
        f"""
        import os, signal, threading, garboard as gb
        gb.set_num_threads({threads})
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
        before = gb.memory.live()
        try:
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            gb.zeros(1).expand(1 << 40).sum()
        except KeyboardInterrupt as error:
            print(type(error).__name__)
        print(gb.memory.live() == before, gb.memory.memory_allocated())
        """
    )

    assert said == "KeyboardInterrupt\nTrue 0\n"


def test_a_forked_child_is_interrupted_in_the_thread_that_forked(threads):
    said = run_program(
        f"""
        import os, signal, threading, garboard as gb
        gb.set_num_threads({threads})
        gb.zeros(1).expand(1 << 28).sum()
        def child():
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            try:
                gb.zeros(1).expand(1 << 40).sum()
            except KeyboardInterrupt:
                os._exit(7)
        def fork():
            gb.zeros(1).expand(1 << 28).sum()  # this thread has learnt that it is not the main one
            if (pid := os.fork()) == 0:
                child()
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
        """
    )

    assert said == "7\n"


BLOCKS = {
    "no_grad": gb.no_grad,
    "enable_grad": gb.enable_grad,
    "set_grad_enabled": lambda: gb.set_grad_enabled(False),
    "inference_mode": gb.inference_mode,
    "detect_anomaly": gb.autograd.detect_anomaly,
    "set_detect_anomaly": lambda: gb.autograd.set_detect_anomaly(True),
    "disable_saved_tensors_hooks": lambda: gb.autograd.graph.disable_saved_tensors_hooks("no"),
    "fuse": gb.fuse,
    "TorchFunctionMode": gb.overrides.TorchFunctionMode,
    "dispose_scope": gb.dispose_scope,
}
#: Some ask Python first whether they may begin, or are begun and ended by a function of ours,
#: which is called again where Ctrl-C has kept it from its end.
ASKING = {
    "saved_tensors_hooks": lambda: gb.autograd.graph.saved_tensors_hooks(gb.relu, gb.relu),
    "autocast": lambda: gb.autocast("cpu"),
    "profile": gb.profiler.profile,
    "profile of steps": lambda: gb.profiler.profile(
        schedule=gb.profiler.schedule(wait=0, warmup=0, active=1)
    ),
    "record_function": lambda: gb.profiler.record_function("part"),
    "dual_level": gb.autograd.forward_ad.dual_level,
    "DisableTorchFunctionSubclass": gb._C.DisableTorchFunctionSubclass,
    "fork_rng": gb.random.fork_rng,
    "cached": gb.nn.utils.parametrize.cached,
    "cudnn.flags": lambda: gb.backends.cudnn.flags(enabled=False),
    "safe_globals": lambda: gb.serialization.safe_globals([CtrlC]),
    "set_checkpoint_early_stop": lambda: gb.utils.checkpoint.set_checkpoint_early_stop(False),
}


#: From Python 3.14 on Ctrl-C is seen between `__enter__` and the block, too, and no `__exit__` is
#: called. What these enter holds them, so that they do not end, and are not left, by that.
HELD = {
    *("disable_saved_tensors_hooks", "fuse", "TorchFunctionMode", "saved_tensors_hooks"),
    *("autocast", "profile", "profile of steps"),
}


@pytest.fixture
def without_garbage() -> Iterator[None]:
    """No finalizer's code runs meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_garbage")
@pytest.mark.parametrize("make", BLOCKS.values(), ids=BLOCKS)
def test_no_code_of_python_runs_at_either_end_of_a_block(make):
    # Python raises a KeyboardInterrupt where a function of its own begins: were the end of a block
    # one, Ctrl-C there would leave the mode as the block had it.
    begun: list[str] = []

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call":
            begun.append(frame.f_code.co_name)

    block = make()
    sys.setprofile(note)
    with block:
        pass
    sys.setprofile(None)

    assert begun == []


@pytest.mark.usefixtures("without_garbage")
@pytest.mark.parametrize("name", [*BLOCKS, *ASKING])
def test_ctrl_c_anywhere_in_a_block_leaves_everything_as_it_was(name):
    if name in HELD and sys.version_info >= (3, 14):
        pytest.skip("Python 3.14 leaves a block without its end")
    make, before = {**BLOCKS, **ASKING}[name], modes_here()
    numbers = iter(range(1, 1000))
    while is_interrupted_at(next(numbers), make):
        assert modes_here() == before

    assert modes_here() == before
    assert next(numbers) > 2


@pytest.mark.usefixtures("without_garbage")
def test_ctrl_c_in_a_call_with_other_parameters_gives_the_module_its_own_back():
    layer, other = gb.nn.Linear(1, 1), gb.ones(1, 1)
    own = layer.weight
    numbers = iter(range(1, 1000))

    def replaced() -> Any:
        return stateless._replaced({"weight": (layer, "weight")}, {"weight": other})

    while is_interrupted_at(next(numbers), replaced):
        assert layer.weight is own
        assert list(layer.state_dict()) == ["weight", "bias"]

    assert next(numbers) > 2


@pytest.mark.usefixtures("without_garbage")
@pytest.mark.parametrize("make", [gb.leaks.watch, gb.leaks.no_leaks])
def test_ctrl_c_anywhere_in_a_look_for_leaks_ends_it(make):
    looks = []

    def look() -> Any:
        looks.append(make())
        return looks[-1]

    before = len(_watch.running), len(gc.callbacks)
    for number in range(1, 400, 3):
        is_interrupted_at(number, look)
        assert (len(_watch.running), len(gc.callbacks)) == before


def is_interrupted_at(number: int, make: Callable[[], Any]) -> bool:
    """Make a block, enter and leave it, with Ctrl-C at one of the places where Python sees it."""
    left = [number]

    def look(frame: object, event: str, called: object) -> None:
        left[0] -= event in ("call", "c_return")
        if left[0] == 0:
            sys.setprofile(None)
            del (
                frame,
                called,
            )  # as a signal, which holds nothing: `called` may be the block's method
            raise KeyboardInterrupt

    def run() -> None:
        with make():
            gb.is_grad_enabled()

    try:
        sys.setprofile(look)
        run()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


@pytest.mark.usefixtures("without_garbage")
def test_ctrl_c_where_a_sample_is_made_leaves_classes_to_take_calls_over():
    numbers, value = iter(range(1, 1000)), gb.ones(2, 1)

    def made() -> Any:
        sample = batching.batch(value, None)
        batching.unasked(gb.Tensor.numel, (sample,), {})
        return contextlib.nullcontext()

    while is_interrupted_at(next(numbers), made):
        assert gb._engine._set_overriding(None)

    assert next(numbers) > 2


@pytest.mark.parametrize(
    "make",
    [lambda: gb.set_grad_enabled(False), lambda: gb.autograd.set_detect_anomaly(True)],
    ids=["set_grad_enabled", "set_detect_anomaly"],
)
def test_ctrl_c_between_a_call_and_its_block_takes_back_what_the_call_set(make):
    before = modes_here()

    with pytest.raises(KeyboardInterrupt):
        # The object lies where `with` would have found it, and ends with the error there.
        [make(), signal.default_int_handler(signal.SIGINT, None)]

    assert modes_here() == before


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_what_a_call_set_stays_where_somebody_keeps_it_or_something_else_goes_wrong(kind):
    with gb.no_grad():
        with contextlib.suppress(kind):
            kept = gb.set_grad_enabled(True)
            raise kind
        assert gb.is_grad_enabled()
        del kept
        assert gb.is_grad_enabled()
