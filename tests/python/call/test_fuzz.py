"""The fuzzer finds each kind of fault that is planted, and none in what is there."""

from __future__ import annotations

import os

import garboard as gb
import pytest

from tests.fuzz.allowed import is_left_out
from tests.fuzz.deaths import explain
from tests.fuzz.judge import fault_of
from tests.fuzz.replay import needed, reduced
from tests.fuzz.runner import Runner
from tests.fuzz.targets import Target, functions, members, public_names

PLANT = """
class Found(Exception): pass
kept = []
def crash(input): os.abort()
def hang(input):
    import signal
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True: pass
def untyped(input): raise SystemError('planted')
def leak(input): kept.append(gb.ones(3)); raise ValueError('typed')
def clean(input): raise gb.ShapeError('typed')
def endless(input):
    while True: pass
targets.functions.cache_clear()
planted = targets.Target('gb.planted', {fault}, (targets.Parameter('input', 'any'),))
targets.functions = lambda: {{'garboard': [planted]}}
targets.members = lambda owner: [planted]
"""


def planted(tmp_path, fault: str, programs: int) -> Runner:
    """Run programs whose every call is one of `fault`."""
    runner = Runner(tmp_path, seed=1, cores=1, hang_seconds=3)
    runner.workers[0].order.plant = PLANT.format(fault=fault)
    runner.run(60, last=programs)
    return runner


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "kind"),
    [("crash", "crash"), ("hang", "hang"), ("untyped", "untyped"), ("leak", "leak")],
)
def test_a_planted_fault_is_found(fault, kind, tmp_path):
    runner = planted(tmp_path, fault, programs=2)

    assert {it.kind for it in runner.findings.all()} == {kind}


@pytest.mark.slow
def test_what_answers_with_typed_errors_is_clean(tmp_path):
    runner = planted(tmp_path, "clean", programs=50)

    assert runner.findings.all() == []
    assert runner.totals.programs == 50
    assert runner.totals.errors >= 50


@pytest.mark.slow
def test_what_a_signal_ends_is_no_hang(tmp_path):
    runner = planted(tmp_path, "endless", programs=2)

    assert runner.findings.all() == []
    assert runner.totals.interrupts == 2


@pytest.mark.slow
def test_children_that_cannot_begin_end_the_run(tmp_path):
    runner = Runner(tmp_path, seed=1, cores=1, hang_seconds=3)
    runner.workers[0].order.plant = "raise ImportError('of what is not there')"

    with pytest.raises(RuntimeError, match="of what is not there"):
        runner.run(60, last=100)


@pytest.mark.slow
def test_the_same_number_is_the_same_program(tmp_path):
    first, second = (planted(tmp_path, "clean", programs=30).totals for _ in range(2))

    assert first == second


@pytest.mark.slow
def test_a_fixed_seed_finds_nothing(tmp_path):
    cores = min(2, len(os.sched_getaffinity(0)))
    runner = Runner(tmp_path, seed=1, cores=cores, hang_seconds=10)

    runner.run(3600, last=50_000)
    explain(runner)

    found = [it.reported(runner.seed) for it in runner.findings.all()]
    assert not found, "\n\n".join(["the fuzzer found:", *found])
    assert runner.totals.programs == 50_000
    public = public_names()
    # Most of the rest are members of classes that are hard to make one of.
    assert len(public & runner.findings.called) > 0.77 * len(public)


@pytest.mark.parametrize(
    ("error", "is_fault"),
    [
        (gb.OutOfMemoryError("none left"), False),
        (TypeError("add: input is a str; a Tensor is needed"), False),
        (TypeError("step(): incompatible function arguments."), True),
        (RuntimeError("Unable to cast Python instance"), True),
        (MemoryError(), True),
        (AssertionError(), True),
        (KeyError("lr"), True),
        (AttributeError("'int' object has no attribute 'relu'"), True),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), True),
        (RecursionError("maximum recursion depth exceeded"), True),
        (SystemError("error return without exception set"), True),
    ],
    ids=lambda it: type(it).__name__,
)
def test_an_untyped_error_is_a_fault(error, is_fault):
    assert bool(fault_of(error, Target("gb.add", int, ()))) is is_fault


def test_every_public_function_is_called():
    called = {id(target.call) for found in functions().values() for target in found}
    public = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in (gb, gb.nn, gb.leaks)
        for name in module.__all__
    }

    missed = [name for name, it in public.items() if callable(it) and id(it) not in called]

    assert [name for name in missed if not is_left_out(name)] == []


def test_every_way_to_call_a_tensor_is_found():
    found = {target.name for target in members(gb.Tensor)}

    assert {"Tensor.add_", "Tensor.grad (read)", "Tensor.grad (write)", "repr(Tensor)"} <= found
    assert {"operator.__add__(Tensor, any)", "operator.__add__(any, Tensor)"} <= found
    assert {"operator.__neg__(Tensor)", "operator.getitem(Tensor, any)"} <= found
    assert "np.exp(Tensor)" in found


def test_a_text_keeps_what_its_last_line_needs():
    lines = ["v0 = gb.ones(3)", "v1 = 5", "r2 = v0.exp()", "r3 = gb.add(v1, v1)"]

    assert needed(lines) == ["v1 = 5", "r3 = gb.add(v1, v1)"]


def test_a_text_loses_what_is_not_to_blame():
    assert reduced(list("abcdef"), lambda lines: {"b", "e"} <= set(lines)) == ["b", "e"]
