"""Autocast: which dtype an op runs in, and where. Scaled losses: steps taken and left out."""

from __future__ import annotations

import asyncio
import math
import threading
from typing import Any

import garboard as gb
import pytest
from garboard._contexts.autocast_lists import WANTS

HALF, SINGLE, DOUBLE = gb.bfloat16, gb.float32, gb.float64
F = gb.nn.functional


def x() -> Any:
    return gb.ones(4, 4)


class TestAutocast:
    @pytest.mark.parametrize(
        ("call", "dtype"),
        [
            (lambda: x() @ x(), HALF),
            (lambda: gb.mm(x(), x().to(HALF)), HALF),
            (lambda: gb.einsum("ij,kj->ik", x(), x().to(HALF)), HALF),
            (lambda: F.linear(x(), x(), bias=gb.ones(4)), HALF),
            (lambda: F.conv1d(gb.ones(1, 2, 5), gb.ones(3, 2, 2)), HALF),
            (lambda: F.scaled_dot_product_attention(x(), x(), x()), HALF),
            (lambda: gb.nn.LSTM(4, 2)(x())[0], HALF),
            (lambda: gb.nn.GRU(4, 2)(x())[0], SINGLE),
            (lambda: F.bilinear(x(), x(), gb.ones(2, 4, 4)), SINGLE),
            (lambda: F.local_response_norm(gb.ones(1, 2, 4, dtype=HALF), 2), SINGLE),
            (lambda: gb.stft(gb.ones(32, dtype=HALF), 8, return_complex=True).real, SINGLE),
            (lambda: gb.nn.MultiheadAttention(4, 2)(x(), x(), x())[0], HALF),
            (lambda: gb.nn.LayerNorm(4)(x() @ x()), HALF),
            (lambda: gb.nn.BatchNorm1d(4)(x() @ x()), HALF),
            (lambda: gb.nn.GroupNorm(2, 4)(x() @ x()), HALF),
            (lambda: (x() @ x()).softmax(1), HALF),
            (lambda: x() + x() @ x(), SINGLE),
            (lambda: x().exp(), SINGLE),
            (lambda: gb.cat((x(), x() @ x())), SINGLE),
            (lambda: F.cross_entropy(x() @ x(), gb.tensor([0, 1, 2, 3])), SINGLE),
            (lambda: F.nll_loss(x() @ x(), gb.tensor([0, 1, 2, 3])), SINGLE),
            (lambda: F.mse_loss(x() @ x(), x() @ x()), SINGLE),
            (lambda: F.l1_loss(x() @ x(), x() @ x()), SINGLE),
            (lambda: F.binary_cross_entropy_with_logits(x() @ x(), x()), SINGLE),
            (lambda: gb.linalg.inv(gb.eye(3, dtype=HALF)), SINGLE),
            (lambda: (x() @ x()).prod(), SINGLE),
            (lambda: F.prelu(x(), gb.ones(4)), HALF),
            (lambda: F.avg_pool2d(gb.ones(1, 1, 4, 4, dtype=HALF), 2), HALF),
            (lambda: F.avg_pool3d(gb.ones(1, 1, 4, 4, 4, dtype=HALF), 2), SINGLE),
            (lambda: F.adaptive_max_pool3d(gb.ones(1, 1, 4, 4, 4, dtype=HALF), 2), SINGLE),
            (lambda: F.cosine_embedding_loss(x() @ x(), x(), gb.ones(4)), SINGLE),
            (lambda: F.triplet_margin_loss(x() @ x(), x() @ x(), x() @ x()), SINGLE),
            (lambda: F.multi_margin_loss(x() @ x(), gb.tensor([0, 1, 2, 3])), SINGLE),
            (lambda: F.margin_ranking_loss(x() @ x(), x() @ x(), x() @ x()), SINGLE),
            (lambda: gb.cdist(x() @ x(), x()), SINGLE),
            (lambda: gb.fft.rfft(x() @ x()).real, SINGLE),
            (lambda: gb.view_as_complex((x() @ x()).reshape(8, 2)).real, SINGLE),
            (lambda: x().double() @ x().double(), DOUBLE),
            (lambda: gb.ones(2, 2, dtype=gb.int64) @ gb.ones(2, 2, dtype=gb.int64), gb.int64),
        ],
    )
    def test_an_op_runs_in_the_dtype_that_suits_it(self, call, dtype):
        with gb.autocast("cpu"):
            assert call().dtype == dtype

    def test_on_cuda_norms_and_resampling_are_listed_for_float32(self):
        wanted = ("group_norm", "rms_norm", "interpolate", "softplus", "cosine_similarity", "dist")

        assert [WANTS[name]["cuda"] for name in wanted] == ["float32"] * len(wanted)
        assert all("cpu" not in WANTS[name] for name in wanted)
        assert WANTS["prelu"]["cuda"] == "lower"

    @pytest.mark.cuda
    @pytest.mark.skipif(not gb.cuda.is_available(), reason="no GPU")
    def test_on_cuda_norms_and_resampling_run_in_float32(self):
        half = gb.ones(2, 4, 4, 4, device="cuda", dtype=gb.float16)

        with gb.autocast("cuda"):
            found = [
                F.group_norm(half, 2),
                F.rms_norm(half, (4,)),
                F.softplus(half),
                F.cosine_similarity(half, half),
                F.interpolate(half, scale_factor=2),
                gb.dist(half, half),
                gb.linalg.vector_norm(half),
            ]
            lower = F.prelu(half.float(), gb.ones(4, device="cuda"))

        assert [it.dtype for it in found] == [SINGLE] * len(found)
        assert lower.dtype == gb.float16

    def test_what_runs_in_float32_has_its_products_in_float32(self):
        gb.manual_seed(3)
        rows, right = gb.randn(40, 8), gb.randn(40, 2)

        with gb.autocast("cpu"):
            far, found = gb.cdist(rows, rows), gb.linalg.lstsq(rows, right).solution
            assert (rows @ rows.t()).dtype == HALF

        assert far.dtype == found.dtype == SINGLE
        assert far.equal(gb.cdist(rows, rows))
        assert found.equal(gb.linalg.lstsq(rows, right).solution)

    def test_a_step_has_gradients_of_the_parameters_dtype_and_leaves_nothing(self):
        model = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU(), gb.nn.Linear(8, 2))
        given, exact = x(), gb.randn(4, 2)
        plain = F.mse_loss(model(given), exact)
        plain.backward()
        expected = [p.grad.clone() for p in model.parameters() if p.grad is not None]
        model.zero_grad()

        with gb.leaks.no_leaks():
            with gb.autocast("cpu"), gb.dispose_scope():
                F.mse_loss(model(given), exact).backward()
            for parameter, one in zip(model.parameters(), expected, strict=True):
                assert parameter.grad is not None
                assert parameter.grad.dtype == SINGLE
                assert gb.allclose(parameter.grad, one, atol=0.05)
            model.zero_grad()

    def test_a_parameter_is_converted_once_until_it_is_written(self):
        layer = gb.nn.Linear(64, 64, bias=False)
        born = lambda: gb.memory.live().aliases  # noqa: E731

        with gb.autocast("cpu"):
            layer(gb.ones(1, 64))
            before = born()
            first = layer(gb.ones(1, 64))
            assert born() == before + 1  # the result alone
            with gb.no_grad():
                layer.weight.fill_(0.0)
            assert layer(gb.ones(1, 64)).abs().sum().item() == 0.0
            del first
            with gb.dispose_scope():
                gb.clear_autocast_cache()
                layer(gb.ones(1, 64))
            assert layer(gb.ones(1, 64)).dtype == HALF  # what the scope ended is converted anew

    def test_what_is_given_for_a_result_is_written_as_it_is(self):
        out = gb.zeros(4, 4)

        with gb.autocast("cpu"):
            made = [gb.matmul(x(), x(), out=out), gb.addmm(x(), x(), x(), out=out)]
            low = gb.matmul(x(), x(), out=None)

        assert all(it is out for it in made)
        assert out.tolist() == [[5.0] * 4] * 4
        assert low.dtype == HALF

    def test_a_block_of_another_dtype_converts_a_parameter_again(self):
        layer = gb.nn.Linear(4, 2)

        with gb.autocast("cpu"):
            layer(x())
            with gb.autocast("cpu", dtype=gb.float16):
                inner = layer(x())
            outer = layer(x())

        assert (inner.dtype, outer.dtype) == (gb.float16, HALF)

    def test_blocks_nest_and_may_be_switched_off(self):
        assert not gb.is_autocast_enabled("cpu")
        with gb.autocast("cpu", dtype=gb.float16):
            assert gb.get_autocast_dtype("cpu") == gb.float16
            assert (x() @ x()).dtype == gb.float16
            with gb.autocast("cpu", enabled=False):
                assert (x() @ x()).dtype == SINGLE
            assert gb.is_autocast_enabled("cpu")
        assert (x() @ x()).dtype == SINGLE
        block = gb.amp.autocast("cpu")
        with block, block:
            assert (x() @ x()).dtype == HALF
        assert not gb.is_autocast_enabled("cpu")

    def test_a_decorated_function_has_a_block_for_each_call(self):
        @gb.autocast("cpu")
        def product() -> Any:
            return x() @ x()

        assert product().dtype == HALF
        assert (x() @ x()).dtype == SINGLE

    def test_a_block_belongs_to_its_thread_and_task(self):
        found = []
        with gb.autocast("cpu"):
            other = threading.Thread(target=lambda: found.append((x() @ x()).dtype))
            other.start()
            other.join()

        async def cast(event: asyncio.Event) -> None:
            with gb.autocast("cpu"):
                event.set()
                await asyncio.sleep(0)
                found.append((x() @ x()).dtype)

        async def run() -> None:
            event = asyncio.Event()
            task = asyncio.create_task(cast(event))
            await event.wait()
            found.append((x() @ x()).dtype)
            await task

        asyncio.run(run())

        assert found == [SINGLE, SINGLE, HALF]

    def test_what_is_computed_again_is_computed_alike(self):
        layer = gb.nn.Linear(4, 4)
        with gb.autocast("cpu"):
            made = gb.utils.checkpoint.checkpoint(layer, x(), use_reentrant=False)
        made.sum().backward()

        assert made.dtype == HALF
        assert layer.weight.grad is not None

    def test_the_profiler_sees_the_op_that_ran(self):
        with gb.autocast("cpu"), gb.profiler.profile(record_shapes=True) as found:
            gb.matmul(x(), x())

        assert "matmul" in [row.key for row in found.key_averages()]

    def test_errors_are_the_ops_own(self):
        ended = x()
        ended.dispose()
        with gb.autocast("cpu"):
            with pytest.raises(gb.DisposedError, match="matmul"):
                ended @ x()
            with pytest.raises(gb.ShapeError, match="linear"):
                F.linear(x(), gb.ones(2, 3))

    def test_settings_are_checked(self):
        with pytest.raises(ValueError, match="device_type 'tpu'; 'cpu' or 'cuda'"):
            gb.autocast("tpu")
        with pytest.raises(TypeError, match="dtype is of type str"):
            gb.autocast("cpu", dtype="half")  # type: ignore[arg-type]
        with pytest.warns(UserWarning, match="nothing is cast"):
            block = gb.autocast("cpu", dtype=gb.float32)
        with block:
            assert (x() @ x()).dtype == SINGLE
        if not gb.cuda.is_available():
            with pytest.warns(UserWarning, match="there is no CUDA device"):
                gb.autocast("cuda")
        assert gb.amp.is_autocast_available("cpu")
        assert not gb.amp.is_autocast_available("xpu")
        assert not any(map(gb.is_autocast_enabled, ("mps", "xpu")))

    def test_a_function_of_ones_own_says_what_it_takes(self):
        class Square(gb.autograd.Function):
            @staticmethod
            @gb.amp.custom_fwd(device_type="cpu")
            def forward(ctx: Any, x: Any) -> Any:
                ctx.save_for_backward(x)
                return x @ x

            @staticmethod
            @gb.amp.custom_bwd(device_type="cpu")
            def backward(ctx: Any, gradient: Any) -> Any:
                (x,) = ctx.saved_tensors
                seen.append((x @ x).dtype)
                return gradient.float() @ x

        seen: list[Any] = []
        given = x().requires_grad_()
        with gb.autocast("cpu"):
            made = Square.apply(given)
        made.sum().backward()

        assert made.dtype == HALF
        assert seen == [HALF]


class TestGradScaler:
    def make(self, **settings: Any) -> Any:
        weight = gb.nn.Parameter(gb.tensor([1.0]))
        return weight, gb.optim.SGD([weight], lr=1.0), gb.amp.GradScaler("cpu", **settings)

    def test_a_step_is_what_it_is_without(self):
        weight, optimizer, scaler = self.make(init_scale=1024.0, growth_interval=2)

        for scale in (1024.0, 1024.0, 2048.0):
            assert scaler.get_scale() == scale
            optimizer.zero_grad()
            scaler.scale((weight * 0.25).sum()).backward()
            scaler.unscale_(optimizer)
            assert weight.grad.tolist() == [0.25]
            scaler.step(optimizer)
            scaler.update()

        assert weight.tolist() == [0.25]

    @pytest.mark.parametrize("bad", [float("inf"), float("nan")])
    def test_a_bad_step_is_left_out_and_the_scale_made_smaller(self, bad):
        weight, optimizer, scaler = self.make(init_scale=8.0, growth_interval=1)
        scaler.scale((weight * bad).sum()).backward()

        assert scaler.step(optimizer) is None
        scaler.update()

        assert weight.tolist() == [1.0]
        assert scaler.get_scale() == 4.0
        assert scaler.state_dict() == {
            "scale": 4.0,
            "growth_factor": 2.0,
            "backoff_factor": 0.5,
            "growth_interval": 1,
            "_growth_tracker": 0,
        }

    def test_a_state_is_taken_up_again(self):
        weight, optimizer, scaler = self.make(growth_interval=3)
        scaler.scale(weight.sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        other = gb.amp.GradScaler("cpu")

        other.load_state_dict(scaler.state_dict())

        assert other.state_dict() == scaler.state_dict()
        assert other.state_dict()["_growth_tracker"] == 1
        with pytest.raises(RuntimeError, match="missing keys"):
            other.load_state_dict({})

    def test_calls_out_of_turn_are_refused(self):
        weight, optimizer, scaler = self.make()
        scaler.scale(gb.ones(1))
        with pytest.raises(gb.GarboardError, match="no step since"):
            scaler.update()
        with pytest.raises(gb.GarboardError, match="call backward"):
            scaler.step(optimizer)
        scaler.update(64.0)
        weight.sum().backward()
        scaler.unscale_(optimizer)
        with pytest.raises(gb.GarboardError, match=r"unscale_\(\) was called"):
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        with pytest.raises(gb.GarboardError, match=r"step\(\) was called"):
            scaler.step(optimizer)
        with pytest.raises(gb.GarboardError, match="a closure"):
            scaler.step(optimizer, closure=print)
        with pytest.raises(TypeError, match="a Optimizer is needed"):
            scaler.step(weight)
        with pytest.raises(TypeError, match="a Tensor, or a list"):
            scaler.scale(1)
        half = gb.nn.Parameter(gb.ones(1, dtype=gb.float16))
        half.sum().backward()
        with pytest.raises(ValueError, match="dtype float16"):
            scaler.unscale_(gb.optim.SGD([half], lr=0.1))

    def test_gradients_of_a_loss_that_was_not_scaled_are_not_divided(self):
        weight, optimizer, scaler = self.make()
        weight.sum().backward()

        for call in (scaler.step, scaler.unscale_, lambda _: scaler.update()):
            with pytest.raises(AssertionError, match=r"no loss was scaled; call scale\(loss\)"):
                call(optimizer)

        assert weight.grad.item() == 1

    def test_gradients_are_checked_before_one_is_changed(self):
        single = gb.nn.Parameter(gb.ones(1))
        half = gb.nn.Parameter(gb.ones(1, dtype=gb.float16))
        (single * 4 + half).sum().backward()
        scaler = gb.amp.GradScaler("cpu", init_scale=2.0)
        scaler.scale(gb.ones(1))

        for _ in range(2):
            with pytest.raises(ValueError, match="dtype float16"):
                scaler.unscale_(gb.optim.SGD([single, half], lr=0.1))

        assert single.grad.item() == 4.0

    def test_the_scale_stays_a_positive_number_of_float32(self):
        weight, optimizer, scaler = self.make()
        scaler.update(2.0**-125)
        for _ in range(3):
            optimizer.zero_grad()
            (scaler.scale(weight.sum()) * math.inf).backward()
            scaler.step(optimizer)
            scaler.update()

        assert scaler.get_scale() == 2.0**-126
        for scale in (0.0, -1.0, math.nan, math.inf, 1e-40):
            with pytest.raises(ValueError, match="positive number of float32"):
                gb.amp.GradScaler("cpu", init_scale=scale)
            with pytest.raises(ValueError, match="positive number of float32"):
                scaler.update(scale)
            with pytest.raises(ValueError, match="positive number of float32"):
                scaler.load_state_dict(scaler.state_dict() | {"scale": scale})

    def test_one_that_is_off_does_nothing(self):
        weight, optimizer, _ = self.make()
        off = gb.amp.GradScaler("cpu", enabled=False)
        loss = weight.sum()

        assert off.scale(loss) is loss
        loss.backward()
        off.unscale_(optimizer)
        off.step(optimizer)
        off.update()

        assert weight.tolist() == [0.0]
        assert off.get_scale() == 1.0
        assert off.state_dict() == {}

    def test_lists_are_scaled_one_by_one_and_settings_checked(self):
        scaler = gb.amp.GradScaler("cpu", init_scale=2.0)

        made = scaler.scale((gb.ones(1), [gb.ones(1)]))

        assert made[0].item() == made[1][0].item() == 2.0
        for settings in ({"growth_factor": 1.0}, {"backoff_factor": 1.0}, {"growth_interval": 0}):
            with pytest.raises(ValueError, match=next(iter(settings))):
                gb.amp.GradScaler("cpu", **settings)
        scaler.set_growth_factor(3.0)
        scaler.set_backoff_factor(0.1)
        scaler.set_growth_interval(7)
        assert scaler.state_dict()["growth_factor"] == scaler.get_growth_factor() == 3.0
        assert (scaler.get_backoff_factor(), scaler.get_growth_interval()) == (0.1, 7)


def test_several_losses_share_what_a_weight_was_cast_to():
    layer, x = gb.nn.Linear(3, 2), gb.ones(1, 3)
    with gb.autocast("cpu"):
        losses = [layer(x).float().sum(), layer(2 * x).float().sum()]

    for loss in losses:
        loss.backward()

    assert layer.bias.grad.tolist() == [2.0, 2.0]
    assert layer.weight.grad.tolist() == [[3.0] * 3] * 2


def test_the_older_names_are_there():
    from garboard.cuda.amp import GradScaler, autocast

    assert not GradScaler(enabled=False).is_enabled()
    with autocast(enabled=False):
        assert not gb.is_autocast_enabled()


def test_a_block_inside_another_takes_what_it_leaves_out_from_the_one_around():
    x = gb.ones(2, 2)

    with gb.autocast("cpu", dtype=gb.float16, cache_enabled=False):
        with gb.autocast("cpu", enabled=False):
            assert (x @ x).dtype == gb.float32
            with gb.autocast("cpu"):
                assert (x @ x).dtype == gb.float16
                assert not gb.is_autocast_cache_enabled()
        with gb.autocast("cpu", dtype=gb.bfloat16, cache_enabled=True):
            assert (x @ x).dtype == gb.bfloat16
            assert gb.is_autocast_cache_enabled()

    with gb.autocast("cpu"):
        assert (x @ x).dtype == gb.bfloat16
