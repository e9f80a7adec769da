"""The writer for TensorBoard: another package's, which is given arrays and numbers for tensors."""

from __future__ import annotations

import sys
from importlib import import_module, reload
from types import ModuleType
from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

PACKAGE = """
class SummaryWriter:
    def __init__(self, log_dir=None):
        self.log_dir, self.seen = log_dir, []

    def add_scalar(self, tag, value, step=None):
        self.seen.append((tag, value, step))

    def add_scalars(self, tag, values, step=None):
        self.seen.append((tag, values, step))

    def add_histogram(self, tag, values, step=None):
        self.seen.append((tag, values, step))

    def add_graph(self, model, inputs=None):
        self.seen.append(model)

    def close(self):
        self.seen.append("closed")
"""


@pytest.fixture
def tensorboard(tmp_path, monkeypatch):
    (tmp_path / "tensorboardX.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "tensorboardX", raising=False)
    module = reload(import_module("garboard.utils.tensorboard"))
    yield module
    vars(module).pop("SummaryWriter", None)
    sys.modules.pop("tensorboardX", None)


class TestTheWriter:
    def test_is_given_numbers_and_arrays(self, tensorboard):
        writer: Any = tensorboard.SummaryWriter("runs")
        values = gb.arange(3.0, requires_grad=True)

        writer.add_scalar("loss", gb.tensor(0.5, requires_grad=True), 1)
        writer.add_scalars("both", {"a": gb.tensor(1), "b": 2.0}, step=2)
        writer.add_histogram("h", values.to(gb.bfloat16))
        writer.close()

        assert writer.log_dir == "runs"
        assert writer.seen[:2] == [("loss", 0.5, 1), ("both", {"a": 1, "b": 2.0}, 2)]
        assert isinstance(writer.seen[2][1], np.ndarray)
        assert writer.seen[2][1].tolist() == [0, 1, 2]
        assert writer.seen[3] == "closed"

    def test_keeps_nothing_that_is_written_later(self, tensorboard):
        writer: Any = tensorboard.SummaryWriter()
        values = gb.zeros(2)

        writer.add_histogram("h", values)
        values.fill_(1)

        assert writer.seen[0][1].tolist() == [0, 0]

    def test_is_the_packages_own_class(self, tensorboard):
        import tensorboardX

        assert issubclass(tensorboard.SummaryWriter, tensorboardX.SummaryWriter)

    def test_writes_no_graph_and_says_so(self, tensorboard):
        writer: Any = tensorboard.SummaryWriter()

        with pytest.warns(UserWarning, match=r"^add_graph: ops run as they are called"):
            writer.add_graph(gb.nn.ReLU(), gb.ones(1))

        assert writer.seen == []

    def test_tells_its_folder_by_each_name(self, tensorboard):
        writer: Any = tensorboard.SummaryWriter("runs")
        assert writer.get_logdir() == writer.log_dir == "runs"
        writer.logdir = vars(writer).pop("log_dir")  # as newer versions of the package call it

        assert writer.get_logdir() == writer.log_dir == "runs"
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            writer.nothing  # noqa: B018


def test_a_package_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    monkeypatch.delitem(vars(gb.utils.tensorboard), "SummaryWriter", raising=False)

    with pytest.raises(ModuleNotFoundError, match=r"tensorboardX, which writes .*; pip install"):
        from garboard.utils.tensorboard import SummaryWriter  # noqa: F401


def test_records_of_settings_are_made_of_plain_values(tensorboard, monkeypatch):
    summary = ModuleType("tensorboardX.summary")
    summary.hparams = lambda settings, metrics: ("experiment", settings, metrics)
    monkeypatch.setitem(sys.modules, "tensorboardX.summary", summary)
    from garboard.utils.tensorboard.summary import hparams

    assert hparams({"rate": gb.tensor(0.5)}, {"loss": gb.ones(1).sum()}) == (
        "experiment",
        {"rate": 0.5},
        {"loss": 1.0},
    )
    with pytest.raises(NotImplementedError, match="hparams: hparam_domain_discrete is not written"):
        hparams({}, {}, {"rate": [0.5]})
