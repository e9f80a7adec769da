"""Convolutions, pools, samplings and pads as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np
import pytest

functional = gb.nn.functional


def drawn(*sizes: int, seed: int = 7) -> gb.Tensor:
    return gb.tensor(np.random.default_rng(seed).standard_normal(sizes).astype(np.float32))


LAYERS: list[tuple[Callable[[], gb.nn.Module], str, tuple[int, ...], tuple[int, ...]]] = [
    (
        lambda: gb.nn.Conv2d(3, 8, 3, padding=1),
        "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))",
        (2, 3, 5, 6),
        (2, 8, 5, 6),
    ),
    (
        lambda: gb.nn.Conv1d(4, 8, 3, 2, padding="valid", groups=2, bias=False),
        "Conv1d(4, 8, kernel_size=(3,), stride=(2,), padding=valid, groups=2, bias=False)",
        (2, 4, 9),
        (2, 8, 4),
    ),
    (
        lambda: gb.nn.Conv3d(1, 2, (1, 2, 3), dilation=(1, 2, 1), padding_mode="circular"),
        "Conv3d(1, 2, kernel_size=(1, 2, 3), stride=(1, 1, 1), dilation=(1, 2, 1), "
        "padding_mode=circular)",
        (1, 2, 4, 5),
        (2, 2, 2, 3),
    ),
    (
        lambda: gb.nn.ConvTranspose2d(4, 2, 3, 2, 1, output_padding=1),
        "ConvTranspose2d(4, 2, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), "
        "output_padding=(1, 1))",
        (1, 4, 3, 5),
        (1, 2, 6, 10),
    ),
    (
        lambda: gb.nn.MaxPool2d(3, 2, 1),
        "MaxPool2d(kernel_size=3, stride=2, padding=1, dilation=1, ceil_mode=False)",
        (1, 2, 7, 8),
        (1, 2, 4, 4),
    ),
    (
        lambda: gb.nn.AvgPool2d((2, 1)),
        "AvgPool2d(kernel_size=(2, 1), stride=(2, 1), padding=0)",
        (2, 4, 3),
        (2, 2, 3),
    ),
    (
        lambda: gb.nn.AdaptiveAvgPool2d((None, 2)),
        "AdaptiveAvgPool2d(output_size=(None, 2))",
        (1, 2, 5, 7),
        (1, 2, 5, 2),
    ),
    (
        lambda: gb.nn.Upsample(scale_factor=2, mode="bilinear"),
        "Upsample(scale_factor=2.0, mode='bilinear')",
        (1, 2, 3, 4),
        (1, 2, 6, 8),
    ),
    (
        lambda: gb.nn.PixelShuffle(2),
        "PixelShuffle(upscale_factor=2)",
        (1, 8, 2, 3),
        (1, 2, 4, 6),
    ),
    (
        lambda: gb.nn.ReflectionPad2d((1, 0, 2, 1)),
        "ReflectionPad2d((1, 0, 2, 1))",
        (1, 3, 3),
        (1, 6, 4),
    ),
    (
        lambda: gb.nn.ConstantPad1d(1, 3.5),
        "ConstantPad1d(padding=(1, 1), value=3.5)",
        (2, 3),
        (2, 5),
    ),
]


@pytest.mark.parametrize(("make", "text", "given", "made"), LAYERS, ids=[row[1] for row in LAYERS])
def test_a_layer_says_what_it_is_and_leaves_nothing_behind(make, text, given, made):
    with gb.leaks.no_leaks(), make() as layer, gb.dispose_scope():
        x = drawn(*given).requires_grad_()

        out = layer(x)
        out.sum().backward()

        assert repr(layer) == text
        assert out.shape == made
        assert x.grad is not None


def test_a_convolution_begins_within_its_fan_in():
    with gb.nn.Conv2d(4, 64, 3, groups=2) as layer:
        bound = 1 / np.sqrt(2 * 9)

        for parameter in layer.parameters():
            values = parameter.detach().numpy()
            assert 0.9 * bound < np.abs(values).max() <= bound
        assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("padding", [(1, 2), "same"])
def test_a_padding_mode_is_a_pad_before_the_convolution(mode, padding):
    with gb.dispose_scope():
        layer = gb.nn.Conv2d(2, 3, (3, 5), padding=padding, padding_mode=mode)
        x = drawn(1, 2, 5, 6)

        around = functional.pad(x, (2, 2, 1, 1), mode)
        expected = functional.conv2d(around, layer.weight, layer.bias)

        np.testing.assert_array_equal(layer(x).detach(), expected.detach())


def test_an_output_size_picks_among_those_that_become_one():
    with gb.dispose_scope():
        layer = gb.nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)
        x = drawn(1, 2, 4, 4)

        assert layer(x, (8, 7)).shape == (1, 3, 8, 7)
        with pytest.raises(gb.ShapeError, match=r"output_size \(9, 7\); sizes from \(7, 7\)"):
            layer(x, (9, 7))


def test_an_unpool_puts_back_what_its_pool_took():
    with gb.leaks.no_leaks(), gb.dispose_scope():
        x = drawn(2, 3, 6, 8).requires_grad_()
        values, indices = functional.max_pool2d(x, 2, return_indices=True)

        back = functional.max_unpool2d(values, indices, 2)
        back.sum().backward()

        taken = np.zeros(x.shape, np.float32)
        flat = taken.reshape(2, 3, -1)
        np.put_along_axis(flat, indices.numpy().reshape(2, 3, -1), 1, -1)
        np.testing.assert_array_equal(back.detach(), x.detach().numpy() * taken)
        np.testing.assert_array_equal(x.grad, taken)


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ((2, 64), {"kernel_size": 2}),
        ((2, 64), {"kernel_size": 3}),
        ((2, 65), {"kernel_size": 4}),
        ((2, 300), {"kernel_size": 40, "stride": 30, "padding": 20}),
        ((2, 300), {"kernel_size": 5, "stride": 2, "padding": 2, "ceil_mode": True}),
        ((2, 300), {"kernel_size": 3, "dilation": 7}),
        ((2, 9, 33), {"kernel_size": (3, 4), "padding": (1, 2)}),
        ((2, 9, 33), {"kernel_size": (9, 33)}),
        ((2, 4, 9, 33), {"kernel_size": 2}),
    ],
)
def test_a_pool_gives_the_same_whether_it_is_asked_where_or_not(sizes, options, no_leaks):
    rng = np.random.default_rng(1)
    array = rng.normal(size=sizes).astype(np.float32)
    pool = getattr(functional, f"max_pool{len(sizes) - 1}d")
    for special in (0.0, np.nan, -np.inf):
        array[rng.random(sizes) < 0.03] = special
        x = gb.from_numpy(array)

        values, indices = pool(x, **options, return_indices=True)

        np.testing.assert_array_equal(pool(x, **options), values)
        found = np.take_along_axis(array.reshape(2, -1), indices.flatten(1).numpy(), 1)
        np.testing.assert_array_equal(found, values.flatten(1))


@pytest.mark.parametrize("places", [1, 7, 11])
def test_an_adaptive_pool_finds_the_largest_of_each_part(places, no_leaks):
    array = np.random.default_rng(2).normal(size=(3, 200)).astype(np.float32)
    array[0, 50] = np.nan

    values, indices = functional.adaptive_max_pool1d(gb.from_numpy(array), places, True)

    ends = [(i * 200 // places, -(-(i + 1) * 200 // places)) for i in range(places)]
    expected = np.stack([array[:, a:b].max(1) for a, b in ends], 1)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(
        functional.adaptive_max_pool1d(gb.from_numpy(array), places), expected
    )
    np.testing.assert_array_equal(np.take_along_axis(array, indices.numpy(), 1), expected)


def test_a_pool_keeps_the_first_of_equals_and_any_nan():
    x = gb.tensor([[[1.0, 1.0, float("nan"), 5.0, -np.inf, -np.inf]]])

    values, indices = functional.max_pool1d(x, 2, return_indices=True)

    np.testing.assert_array_equal(values, [[[1.0, np.nan, -np.inf]]])
    assert indices.tolist() == [[[0, 2, 4]]]


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_pools_of_integers_are_exact_at_both_ends_of_their_dtype(name):
    ends = np.iinfo(name)
    x = np.random.default_rng(4).choice([ends.min, ends.max, ends.max - 1, 0], (2, 6, 8))
    x = np.where(np.arange(8) < 3, ends.min, x).astype(name)  # some windows hold the least alone

    values, at = functional.max_pool2d(gb.tensor(x), (2, 3), (2, 2), return_indices=True)

    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 3), (1, 2))[:, ::2, ::2]
    np.testing.assert_array_equal(values.numpy(), windows.max((-2, -1)))
    np.testing.assert_array_equal(
        np.take_along_axis(x.reshape(2, -1), at.flatten(1).numpy(), 1), values.flatten(1).numpy()
    )
    assert values.dtype == getattr(gb, name)


def test_means_of_integers_are_cut_off_towards_0():
    x = gb.tensor([[-7, -6, 2**60, 2**60 + 3]])

    assert functional.avg_pool1d(x, 2).tolist() == [[-6, 2**60 + 1]]
    assert functional.avg_pool2d(x.unsqueeze(0), (1, 2), divisor_override=-4).tolist() == [
        [[3, -(2**59)]]
    ]
    least = gb.tensor([[-(2**63), -(2**63)]])
    assert functional.avg_pool2d(least.unsqueeze(0), 1, divisor_override=-1).tolist() == [
        least.tolist()  # 2^63 wraps
    ]
    assert functional.avg_pool1d(least, 2).tolist() == [[0]]
    assert functional.avg_pool1d(x, 2, padding=1, count_include_pad=False).tolist() == [
        [-7, 2**59 - 3, 2**60 + 3]
    ]


def test_a_dilated_window_that_meets_nothing_has_no_place():
    x = gb.zeros(1, 2, 1, 4, 4, requires_grad=True)

    deep = gb.nn.MaxPool3d(2, padding=1, dilation=2, stride=1)(x)
    deep.sum().backward()
    flat, places = functional.max_pool2d(
        gb.arange(20.0).view(1, 1, 5, 4), 2, 1, 1, 5, return_indices=True
    )
    far = gb.ones(1, 1, 1, requires_grad=True)
    functional.max_pool1d(far, 2, 1, 4 * 10**8, 8 * 10**8).sum().backward()

    assert gb.isneginf(deep).all()
    assert x.grad.abs().sum().item() == far.grad.item() == 0
    assert gb.isneginf(flat).all()
    assert places.flatten().tolist() == [-1, -1]


def test_pixels_that_are_shuffled_and_back_are_the_same():
    x = drawn(2, 8, 3, 5)

    shuffled = functional.pixel_shuffle(x, 2)

    assert shuffled[1, 1, 5, 4].item() == x[1, 6, 2, 2].item()
    np.testing.assert_array_equal(functional.pixel_unshuffle(shuffled, 2), x)


def test_threads_do_not_change_a_convolution():
    def made() -> list[Any]:
        x, w = drawn(5, 17, 20, 21).requires_grad_(), drawn(35, 17, 3, 3, seed=8).requires_grad_()
        out = functional.conv2d(x, w, padding=1, stride=(1, 2))
        return [
            t.detach().numpy().copy() for t in (out, *gb.autograd.grad((out * out).sum(), (x, w)))
        ]

    before = gb.get_num_threads()
    try:
        made_by = []
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            with gb.dispose_scope():
                made_by.append(made())
    finally:
        gb.set_num_threads(before)

    for other in made_by[1:]:
        for one, same in zip(made_by[0], other, strict=True):
            np.testing.assert_array_equal(one, same)


def image(*sizes: int) -> gb.Tensor:
    return gb.ones(1).expand(sizes)


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: functional.conv2d(image(1, 3, 4, 4), image(2, 2, 3, 3)), gb.ShapeError, "weight's 2"),
    (lambda: functional.conv2d(image(3, 4), image(2, 3, 3, 3)), gb.ShapeError, "height, width"),
    (
        lambda: functional.conv2d(image(1, 3, 4, 2), image(2, 3, 3, 3)),
        gb.ShapeError,
        "width 2, padded to 2, for 3 taps",
    ),
    (
        lambda: functional.conv2d(image(1, 3, 4, 4), image(2, 3, 3, 3), stride=(1, 2, 1)),
        gb.ShapeError,
        r"stride \[1, 2, 1\]; one number, or 2",
    ),
    (
        lambda: functional.conv2d(image(1, 3, 4, 4), image(2, 3, 3, 3), dilation=(1, 0)),
        gb.ShapeError,
        "dilation 0; at least 1",
    ),
    (
        lambda: functional.conv_transpose2d(
            image(1, 3, 4, 4), image(3, 2, 3, 3), stride=2, output_padding=2
        ),
        gb.ShapeError,
        "output_padding 2, stride 2",
    ),
    (
        lambda: functional.conv_transpose2d(image(1, 4, 4, 4), image(3, 2, 3, 3)),
        gb.ShapeError,
        "input's 4 channels",
    ),
    (
        lambda: functional.conv_transpose1d(image(1, 3, 2), image(3, 2, 1), padding=2),
        gb.ShapeError,
        "which makes -2 places",
    ),
    (
        lambda: functional.conv_transpose1d(image(1, 1, 2), image(1, 1, 2), stride=2**62),
        gb.ShapeError,
        "at most 2",
    ),
    (lambda: functional.max_pool2d(image(1, 2, 4, 4), 5), gb.ShapeError, "must not span more"),
    (
        lambda: functional.max_pool2d(image(1, 2, 4, 4), 2, padding=2),
        gb.ShapeError,
        "at most half of the kernel",
    ),
    (lambda: functional.max_pool2d(image(4), 2), gb.ShapeError, "channels, height, width"),
    (lambda: functional.max_pool2d(image(1, 0, 4, 4), 2), gb.ShapeError, "of which only n"),
    (lambda: functional.avg_pool2d(image(1, 4, 4), 0), gb.ShapeError, "kernel_size 0"),
    (
        lambda: functional.avg_pool2d(image(1, 4, 4), 2, divisor_override=0),
        gb.ShapeError,
        "divisor_override 0",
    ),
    (lambda: functional.avg_pool1d(image(1, 4).int(), 2), gb.DTypeError, "floating one is needed"),
    (lambda: functional.max_pool1d(image(1, 4).bool(), 2), gb.DTypeError, "dtype bool"),
    (lambda: functional.adaptive_max_pool1d(image(1, 4).long(), 2), gb.DTypeError, "floating one"),
    (lambda: functional.adaptive_avg_pool1d(image(1, 4).long(), 2), gb.DTypeError, "floating one"),
    (
        lambda: functional.max_unpool1d(image(1, 2), gb.tensor([[0, 9]]), 2),
        gb.IndexOutOfRangeError,
        "index 9",
    ),
    (
        lambda: functional.pad(image(1, 3), (3, 0), "reflect"),
        gb.ShapeError,
        "smaller than the size",
    ),
    (lambda: functional.pad(image(3), (1,)), gb.ShapeError, "pairs are needed"),
    (lambda: functional.pad(image(3), (-2, -2)), gb.ShapeError, "size 3 of dim 0"),
    (lambda: functional.interpolate(image(1, 1, 4), 2, mode="bilinear"), gb.ShapeError, "2 dims"),
    (lambda: functional.interpolate(image(1, 1, 4)), ValueError, "one of size and scale_factor"),
    (lambda: functional.interpolate(image(1, 1, 4), 0), gb.ShapeError, "at least 1 of both"),
    (lambda: functional.pixel_shuffle(image(3, 2, 2), 2), gb.ShapeError, "a multiple of 4"),
    (lambda: gb.nn.Conv2d(3, 4, 3, groups=2), gb.ShapeError, "in_channels 3, groups 2"),
    (lambda: gb.nn.Conv2d(3, 4, 3, padding_mode="wrap"), ValueError, "'zeros', 'reflect'"),
]


@pytest.mark.parametrize(("call", "error", "told"), WRONG, ids=[row[2] for row in WRONG])
def test_what_cannot_be_is_refused_and_leaves_nothing_behind(call, error, told):
    before = gb.memory.live()

    with pytest.raises(error, match=told), gb.dispose_scope():
        call()

    assert gb.memory.live() == before


class TestFolds:
    @pytest.mark.parametrize(
        ("sizes", "kernel", "dilation", "padding", "stride"),
        [
            ((2, 3, 5, 6), (2, 3), 1, 0, 1),
            ((2, 3, 7, 6), 2, 2, 1, 2),
            ((3, 7, 8), (3, 1), (1, 2), (2, 0), (1, 3)),
            ((0, 3, 4, 4), 2, 1, 0, 2),
        ],
    )
    def test_put_back_what_they_take_apart(self, sizes, kernel, dilation, padding, stride):
        windows = {"kernel_size": kernel, "dilation": dilation, "padding": padding}
        image = drawn(*sizes).requires_grad_()

        with gb.leaks.no_leaks():
            apart = gb.nn.Unfold(**windows, stride=stride)(image)
            counts = gb.nn.Fold(sizes[-2:], **windows, stride=stride)(gb.ones(apart.shape))
            again = gb.nn.Fold(sizes[-2:], **windows, stride=stride)(apart)
            again.sum().backward()

            assert gb.allclose(again, image * counts, rtol=1e-5)
            assert image.grad is not None
            assert gb.equal(image.grad, counts)
            image.grad = None
            del apart, counts, again

    def test_windows_are_columns_channel_by_channel(self):
        image = gb.arange(18.0).reshape(1, 2, 3, 3)

        apart = functional.unfold(image, 2, padding=1, stride=2)

        assert apart.shape == (1, 8, 4)
        assert apart[0, :, 1].tolist() == [0, 0, 1, 2, 0, 0, 10, 11]

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: functional.unfold(gb.ones(2, 2), 2), r"unfold: an input of sizes \[2, 2\]"),
            (lambda: functional.unfold(gb.ones(1, 2, 2), 3), r"at least \[3, 3\] are needed"),
            (lambda: functional.fold(gb.ones(1, 5, 4), 3, 2), "windows of 4 elements"),
            (lambda: functional.fold(gb.ones(1, 4, 3), 3, 2), "4 of them"),
        ],
    )
    def test_refuse_sizes_that_do_not_fit(self, call, message):
        with pytest.raises(gb.ShapeError, match=message):
            call()


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        (lambda x: functional.max_pool2d(x, (1 << 40, 2), padding=(1 << 39, 0)), 5),
        (
            lambda x: functional.avg_pool2d(
                x, 1 << 59, 1 << 57, 1 << 58, count_include_pad=False
            ).flatten()[0],
            3.5,
        ),
        (lambda x: functional.avg_pool3d(x[None], 1 << 50, padding=1 << 49), 21 * 2.0**-150),
        (lambda x: functional.lp_pool2d(x, 1, (2, 3), (1, (1 << 63) - 1)), 21),
    ],
)
def test_a_window_far_larger_than_its_input_takes_no_time(pool, expected):
    x = gb.tensor([[[1.0, 4.0, 2.0], [3.0, 5.0, 6.0]]], dtype=gb.float64)

    assert pool(x).item() == pytest.approx(expected)


def test_a_last_place_is_added_only_where_elements_are_left_over():
    x = gb.arange(5.0).reshape(1, 5)

    values = functional.max_pool1d(x, 4, dilation=2, ceil_mode=True)

    assert values.tolist() == [[4.0]]


def test_the_last_nan_of_a_window_is_its_largest():
    x = gb.tensor([[1.0, float("nan"), 3.0, float("nan"), 5.0, 2.0]])

    values, indices = functional.max_pool1d(x, 5, 1, return_indices=True)

    assert np.isnan(values.numpy()).all()
    assert indices.tolist() == [[3, 3]]


@pytest.mark.parametrize("dtype", [gb.float64, gb.float16])
def test_a_norm_of_an_infinite_power_is_the_largest_or_the_smallest(dtype):
    x = gb.tensor([[1.0, -4.0, 2.0, 3.0]], dtype=dtype)

    largest = functional.lp_pool1d(x, float("inf"), 2)
    smallest = functional.lp_pool1d(x, -float("inf"), 2)

    assert (largest.tolist(), smallest.tolist()) == ([[4, 3]], [[1, 2]])


def test_nan_of_a_channel_does_not_reach_those_that_do_not_look_at_it():
    x = gb.ones(1, 5, 2)
    x[0, 0, 1] = float("nan")

    made = functional.local_response_norm(x, 3)

    assert np.argwhere(np.isnan(made.numpy()[0])).tolist() == [[0, 1], [1, 1]]
    assert functional.local_response_norm(gb.ones(2, 3, 1), 1 << 62).shape == (2, 3, 1)


def test_a_dim_of_the_same_size_is_not_mixed():
    x = gb.tensor([[[[1.0, float("inf")], [2.0, 3.0]]]])

    made = functional.interpolate(x, (4, 2), mode="bilinear")

    assert made[0, 0, :, 0].tolist() == [1, 1.25, 1.75, 2]
    same = functional.interpolate(x, (2, 2), mode="bilinear")
    assert same.tolist() == x.tolist()
    assert same.data_ptr() != x.data_ptr()


def test_a_pad_beyond_all_sizes_is_refused():
    with pytest.raises(gb.ShapeError, match="pad: pads"):
        gb.pad(gb.ones(5), (-(1 << 63), (1 << 63) - 1))
    with pytest.raises(gb.ShapeError, match=r"^pad: 18 pads, input of sizes \[1, 1, 1, 1, 1, 1, 1"):
        gb.pad(gb.ones([1] * 8), [1, 1] * 9)


def test_every_dim_there_can_be_has_a_pad():
    padded = gb.pad(gb.ones([1] * 8), [1, 0] * 7 + [0, 2])

    assert padded.shape == (3, *[2] * 7)
    assert padded.sum() == 1
    assert padded[(0, *[1] * 7)] == 1


def test_a_constant_pad_takes_a_bool_for_bools():
    padded = gb.nn.ConstantPad1d(1, True)(gb.tensor([[False]]))

    assert padded.tolist() == [[True, False, True]]
