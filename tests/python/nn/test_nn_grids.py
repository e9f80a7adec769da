"""Planes sampled wherever a grid says, and the grids of affine maps."""

from __future__ import annotations

from itertools import product

import garboard as gb
import numpy as np
import pytest

F = gb.nn.functional

pytestmark = pytest.mark.filterwarnings("ignore:.*align_corners is left out")


def tap_weights(mode, at):
    first = int(np.floor(at))
    t = at - np.floor(at)
    if mode == "nearest":
        return {int(np.rint(at)): 1.0}
    if mode == "bilinear":
        return {first: 1 - t, first + 1: t}
    a = -0.75
    near = [(a + 2) * d**3 - (a + 3) * d**2 + 1 for d in (t, 1 - t)]
    far = [a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a for d in (t + 1, 2 - t)]
    return {first - 1: far[0], first: near[0], first + 1: near[1], first + 2: far[1]}


def inside(at, size, padding, aligns):
    """A coordinate, moved inside by reflection or to the border."""
    if padding == "reflection":
        low, span = (0.0, size - 1) if aligns else (-0.5, size)
        rest = abs(at - low) % (2 * span) if span else 0.0
        at = min(rest, 2 * span - rest) + low
    return at if padding == "zeros" else min(max(at, 0.0), size - 1)


def sampled(x, grid, mode, padding, aligns):
    n, channels, *sizes = x.shape
    out = np.zeros((n, channels, *grid.shape[1:-1]))
    for place in product(*map(range, grid.shape[:-1])):
        taps = []
        for size, given in zip(sizes, grid[place][::-1], strict=True):
            at = (given + 1) / 2 * (size - 1) if aligns else ((given + 1) * size - 1) / 2
            if mode != "bicubic":
                at = inside(at, size, padding, aligns)
            found = []
            for number, weight in tap_weights(mode, at).items():
                moved = inside(number, size, padding, aligns) if mode == "bicubic" else number
                if 0 <= moved < size:
                    found.append((int(moved), weight))
            taps.append(found)
        for chosen in product(*taps):
            weight = np.prod([one[1] for one in chosen])
            out[(place[0], slice(None), *place[1:])] += (
                weight * x[(place[0], slice(None), *[one[0] for one in chosen])]
            )
    return out


MODES = [("bilinear", 2), ("nearest", 2), ("bicubic", 2), ("bilinear", 3), ("nearest", 3)]


@pytest.mark.parametrize("aligns", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize(("mode", "dims"), MODES)
def test_each_place_is_a_mix_of_what_is_around_it(mode, dims, padding, aligns):
    rng = np.random.default_rng(11)
    x = rng.standard_normal((2, 2, *((3, 4) if dims == 2 else (2, 3, 4))))
    grid = rng.uniform(-1.7, 1.7, (2, *((3, 2) if dims == 2 else (2, 1, 3)), dims))

    made = F.grid_sample(gb.tensor(x), gb.tensor(grid), mode, padding, aligns)

    np.testing.assert_allclose(made.numpy(), sampled(x, grid, mode, padding, aligns), atol=1e-12)


@pytest.mark.parametrize(("mode", "dims"), MODES)
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_gradients_are_slopes_of_both_inputs(mode, dims, padding):
    rng = np.random.default_rng(12)
    x = gb.tensor(rng.standard_normal((2, 2, *([3] * dims))), requires_grad=True)
    grid = gb.tensor(rng.uniform(-1.4, 1.4, (2, *([2] * dims), dims)), requires_grad=True)

    def sample(x, grid):
        return F.grid_sample(x, grid, mode, padding, align_corners=False)

    assert gb.autograd.gradcheck(sample, (x, grid))


def test_blocks_of_places_agree_with_single_ones_for_any_number_of_threads():
    rng = np.random.default_rng(13)
    x = gb.tensor(rng.standard_normal((2, 11, 9, 8)).astype(np.float32), requires_grad=True)
    grid = gb.tensor(rng.uniform(-1, 1, (2, 30, 17, 2)).astype(np.float32), requires_grad=True)

    whole = F.grid_sample(x, grid)
    whole.square().sum().backward()
    assert x.grad is not None
    assert grid.grad is not None
    first, first_grid = x.grad.clone(), grid.grad.clone()
    x.grad = grid.grad = None
    rows = [F.grid_sample(x, grid[:, i : i + 1]) for i in range(30)]
    before = gb.get_num_threads()
    gb.set_num_threads(2)
    F.grid_sample(x, grid).square().sum().backward()
    gb.set_num_threads(before)

    assert gb.equal(gb.cat(rows, 2), whole)
    assert gb.equal(x.grad, first)
    assert gb.equal(grid.grad, first_grid)


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_channels_together_are_what_each_is_alone(mode, padding, dtype):
    drawing = gb.Generator().manual_seed(3)
    x = gb.randn(2, 6, 7, 9, dtype=dtype, generator=drawing)
    grid = (gb.rand(2, 11, 13, 2, dtype=dtype, generator=drawing) * 3 - 1.5).requires_grad_()

    def found(of):
        out = F.grid_sample(of, grid, mode, padding, align_corners=False)
        return out, gb.autograd.grad(out.square().sum(), grid)[0]

    together, slopes = found(x)
    parts = [found(x[:, c : c + 1]) for c in range(6)]

    error = {"rtol": 1e-4, "atol": 1e-4} if dtype == gb.float32 else {"rtol": 1e-12, "atol": 1e-12}
    gb.testing.assert_close(together, gb.cat([out for out, _ in parts], 1), **error)
    gb.testing.assert_close(slopes, sum(part for _, part in parts), **error)


def test_nothing_lies_outside_even_where_numbers_are_none():
    x = gb.full((1, 1, 2, 2), float("nan"))
    far = gb.tensor([[[[5.0, 5.0], [float("inf"), 0.0], [float("nan"), 0.0], [1e30, -1e30]]]])

    assert F.grid_sample(x, far).tolist()[0][0][0][0] == 0.0
    for padding in ("border", "reflection"):
        for mode in ("bilinear", "nearest", "bicubic"):
            F.grid_sample(x, far, mode, padding)  # reads inside the plane


def test_an_affine_grid_maps_the_plane():
    turned = gb.tensor([[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]], requires_grad=True)
    x = gb.arange(9).float().view(1, 1, 3, 3)

    for aligns in (True, False):
        grid = F.affine_grid(turned, (1, 1, 3, 3), align_corners=aligns)
        made = F.grid_sample(x, grid, align_corners=aligns)

        np.testing.assert_allclose(made.detach().numpy()[0, 0], np.rot90(x.numpy()[0, 0]))
        assert grid.shape == (1, 3, 3, 2)

    theta = gb.tensor(np.random.default_rng(1).standard_normal((2, 3, 4)), requires_grad=True)
    assert gb.autograd.gradcheck(lambda it: F.affine_grid(it, (2, 1, 2, 3, 2)), (theta,))


def test_a_transformer_of_space_trains_and_leaves_nothing():
    theta = gb.nn.Parameter(gb.tensor([[[1.0, 0.0, 0.1], [0.0, 1.0, 0.0]]]))
    x = gb.randn(1, 2, 5, 5)

    with gb.leaks.no_leaks():
        F.grid_sample(x, F.affine_grid(theta, x.shape)).square().sum().backward()
        theta.grad = None


def plane():
    return gb.ones(2, 1, 3, 3)


def grid():
    return gb.zeros(2, 1, 1, 2)


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (gb.ShapeError, "input .2, 1, 3, 3., grid", lambda: F.grid_sample(plane(), grid()[:1])),
        (gb.ShapeError, "are needed", lambda: F.grid_sample(plane(), grid()[..., :1])),
        (gb.ShapeError, "are needed", lambda: F.grid_sample(plane()[0], grid())),
        (gb.ShapeError, "planes of 1", lambda: F.grid_sample(plane()[:, :, :0], grid())),
        (
            gb.ShapeError,
            "'bicubic' is for two",
            lambda: F.grid_sample(gb.ones(1, 1, 2, 2, 2), gb.zeros(1, 1, 1, 1, 3), "bicubic"),
        ),
        (gb.DTypeError, "they must be equal", lambda: F.grid_sample(plane(), grid().double())),
        (gb.DTypeError, "a floating one", lambda: F.grid_sample(plane().long(), grid().long())),
        (ValueError, "mode 'cubic'", lambda: F.grid_sample(plane(), grid(), "cubic")),
        (
            ValueError,
            "padding_mode 'ones'",
            lambda: F.grid_sample(plane(), grid(), "nearest", "ones"),
        ),
        (gb.ShapeError, "theta of sizes", lambda: F.affine_grid(gb.ones(2, 2, 3), (1, 1, 3, 3))),
        (gb.ShapeError, "theta of sizes", lambda: F.affine_grid(gb.ones(1, 2, 3), (1, 1, 0, 3))),
        (gb.DTypeError, "theta of dtype", lambda: F.affine_grid(gb.ones(1, 2, 3).long(), (1,) * 4)),
        (TypeError, "size", lambda: F.affine_grid(gb.ones(1, 2, 3), "size")),
    ],
)
def test_what_does_not_fit_is_refused(error, match, call):
    with gb.leaks.no_leaks(), pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize("aligns", [False, True])
@pytest.mark.parametrize("beyond", ["zeros", "border", "reflection"])
@pytest.mark.parametrize(
    ("mode", "dims"),
    [("bilinear", 2), ("nearest", 2), ("bicubic", 2), ("bilinear", 3), ("nearest", 3)],
)
def test_a_gradient_can_be_differentiated_again(mode, dims, beyond, aligns):
    drawing = gb.Generator().manual_seed(3)
    x = gb.randn((2, 2, 4, 5, 3)[: dims + 2], generator=drawing, dtype=gb.float64)
    grid = gb.rand((2, *(3, 2, 2)[:dims], dims), generator=drawing, dtype=gb.float64) * 2.6 - 1.3
    given = [x.requires_grad_(), grid.requires_grad_(mode != "nearest")]

    def sampled(x, grid):
        return F.grid_sample(x, grid, mode=mode, padding_mode=beyond, align_corners=aligns)

    made = sampled(*given)
    wanted = [it for it in given if it.requires_grad]
    weights = gb.randn(made.shape, generator=drawing, dtype=gb.float64)
    by_kernel = gb.autograd.grad(made, wanted, weights, retain_graph=True)
    by_formula = gb.autograd.grad(made, wanted, weights, create_graph=True)

    for one, other in zip(by_kernel, by_formula, strict=True):
        gb.testing.assert_close(one, other)
    assert gb.autograd.gradgradcheck(sampled, given)


def test_what_aligns_is_asked_for_where_it_is_left_out():
    theta = gb.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])

    with pytest.warns(UserWarning, match="affine_grid: align_corners is left out") as told:
        grid = F.affine_grid(theta, (1, 1, 2, 2))
    with pytest.warns(UserWarning, match="grid_sample: align_corners is left out"):
        F.grid_sample(gb.ones(1, 1, 2, 2), grid)

    assert told[0].filename == __file__


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_a_place_that_is_nan_is_nan(mode):
    x = gb.arange(9.0).reshape(1, 1, 3, 3)
    grid = gb.tensor([[[[float("nan"), 0.0], [0.0, 0.0]]]], requires_grad=True)

    made = F.grid_sample(x, grid, mode=mode, align_corners=True)
    made.nansum().backward()

    assert made.isnan().tolist() == [[[[True, False]]]]
    assert not grid.grad[0, 0, 1].isnan().any()


@pytest.mark.parametrize("count", [1, 16, 24, 28])
def test_a_map_that_changes_nothing_has_pytorchs_last_bits(count):
    theta = gb.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])

    grid = F.affine_grid(theta, (1, 1, count, count), align_corners=False)

    line = gb.linspace(-1, 1, count) * (count - 1) / count if count > 1 else gb.zeros(1)
    assert grid[0, 0, :, 0].tolist() == grid[0, :, 0, 1].tolist() == line.tolist()
