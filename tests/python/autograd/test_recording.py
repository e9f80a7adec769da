"""The recorder of the benchmarks' traces sees all that PyTorch's CPU allocator is asked for."""

import importlib

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: ./run bench --install-peers")
recording = importlib.import_module("tests.bench.python.recording")


def make_and_drop() -> None:
    first = torch.empty(100)
    second = torch.empty(50, dtype=torch.float64)
    del first
    torch.empty(3)
    del second


def test_steps_are_sizes_and_numbers_of_what_is_released():
    recorded = recording.record(make_and_drop)

    assert recorded.steps == [400, 400, -1, 12, -3, -2]
    assert recorded.sizes == [400, 400, 12]


def test_the_peak_is_the_most_that_was_live():
    assert recording.record(make_and_drop).peak_bytes == 800


def test_its_text_counts_releases_back_from_the_youngest():
    assert recording.record(make_and_drop).to_text() == "400\n400\n-2\n12\n-1\n-2\n"


def test_gradients_are_seen_too():
    def train() -> None:
        layer = torch.nn.Linear(8, 4)
        layer(torch.ones(2, 8)).sum().backward()

    recorded = recording.record(train)

    assert {4 * 8 * 4, 4 * 4} <= {size for size in recorded.sizes if recorded.sizes.count(size) > 1}
    assert sum(step < 0 for step in recorded.steps) == len(recorded.sizes)


def test_what_is_lost_is_an_error(monkeypatch):
    events = recording.allocation_events
    monkeypatch.setattr(recording, "allocation_events", lambda trees: events(trees)[1:])

    with pytest.raises(RuntimeError, match="lost events"):
        recording.record(make_and_drop)
