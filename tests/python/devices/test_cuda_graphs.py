"""Captured work: a replay does what the ops did, on the same memory, and nobody else gets that."""

from __future__ import annotations

import gc

import garboard as gb
import pytest

from tests.support.cuda_agreement import on_cuda
from tests.support.live_memory import balanced  # noqa: F401

F, nn = gb.nn.functional, gb.nn
CUDA = "cuda"


def ramp(*sizes: int) -> gb.Tensor:
    count = gb.Size(sizes).numel()
    return (gb.arange(count, dtype=gb.float32) / 7 - 1).reshape(*sizes).cuda()


def capture(call, **named):
    """What `call` returns, and the graph of its work."""
    graph = gb.cuda.CUDAGraph()
    with gb.cuda.graph(graph, **named):
        result = call()
    return result, graph


class TestWithoutADevice:
    skip = pytest.mark.skipif(gb.cuda.is_available(), reason="there is a CUDA device")

    @skip
    @pytest.mark.parametrize("name", ["CUDAGraph", "graph_pool_handle"])
    def test_a_graph_says_why_there_is_none(self, name):
        with pytest.raises(gb.DeviceError, match="cannot be used"):
            getattr(gb.cuda, name)()

    def test_nothing_is_captured(self):
        assert not gb.cuda.is_current_stream_capturing()

    def test_a_block_wants_a_graph(self):
        with pytest.raises(TypeError, match=r"^graph: 3; a gb\.cuda\.CUDAGraph is needed"):
            gb.cuda.graph(3)


class TestReplays:
    @on_cuda
    def test_do_the_ops_on_what_the_inputs_hold_by_then(self):
        x = ramp(5)

        y, graph = capture(lambda: (x * x + 1).relu())
        for value in (2.0, -3.0):
            x.fill_(value)
            graph.replay()
            assert y.tolist() == [value * value + 1] * 5

    @on_cuda
    def test_come_after_a_capture_that_has_done_nothing(self):
        x = ramp(3)

        _, graph = capture(lambda: x.add_(1))
        before = x.tolist()
        graph.replay()
        graph.replay()

        assert before == ramp(3).tolist()
        assert x.tolist() == (ramp(3) + 2).tolist()

    @on_cuda
    def test_of_products_softmax_and_reductions_are_what_the_ops_give(self):
        x, w = ramp(6, 5), ramp(5, 4)

        y, graph = capture(lambda: (x @ w).softmax(1).sum(0) + x.max() + w.norm())
        x.mul_(0.5)
        graph.replay()

        expected = (x @ w).softmax(1).sum(0) + x.max() + w.norm()
        assert y.tolist() == expected.tolist()

    @on_cuda
    def test_of_a_backward_fill_the_same_gradients(self):
        w = ramp(4, 3).requires_grad_()
        x = ramp(2, 4)

        def step():
            w.grad = None
            loss = (x @ w).square().mean()
            loss.backward()
            return loss

        loss, graph = capture(step)
        w.grad.zero_()
        graph.replay()

        other = w.detach().clone().requires_grad_()
        expected = (x @ other).square().mean()
        expected.backward()
        assert loss.item() == expected.item()
        assert w.grad.tolist() == other.grad.tolist()

    @on_cuda
    def test_run_on_any_stream_one_behind_the_other(self):
        x = ramp(1000)
        _, graph = capture(lambda: x.mul_(2).add_(1))
        sides = [gb.cuda.Stream(), gb.cuda.Stream()]

        expected = ramp(1000)
        for turn in range(4):
            sides[turn % 2].wait_stream(gb.cuda.current_stream())
            with gb.cuda.stream(sides[turn % 2]):
                graph.replay()
            expected.mul_(2).add_(1)
        for side in sides:
            gb.cuda.current_stream().wait_stream(side)

        assert x.tolist() == expected.tolist()

    @on_cuda
    def test_of_nothing_are_refused(self):
        with pytest.raises(gb.DeviceError, match=r"^replay: the graph holds no work"):
            gb.cuda.CUDAGraph().replay()


class TestOtherStreams:
    @on_cuda
    def test_that_are_told_to_wait_are_captured_with_it(self):
        x, side = ramp(100), gb.cuda.Stream()

        def call():
            here = gb.cuda.current_stream()
            doubled = x * 2
            side.wait_stream(here)
            with gb.cuda.stream(side):
                assert gb.cuda.is_current_stream_capturing()
                squared = doubled * doubled
            doubled.record_stream(side)
            tripled = x * 3
            here.wait_stream(side)
            return squared + tripled

        y, graph = capture(call)
        assert not gb.cuda.is_current_stream_capturing()
        graph.replay()
        x.add_(1)
        graph.replay()

        assert y.tolist() == (x * 2 * (x * 2) + x * 3).tolist()

    @on_cuda
    def test_go_on_meanwhile(self):
        x, graph = ramp(10), gb.cuda.CUDAGraph()
        with gb.cuda.graph(graph):
            y = x + 1
            with gb.cuda.stream(gb.cuda.default_stream()):
                assert (ramp(3) + 1).sum().item() == (ramp(3) + 1).sum().item()
        graph.replay()

        assert y.tolist() == (x + 1).tolist()

    @on_cuda
    def test_events_order_captured_work(self):
        x, side, point = ramp(50), gb.cuda.Stream(), gb.cuda.Event()

        def call():
            y = x * 2
            point.record()
            side.wait_event(point)
            with gb.cuda.stream(side):
                z = y + 1
                done = gb.cuda.current_stream().record_event()
            done.wait()
            with pytest.raises(gb.DeviceError, match=r"^query: the event was recorded in captured"):
                done.query()
            with pytest.raises(gb.DeviceError, match=r"^synchronize: the event was recorded in"):
                done.synchronize()
            return z * z

        z, graph = capture(call)
        graph.replay()

        assert z.tolist() == ((x * 2 + 1) * (x * 2 + 1)).tolist()


class TestMemory:
    @on_cuda
    def test_of_a_capture_goes_to_nobody_else(self):
        x = ramp(1 << 12)
        y, graph = capture(lambda: (x * 2 + 1) * 3)  # what lies between is free by now
        others = [gb.full((1 << 12,), 7.0, device=CUDA) for _ in range(8)]
        graph.replay()

        assert all(it.unique().tolist() == [7] for it in others)
        assert y.tolist() == ((x * 2 + 1) * 3).tolist()

    @on_cuda
    def test_is_used_again_within_a_capture(self):
        x = ramp(1 << 20)
        before = gb.cuda.memory_reserved()

        def call():
            y = x
            for _ in range(40):
                y = y + 1
            return y

        _, graph = capture(call)

        assert gb.cuda.memory_reserved() - before < 12 * x.nbytes
        del graph

    @on_cuda
    def test_of_results_outlives_the_graph(self):
        x = ramp(100)
        y, graph = capture(lambda: x * 2)
        graph.replay()
        del graph
        gc.collect()

        assert y.tolist() == (x * 2).tolist()

    @on_cuda
    def test_goes_back_when_the_graph_is_reset(self):
        x = ramp(1 << 18)
        gb.cuda.empty_cache()
        before = gb.cuda.memory_reserved()
        y, graph = capture(lambda: x * 2 + 1)
        graph.replay()
        del y
        gb.cuda.empty_cache()
        held = gb.cuda.memory_reserved()
        graph.reset()
        gb.cuda.empty_cache()

        assert held > before
        assert gb.cuda.memory_reserved() <= before
        with pytest.raises(gb.DeviceError, match="holds no work"):
            graph.replay()

    @on_cuda
    def test_stays_flat_over_many_graphs(self):
        x = ramp(1 << 14)
        reserved = []
        for _ in range(6):
            y, graph = capture(lambda: (x * 2).exp() + 1)
            graph.replay()
            del y, graph
            gc.collect()
            gb.cuda.synchronize()
            gb.cuda.empty_cache()
            reserved.append(gb.cuda.memory_reserved())

        assert reserved[-1] == reserved[1]

    @on_cuda
    def test_is_shared_by_graphs_of_one_pool(self):
        x = ramp(1 << 10)
        y, first = capture(lambda: x * 2)
        z, second = capture(lambda: y + 1, pool=first.pool())
        first.replay()
        second.replay()
        del first
        gc.collect()

        assert z.tolist() == (x * 2 + 1).tolist()
        second.replay()
        assert z.tolist() == (x * 2 + 1).tolist()

    @on_cuda
    def test_of_a_pool_that_ended_is_refused_and_what_is_no_pool(self):
        graph = gb.cuda.CUDAGraph()
        with pytest.raises(gb.DeviceError, match=r"^pool: the graph holds no work"):
            graph.pool()
        with pytest.raises(TypeError, match=r"^capture_begin: pool 3; "):
            graph.capture_begin(pool=3)
        with pytest.raises(ValueError, match=r"^capture_begin: capture_error_mode 'loud'"):
            graph.capture_begin(capture_error_mode="loud")

    @on_cuda
    def test_both_books_count_what_a_graph_keeps(self):
        x = ramp(1 << 10)
        y, graph = capture(lambda: x * 2)

        assert gb.cuda.memory_allocated() == gb.memory.live(CUDA).bytes
        del graph, y


class TestRandomNumbers:
    @on_cuda
    def test_are_drawn_anew_by_each_replay_as_the_ops_would(self):
        draw = lambda: (gb.rand(10, device=CUDA), gb.randn(7, device=CUDA))  # noqa: E731
        gb.manual_seed(5)
        (uniform, normal), graph = capture(draw)

        found = []
        for _ in range(3):
            graph.replay()
            found.append((uniform.tolist(), normal.tolist()))
        gb.manual_seed(5)
        expected = [tuple(it.tolist() for it in draw()) for _ in range(3)]

        assert found == expected

    @on_cuda
    def test_follow_a_seed_set_between_replays(self):
        x, graph = capture(lambda: gb.rand(8, device=CUDA))
        seen = []
        for seed in (1, 2, 1):
            gb.manual_seed(seed)
            graph.replay()
            seen.append(x.tolist())

        assert seen[0] == seen[2] != seen[1]

    @on_cuda
    def test_of_dropout_are_the_same_forward_and_backward(self):
        x = ramp(1000).requires_grad_()

        def step():
            x.grad = None
            y = F.dropout(x, 0.5, training=True)
            y.sum().backward()
            return y

        y, graph = capture(step)
        masks = []
        for _ in range(2):
            graph.replay()
            masks.append(x.grad.tolist())
            assert [m * v for m, v in zip(masks[-1], x.tolist(), strict=True)] == y.tolist()
        assert masks[0] != masks[1]

    @on_cuda
    def test_of_a_generator_of_ones_own_are_refused(self):
        own, graph = gb.Generator(), gb.cuda.CUDAGraph()
        with (
            pytest.raises(gb.DeviceError, match="the standard generator is needed"),
            gb.cuda.graph(graph),
        ):
            gb.empty(3, device=CUDA).uniform_(generator=own)
        assert gb.rand(3, device=CUDA).sum().item() > 0


class TestWhatCannotBeCaptured:
    @on_cuda
    @pytest.mark.parametrize(
        ("name", "call"),
        [
            ("copy", lambda x: x.sum().item()),
            ("copy", lambda x: x.tolist()),
            ("copy", lambda x: x.cpu()),
            ("copy", lambda x: x.nonzero()),
            ("copy", lambda x: x[x > 0]),
            ("copy", lambda x: gb.tensor([1.0, 2.0], device=CUDA)),
            ("synchronize", lambda x: gb.cuda.synchronize()),
            ("synchronize", lambda x: gb.cuda.current_stream().synchronize()),
            ("query", lambda x: gb.cuda.current_stream().query()),
            ("capture_begin", lambda x: gb.cuda.CUDAGraph().capture_begin()),
            ("record", lambda x: gb.cuda.Event(enable_timing=True).record()),
        ],
    )
    def test_is_refused_by_name_and_the_graph_is_as_new(self, name, call):
        x, graph = ramp(5), gb.cuda.CUDAGraph()
        with pytest.raises(gb.DeviceError, match=rf"^{name}: "), gb.cuda.graph(graph):
            call(x * 2)
        with gb.cuda.graph(graph):
            y = x * 3
        graph.replay()

        assert y.tolist() == (x * 3).tolist()

    @on_cuda
    def test_a_replay_is_none_of_it(self):
        x = ramp(3)
        _, inner = capture(lambda: x.add_(1))
        with (
            pytest.raises(gb.DeviceError, match=r"^replay: the current stream is being captured"),
            gb.cuda.graph(gb.cuda.CUDAGraph()),
        ):
            inner.replay()

        assert x.tolist() == ramp(3).tolist()

    @on_cuda
    def test_an_error_of_the_program_ends_the_capture(self):
        x, graph = ramp(5), gb.cuda.CUDAGraph()
        with pytest.raises(KeyError), gb.cuda.graph(graph):
            {}[x * 2]

        assert not gb.cuda.is_current_stream_capturing()
        assert (x * 2).tolist() == (ramp(5) * 2).tolist()

    @on_cuda
    def test_the_default_stream_is_none(self):
        with pytest.raises(gb.DeviceError, match=r"^capture_begin: the default stream is current"):
            gb.cuda.CUDAGraph().capture_begin()

    @on_cuda
    def test_a_graph_is_captured_once(self):
        x = ramp(2)
        _, graph = capture(lambda: x * 2)
        with (
            pytest.raises(gb.DeviceError, match=r"^capture_begin: the graph has been captured"),
            gb.cuda.graph(graph),
        ):
            pass
        with pytest.raises(gb.DeviceError, match=r"^capture_end: nothing is being captured"):
            graph.capture_end()

    @on_cuda
    def test_memory_that_runs_out_leaves_nothing(self):
        graph = gb.cuda.CUDAGraph()
        before = gb.cuda.memory_allocated()
        with pytest.raises(gb.OutOfMemoryError), gb.cuda.graph(graph):
            gb.empty(1 << 50, device=CUDA)

        assert gb.cuda.memory_allocated() == before
        assert (ramp(3) + 1).tolist() == [v + 1 for v in ramp(3).tolist()]


class TestTraining:
    def model(self):
        gb.manual_seed(0)
        return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1)).cuda()

    def optimizers(self):
        yield lambda p: gb.optim.SGD(p, lr=0.1, momentum=0.9)
        yield lambda p: gb.optim.Adam(p, lr=0.01, capturable=True)
        yield lambda p: gb.optim.AdamW(p, lr=0.01, capturable=True)
        yield lambda p: gb.optim.RMSprop(p, lr=0.01, capturable=True)

    @on_cuda
    def test_a_whole_step_replayed_trains_as_steps_do(self):
        batches = [ramp(4, 6) * k for k in range(1, 6)]
        for make in self.optimizers():
            outcomes = []
            for is_captured in (False, True):
                model, x = self.model(), ramp(4, 6)
                optimizer = make(model.parameters())

                def step(model=model, x=x, optimizer=optimizer):
                    optimizer.zero_grad(set_to_none=True)
                    loss = model(x).square().mean()
                    loss.backward()
                    optimizer.step()
                    return loss

                step()
                if is_captured:
                    loss, graph = capture(step)
                losses = []
                for batch in batches:
                    x.copy_(batch)
                    if is_captured:
                        graph.replay()
                    else:
                        loss = step()
                    losses.append(loss.item())
                outcomes.append((losses, [p.tolist() for p in model.parameters()]))
            assert outcomes[0] == outcomes[1], make

    @on_cuda
    def test_adam_counts_on_the_device(self):
        x = ramp(3).requires_grad_()
        optimizer = gb.optim.Adam([x], lr=0.1, capturable=True)
        for _ in range(3):
            optimizer.zero_grad()
            x.sum().backward()
            optimizer.step()

        count = optimizer.state[x]["step"]
        assert count.is_cuda
        assert count.item() == 3
        saved = optimizer.state_dict()
        other = gb.optim.Adam([x], lr=0.1)
        other.load_state_dict(saved)
        other.param_groups[0]["capturable"] = False
        other.step()
        assert other.state[x]["step"].item() == 4

    @on_cuda
    @pytest.mark.parametrize(
        "make",
        [
            lambda p: gb.optim.Adam(p),
            lambda p: gb.optim.NAdam(p),
            lambda p: gb.optim.Adagrad(p),
            lambda p: gb.optim.Adam(p, amsgrad=True),
        ],
    )
    def test_steps_that_the_host_counts_are_refused(self, make):
        x = ramp(3).requires_grad_()
        optimizer = make([x])
        x.sum().backward()
        optimizer.step()
        before = x.tolist()
        with pytest.raises(gb.DeviceError, match="captur"), gb.cuda.graph(gb.cuda.CUDAGraph()):
            optimizer.step()

        assert x.tolist() == before

    @on_cuda
    @pytest.mark.parametrize(
        "make",
        [
            lambda p: gb.optim.Adam(p, capturable=True),
            lambda p: gb.optim.SGD(p, lr=0.1, momentum=0.5),
            lambda p: gb.optim.RMSprop(p),
        ],
    )
    def test_a_first_step_is_refused(self, make):
        x = ramp(3).requires_grad_()
        optimizer = make([x])
        x.sum().backward()
        with (
            pytest.raises(gb.DeviceError, match="its first step is captured"),
            gb.cuda.graph(gb.cuda.CUDAGraph()),
        ):
            optimizer.step()


class TestGraphedCallables:
    @on_cuda
    def test_a_module_gives_what_it_gave_forward_and_backward(self):
        gb.manual_seed(0)
        model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3)).cuda()
        x, given = ramp(4, 5), ramp(4, 5).mul(3)
        expected = model(given)
        expected.square().sum().backward()
        slopes = [p.grad.tolist() for p in model.parameters()]
        model.zero_grad()

        graphed = gb.cuda.make_graphed_callables(model, (x,))
        found = graphed(given)
        found.square().sum().backward()

        assert graphed is model
        assert found.tolist() == expected.tolist()
        assert [p.grad.tolist() for p in model.parameters()] == slopes

    @on_cuda
    def test_functions_with_gradients_of_arguments_and_nests(self):
        x, y = ramp(4).requires_grad_(), ramp(4)
        f = gb.cuda.make_graphed_callables(
            lambda a, both: {"sum": a + both[0], "square": a * a}, (x, (y,))
        )
        a, b = (ramp(4) * 2).requires_grad_(), ramp(4) + 1
        made = f(a, (b,))
        made["square"].sum().backward()

        assert made["sum"].tolist() == (a + b).tolist()
        assert a.grad.tolist() == (2 * a).tolist()

    @on_cuda
    def test_several_share_a_pool_and_an_eval_model_runs_as_it_is(self):
        gb.manual_seed(0)
        first, second = nn.Linear(3, 3).cuda(), nn.Linear(3, 2).cuda()
        x = ramp(2, 3)
        own = second(first(x)).tolist()
        a, b = gb.cuda.make_graphed_callables((first, second), ((x,), (ramp(2, 3),)))

        assert b(a(x)).tolist() == own
        a.eval()
        assert b(a(x)).tolist() == own

    @on_cuda
    def test_what_does_not_fit_is_refused(self):
        model = nn.Linear(3, 3).cuda()
        with pytest.raises(TypeError, match="tensors on a CUDA device are needed"):
            gb.cuda.make_graphed_callables(model, (gb.ones(2, 3),))
        with pytest.raises(TypeError, match="a tuple of tensors"):
            gb.cuda.make_graphed_callables(model, ramp(2, 3))
        with pytest.raises(ValueError, match="1 samples for 2 callables"):
            gb.cuda.make_graphed_callables((model, model), ((ramp(2, 3),),))
        hooked = nn.Linear(3, 3).cuda()
        hooked.register_forward_hook(lambda *_: None)
        with pytest.raises(ValueError, match="a module with hooks"):
            gb.cuda.make_graphed_callables(hooked, (ramp(2, 3),))
        graphed = gb.cuda.make_graphed_callables(model, (ramp(2, 3),))
        with pytest.raises(TypeError, match="as in the sample"):
            graphed(ramp(3, 3))
