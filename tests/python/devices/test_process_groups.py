"""A group of one process: programs for several run in it alone."""

from __future__ import annotations

from datetime import timedelta

import garboard as gb
import pytest
from garboard import distributed as dist
from garboard import nn

pytestmark = pytest.mark.usefixtures("no_leaks")


@pytest.fixture
def open_group():
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


@pytest.mark.parametrize("backend", ["gloo", "nccl", None])
@pytest.mark.parametrize("way", ["store", "environment", "port", "file"])
def test_a_group_opens_and_closes(backend, way, monkeypatch, tmp_path):
    given = {"rank": 0, "world_size": 1}
    if way == "environment":
        monkeypatch.setenv("RANK", "0")
        monkeypatch.setenv("WORLD_SIZE", "1")
        given = {}
    elif way == "store":
        given["store"] = dist.TCPStore("localhost", 29500, 1, True, timedelta(seconds=1))
    else:
        given["init_method"] = "tcp://127.0.0.1:29500" if way == "port" else f"file://{tmp_path}/x"

    dist.init_process_group(backend, **given)
    told = (dist.is_available(), dist.is_initialized(), dist.get_rank(), dist.get_world_size())
    name, world = dist.get_backend(), dist.group.WORLD
    dist.destroy_process_group()

    assert told == (True, True, 0, 1)
    assert name == (backend or "undefined")
    assert isinstance(world, dist.ProcessGroup)
    assert (world.rank(), world.size(), world.name()) == (0, 1, name)
    assert (dist.is_available(), dist.is_initialized(), dist.group.WORLD) == (False, False, None)


@pytest.mark.parametrize("op", ["SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"])
def test_numbers_of_one_process_are_what_they_are(op, open_group):
    x = gb.arange(3)

    assert dist.all_reduce(x, op=getattr(dist.ReduceOp, op)) is None
    work = dist.reduce(x, 0, getattr(dist.ReduceOp, op), async_op=True)

    assert x.tolist() == [0, 1, 2]
    assert (work.wait(), work.is_completed(), work.is_success()) == (True, True, True)
    assert work.exception() is None
    work.synchronize()
    assert work.result()[0] is work.get_future().wait()[0] is x


def _sent(call):
    made = gb.zeros(3)
    call(made, gb.arange(3.0, requires_grad=True))
    return made.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda made, x: dist.all_gather([made], x),
        lambda made, x: dist.all_gather_into_tensor(made.view(1, 3), x),
        lambda made, x: dist.gather(x, [made], 0),
        lambda made, x: dist.scatter(made, [x], src=0),
        lambda made, x: dist.reduce_scatter(made, [x]),
        lambda made, x: dist.reduce_scatter_tensor(made, x),
        lambda made, x: dist.all_to_all([made], [x]),
        lambda made, x: dist.all_to_all_single(made, x),
    ],
)
def test_a_process_gets_what_it_has_sent(call, open_group):
    assert _sent(call) == [0, 1, 2]


def test_objects_are_copied(open_group):
    given, lists = {"loss": [0.5]}, [[None], [None], [None]]

    dist.all_gather_object(lists[0], given)
    dist.gather_object(given, lists[1], dst=0)
    dist.scatter_object_list(lists[2], [given], src=0)
    dist.broadcast_object_list(lists[0], src=0)

    assert lists == [[given], [given], [given]]
    assert all(it[0] is not given for it in lists)


def test_groups_of_a_group_are_of_the_process(open_group):
    other = dist.new_group([0], backend="nccl")

    dist.barrier(other)
    dist.monitored_barrier()
    assert dist.barrier(async_op=True).wait()
    assert (dist.get_rank(other), dist.get_backend(other)) == (0, "nccl")
    assert dist.get_process_group_ranks(other) == [0]
    assert (dist.get_global_rank(other, 0), dist.get_group_rank(other, 0)) == (0, 0)
    dist.destroy_process_group(other)
    assert dist.is_initialized()


def test_stores_keep_bytes():
    store = dist.HashStore()
    inner = dist.PrefixStore("in", store)

    store.set("a", "b")
    inner.set("c", b"d")

    assert (store.get("a"), inner.get("c"), store.get("in/c")) == (b"b", b"d", b"d")
    assert (store.add("n", 2), store.add("n", 3), inner.add("n", 1)) == (2, 5, 1)
    assert store.check(["a", "n"])
    assert not inner.check(["a"])
    assert (inner.delete_key("c"), store.num_keys()) == (True, 3)
    assert store.compare_set("a", "other", "z") == b"b"
    assert inner.compare_set("a", "", "z") == b"z"
    inner.wait(["a", "n"])
    store.set_timeout(timedelta(seconds=1))
    assert store.timeout.seconds == dist.TCPStore("x", 1, timeout=store.timeout).timeout.seconds
    with pytest.raises(RuntimeError, match="no 'x'; a key that is set is needed"):
        store.wait(["x"])
    with pytest.raises(TypeError, match="bytes are needed"):
        store.set("x", 3)
    with pytest.raises(NotImplementedError, match="world_size 2"):
        dist.FileStore("x", 2)


def test_a_module_learns_as_it_does_alone(open_group):
    gb.manual_seed(0)
    alone, other = nn.Linear(2, 1), nn.Linear(2, 1)
    other.load_state_dict(alone.state_dict())
    model = nn.parallel.DistributedDataParallel(other, find_unused_parameters=True)

    for it in (alone, model):
        it(gb.ones(3, 2)).sum().backward()
    with model.no_sync():
        assert not model.require_backward_grad_sync
        model(gb.ones(3, 2)).sum().backward()

    assert model.module is other
    assert model.require_backward_grad_sync
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    assert gb.equal(other.weight.grad, 2 * alone.weight.grad)
    with model.join():
        pass


def test_calls_with_gradients_return_what_they_are_given(open_group):
    from garboard.distributed.nn.functional import all_gather, all_reduce, broadcast, reduce

    x = gb.ones(2, requires_grad=True)
    made = [all_reduce(x), all_gather(x)[0], broadcast(x, 0), reduce(x, 0)]
    sum(it.sum() for it in made).backward()

    assert x.grad.tolist() == [4, 4]
    assert all(it is not x for it in made)


def test_norms_become_those_of_several_processes():
    model = nn.Sequential(nn.BatchNorm2d(2, affine=False), nn.Sequential(nn.BatchNorm1d(3))).eval()
    inner, x = model[1][0], gb.randn(4, 3)
    expected = inner(x)

    made = nn.SyncBatchNorm.convert_sync_batchnorm(model)

    assert made is model
    assert [type(it).__name__ for it in (made[0], made[1][0])] == ["SyncBatchNorm"] * 2
    assert made[1][0].weight is inner.weight
    assert made[0].weight is None
    assert gb.equal(made[1][0](x), expected)
    assert not made[1][0].training


def test_what_takes_several_processes_is_refused(open_group):
    x = gb.ones(2)

    for call in (
        lambda: dist.broadcast(x, 1),
        lambda: dist.reduce(x, 1),
        lambda: dist.new_group([0, 1]),
        lambda: dist.get_global_rank(dist.group.WORLD, 1),
        lambda: dist.init_process_group("gloo", rank=0, world_size=1),
        lambda: dist.gather(x),
        lambda: dist.scatter(x),
        lambda: dist.gather_object(1),
        lambda: dist.all_gather_object([], 1),
        lambda: dist.scatter_object_list([None], [1, 2]),
        lambda: dist.all_gather([x, x], x),
        lambda: dist.all_gather([gb.ones(3)], x),
        lambda: dist.broadcast(x),
        lambda: nn.parallel.DistributedDataParallel(nn.ReLU()),
    ):
        with pytest.raises(ValueError, match=r"need|is open|leave it out"):
            call()
    for call in (
        lambda: dist.all_reduce(x, "sum"),
        lambda: dist.all_reduce(x, dist.ReduceOp.BAND),
        lambda: dist.all_gather(x, x),
        lambda: dist.all_gather([gb.ones(2, dtype=gb.float64)], x),
        lambda: dist.gather_object(1, (None,)),
    ):
        with pytest.raises(TypeError, match="needed"):
            call()
    dist.destroy_process_group()
    with pytest.raises(NotImplementedError, match="world_size 2; there is one process a program"):
        dist.init_process_group("gloo", rank=0, world_size=2)
    with pytest.raises(ValueError, match="rank 1 of 1"):
        dist.init_process_group("gloo", rank=1, world_size=1)
    with pytest.raises(ValueError, match="environment's WORLD_SIZE"):
        dist.init_process_group("gloo")
    with pytest.raises(ValueError, match="no process group"):
        dist.destroy_process_group()


def test_the_rank_on_a_machine_is_the_environments(monkeypatch):
    with pytest.raises(RuntimeError, match="no LOCAL_RANK"):
        dist.get_node_local_rank()
    monkeypatch.setenv("LOCAL_RANK", "0")

    assert (dist.get_node_local_rank(), dist.is_backend_available("gloo")) == (0, False)
    assert dist.Backend("NCCL") == dist.Backend.NCCL


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_an_optimizer_that_is_spread_over_one_process_is_the_optimizer(kind, open_group):
    from garboard.distributed.optim import ZeroRedundancyOptimizer

    gb.manual_seed(0)
    layer, other = nn.Linear(2, 1), nn.Linear(2, 1)
    other.load_state_dict(layer.state_dict())
    plain = getattr(gb.optim, kind)(other.parameters(), lr=0.1)
    optimizer = ZeroRedundancyOptimizer(
        layer.parameters(),
        optimizer_class=getattr(gb.optim, kind),
        parameters_as_bucket_view=True,
        lr=0.1,
    )
    rate = gb.optim.lr_scheduler.StepLR(optimizer, 1)
    for model, by in ((layer, optimizer), (other, plain)):
        model(gb.ones(1, 2)).sum().backward()
        by.step()
    rate.step()
    optimizer.consolidate_state_dict(to=0)
    optimizer.load_state_dict(optimizer.state_dict())

    assert gb.equal(layer.weight, other.weight)
    assert isinstance(optimizer, ZeroRedundancyOptimizer)
    assert isinstance(optimizer.optim, getattr(gb.optim, kind))
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.01)
    with pytest.raises(ValueError, match="consolidate_state_dict: to 1"):
        optimizer.consolidate_state_dict(1)
    with pytest.raises(TypeError, match="optimizer_class is"):
        ZeroRedundancyOptimizer(layer.parameters(), optimizer_class=nn.Linear)
