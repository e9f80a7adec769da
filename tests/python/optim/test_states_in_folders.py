"""States that `distributed.checkpoint` writes into folders, and reads from them in place."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard.distributed import checkpoint
from garboard.distributed.checkpoint import FileSystemReader, FileSystemWriter
from garboard.distributed.checkpoint.default_planner import DefaultLoadPlanner
from garboard.distributed.checkpoint.stateful import Stateful

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def trained() -> tuple[gb.nn.Module, gb.optim.Optimizer]:
    layer = gb.nn.Linear(2, 1)
    optimizer = gb.optim.Adam(layer.parameters(), lr=0.1)
    layer(gb.ones(1, 2)).sum().backward()
    optimizer.step()
    return layer, optimizer


def test_a_state_is_read_into_the_tensors_that_are_there(tmp_path):
    told = {"m": {"w": gb.arange(3.0), "rest": [gb.ones(1), "text"]}, "step": 5, "none": None}
    w = gb.zeros(3)
    state: dict[str, Any] = {"m": {"w": w, "rest": [gb.zeros(1), ""]}, "step": 0, "none": 1}

    found = checkpoint.save(told, checkpoint_id=tmp_path / "new" / "folder")
    checkpoint.load(state, checkpoint_id=str(tmp_path / "new" / "folder"))

    assert state["m"]["w"] is w
    assert w.tolist() == [0, 1, 2]
    assert (state["m"]["rest"][0].item(), state["m"]["rest"][1]) == (1, "text")
    assert (state["step"], state["none"]) == (5, None)
    assert found.state_dict_metadata["m.w"] == ((3,), "garboard.float32")
    assert found.state_dict_metadata["step"] is None
    assert sorted(it.name for it in (tmp_path / "new" / "folder").iterdir()) == [
        ".metadata",
        "__0_0.distcp",
    ]


def test_modules_and_optimizers_are_asked_for_their_states(tmp_path):
    layer, optimizer = trained()
    other, its_optimizer = trained()
    gb.nn.init.zeros_(other.weight)

    checkpoint.save({"model": layer, "optim": optimizer}, checkpoint_id=tmp_path)
    checkpoint.load({"model": other, "optim": its_optimizer}, checkpoint_id=tmp_path)

    assert gb.equal(layer.weight, other.weight)
    first, second = (it.state_dict()["state"][0] for it in (optimizer, its_optimizer))
    assert gb.equal(first["exp_avg"], second["exp_avg"])
    assert isinstance(layer, Stateful)
    assert not isinstance(gb.ones(1), Stateful)


def test_writers_and_readers_name_the_folder_and_older_names_take_them(tmp_path):
    x = {"x": gb.zeros(2)}

    checkpoint.save({"x": gb.ones(2)}, storage_writer=FileSystemWriter(tmp_path, thread_count=2))
    checkpoint.load(x, storage_reader=FileSystemReader(tmp_path))
    assert x["x"].tolist() == [1, 1]
    checkpoint.save_state_dict({"x": gb.full((2,), 3.0)}, FileSystemWriter(tmp_path))
    checkpoint.load_state_dict(x, FileSystemReader(tmp_path), no_dist=True)
    assert x["x"].tolist() == [3, 3]
    assert checkpoint.async_save({"x": x["x"] + 1}, checkpoint_id=tmp_path).wait() is None
    checkpoint.load(x, checkpoint_id=tmp_path)
    assert x["x"].tolist() == [4, 4]
    assert FileSystemReader(tmp_path).read_metadata().state_dict_metadata == {
        "x": ((2,), "garboard.float32")
    }


def test_what_is_missing_is_told_before_anything_is_written(tmp_path):
    checkpoint.save({"a": gb.ones(2), "b": gb.ones(3)}, checkpoint_id=tmp_path)
    a = gb.zeros(2)

    with pytest.raises(checkpoint.CheckpointException, match=r"Missing key in checkpoint .*: c"):
        checkpoint.load({"a": a, "c": gb.ones(1)}, checkpoint_id=tmp_path)
    with pytest.raises(gb.ShapeError, match=r"load: b of sizes \[2\], and \[3\] in the folder"):
        checkpoint.load({"a": a, "b": gb.ones(2)}, checkpoint_id=tmp_path)
    assert a.tolist() == [0, 0]
    state = {"a": a, "c": 7}
    checkpoint.load(
        state, checkpoint_id=tmp_path, planner=DefaultLoadPlanner(allow_partial_load=True)
    )
    assert (a.tolist(), state["c"]) == ([1, 1], 7)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: checkpoint.save({"x": 1}), ValueError, "save: no checkpoint_id"),
        (lambda: checkpoint.load({"x": 1}), ValueError, "load: no checkpoint_id"),
        (lambda: checkpoint.save([1], checkpoint_id="x"), TypeError, "save: state_dict"),
        (lambda: checkpoint.save({"x": 1}, checkpoint_id=3), TypeError, "checkpoint_id is of type"),
        (lambda: FileSystemWriter(3), TypeError, "path is of type int"),
        (
            lambda: checkpoint.load({"x": 1}, checkpoint_id="/nowhere at all"),
            checkpoint.CheckpointException,
            "has no .metadata",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_two_values_at_one_path_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"save: two values are at a\.b"):
        checkpoint.save({"a.b": gb.ones(1), "a": {"b": gb.zeros(1)}}, checkpoint_id=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_whose_files_are_of_two_states_is_told_before_anything_is_written(tmp_path):
    older, newer = tmp_path / "older", tmp_path / "newer"
    checkpoint.save({"a": gb.ones(1), "x": gb.ones(2)}, checkpoint_id=older)
    checkpoint.save({"a": gb.ones(1)}, checkpoint_id=newer)
    (newer / ".metadata").write_bytes((older / ".metadata").read_bytes())
    state = {"a": gb.zeros(1), "x": gb.zeros(2)}

    with pytest.raises(checkpoint.CheckpointException, match="dict: x; what"):
        checkpoint.load(state, checkpoint_id=newer)

    assert state["a"].item() == 0
