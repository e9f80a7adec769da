"""Arguments that PyTorch's programs give by name or place, beside those that do something here."""

from __future__ import annotations

import io

import garboard as gb
import numpy as np
import pytest
from garboard import nn
from garboard.nn import functional as F  # noqa: N812

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.parametrize(
    "given",
    [
        {"pickle_module": io},
        {"pickle_protocol": 4},
        {"_use_new_zipfile_serialization": False},
        {"_disable_byteorder_record": True},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_file_is_the_same_whatever_older_programs_say_of_its_form(given):
    x = gb.ones(2)
    plain, asked = io.BytesIO(), io.BytesIO()

    gb.save({"x": x}, plain)
    gb.save({"x": x}, asked, **given)

    assert asked.getvalue() == plain.getvalue()
    asked.seek(0)
    assert gb.load(asked, encoding="latin1", mmap=None)["x"].tolist() == [1, 1]


class TestModulesOfATree:
    def test_are_yielded_as_often_as_is_asked(self):
        layer = nn.ReLU()
        model = nn.Sequential(layer, layer)

        assert len(list(model.modules())) == 2
        assert len(list(model.modules(remove_duplicate=False))) == 3

    def test_that_are_in_the_memo_are_left_out_and_others_come_to_it(self):
        model = nn.Sequential(nn.ReLU(), nn.Tanh())
        memo = {model[0]}

        found = [name for name, _ in model.named_modules(memo, "net")]

        assert found == ["net", "net.1"]
        assert memo == {model, model[0], model[1]}
        assert list(model.named_modules(memo)) == []

    def test_are_taken_out_by_their_key(self):
        row = nn.ModuleList([nn.ReLU(), nn.Tanh()])

        assert isinstance(row.pop(key=0), nn.ReLU)
        assert len(row) == 1


class TestLosses:
    def test_of_distances_weigh_elements(self):
        x, y, w = gb.tensor([0.5, 3.0]), gb.zeros(2), gb.tensor([1.0, 3.0])

        assert F.l1_loss(x, y, weight=w).item() == pytest.approx(9.5 / 4)
        assert F.l1_loss(x, y, reduction="sum", weight=w).item() == 9.5
        assert F.l1_loss(x, y, reduction="none", weight=w).tolist() == [0.5, 9.0]

    def test_of_hubers_weigh_elements_and_average_over_all(self):
        x, y, w = gb.tensor([0.5, 3.0]), gb.zeros(2), gb.tensor([1.0, 2.0])

        assert F.huber_loss(x, y, weight=w).item() == (0.125 + 5) / 2
        assert F.huber_loss(x, y, "none", 1.0, w).tolist() == [0.125, 5.0]

    def test_pass_gradients_by_their_weights(self):
        x = gb.tensor([0.5, 3.0], requires_grad=True)

        F.huber_loss(x, gb.zeros(2), "sum", weight=gb.tensor([1.0, 2.0])).backward()

        assert x.grad is not None
        assert x.grad.tolist() == [0.5, 2.0]


def test_softmaxes_take_a_level_of_the_stack_and_a_dtype_by_place():
    x = gb.tensor([[0.0, 1.0]])

    for call in (F.softmax, F.log_softmax, F.softmin):
        found = call(x, 1, 3, gb.float64)
        assert found.dtype == gb.float64
        np.testing.assert_allclose(found.tolist(), call(x, 1, _stacklevel=5).tolist(), rtol=1e-6)


def test_a_generator_draws_what_is_sparse():
    drawn = [
        nn.init.sparse_(gb.empty(8, 3), 0.5, generator=gb.Generator().manual_seed(3))
        for _ in range(2)
    ]

    assert drawn[0].tolist() == drawn[1].tolist()
    assert (drawn[0] == 0).sum(0).tolist() == [4, 4, 4]


def test_a_fork_of_the_generator_hears_of_devices():
    before = gb.get_rng_state()

    with gb.random.fork_rng(devices=[], device_type="cuda"):
        gb.rand(2)

    assert gb.equal(gb.get_rng_state(), before)


def test_a_batch_is_collated_by_name():
    assert gb.utils.data.default_collate(batch=[1, 2]).tolist() == [1, 2]


@pytest.mark.parametrize("sizes", [2, [2, 2, 1]])
def test_what_is_split_is_called_a_tensor(sizes):
    x = gb.arange(5)

    found = gb.split(tensor=x, split_size_or_sections=sizes, dim=0)

    assert [it.tolist() for it in found] == [[0, 1], [2, 3], [4]]
