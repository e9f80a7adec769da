"""Streams: beside each other, in the order that was asked for, and memory that waits for them.

On the stand-in work is done as late as it may be: whoever forgets to wait gets wrong elements.
"""

from __future__ import annotations

import gc
import threading

import garboard as gb
import pytest

from tests.support.cuda_agreement import on_cuda
from tests.support.live_memory import balanced  # noqa: F401

without_cuda = pytest.mark.skipif(gb.cuda.is_available(), reason="there is a CUDA device")

SIZE = 1 << 16


def is_late() -> bool:
    """Tell whether the device is the stand-in, which does nothing before it must."""
    return gb.cuda.get_device_name() == "simulated"


def lent() -> int:
    return gb._engine._stream_counts(0)[0]


@pytest.fixture(autouse=True)
def streams_go_back():
    if not gb.cuda.is_available():
        yield
        return
    gc.collect()  # what tests before have left
    before = lent()
    yield
    gb.cuda.synchronize()
    gc.collect()
    assert lent() == before
    assert gb.cuda.current_stream() == gb.cuda.default_stream()
    assert gb.cuda.current_device() == 0


# Anywhere


@without_cuda
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("Stream", lambda: gb.cuda.Stream()),
        ("Event", lambda: gb.cuda.Event()),
        ("current_stream", lambda: gb.cuda.current_stream()),
        ("default_stream", lambda: gb.cuda.default_stream(0)),
        ("set_device", lambda: gb.cuda.set_device(0)),
        ("device", lambda: gb.cuda.device(0)),
        ("init", lambda: gb.cuda.init()),
        ("get_device_properties", lambda: gb.cuda.get_device_properties()),
        ("get_device_capability", lambda: gb.cuda.get_device_capability(0)),
        ("mem_get_info", lambda: gb.cuda.mem_get_info()),
        ("get_rng_state", lambda: gb.cuda.get_rng_state()),
        ("pin_memory", lambda: gb.ones(2).pin_memory()),
        ("pin_memory", lambda: gb.ones(2, pin_memory=True)),
    ],
)
def test_what_needs_a_device_says_why_there_is_none(name, call):
    with pytest.raises(gb.DeviceError) as error:
        call()

    assert str(error.value).startswith(f"{name}: ")
    assert str(gb.cuda.why_unavailable()) in str(error.value)


@without_cuda
def test_scripts_ask_on_any_machine():
    with gb.cuda.stream(None), gb.cuda.device(None), gb.cuda.device_of(gb.ones(2)):
        assert not gb.cuda.is_initialized()
        assert not gb.cuda._initialized
    assert not gb.cuda.is_bf16_supported()
    assert gb.cuda.get_rng_state_all() == []
    assert not gb.ones(2).is_pinned()


@pytest.mark.parametrize(
    "call",
    [
        lambda: gb.cuda.stream("side"),
        lambda: gb.cuda.set_stream(3),
        lambda: gb.ones(2).record_stream(None),
        lambda: gb.cuda.device_of("cuda"),
        lambda: gb.cuda.Event(enable_timing="yes"),
    ],
)
def test_what_is_no_stream_is_refused(call):
    with pytest.raises(TypeError):
        call()


def test_events_of_other_processes_are_refused_by_name():
    with pytest.raises(ValueError, match="interprocess=True"):
        gb.cuda.Event(interprocess=True)


# On a device


@on_cuda
def test_the_first_stream_is_the_default_one():
    stream = gb.cuda.current_stream()

    assert stream == gb.cuda.default_stream("cuda:0") == gb.cuda.default_stream(0)
    assert hash(stream) == hash(gb.cuda.default_stream())
    assert stream.cuda_stream == stream.stream_id == 0
    assert stream.device == gb.device("cuda:0")
    assert repr(stream) == "<garboard.cuda.Stream device=cuda:0 cuda_stream=0x0>"
    assert stream != 0


@on_cuda
def test_a_stream_is_a_handle_of_its_own():
    one, other = gb.cuda.Stream(), gb.cuda.Stream(device="cuda:0", priority=-1)

    assert one != other
    assert len({one, other, gb.cuda.current_stream()}) == 3
    assert lent() >= 2
    least, greatest = gb.cuda.Stream.priority_range()
    assert greatest <= other.priority < one.priority == 0 == least
    assert gb.cuda.Stream(priority=-(10**20)).priority == greatest


@on_cuda
def test_a_stream_goes_back_with_its_last_reference():
    first = gb.cuda.Stream()
    made = gb._engine._stream_counts(0)[1]
    shared = first

    del first
    while_shared = lent()
    del shared
    after = lent()
    again = gb.cuda.Stream()

    assert (while_shared, after) == (1, 0)
    assert gb._engine._stream_counts(0)[1] == made
    del again


@on_cuda
def test_a_thousand_streams_after_another_are_few():
    made = gb._engine._stream_counts(0)[1]

    for _ in range(1000):
        gb.cuda.Stream()

    assert gb._engine._stream_counts(0)[1] <= made + 1


@on_cuda
def test_a_stream_may_end_while_it_works():
    x = gb.ones(SIZE, device="cuda")
    side = gb.cuda.Stream()
    side.wait_stream(gb.cuda.current_stream())
    with gb.cuda.stream(side):
        y = x + 1
    event = side.record_event()
    x.record_stream(side)

    del side
    event.wait()

    assert y.sum().item() == 2 * SIZE


@on_cuda
def test_work_goes_to_the_current_stream_of_its_thread():
    side = gb.cuda.Stream()
    seen = []
    with gb.cuda.stream(side):
        thread = threading.Thread(target=lambda: seen.append(gb.cuda.current_stream()))
        thread.start()
        thread.join()
        inside = gb.cuda.current_stream()

    assert inside == side
    assert seen == [gb.cuda.default_stream()]
    seen.clear()


@on_cuda
def test_contexts_nest_and_end_with_errors():
    one, other = gb.cuda.Stream(), gb.cuda.Stream()

    with one as entered:
        with gb.cuda.stream(other), one:
            assert gb.cuda.current_stream() == one
        assert entered == gb.cuda.current_stream() == one
        with pytest.raises(KeyError), gb.cuda.StreamContext(other):
            raise KeyError
        assert gb.cuda.current_stream() == one

    gb.cuda.set_stream(other)
    assert gb.cuda.current_stream() == other
    gb.cuda.set_stream(gb.cuda.default_stream())


@on_cuda
def test_the_current_stream_is_held():
    gb.cuda.set_stream(gb.cuda.Stream())
    gc.collect()

    assert lent() == 1

    gb.cuda.set_stream(gb.cuda.default_stream())
    assert lent() == 0


@on_cuda
def test_streams_wait_for_each_other(balanced):  # noqa: F811
    side = gb.cuda.Stream()
    x = gb.full((SIZE,), 2.0, device="cuda")

    side.wait_stream(gb.cuda.current_stream())
    with gb.cuda.stream(side):
        y = x * 3
        x.record_stream(side)
    del x
    gb.cuda.current_stream().wait_stream(side)
    y.record_stream(gb.cuda.current_stream())

    assert y.sum().item() == 6 * SIZE


@on_cuda
def test_memory_is_not_given_away_while_a_stream_uses_it():
    side = gb.cuda.Stream()
    x = gb.full((SIZE,), 2.0, device="cuda")
    side.wait_stream(gb.cuda.current_stream())
    with gb.cuda.stream(side):
        y = x * 3
    x.record_stream(side)

    del x
    others = [gb.full((SIZE,), 9.0, device="cuda") for _ in range(3)]  # on the default stream
    gb.cuda.default_stream().synchronize()
    side.synchronize()

    assert y.tolist() == [6.0] * SIZE
    del others


@on_cuda
def test_memory_that_no_stream_was_recorded_for_is_given_away():
    if not is_late():
        pytest.skip("a device may be fast enough")
    side = gb.cuda.Stream()
    x = gb.full((SIZE,), 2.0, device="cuda")
    side.wait_stream(gb.cuda.current_stream())
    with gb.cuda.stream(side):
        y = x * 3

    del x
    other = gb.full((SIZE,), 9.0, device="cuda")
    gb.cuda.default_stream().synchronize()
    side.synchronize()

    assert y.tolist() == [27.0] * SIZE
    del other


@on_cuda
def test_a_stream_of_another_device_cannot_be_recorded():
    with pytest.raises(gb.DeviceError, match="record_stream: a tensor on cpu"):
        gb.ones(2).record_stream(gb.cuda.current_stream())


@on_cuda
def test_products_and_reductions_run_on_streams_too():
    side = gb.cuda.Stream()
    with gb.cuda.stream(side):
        x = gb.ones(64, 64, device="cuda")
        found = [(x @ x).sum().item(), x.cumsum(0).sum().item(), x.sort()[0].sum().item()]

    assert found == [64.0**3, 64 * 65 * 32, 64.0 * 64]


@on_cuda
def test_a_backward_pass_waits_for_what_another_stream_has_made(balanced):  # noqa: F811
    side = gb.cuda.Stream()
    x = gb.full((SIZE,), 3.0, device="cuda", requires_grad=True)
    side.wait_stream(gb.cuda.current_stream())
    with gb.cuda.stream(side):
        loss = (x.exp().log() * x).sum()
        x.record_stream(side)
    gb.cuda.current_stream().wait_stream(side)

    loss.backward()

    assert x.grad is not None
    assert x.grad.tolist() == pytest.approx([6.0] * SIZE, rel=1e-5)
    del loss


class TestEvents:
    @on_cuda
    def test_are_come_to_in_the_order_of_the_work(self):
        stream = gb.cuda.Stream()
        event = gb.cuda.Event()
        assert event.query()
        assert event.device is None
        assert repr(event) == "<garboard.cuda.Event not recorded>"
        with gb.cuda.stream(stream):
            gb.ones(SIZE, device="cuda")
            event.record()

        event.synchronize()

        assert event.query()
        assert stream.query()
        assert event.device == gb.device("cuda:0")
        assert repr(event) == "<garboard.cuda.Event device=cuda:0>"

    @on_cuda
    def test_are_waited_for_by_streams(self):
        one, other = gb.cuda.Stream(), gb.cuda.Stream()
        with gb.cuda.stream(one):
            x = gb.full((SIZE,), 5.0, device="cuda")
        other.wait_event(one.record_event())
        x.record_stream(other)
        with other:
            total = x.sum().item()

        assert total == 5 * SIZE

    @on_cuda
    def test_that_were_not_recorded_are_not_waited_for(self):
        event = gb.cuda.Event(blocking=True)

        event.wait()
        event.synchronize()
        gb.cuda.current_stream().wait_event(event)

        assert event.query()

    @on_cuda
    def test_say_when_they_are_asked_again_and_again(self):
        event = gb.cuda.Event()
        gb.ones(SIZE, device="cuda")
        event.record()

        while not event.query():
            pass

    @on_cuda
    def test_measure_time(self):
        begin, end = (gb.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        gb.ones(SIZE, device="cuda").exp()
        end.record()
        end.synchronize()

        assert begin.elapsed_time(end) > 0
        assert end.elapsed_time(begin) < 0

    @on_cuda
    @pytest.mark.parametrize(
        ("timed", "recorded", "told"),
        [
            (False, True, "keeps no time"),
            (True, False, "was not recorded"),
        ],
    )
    def test_measure_nothing_else(self, timed, recorded, told):
        event = gb.cuda.Event(enable_timing=timed)
        if recorded:
            event.record()

        with pytest.raises(gb.DeviceError, match=f"elapsed_time: the first event {told}"):
            event.elapsed_time(event)

    @on_cuda
    def test_may_end_before_they_are_come_to(self):
        for _ in range(100):
            gb.cuda.current_stream().record_event(gb.cuda.Event(enable_timing=True))


class TestDevices:
    @on_cuda
    def test_have_properties(self):
        its = gb.cuda.get_device_properties()

        assert its.name == gb.cuda.get_device_name("cuda")
        assert (its.major, its.minor) == gb.cuda.get_device_capability(0)
        assert its.multi_processor_count > 0
        free, total = gb.cuda.mem_get_info()
        assert 0 < free <= total == its.total_memory
        assert gb.cuda.is_initialized()
        assert gb.cuda._initialized
        assert gb.cuda.is_bf16_supported()
        gb.cuda.init()

    @on_cuda
    def test_are_named_by_the_name_alone_one_at_a_time(self):
        last = gb.cuda.device_count() - 1
        with gb.cuda.device(last):
            assert gb.cuda.current_device() == last
            x = gb.ones(2, device="cuda")
            y = gb.ones(2).cuda()
            with gb.cuda.device("cuda:0"), gb.cuda.device(-1):
                assert gb.ones(1, device="cuda").get_device() == 0
            assert gb.cuda.current_stream().device_index == last
        with gb.cuda.device_of(x):
            assert gb.cuda.current_device() == last
        assert x.get_device() == y.get_device() == last
        gb.cuda.set_device(last)
        gb.cuda.set_device(-1)
        assert gb.cuda.current_device() == last
        gb.cuda.set_device("cuda:0")

    @on_cuda
    def test_beyond_the_last_are_refused(self):
        with pytest.raises(gb.DeviceError, match="set_device"):
            gb.cuda.set_device(gb.cuda.device_count())
        with pytest.raises(gb.DeviceError, match="Stream"):
            gb.cuda.Stream(7 if gb.cuda.device_count() < 8 else 99)

    @on_cuda
    def test_become_current_with_their_streams(self):
        last = gb.cuda.device_count() - 1
        side = gb.cuda.Stream(last)
        with side:
            assert gb.cuda.current_device() == last
            x = gb.full((SIZE,), 4.0, device="cuda")
        event = side.record_event()
        event.wait()  # of another device, where there are two

        assert x.to("cuda:0").sum().item() == 4 * SIZE

    @on_cuda
    def test_of_an_event_stay_the_same(self):
        if gb.cuda.device_count() < 2:
            pytest.skip("needs two devices")
        event = gb.cuda.Event()
        event.record()

        with pytest.raises(gb.DeviceError, match="record: a stream of cuda:1"):
            event.record(gb.cuda.default_stream(1))

    @on_cuda
    def test_draw_from_one_generator(self):
        states = gb.cuda.get_rng_state_all()
        x = gb.rand(3, device="cuda")

        gb.cuda.set_rng_state_all(states)

        assert gb.rand(3, device="cuda").tolist() == x.tolist()
        assert len(states) == gb.cuda.device_count()
        assert gb.equal(gb.cuda.get_rng_state(), gb.get_rng_state())
        for state in states:
            state.dispose()


class TestNvtx:
    def test_does_nothing_without_the_library_and_says_so(self):
        nvtx = gb.cuda.nvtx
        with nvtx.range("step {}", 1):
            depth = nvtx.range_push("inner")
            nvtx.mark("here")
            nvtx.range_pop()
        nvtx.range_end(nvtx.range_start("load"))

        assert (depth == -1) == (not nvtx.is_available())

    @pytest.mark.parametrize("name", ["mark", "range_push", "range_start"])
    def test_takes_text_alone(self, name):
        with pytest.raises(TypeError, match=name):
            getattr(gb.cuda.nvtx, name)(3)
