"""What is given where something else is needed is told in our words, and is not kept.

An object may raise when its text, its truth or its length is asked for, may hold itself, and may be
a word that no file can have. What it raises itself goes through, be it an Exception or not.
"""

from __future__ import annotations

import gc
import re
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import pytest
from garboard import nn
from garboard.report import Report

from tests.support.hostile_objects import Anger, angry_values
from tests.support.live_memory import balanced  # noqa: F401

F = nn.functional
data = gb.utils.data
memory, leaks = gb.memory, gb.leaks

OURS = re.compile(r"[\w.]+(\.__\w+__)?: .")


def x() -> gb.Tensor:
    return gb.ones(2, 2)


def leaf() -> gb.Tensor:
    return gb.ones(2, requires_grad=True)


def watcher() -> leaks.LeakWatcher:
    return leaks.LeakWatcher(on_leak=lambda leak: None)


def with_option(value: Any) -> Any:
    optimizer = gb.optim.SGD([leaf()])
    optimizer.param_groups[0]["own"] = value
    return repr(optimizer)


def with_attribute(layer: Any, name: str) -> Callable[[Any], str]:
    def call(value: Any) -> str:
        made = layer()
        object.__setattr__(made, name, value)
        return repr(made)

    return call


def with_extra_repr(value: Any) -> str:
    class Own(nn.Module):
        def extra_repr(self) -> Any:
            return value

    return repr(Own())


def keyed(value: Any) -> dict[Any, Any]:
    try:
        return {value: x()}
    except TypeError:
        return {}


def filling(batch: int, device: Any) -> None:
    gb.empty(batch, 1 << 18, device=device)


def profiled() -> gb.profiler.profile:
    with gb.profiler.profile() as prof:
        gb.ones(2)
    return prof


def decorated(decorator: Any) -> Callable[[Any], Any]:
    return lambda value: decorator(value)


def returned(decorator: Any) -> Callable[[Any], Any]:
    return lambda value: decorator(lambda: value)() and None


def named(value: Any) -> Any:
    def step() -> gb.Tensor:
        return gb.ones(1)

    if isinstance(value, str):
        step.__name__ = step.__qualname__ = value
    return gb.dispose_scope(step)()


CALLS: dict[str, Callable[[Any], Any]] = {
    # ops
    "tensor": gb.tensor,
    "tensor of a list": lambda it: gb.tensor([1.0, it]),
    "as_tensor": gb.as_tensor,
    "zeros": gb.zeros,
    "zeros dtype": lambda it: gb.zeros(2, dtype=it),
    "zeros device": lambda it: gb.zeros(2, device=it),
    "full": lambda it: gb.full((2,), it),
    "arange": gb.arange,
    "add": lambda it: gb.add(x(), it),
    "x == it": lambda it: x() == it,
    "sum": lambda it: x().sum(it),
    "sum keepdim": lambda it: x().sum(0, keepdim=it),
    "max": lambda it: x().max(it),
    "view": lambda it: x().view(it),
    "x[it]": lambda it: x()[it],
    "x[it] = 1": lambda it: x().__setitem__(it, 1),
    "x[0] = it": lambda it: x().__setitem__(0, it),
    "to": lambda it: x().to(it),
    "cat": lambda it: gb.cat(it),
    "stack": lambda it: gb.stack([x(), it]),
    "matmul": lambda it: gb.matmul(x(), it),
    "clamp": lambda it: gb.clamp(x(), it),
    "where": lambda it: gb.where(it, x(), x()),
    "grad": lambda it: setattr(leaf(), "grad", it),
    "requires_grad_": lambda it: leaf().requires_grad_(it),
    "register_hook": lambda it: leaf().register_hook(it).remove(),
    "backward": lambda it: (leaf() * 2).backward(it),
    "autograd.grad": lambda it: gb.autograd.grad(it, it),
    "autograd.backward": lambda it: gb.autograd.backward([leaf().sum()], it),
    "equal": lambda it: gb.equal(x(), it),
    "allclose": lambda it: gb.allclose(x(), x(), rtol=it),
    "is_tensor": gb.is_tensor,
    "set_printoptions": lambda it: gb.set_printoptions(precision=it),
    "set_printoptions threshold": lambda it: gb.set_printoptions(threshold=it),
    "manual_seed": gb.manual_seed,
    "set_num_threads": gb.set_num_threads,
    "getattr of the package": lambda it: getattr(gb, it, None) if isinstance(it, str) else None,
    "Tensor": gb.Tensor,
    "Parameter": nn.Parameter,
    # layers
    "Linear": lambda it: nn.Linear(it, 2),
    "Linear bias": lambda it: nn.Linear(2, 2, bias=it),
    "LayerNorm": nn.LayerNorm,
    "LayerNorm eps": lambda it: nn.LayerNorm(2, eps=it),
    "Dropout": nn.Dropout,
    "GELU": nn.GELU,
    "ReLU": nn.ReLU,
    "Softmax": nn.Softmax,
    "Flatten": nn.Flatten,
    "MSELoss": lambda it: nn.MSELoss(reduction=it),
    "CrossEntropyLoss": lambda it: nn.CrossEntropyLoss(it),
    "CrossEntropyLoss ignore_index": lambda it: nn.CrossEntropyLoss(ignore_index=it),
    "CrossEntropyLoss label_smoothing": lambda it: nn.CrossEntropyLoss(label_smoothing=it),
    "mse_loss": lambda it: F.mse_loss(x(), x(), reduction=it),
    "softmax": lambda it: F.softmax(x(), it),
    "Sequential": nn.Sequential,
    "Sequential[it]": lambda it: nn.Sequential(nn.ReLU())[it],
    "Sequential.append": lambda it: nn.Sequential().append(it),
    "ModuleList": nn.ModuleList,
    "Module.to": lambda it: nn.Linear(2, 2).to(it),
    "Module.to dtype": lambda it: nn.Linear(2, 2).to(dtype=it),
    "Module.cuda": lambda it: nn.Linear(2, 2).cuda(it),
    "Module.train": lambda it: nn.ReLU().train(it),
    "Module.apply": lambda it: nn.ReLU().apply(it),
    "add_module": lambda it: nn.Module().add_module(it, nn.ReLU()),
    "add_module of it": lambda it: nn.Module().add_module("name", it),
    "register_buffer": lambda it: nn.Module().register_buffer(it, gb.ones(2)),
    "register_parameter": lambda it: nn.Module().register_parameter("name", it),
    "load_state_dict": lambda it: nn.Linear(2, 2).load_state_dict(it),
    "load_state_dict key": lambda it: nn.Linear(2, 2).load_state_dict(keyed(it)),
    "load_state_dict value": lambda it: nn.Linear(2, 1, bias=False).load_state_dict({"weight": it}),
    "parameter = it": lambda it: setattr(nn.Linear(2, 2), "weight", it),
    "extra_repr": with_extra_repr,
    "repr of Dropout": with_attribute(nn.Dropout, "p"),
    "repr of Linear": with_attribute(lambda: nn.Linear(2, 2), "in_features"),
    "repr of LayerNorm": with_attribute(lambda: nn.LayerNorm(2), "eps"),
    "repr of GELU": with_attribute(nn.GELU, "approximate"),
    "repr of Flatten": with_attribute(nn.Flatten, "start_dim"),
    "repr of Softmax": with_attribute(lambda: nn.Softmax(0), "dim"),
    "init.constant_": lambda it: nn.init.constant_(x(), it),
    "init.normal_": lambda it: nn.init.normal_(x(), it),
    "init.xavier_normal_": lambda it: nn.init.xavier_normal_(x(), it),
    "init.kaiming_normal_": lambda it: nn.init.kaiming_normal_(x(), mode=it),
    "init.kaiming_uniform_": lambda it: nn.init.kaiming_uniform_(x(), nonlinearity=it),
    "init.calculate_gain": nn.init.calculate_gain,
    "init.calculate_gain param": lambda it: nn.init.calculate_gain("leaky_relu", it),
    # optimizers
    "SGD": gb.optim.SGD,
    "SGD lr": lambda it: gb.optim.SGD([leaf()], lr=it),
    "SGD momentum": lambda it: gb.optim.SGD([leaf()], momentum=it, nesterov=True),
    "SGD dampening": lambda it: gb.optim.SGD([leaf()], momentum=1, dampening=it, nesterov=True),
    "Adam betas": lambda it: gb.optim.Adam([leaf()], betas=it),
    "Adam beta": lambda it: gb.optim.Adam([leaf()], betas=(it, 0.9)),
    "add_param_group": lambda it: gb.optim.SGD([leaf()]).add_param_group(it),
    "add_param_group params": lambda it: gb.optim.SGD([leaf()]).add_param_group({"params": it}),
    "optimizer.load_state_dict": lambda it: gb.optim.SGD([leaf()]).load_state_dict(it),
    "optimizer.load_state_dict state": lambda it: gb.optim.Adam([leaf()]).load_state_dict(
        {"state": {0: {"step": it}}, "param_groups": [{"params": [0], "lr": 0.1}]}
    ),
    "optimizer.load_state_dict group": lambda it: gb.optim.Adam([leaf()]).load_state_dict(
        {"state": {}, "param_groups": [{"params": [0], "lr": it}]}
    ),
    "optimizer.load_state_dict number": lambda it: gb.optim.Adam([leaf()]).load_state_dict(
        {"state": {}, "param_groups": [{"params": [it], "lr": 0.1}]}
    ),
    "optimizer.step": lambda it: gb.optim.SGD([leaf()]).step(it),
    "repr of an optimizer": with_option,
    # data
    "TensorDataset": data.TensorDataset,
    "Subset": lambda it: data.Subset([1, 2], it),
    "random_split": lambda it: data.random_split([1, 2], it),
    "random_split length": lambda it: data.random_split([1, 2], [it, 1]),
    "default_collate": data.default_collate,
    "default_collate sample": lambda it: data.default_collate([it, it]),
    "default_collate sample among numbers": lambda it: data.default_collate([1, it]),
    "default_collate sample among tuples": lambda it: data.default_collate([(1, 2), it]),
    "DataLoader": data.DataLoader,
    "DataLoader batch_size": lambda it: data.DataLoader([1, 2], batch_size=it),
    "DataLoader collate_fn": lambda it: list(data.DataLoader([1, 2], collate_fn=it)),
    # scopes and grad mode
    "dispose_scope": lambda it: gb.dispose_scope(it).__enter__().dispose(),
    "dispose_scope limit": lambda it: gb.dispose_scope(limit=it),
    "dispose_scope decorating": decorated(lambda it: gb.dispose_scope()(it)),
    "dispose_scope returning": returned(gb.dispose_scope),
    "dispose_scope of a name": named,
    "scope.attach": lambda it: gb.dispose_scope().attach(it),
    "it in scope": lambda it: it in gb.dispose_scope(),
    "no_grad decorating": decorated(gb.no_grad),
    "set_grad_enabled": gb.set_grad_enabled,
    # memory
    "memory.memory_stats": memory.memory_stats,
    "memory.memory_summary": memory.memory_summary,
    "memory.set_memory_limit": lambda it: memory.set_memory_limit(it),
    "memory.set_per_process_memory_fraction": memory.set_per_process_memory_fraction,
    "memory.parse_bytes": memory.parse_bytes,
    "memory.human_bytes": memory.human_bytes,
    "memory.record_history": memory.record_history,
    "memory.record_history context": lambda it: memory.record_history(None, context=it),
    "memory.record_history max_entries": lambda it: memory.record_history(None, max_entries=it),
    "memory.dump_snapshot": lambda it: memory.dump_snapshot(it, "nowhere"),
    "memory.load_snapshot": lambda it: memory.load_snapshot(it) if type(it) is not int else None,
    "memory.check_snapshot": memory.check_snapshot,
    "memory.read_allocation_log": memory.read_allocation_log,
    "memory.fail_allocation": memory.fail_allocation,
    "memory.fail_every_allocation": memory.fail_every_allocation,
    "memory.SimulatedDevice": memory.SimulatedDevice,
    "memory.largest_batch": lambda it: memory.largest_batch(filling, "8 MiB", at_most=it),
    "memory.largest_batch step": lambda it: memory.largest_batch(it, "8 MiB", at_most=1),
    "memory.largest_batch capacity": lambda it: memory.largest_batch(filling, it),
    "cuda.memory_allocated": gb.cuda.memory_allocated,
    # leaks
    "leaks.watch": lambda it: leaks.watch(it),
    "leaks.watch on_leak": lambda it: leaks.watch(on_leak=it),
    "leaks.no_leaks": leaks.no_leaks,
    "leaks.no_leaks warmup": lambda it: leaks.no_leaks(warmup=it),
    "leaks.no_leaks returning": returned(leaks.no_leaks(1, 0)),
    "leaks.ignore": lambda it: leaks.ignore("LIST-000000", until=it),
    "leaks.live": leaks.live,
    "leaks.who_holds": leaks.who_holds,
    "leaks.who_holds limit": lambda it: leaks.who_holds(x(), limit=it),
    "watch.exclude": lambda it: watcher().exclude(it),
    "watch.expect": lambda it: watcher().expect(it),
    "watch.expect_freed": lambda it: watcher().expect_freed(it),
    "watch.phase": lambda it: watcher().phase(it).__enter__(),
    "LeakReport.to_junit": lambda it: leaks.LeakReport().to_junit(it),
    "LeakChecker.exclude_tensors_from_report": lambda it: (
        leaks.LeakChecker().exclude_tensors_from_report(it)
    ),
    # the profiler and the report
    "profiler.profile": lambda it: gb.profiler.profile(activities=it),
    "profiler.profile on_trace_ready": lambda it: gb.profiler.profile(on_trace_ready=it),
    "profiler.record_function": lambda it: (
        gb.profiler.record_function(it).__enter__().__exit__(None, None, None)
    ),
    "profiler sort_by": lambda it: profiled().key_averages().table(sort_by=it),
    "profiler row_limit": lambda it: profiled().key_averages().table(row_limit=it),
    "profiler header": lambda it: profiled().key_averages().table(header=it),
    "profiler total": lambda it: profiled().events()[0].total(it),
    "profiler group_by_stack_n": lambda it: profiled().key_averages(group_by_stack_n=it),
    "profiler export": lambda it: profiled().export_chrome_trace(it) if it == "" else None,
    "Report": Report,
    "Report title": lambda it: Report(memory.snapshot(), it),
}


@pytest.fixture(autouse=True)
def quiet(balanced) -> Iterator[None]:  # noqa: F811
    """Warnings are none of these tests' business; settings are put back."""
    limit, threads = memory.memory_limit(), gb.get_num_threads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    memory.set_memory_limit(limit)
    gb.set_num_threads(threads)
    gb.set_grad_enabled(True)
    gb.set_printoptions(precision=4, threshold=1000)
    memory.record_history(None)


def fault_of(call: Callable[[Any], Any], value: Any) -> str | None:
    """Return what is wrong with how a call refuses a value, if anything is."""
    try:
        result = call(value)
    except (Anger, FileNotFoundError):
        return None  # its own error goes through; a word may be a path
    except Exception as error:
        try:
            str(error).encode("utf-8")
        except UnicodeEncodeError:
            return f"the text of {error!a} cannot be written"
        is_ours = OURS.match(str(error)) and type(error).__name__ != "UnicodeEncodeError"
        return None if is_ours else f"{type(error).__name__}: {str(error)[:200]}"
    if isinstance(result, str) and type(result) is str:
        try:
            result.encode("utf-8")
        except UnicodeEncodeError:
            return f"the text {result!a} cannot be written"
    return None


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_what_does_not_fit_is_told_in_our_words_and_is_not_kept(call):
    faults, alive = [], {}
    for name, make in angry_values().items():
        value = make()
        if fault := fault_of(call, value):
            faults.append(f"{name}: {fault}")
        if type(value).__weakrefoffset__:
            alive[name] = weakref.ref(value)
        del value

    gc.collect()
    assert not faults, "\n".join(faults)
    assert not [name for name, it in alive.items() if it() is not None]
