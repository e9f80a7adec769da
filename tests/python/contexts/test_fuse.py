"""`gb.fuse`: the same bits as without, whatever is done in the middle, and no temporaries."""

import copy
import threading
import weakref

import garboard as gb
import numpy as np
import pytest
from garboard import _engine

from tests.python.contexts.fused_chains import CHAINS, N, blend, bytes_of, rand


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.float16, gb.bfloat16])
@pytest.mark.parametrize("name", CHAINS)
def test_a_fused_chain_has_the_same_bits(name, dtype):
    a, b = rand(N + 77, dtype=dtype), rand(1, N + 77, dtype=dtype).flatten()

    eager = CHAINS[name](a, b)
    fused = gb.fuse(CHAINS[name])(a, b)

    assert fused.dtype == eager.dtype
    assert bytes_of(fused) == bytes_of(eager)


def test_a_half_is_moved_by_the_number_that_was_given():
    a, b = rand(dtype=gb.bfloat16), rand(1, N, dtype=gb.bfloat16).flatten()

    fused = gb.fuse(gb.lerp)(a, b, 0.999)

    assert bytes_of(fused) == bytes_of(gb.lerp(a, b, 0.999))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((1024, 300), (300,)),
        ((1024, 300), (1024, 1)),
        ((7, 1, 90, 300), (5, 1, 300)),
        ((1, 70000, 3), (2, 1, 1)),
        ((3, 100001), ()),
    ],
)
def test_operands_are_broadcast(left, right, threads):
    before = gb.get_num_threads()
    gb.set_num_threads(threads)
    a, b = rand(*left), rand(*right) if right else gb.tensor(1.5)

    eager, fused = blend(a, b), gb.fuse(blend)(a, b)

    gb.set_num_threads(before)
    assert bytes_of(fused) == bytes_of(eager)


@pytest.mark.parametrize(
    "seen",
    [
        lambda x: x.t(),
        lambda x: x[::2],
        lambda x: x[:, ::3],
        lambda x: x.flip(0),
        lambda x: x[1:, 5:],
        lambda x: x[:, :1].expand(600, 500),
    ],
)
def test_views_of_any_strides_are_fused(seen):
    x = rand(600, 500)
    a, b = seen(x), seen(rand(600, 500) + 1)

    with gb.fuse():
        fused = blend(a, b)
        was_deferred = _engine._deferred_count()

    assert was_deferred == 1
    assert bytes_of(fused) == bytes_of(blend(a, b))


def test_integers_and_bools_are_fused_or_run_as_usual():
    a, b = (rand() * 100).to(gb.int64), (rand() * 7).to(gb.int64)

    def mixed(a, b):
        return ((a + b) * a - b) // b + (a > b) * 3

    assert bytes_of(gb.fuse(mixed)(a, b)) == bytes_of(mixed(a, b))


def test_temporaries_are_never_allocated():
    a, b = rand(1 << 20), rand(1, 1 << 20).flatten()
    size = a.nbytes

    gb.memory.reset_peak_memory_stats("cpu")
    before = gb.memory.memory_allocated("cpu")
    fused = gb.fuse(blend)(a, b)
    peak = gb.memory.max_memory_allocated("cpu") - before

    assert peak == size
    assert fused.nbytes == size


def test_only_the_last_result_is_put_off_in_a_chain_without_names():
    a, b = rand(), rand()

    with gb.fuse():
        y = blend(a, b)
        assert _engine._deferred_count() == 1
        assert y.shape == (N,)  # whoever asks has it computed
        assert _engine._deferred_count() == 0


READS = {
    "item": lambda y: y[3].item(),
    "sum": lambda y: y.sum().item(),
    "numpy": lambda y: y.numpy()[5],
    "print": repr,
    "tolist": lambda y: y.tolist()[:9],
    "truth": lambda y: bool((y > 0).all()),
    "buffer": lambda y: bytes(memoryview(y))[:64],
    "view": lambda y: y.view(-1, 2)[4].tolist(),
    "properties": lambda y: (y.dtype, y.device, y.nbytes, y.is_leaf, y.is_contiguous(), y.stride()),
    "storage": lambda y: y.untyped_storage().nbytes(),
    "matmul": lambda y: (y @ y).item(),
    "clone": lambda y: y.clone().tolist()[:3],
    "in place": lambda y: y.add_(1).tolist()[:3],
    "operator in place": lambda y: y.__iadd__(1).tolist()[:3],
    "item assignment": lambda y: (y.__setitem__(0, 5.0), y[:2].tolist()),
    "copy": lambda y: gb.zeros(N).copy_(y).tolist()[:3],
    "out": lambda y: gb.add(y, 1, out=gb.empty(N)).tolist()[:3],
    "cat": lambda y: gb.cat([y, y]).sum().item(),
    "isinstance": lambda y: isinstance(y, gb.Tensor) and not y.is_disposed,
}


@pytest.mark.parametrize("name", READS)
def test_what_is_read_in_the_middle_is_there(name):
    a, b = rand(), rand() + 1

    @gb.fuse
    def run():
        y = blend(a, b)
        return READS[name](y), (y * 2).sum().item()

    eager = blend(a, b)
    assert run() == (READS[name](eager), (eager * 2).sum().item())


WRITES = {
    "add_": lambda a: a.add_(1),
    "operator": lambda a: a.__imul__(2),
    "item": lambda a: a.__setitem__(slice(0, 100), 7.0),
    "data": lambda a: setattr(a, "data", gb.zeros(3)),
    "fill_": lambda a: a.fill_(3.0),
    "copy_": lambda a: a.copy_(a * 2),
    "out": lambda a: gb.exp(a, out=a),
    "a view": lambda a: a[5:].zero_(),
    "normal_": lambda a: a.normal_(),
    "numpy": lambda a: a.numpy().__setitem__(4, 9.0),
    "index_fill_": lambda a: a.index_fill_(0, gb.tensor([1, 2]), 4.0),
    "masked_fill_": lambda a: a.masked_fill_(a > 1, 0.0),
    "clamp_": lambda a: a.clamp_(0.6, 0.7),
}


@pytest.mark.parametrize("name", WRITES)
def test_an_input_is_read_before_it_is_written(name):
    a, b = rand(), rand() + 1
    expected = blend(a, b)

    with gb.fuse():
        y = blend(a, b)
        WRITES[name](a)

    assert bytes_of(y) == bytes_of(expected)


def test_a_step_that_is_written_was_read_before():
    a, b = rand(), rand() + 1
    s = a + b
    expected, last = s * 2, s + 1

    with gb.fuse():
        s = a + b
        y = s * 2
        s.add_(1)

    assert bytes_of(y) == bytes_of(expected)
    assert bytes_of(s) == bytes_of(last)


def test_memory_that_numpy_shares_is_not_put_off():
    array = np.ones(N, np.float32)
    a = gb.from_numpy(array)

    with gb.fuse():
        y = a + 1
        array[:] = 5

    assert y[0].item() == 2


def test_what_a_variable_holds_is_a_tensor_of_its_own():
    a, b = rand(), rand() + 1

    with gb.fuse():
        s = a + b
        y = s * a - b

    assert bytes_of(s) == bytes_of(a + b)
    assert bytes_of(y) == bytes_of(blend(a, b))


def test_inputs_may_be_disposed_before_the_result_is_read():
    a, b = rand(), rand() + 1
    expected = blend(a, b)

    with gb.fuse():
        y = blend(a, b)
        a.dispose()
        b.dispose()

    assert bytes_of(y) == bytes_of(expected)
    with gb.fuse(), pytest.raises(gb.DisposedError, match="add: input is a disposed tensor"):
        a + b


def test_a_result_that_is_disposed_before_it_is_read_stays_so():
    a = rand()

    with gb.leaks.no_leaks(), gb.fuse():
        y = a + 1
        y.dispose()
        assert y.is_disposed
        assert _engine._deferred_count() == 0
        with pytest.raises(gb.DisposedError):
            y + 1


def test_scopes_own_what_is_put_off():
    a = rand()

    with gb.fuse(), gb.dispose_scope() as scope:
        y, z = a + 1, a * 2
        assert len(scope) == 2
        scope.move_to_outer(z)
    assert y.is_disposed
    assert bytes_of(z) == bytes_of(a * 2)
    z.dispose()

    with gb.dispose_scope() as scope, gb.fuse():
        y = a + 1
    assert y.is_disposed


@pytest.mark.parametrize("requires_grad", [False, True])
def test_nothing_leaks(requires_grad):
    a, b = rand(requires_grad=requires_grad), rand() + 1

    @gb.leaks.no_leaks(iterations=3, warmup=2)
    def step():
        y = gb.fuse(blend)(a, b)
        if requires_grad:
            y.sum().backward()
            a.grad = None

    step()


def test_the_leak_watcher_looks_while_results_are_put_off():
    a = rand()

    with gb.leaks.watch() as watch, gb.fuse():
        for _ in range(12):
            y = a + 1
            watch.step()

    assert watch.report().ok
    assert bytes_of(y) == bytes_of(a + 1)


def test_errors_are_those_of_the_op_at_its_line():
    a, b = rand(600, 500), rand(7)

    with gb.fuse():
        y = a + 1
        with pytest.raises(gb.ShapeError, match=r"mul: sizes \[600, 500\] and \[7\] differ"):
            y * b
        with pytest.raises(TypeError):
            y + "1"
        with pytest.raises(gb.DTypeError, match="bitwise_and"):
            y & a

    assert bytes_of(y) == bytes_of(a + 1)


def test_an_exception_leaves_results_that_can_be_read():
    a = rand()

    made = []

    @gb.fuse
    def fail():
        made.append(a + 1)
        raise KeyError

    with pytest.raises(KeyError):
        fail()

    (y,) = made
    assert bytes_of(y) == bytes_of(a + 1)
    assert _engine._deferred_count() == 0


def test_running_out_of_memory_leaves_the_result_to_be_read_later():
    a = rand()

    with gb.fuse():
        y = a + 1
        with gb.dispose_scope(limit=1024):
            z = a * 2
            with pytest.raises(gb.OutOfMemoryError):
                z.sum().item()

    assert bytes_of(y) == bytes_of(a + 1)


def test_blocks_may_lie_within_each_other():
    a, fuse = rand(), gb.fuse()

    with fuse:
        with fuse:
            y = a + 1
        assert _engine._deferred_count() == 1
    assert _engine._deferred_count() == 0
    assert bytes_of(y) == bytes_of(a + 1)


def test_other_threads_read_and_write_what_was_put_off():
    a, b = rand(), rand() + 1
    expected = blend(a, b)
    seen = []

    def read(y):
        seen.append(bytes_of(y))
        a.add_(1)

    with gb.fuse():
        y, z = blend(a, b), blend(a, b)
        thread = threading.Thread(target=read, args=(y,))
        thread.start()
        thread.join()

    assert seen == [bytes_of(expected)]
    assert bytes_of(z) == bytes_of(expected)


def test_threads_fuse_beside_each_other():
    a, b = rand(1 << 18), rand(1 << 18) + 1
    expected, wrong = bytes_of(blend(a, b)), []

    def run():
        for _ in range(10):
            if bytes_of(gb.fuse(blend)(a, b)) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong
    assert _engine._deferred_count() == 0


def test_modules_and_compile_fuse():
    class Swish(gb.nn.Module):
        def forward(self, x):
            return x * x.sigmoid() + 1

    x, model = rand(), Swish()
    plain = model(x)

    assert not hasattr(model, "_orig_mod")
    assert gb.compile(model, mode="max-autotune") is model
    assert vars(model._orig_mod) is vars(model)  # as programs ask for what PyTorch wraps
    assert model._is_fused
    assert (other := Swish()).compile(dynamic=True) is None
    assert other._is_fused
    peak_before = gb.memory.memory_allocated("cpu")
    gb.memory.reset_peak_memory_stats("cpu")
    fused = model(x)
    peak = gb.memory.max_memory_allocated("cpu") - peak_before

    assert bytes_of(fused) == bytes_of(plain)
    assert peak == x.nbytes


@pytest.mark.parametrize("given", [3, gb.nn.ReLU, (lambda: (yield))])
def test_what_cannot_be_fused_is_refused(given):
    with pytest.raises(TypeError, match="fuse: function is"):
        gb.fuse(given)
    with pytest.raises(TypeError, match="compile: model is"):
        gb.compile(given)


class TestWhatPytorchWraps:
    """A compiled module's `_orig_mod`."""

    def test_ends_a_search_for_it(self):
        model = gb.compile(gb.nn.Sequential(gb.nn.Linear(2, 3)))
        found = model
        while hasattr(found, "_orig_mod"):
            found = found._orig_mod

        assert type(found) is gb.nn.Sequential
        assert found is model._orig_mod
        assert not hasattr(found, "_orig_mod")

    def test_is_the_module_itself_whatever_changes(self):
        model = gb.compile(gb.nn.Sequential(gb.nn.Linear(2, 3)))
        inner = model._orig_mod

        inner.eval()
        inner.add_module("last", gb.nn.Linear(3, 1))
        model.register_buffer("seen", gb.zeros(1))

        assert not model.training
        assert list(model._modules) == list(inner._modules) == ["0", "last"]
        assert list(model.state_dict()) == list(inner.state_dict())
        assert gb.equal(model(gb.ones(1, 2)), inner(gb.ones(1, 2)))

    def test_lives_without_it(self):
        model = gb.compile(gb.nn.Sequential(gb.nn.Linear(2, 3)))
        inner, weight = model._orig_mod, weakref.ref(model[0].weight)

        del model
        assert list(inner._modules) == ["0"]
        assert inner(gb.ones(1, 2)).shape == (1, 3)

        del inner
        assert weight() is None

    def test_can_be_copied(self):
        inner = gb.compile(gb.nn.Sequential(gb.nn.Linear(2, 3)))._orig_mod

        copied = copy.deepcopy(inner)

        assert copied[0].weight is not inner[0].weight
        assert gb.equal(copied(gb.ones(1, 2)), inner(gb.ones(1, 2)))
