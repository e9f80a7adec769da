"""Whole modules and other objects in a file: written as they are, read when the file is trusted."""

from __future__ import annotations

import io
import json
from base64 import b64encode
from collections.abc import MutableMapping
from enum import IntEnum
from typing import Any, NamedTuple

import garboard as gb
import pytest
from garboard import nn
from garboard.io import FileError
from garboard.io._pickles import Tensors, unpickled
from garboard.io._unpickling import TorchUnpickler

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.tied = nn.Linear(3, 4)
        self.tied.weight = self.first.weight
        self.names = ["a", "b"]

    def forward(self, x: gb.Tensor) -> gb.Tensor:
        return self.norm(self.first(x)) + self.tied(x)


class Moody:
    def __setstate__(self, state: Any) -> None:
        raise RuntimeError("not today")


class Greedy:
    def __init__(self) -> None:
        self.size = 1000

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.table = gb.zeros(state["size"])


def saved(value: Any) -> io.BytesIO:
    file = io.BytesIO()
    gb.save(value, file)
    file.seek(0)
    return file


class TestAttributesOfTensors:
    def test_come_back_with_the_tensor(self):
        x, weight = gb.ones(2), nn.Parameter(gb.zeros(1))
        x.unit, weight.sharding = "m", {"dim": 0, "of": gb.arange(2)}

        found = gb.load(saved({"x": x, "weight": weight}))

        assert found["x"].unit == "m"
        assert type(found["weight"]) is nn.Parameter
        assert found["weight"].sharding["dim"] == 0
        assert found["weight"].sharding["of"].tolist() == [0, 1]

    def test_come_back_with_a_whole_module(self):
        net = Net()
        net.first.weight.sharding = (0, 1)

        found = gb.load(saved(net), weights_only=False)

        assert found.first.weight.sharding == (0, 1)
        assert found.tied.weight is found.first.weight

    def test_of_a_file_of_pytorchs_are_read(self):
        storage = b"\x8c\x07storage\x8c\x05torch\x8c\x0cFloatStorage\x93\x8c\x010\x8c\x03cpuK\x02"
        tensor = (
            b"\x8c\x0ctorch._utils\x8c\x12_rebuild_tensor_v2\x93(("
            + storage
            + b"tQK\x00K\x02\x85K\x01\x85\x89NtR"
        )
        told = b"\x88N}\x8c\x03tag\x8c\x01as"
        text = (
            b"\x80\x02\x8c\x0ctorch._utils\x8c\x1d_rebuild_parameter_with_state\x93("
            + tensor
            + told
            + b"tR."
        )

        found = TorchUnpickler(text, lambda kind, key, count: gb.ones(count)).load()

        assert type(found) is nn.Parameter
        assert (found.tolist(), found.requires_grad, found.tag) == ([1.0, 1.0], True, "a")


class TestAWholeModule:
    def test_comes_back_with_its_parameters_buffers_and_attributes(self):
        net = Net().eval()
        net.norm.running_mean.fill_(0.5)
        net.first.bias.requires_grad_(False)

        found = gb.load(saved(net), weights_only=False)

        x = gb.randn(2, 3)
        assert type(found) is Net
        assert not found.training
        assert found.names == ["a", "b"]
        assert gb.equal(found(x), net(x))
        assert [it.requires_grad for it in found.parameters()] == [
            it.requires_grad for it in net.parameters()
        ]
        assert [name for name, _ in found.named_buffers()] == [n for n, _ in net.named_buffers()]

    def test_shares_what_it_shared_and_learns(self):
        found = gb.load(saved(Net()), weights_only=False)

        gb.optim.SGD(found.parameters(), lr=0.1).zero_grad()
        found(gb.randn(4, 3)).sum().backward()

        assert found.tied.weight is found.first.weight
        assert found.first.weight.grad is not None

    def test_stays_joined_to_an_optimizer_beside_it(self):
        net = Net()
        optimizer = gb.optim.Adam(net.parameters(), lr=0.1)
        net(gb.randn(4, 3)).sum().backward()
        optimizer.step()

        found = gb.load(saved({"net": net, "optimizer": optimizer, "epoch": 3}), weights_only=False)

        known = [p for group in found["optimizer"].param_groups for p in group["params"]]
        assert all(a is b for a, b in zip(known, found["net"].parameters(), strict=True))
        before = found["net"].tied.bias.tolist()
        found["net"](gb.randn(4, 3)).sum().backward()
        found["optimizer"].step()
        assert found["net"].tied.bias.tolist() != before
        assert found["epoch"] == 3

    @pytest.mark.parametrize("trust", [{}, {"weights_only": True}, {"weights_only": None}])
    def test_is_refused_where_the_file_is_not_trusted(self, trust):
        file = saved([nn.Linear(1, 1)])

        with pytest.raises(FileError, match=r"asks for garboard\.nn\.linear\.Linear, pickled,"):
            gb.load(file, **trust)

    def test_has_tensors_that_others_read(self):
        net = nn.Linear(2, 1)
        raw = saved(net).getvalue()

        header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])

        shapes = [it["shape"] for name, it in header.items() if name != "__metadata__"]
        assert sorted(shapes) == [[1], [1, 2]]


class TestAnObject:
    def test_that_cannot_be_made_again_says_why(self):
        thing = Moody()
        thing.mood = "bad"
        file = saved(thing)

        with pytest.raises(FileError, match=r"Moody could not be made \(RuntimeError: not today\)"):
            gb.load(file, weights_only=False)

    def test_that_finds_no_memory_says_that_and_not_that_its_file_is_at_fault(self):
        file = saved(Greedy())

        with gb.memory.fail_allocation(1), pytest.raises(gb.OutOfMemoryError):
            gb.load(file, weights_only=False)

    def test_that_is_a_class_or_a_function_comes_back_itself(self):
        found = gb.load(saved({"arch": nn.ReLU, "act": gb.nn.functional.relu}), weights_only=False)

        assert found["arch"] is nn.ReLU
        assert found["act"] is gb.nn.functional.relu


class Settings(dict):
    """A dict with an attribute, as libraries have them for what a program was told."""


class Table(MutableMapping):
    def __init__(self, parts):
        self.parts, self.note = dict(parts), None

    def __getitem__(self, key):
        return self.parts[key]

    def __setitem__(self, key, value):
        self.parts[key] = value

    def __delitem__(self, key):
        del self.parts[key]

    def __iter__(self):
        return iter(self.parts)

    def __len__(self):
        return len(self.parts)


class Row(NamedTuple):
    name: str
    values: Any


class Level(IntEnum):
    low = 1


class TestAClassMadeOfAContainers:
    @pytest.mark.parametrize(
        "given",
        [
            lambda: Settings(rate=0.1, weights=gb.ones(2)),
            lambda: Table({"a": gb.ones(2), "b": Settings(c=1)}),
            lambda: Row("a", gb.zeros(3)),
            lambda: {"deep": [Row("b", Level.low)]},
            lambda: Level.low,
        ],
    )
    def test_is_given_back_where_the_file_is_trusted(self, given):
        given = given()
        file = io.BytesIO()
        gb.save(given, file)

        file.seek(0)
        found = gb.load(file, weights_only=False)

        assert type(found) is type(given)
        assert repr(found) == repr(given) or isinstance(given, Table)
        file.seek(0)
        plain = gb.load(file)
        assert type(plain) in (dict, tuple, int)

    def test_keeps_what_it_holds_beside_its_parts_and_shares_tensors(self):
        weights = gb.ones(1000)
        given = Table({"a": weights, "b": weights})
        given.note = "kept"
        file = io.BytesIO()
        gb.save(given, file)

        file.seek(0)
        found = gb.load(file, weights_only=False)

        assert found.note == "kept"
        assert len(file.getvalue()) < 2 * weights.nbytes
        assert found["a"].tolist() == weights.tolist()

    def test_is_what_it_is_made_of_where_it_cannot_be_pickled(self):
        class Local(dict):
            pass

        file = io.BytesIO()
        gb.save(Local(a=1), file)

        file.seek(0)
        assert gb.load(file, weights_only=False) == {"a": 1}

    def test_is_given_back_where_the_program_calls_it_safe(self):
        file = io.BytesIO()
        gb.save(Settings(a=1), file)

        file.seek(0)
        with gb.serialization.safe_globals([Settings]):
            assert type(gb.load(file)) is Settings


class TestAListOfSafeClasses:
    def test_lets_files_be_loaded_that_name_them_alone(self):
        file = saved({"net": Net(), "epoch": 1})

        with gb.serialization.safe_globals([Net, nn.Linear, nn.BatchNorm1d]):
            found = gb.load(file, weights_only=True)

        assert type(found["net"]) is Net
        assert gb.serialization.get_safe_globals() == []

    def test_leaves_the_rest_refused(self):
        file = saved(Net())

        with (
            gb.serialization.safe_globals([Net, nn.Linear]),
            pytest.raises(FileError, match=r"BatchNorm1d, pickled, .* serialization\.safe_globals"),
        ):
            gb.load(file)

    def test_knows_a_class_by_a_name_of_older_files(self):
        file = saved(Net())

        names = [(Net, f"{Net.__module__}.Net"), nn.Linear, nn.BatchNorm1d]
        with gb.serialization.safe_globals(names):
            found = gb.load(file)

        assert type(found) is Net

    def test_can_grow_and_be_cleared(self):
        gb.serialization.add_safe_globals([Net])
        with gb.serialization.safe_globals([nn.Linear]):
            assert gb.serialization.get_safe_globals() == [Net, nn.Linear]
        assert gb.serialization.get_safe_globals() == [Net]

        gb.serialization.clear_safe_globals()

        assert gb.serialization.get_safe_globals() == []
        with pytest.raises(TypeError, match=r"^add_safe_globals: 3; a class"):
            gb.serialization.add_safe_globals([3])


def test_a_few_bytes_ask_for_no_memory():
    told = b64encode(b"\x80\x04Nr\xff\xff\xff\xff.").decode()  # None, as number 2^32 - 1 of a memo

    assert unpickled(["x", told, "any"], Tensors(lambda name: gb.ones(1), False)) is None
