"""Operations of a block, counted as PyTorch counts them."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn
from garboard.nn import functional
from garboard.utils.flop_counter import FlopCounterMode

pytestmark = pytest.mark.no_leaks


def ones(*sizes):
    return gb.ones(*sizes)


def asking(*sizes):
    return gb.ones(*sizes, requires_grad=True)


# What is called, and what PyTorch 2.15 counts of it.
CALLS = {
    "linear": (lambda: functional.linear(ones(2, 5, 6), ones(3, 6), ones(3)), {"addmm": 360}),
    "no bias": (lambda: functional.linear(ones(5, 6), ones(3, 6)), {"mm": 180}),
    "matrices": (lambda: ones(2, 3) @ ones(3, 4), {"mm": 48}),
    "vector": (lambda: ones(2, 3) @ ones(3), {}),
    "batches": (lambda: ones(2, 5, 2, 3) @ ones(2, 5, 3, 4), {"bmm": 480}),
    "einsum": (lambda: gb.einsum("bij,bjk->bik", ones(2, 2, 3), ones(2, 3, 4)), {"bmm": 96}),
    "baddbmm": (
        lambda: gb.baddbmm(ones(1, 2, 4), ones(1, 2, 3), ones(1, 3, 4)),
        {"baddbmm": 48},
    ),
    "conv1d": (lambda: functional.conv1d(ones(1, 2, 9), ones(4, 2, 3)), {"convolution": 336}),
    "groups": (
        lambda: functional.conv2d(
            ones(2, 4, 8, 8), ones(6, 2, 3, 3), stride=2, padding=1, groups=2
        ),
        {"convolution": 6912},
    ),
    "transposed": (
        lambda: functional.conv_transpose2d(ones(1, 3, 5, 5), ones(3, 4, 2, 2), stride=2),
        {"convolution": 2400},
    ),
    "backward": (
        lambda: functional.linear(ones(5, 6), asking(3, 6), asking(3)).sum().backward(),
        {"addmm": 180, "mm": 180},
    ),
    "backward of a convolution": (
        lambda: (
            functional.conv2d(asking(2, 4, 8, 8), asking(6, 2, 3, 3), stride=2, padding=1, groups=2)
            .sum()
            .backward()
        ),
        {"convolution": 6912, "convolution_backward": 20736},
    ),
    "backward of batches": (
        lambda: (asking(2, 2, 3) @ asking(2, 3, 4)).sum().backward(),
        {"bmm": 288},
    ),
}


@pytest.mark.parametrize(("call", "expected"), CALLS.values(), ids=CALLS)
def test_a_call_counts_as_in_pytorch(call, expected):
    with FlopCounterMode(display=False) as counter:
        call()

    counts = counter.get_flop_counts()["Global"]
    assert {str(op): count for op, count in counts.items()} == {
        f"aten.{name}": count for name, count in expected.items()
    }
    assert counter.get_total_flops() == sum(expected.values())


def test_attention_counts_its_products():
    q = asking(1, 2, 3, 4)
    k, v = asking(1, 2, 5, 4), asking(1, 2, 5, 4)

    with FlopCounterMode(display=False) as counter:
        functional.scaled_dot_product_attention(q, k, v).sum().backward()

    assert counter.get_total_flops() == 480 + 1200


def test_modules_count_by_their_paths():
    net = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 2), nn.ReLU()))

    with FlopCounterMode(display=False) as counter:
        net(ones(3, 4)).sum().backward()

    counts = counter.get_flop_counts()
    assert sum(counts["Sequential.1.0"].values()) == 48 + 96
    assert sum(counts["Sequential.0"].values()) == 96 + 96
    assert counts["Sequential"] == counts["Global"]


def test_an_op_may_be_counted_by_a_function():
    seen = []

    def count(*sizes, out_shape):
        seen.append((sizes, out_shape))
        return 7

    with FlopCounterMode(display=False, custom_mapping={gb.ops.aten.mm: count}) as counter:
        ones(2, 3) @ ones(3, 4)

    assert counter.get_total_flops() == 7
    assert seen == [(((2, 3), (3, 4)), (2, 4))]


def test_the_table_is_printed_at_the_end_of_the_block(capsys):
    with FlopCounterMode(depth=1):
        nn.Linear(4, 2)(ones(3, 4))

    text = capsys.readouterr().out.splitlines()
    assert text[0].split() == ["Module", "FLOP", "%", "Total"]
    assert text[2].split() == ["Global", "48", "100.00%"]
    assert [line.split()[0] for line in text[3:]] == ["-", "Linear", "-"]


def test_what_a_later_pass_does_counts_for_nothing():
    with FlopCounterMode(display=False) as counter:
        made = ones(2, 3) @ asking(3, 4)

    made.sum().backward()

    assert counter.get_total_flops() == 48
