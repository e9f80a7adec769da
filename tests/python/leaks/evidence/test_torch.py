"""PyTorch's tensors as evidence: with a small fake in every run, with PyTorch where it is there."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from importlib.util import find_spec

import garboard as gb
import pytest
from garboard._shown.site import site_of
from garboard.leaks.evidence._evidence import evidence_of, others

from tests.support import fake_torch
from tests.support.live_memory import balanced  # noqa: F401
from tests.support.zoo import ZOO

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.fixture
def torch(monkeypatch):
    for name, module in fake_torch.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    yield sys.modules["torch"]
    for name in [it for it in sys.modules if it.startswith("garboard.leaks.evidence._torch")]:
        del sys.modules[name]
    others.clear()


@pytest.fixture
def evidence(torch):
    found = evidence_of("test", "torch")
    found.open()
    yield found
    found.close()


def lines(rows) -> list[int]:
    return [site_of(it.site).line for it in rows]


def here(below: int) -> int:
    return sys._getframe(1).f_lineno - below


def test_a_birth_has_its_line_and_step(torch, evidence):
    since = evidence.now()
    x = torch.ones(2, 3)
    line = here(1)
    step = evidence.advance_step()

    (row,) = evidence.survivors(since.alias)

    assert (lines([row]), row.step, row.type_text) == ([line], step, "float32[2, 3]")
    assert evidence.birth(x) == (row.serial, row.site)
    assert evidence.serials(since.alias) == [row.serial]


def test_what_no_function_returns_is_found_at_the_end_of_its_step(torch, evidence):
    since = evidence.now()
    evidence.advance_step()
    kept = torch.Tensor((2,))
    step = evidence.advance_step()
    evidence.advance_step()

    (row,) = evidence.survivors(since.alias)

    assert (row.tensor, row.step, row.site) == (kept, step, 0)


def test_what_a_collection_meets_first_is_of_its_step_too(torch, evidence):
    since = evidence.now()
    kept = torch.Tensor((2,))
    gc.collect()  # it is young no longer
    step = evidence.advance_step()

    (row,) = evidence.survivors(since.alias)

    assert (row.tensor, row.step) == (kept, step)


def test_what_a_collection_meets_within_a_function_has_the_line_of_its_call(torch, evidence):
    since = evidence.now()
    torch.at_birth.append(gc.collect)
    kept = torch.ones(2)
    line = here(1)

    (row,) = evidence.survivors(since.alias)

    assert (row.tensor, lines([row])) == (kept, [line])


def test_an_alias_that_nothing_returned_has_the_line_of_its_storage(torch, evidence):
    since = evidence.now()
    x = torch.ones(2)
    line = here(1)
    weight = torch.nn.Parameter(x.shape, x.storage)
    del x

    (row,) = evidence.survivors(since.alias)

    assert (row.tensor, lines([row])) == (weight, [line])
    assert evidence.parameters() == [weight]


def test_other_threads_are_seen_without_their_lines(torch, evidence):
    since, kept = evidence.now(), []
    thread = threading.Thread(target=lambda: kept.append(torch.Tensor((1,))))
    thread.start()
    thread.join()

    assert lines(evidence.survivors(since.alias)) == [0]


def test_gradients_and_the_state_of_older_optimizers_belong_to_others(torch, evidence):
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Optimizer([w])
    since = evidence.now()
    (w * 2).sum().backward()
    optimizer.step()

    assert list(evidence.survivors(since.alias)) == []
    assert [it.what for it in evidence.births(since, 0, 9) if it.what == "tensor"] == []


def test_the_state_of_a_new_optimizer_is_new(torch, evidence):
    w = torch.ones(2, requires_grad=True)
    since = evidence.now()
    optimizer = torch.optim.Optimizer([w])
    optimizer.step()

    assert len(list(evidence.survivors(since.alias))) == len(optimizer.state)


def test_a_graph_is_walked_from_its_tensors(torch, evidence):
    since = evidence.now()
    w = torch.ones(2, requires_grad=True)
    y = (w * 2).sum()
    evidence.advance_step()
    total = y + y

    found = list(evidence.nodes(since.node))

    assert [it.name for it in found] == ["mul", "sum", "add"]
    assert [it.step for it in found] == [found[0].step] * 2 + [found[0].step + 1]
    assert (found[0].saved_bytes, found[0].is_released, found[0].was_walked) == (8, False, False)
    assert found[2].next == [found[1].serial] * 2
    assert {it.node for it in evidence.survivors(since.alias)} == {
        0,
        found[1].serial,
        found[2].serial,
    }
    (chain,) = evidence.graphs(since).chains(2, 0)
    assert (chain["name"], chain["count"], sorted(chain["steps"].values())) == ("add", 3, [1, 2])
    assert total.requires_grad


def test_a_node_made_in_place_has_the_line_that_made_it(torch, evidence):
    since, w = evidence.now(), torch.ones(2, requires_grad=True)
    total = torch.ones(2)
    total.add_(w * 2)
    line = here(1)
    total.requires_grad_()  # returns it, and records nothing

    assert [site_of(it.site).line for it in evidence.nodes(since.node)][-1] == line
    assert lines(evidence.survivors(since.alias))[-1] == line - 1


def test_what_a_hook_gets_has_the_line_of_the_pass(torch, evidence):
    since, kept = evidence.now(), []
    w = torch.ones(2, requires_grad=True)
    w.register_hook(kept.append)
    before = torch.Tensor((2,))
    loss = (w * 2).sum()
    loss.backward()
    line = here(1)

    sites = {row.tensor: site_of(row.site).line for row in evidence.survivors(since.alias)}

    assert (sites[kept[0]], sites[before]) == (line, 0)


@pytest.mark.parametrize(
    ("keeps", "expected"), [(None, (True, False, True)), (True, (False, True, True))]
)
def test_a_backward_pass_is_seen(torch, evidence, keeps, expected):
    since = evidence.now()
    w = torch.ones(2, requires_grad=True)
    y = (w * 2).sum()
    y.backward(retain_graph=keeps)

    product = next(iter(evidence.nodes(since.node)))

    assert (product.is_released, product.was_retained, product.was_walked) == expected


def test_a_pass_from_several_roots_by_the_function_is_seen(torch, evidence):
    since, kept = evidence.now(), []
    w = torch.ones(2, requires_grad=True)
    w.register_hook(kept.append)
    first, second = (w * 2).sum(), (w * 3).sum()
    torch.autograd.backward([first, second], retain_graph=True)
    line = here(1)

    nodes = list(evidence.nodes(since.node))
    rows = evidence.survivors(since.alias)
    sites = {id(row.tensor): site_of(row.site).line for row in rows}

    assert [(it.was_retained, it.was_walked) for it in nodes] == [(True, True)] * len(nodes)
    assert [sites[id(it)] for it in kept] == [line] * len(kept)


def test_what_a_pass_makes_where_something_was_has_not_its_line(torch, evidence, monkeypatch):
    since, kept = evidence.now(), []
    monkeypatch.setattr(torch.Tensor, "data_ptr", lambda self: 4096)  # memory is used again
    w = torch.ones(2, requires_grad=True)
    w.register_hook(kept.append)
    loss = (w * 2).sum()
    loss.backward()
    line = here(1)

    sites = {id(row.tensor): site_of(row.site).line for row in evidence.survivors(since.alias)}

    assert sites[id(kept[0])] == line


def test_a_hook_has_the_line_that_registered_it_while_it_is_there(torch, evidence):
    w = torch.ones(2)
    first = w.register_hook(print)
    line = here(1)
    second = w.register_hook(print)
    second.remove()

    ((table, births),) = evidence.hooks()

    assert list(table) == list(births) == [first.id]
    assert site_of(births[first.id][0]).line == line


def test_storages_are_told_apart_and_views_counted_once(torch, evidence):
    since = evidence.now()
    x = torch.ones(4, 100)
    row = x[0]

    rows = list(evidence.survivors(since.alias))

    assert [(it.nbytes, it.is_view) for it in rows] == [(1600, False), (400, True)]
    assert rows[0].storage == rows[1].storage == row.data_ptr()
    assert [it.nbytes for it in evidence.storages()] == [1600]
    assert evidence.live_bytes() == {"cpu": 1600}


def test_storages_that_only_graphs_have_are_told_from_a_point_on(torch, evidence, monkeypatch):
    old = torch.ones(2)
    since = evidence.now()
    new = torch.ones(3)
    monkeypatch.setattr(type(evidence), "_is_held", lambda self, birth: False)

    assert [it.nbytes for it in evidence.unheld(since.storage)] == [12]
    assert [it.nbytes for it in evidence.unheld(0)] == [8, 12]
    assert old.storage is not new.storage


def test_an_end_leaves_nothing_behind(torch):
    callbacks, begins = list(gc.callbacks), torch.utils.hooks.RemovableHandle.__init__
    evidence = evidence_of("test", "torch")
    evidence.open()
    evidence.open()  # another watch
    kept = torch.ones(3)
    evidence.close()
    assert evidence.birth(kept) != (0, 0)

    evidence.close()

    assert gc.callbacks == callbacks
    assert torch.utils.hooks.RemovableHandle.__init__ is begins
    assert torch.overrides._get_current_function_mode_stack() == []
    assert evidence.birth(kept) == (0, 0)
    assert torch.ones(3).shape == (3,)
    assert evidence.serials() == []


def test_where_owners_cannot_be_told_the_notes_say_so(torch):
    assert any("only graphs hold" in it for it in evidence_of("test", "torch").notes)


# By way of the public names


def test_a_watch_names_the_list_that_grows(torch):
    losses = []
    with gb.leaks.watch(on_leak=lambda leak: None, provider="torch") as watch:
        w = torch.ones(4, requires_grad=True)
        for _ in range(60):
            loss = (w * 2).sum()
            line = here(1)
            loss.backward()
            losses.append(loss)
            watch.step()
    (leak,) = watch.report().leaks

    assert (leak.kind, leak.verdict, leak.site.line) == ("tensor-list", "LEAK", line)
    assert leak.holder.startswith("list `losses`")
    assert leak.fix == "losses.append(loss.item())"
    assert any(it.startswith("PyTorch: ") for it in watch.report().notes)


def test_a_watch_names_the_sum_that_links_all_graphs(torch):
    with gb.leaks.watch(on_leak=lambda leak: None, provider="torch") as watch:
        w, total = torch.ones(4, requires_grad=True), 0
        for _ in range(60):
            loss = (w * 2).sum()
            loss.backward()
            total += loss
            line = here(1)
            watch.step()
        (leak,) = watch.report().leaks

    assert (leak.kind, leak.verdict, leak.site.line) == ("accumulated-graph", "LEAK", line)
    assert leak.holder.startswith("local `total`")


def test_a_healthy_loop_is_left_in_peace(torch):
    with gb.leaks.watch(on_leak="raise", provider="torch") as watch:
        w = torch.ones(4, requires_grad=True)
        optimizer = torch.optim.Optimizer([w])
        for _ in range(60):
            loss = (w * 2).sum()
            loss.backward()
            optimizer.step()
            w.grad = None
            watch.step()

    assert watch.report().leaks == ()
    assert watch.report().checked.steps == 60


def test_a_block_that_keeps_a_tensor_is_a_leak(torch):
    kept = []
    with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks(provider="torch"):
        kept.append(torch.ones(3))

    assert raised.value.leaks[0].holder.startswith("list `kept`")


def test_a_repeated_function_may_return_what_it_makes(torch):
    @gb.leaks.no_leaks(iterations=3, warmup=1, provider="torch")
    def made():
        return {"x": [torch.ones(3)]}

    assert made()["x"][0].shape == (3,)


def test_a_snapshot_counts_by_line(torch):
    with gb.leaks.watch(provider="torch") as watch:
        before = watch.snapshot()
        kept = torch.ones(256)
        after = watch.snapshot()

    assert [(it.count, it.bytes) for it in before.diff(after)] == [(1, 1024)]
    assert (after.counts - before.counts).aliases == len([kept])


@pytest.mark.parametrize("call", [gb.leaks.watch, gb.leaks.no_leaks])
def test_the_library_must_be_there(call, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)

    with pytest.raises(ValueError, match="provider 'torch', and the program has not imported it"):
        call(provider="torch")
    with pytest.raises(ValueError, match="provider 'jax'"):
        call(provider="jax")


# With PyTorch itself; all of the zoo is a command, see docs/guides/watch_pytorch.md


@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch")
@pytest.mark.parametrize(
    "name",
    ["l01_total_loss", "l04_hidden_state", "l10_create_graph", "l12_stashed_input", "l18_one_view"],
)
def test_a_program_of_the_zoo_is_named_on_pytorch(name):
    command = [sys.executable, "-m", "tests.zoo", "--library", "torch", "--seeds", "1", name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ZOO.parents[1], timeout=300)

    assert "| all leaks | 1 | 1 |" in done.stdout, done.stdout + done.stderr
