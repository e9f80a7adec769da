"""What is written in Python names the argument it cannot take, as what is written in C++ does."""

from __future__ import annotations

import os
from math import inf

import garboard as gb
import pytest
from garboard.report import Report

F = gb.nn.functional
INIT = gb.nn.init
NO_TENSOR = r"^{}: {} is of type str; a Tensor is needed$"


@pytest.mark.parametrize(
    ("call", "op", "argument"),
    [
        (lambda: F.relu("x"), "relu", "input"),
        (lambda: F.relu("x", inplace=True), "relu", "input"),
        (lambda: F.softmax("x"), "softmax", "input"),
        (lambda: F.log_softmax("x"), "log_softmax", "input"),
        (lambda: gb.nn.ReLU()("x"), "relu", "input"),
        (lambda: gb.nn.Flatten()("x"), "flatten", "input"),
        (lambda: gb.nn.Softmax()("x"), "softmax", "input"),
        (lambda: gb.equal("x", gb.ones(1)), "equal", "input"),
        (lambda: gb.equal(gb.ones(1), "x"), "equal", "other"),
        (lambda: gb.allclose("x", gb.ones(1)), "allclose", "input"),
        (lambda: INIT.zeros_("x"), "zeros_", "tensor"),
        (lambda: INIT.ones_("x"), "ones_", "tensor"),
        (lambda: INIT.constant_("x", 1), "constant_", "tensor"),
        (lambda: INIT.uniform_("x"), "uniform_", "tensor"),
        (lambda: INIT.normal_("x"), "normal_", "tensor"),
        (lambda: INIT.xavier_uniform_("x"), "xavier_uniform_", "tensor"),
        (lambda: INIT.xavier_normal_("x"), "xavier_normal_", "tensor"),
        (lambda: INIT.kaiming_uniform_("x"), "kaiming_uniform_", "tensor"),
        (lambda: INIT.kaiming_normal_("x"), "kaiming_normal_", "tensor"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_names_what_is_no_tensor(call, op, argument):
    with pytest.raises(TypeError, match=NO_TENSOR.format(op, argument)):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gb.leaks.ignore(gb.ones(1)), "ignore: fingerprint is of type Tensor; a string"),
        (lambda: gb.leaks.ignore("A", until=3), "ignore: until is of type int; a string"),
        (lambda: gb.ones(1).__deepcopy__([]), "deepcopy: memo is of type list; a dict"),
        (lambda: gb.allclose(gb.ones(1), gb.ones(1), rtol="x"), "allclose: rtol is of type str"),
        (lambda: gb.leaks.watch().snapshot().diff(5), "diff: other is of type int; a Snapshot"),
        (lambda: Report(gb.memory.snapshot(), title=5), "Report: title is of type int"),
        (lambda: INIT.xavier_normal_(gb.ones(2, 2), gain="x"), "xavier_normal_: gain is of type"),
    ],
)
def test_names_what_is_of_another_type(call, message):
    with pytest.raises(TypeError, match=f"^{message}"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        gb.memory.dump_snapshot,
        gb.memory.load_snapshot,
        gb.memory.plot,
        gb.memory.read_allocation_log,
        gb.memory.write_allocation_log,
        Report(gb.memory.snapshot()).save,
    ],
    ids=lambda it: it.__name__,
)
class TestWhatAsksForAFile:
    def test_takes_no_number_of_an_open_one(self, call):
        reading, writing = os.pipe()

        with pytest.raises(TypeError, match=r"(path|filename) is of type int; a path is needed"):
            call(reading)

        os.close(reading)  # is still open
        os.close(writing)

    def test_takes_no_name_that_no_file_can_have(self, call):
        with pytest.raises(ValueError, match="no file can have that name"):
            call("\ud800")


def test_a_profile_takes_no_number_of_an_open_file():
    with gb.profiler.profile() as profile:
        gb.ones(1)

    with pytest.raises(TypeError, match="path is of type int"):
        profile.export_chrome_trace(1)


def test_an_event_names_what_it_can_add_up():
    with gb.profiler.profile(profile_memory=True) as profile:
        gb.ones(1)

    with pytest.raises(ValueError, match=r"name 'x'; one of cpu_allocated, .* is needed"):
        profile.events()[0].total("x")


def test_counts_are_subtracted_from_counts_alone():
    with pytest.raises(TypeError, match="unsupported operand"):
        gb.memory.live() - 2


def test_counts_do_not_change():
    with pytest.raises(AttributeError):
        gb.memory.live().bytes = 5


DEEP: list[object] = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "call",
    [
        lambda it: gb.gelu(gb.ones(1), approximate=it),
        lambda it: gb.mse_loss(gb.ones(1), gb.ones(1), reduction=it),
        lambda it: gb.nn.MSELoss(reduction=it),
        lambda it: gb.leaks.watch(level=it),
        lambda it: gb.leaks.watch(on_leak=it),
        lambda it: gb.leaks.live(it),
        lambda it: gb.memory.record_history(it),
        lambda it: gb.memory.record_history(context=it),
        lambda it: gb.memory.record_history(stacks=it),
        lambda it: gb.optim.Adam([gb.ones(1, requires_grad=True)], betas=it),
        lambda it: gb.profiler.profile().key_averages().sorted_by(it),
    ],
)
@pytest.mark.parametrize("given", [DEEP, object()], ids=["deep", "object"])
def test_what_is_no_word_is_not_printed(call, given):
    with pytest.raises((TypeError, ValueError, gb.GarboardError)) as caught:
        call(given)

    assert len(str(caught.value)) < 300


def test_a_batch_is_not_made_of_a_nest_that_holds_itself():
    nest: list[object] = [1]
    nest.append(nest)

    with pytest.raises(ValueError, match="nested more than 64 deep"):
        gb.utils.data.default_collate([nest, nest])


def test_a_batch_is_not_made_of_dicts_of_different_keys():
    with pytest.raises(ValueError, match="sample 1 lacks a key of the first"):
        gb.utils.data.default_collate([{"a": 1}, {"b": 1}])


def test_what_is_replayed_is_logged_events():
    with (
        gb.memory.SimulatedDevice("4 MiB") as device,
        pytest.raises(TypeError, match="event 0 is of type int; a LoggedEvent is needed"),
    ):
        device.replay([1])


def test_an_error_shows_bytes_that_are_no_text():
    with pytest.raises(gb.GarboardError, match=r"\\xff"):
        gb.memory.parse_bytes(b"\xff")


def test_options_for_printing_are_all_set_or_none():
    before = repr(gb.rand(3))
    kept = repr(gb.tensor([0.123456]))

    for wrong in (gb.ones(1), "4", -1, 101, 2**62):
        with pytest.raises((TypeError, ValueError), match="set_printoptions: "):
            gb.set_printoptions(edgeitems=1, precision=wrong)
    with pytest.raises(TypeError, match="threshold is of type Tensor"):
        gb.set_printoptions(edgeitems=1, threshold=gb.ones(()))

    assert repr(gb.tensor([0.123456])) == kept, before


def test_any_number_of_elements_is_printed_under_an_infinite_threshold():
    gb.set_printoptions(threshold=inf)
    try:
        assert "..." not in repr(gb.zeros(2000))
    finally:
        gb.set_printoptions(threshold=1000)


class TestAModuleThatWouldHoldItself:
    def test_is_refused(self):
        module = gb.nn.Sequential(gb.nn.Linear(2, 2))

        with pytest.raises(ValueError, match="cannot contain itself"):
            module.add_module("loop", module)

        assert len(module) == 1
        assert "loop" not in repr(module)

    def test_is_refused_at_any_depth(self):
        inner = gb.nn.Sequential()
        outer = gb.nn.Sequential(gb.nn.Sequential(inner))

        with pytest.raises(ValueError, match="'above' holds this one"):
            inner.above = outer

        assert list(outer.modules()) == [outer, outer[0], inner]

    def test_may_hold_another_twice(self):
        layer = gb.nn.Linear(2, 2)

        assert len(gb.nn.Sequential(layer, layer)) == 2
