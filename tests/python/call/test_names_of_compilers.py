"""What programs say to compilers, to the CPU's streams and of single ops inside checkpoints."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

import garboard as gb
import pytest

checkpoints = gb.utils.checkpoint


class TestForked:
    def test_function_has_run_when_it_is_waited_for(self):
        seen = []

        future = gb.jit.fork(seen.append, 3)

        assert seen == [3]
        assert future.done()
        assert gb.jit.wait(future) is None

    def test_function_raises_at_once(self):
        with pytest.raises(ZeroDivisionError):
            gb.jit.fork(divmod, 1, 0)

    def test_only_futures_are_waited_for(self):
        with pytest.raises(TypeError, match=r"jit.wait: future"):
            gb.jit.wait(3)


class TestCompilers:
    def test_stance_is_a_call_a_block_and_a_decorator(self):
        gb.compiler.set_stance("default")

        @gb.compiler.set_stance("force_eager")
        def double(x):
            return 2 * x

        with gb.compiler.set_stance("fail_on_recompile", skip_guard_eval_unsafe=True):
            assert double(2) == 4
        with pytest.raises(ValueError, match="set_stance: stance 'often'"):
            gb.compiler.set_stance("often")

    def test_functions_come_back(self):
        assert gb.compiler.nested_compile_region()(len) is len
        assert gb.compiler.nested_compile_region(len, max_reuse_entries=2) is len
        assert gb.compiler.substitute_in_graph(len)(abs) is abs
        assert gb.compiler.save_cache_artifacts() is None
        with pytest.raises(TypeError, match="nested_compile_region: fn"):
            gb.compiler.nested_compile_region()(3)

    def test_fusion_strategies_are_remembered(self):
        before = gb.jit.set_fusion_strategy([("STATIC", 0)])

        with pytest.raises(ValueError, match="DYNAMIC"):
            gb.jit.set_fusion_strategy([("OFTEN", 1)])
        with pytest.raises(ValueError, match="3 items; pairs"):
            gb.jit.set_fusion_strategy([("STATIC", 1, 2)])

        assert gb.jit.set_fusion_strategy(before) == [("STATIC", 0)]

    def test_blocks_know_their_words(self):
        with gb.jit.fuser("fuser2"), gb.jit.optimized_execution(True):
            pass
        with pytest.raises(ValueError, match=r"jit.fuser: name"), gb.jit.fuser("fuser9"):
            pass


class TestStreamsOfTheCpu:
    def test_blocks_nest(self):
        first, second = gb.cpu.Stream(), gb.cpu.Stream()
        outer = gb.cpu.current_stream()

        with gb.cpu.stream(first):
            with gb.cpu.stream(second), gb.cpu.stream(None):
                assert gb.cpu.current_stream() is second
            assert gb.cpu.current_stream() is first

        assert gb.cpu.current_stream() is outer

    def test_a_block_may_be_entered_again(self):
        block = gb.cpu.stream(gb.cpu.Stream())

        with block, block:
            assert gb.cpu.current_stream() is block.stream

    def test_other_streams_are_refused(self):
        with pytest.raises(TypeError, match="StreamContext: stream"):
            gb.cpu.stream(3)


class TestPolicies:
    @pytest.mark.parametrize(
        "policy", [lambda ctx, op, *args: checkpoints.CheckpointPolicy.MUST_SAVE, [gb.mm, gb.sin]]
    )
    def test_change_no_gradient(self, policy):
        x = gb.rand(3, 3, requires_grad=True)
        (expected,) = gb.autograd.grad(x.mm(x).sin().sum(), x)
        contexts = partial(checkpoints.create_selective_checkpoint_contexts, policy)

        with checkpoints.set_checkpoint_debug_enabled(None):
            y = checkpoints.checkpoint(
                lambda x: x.mm(x).sin(), x, use_reentrant=False, context_fn=contexts
            )

        assert gb.equal(gb.autograd.grad(y.sum(), x)[0], expected)

    @pytest.mark.parametrize("policy", [3, ["mm"]])
    def test_are_functions_or_lists_of_ops(self, policy):
        with pytest.raises(TypeError, match="create_selective_checkpoint_contexts: policy_fn"):
            checkpoints.create_selective_checkpoint_contexts(policy)


def test_weights_of_convolutions_stay_where_they_lie():
    layer = gb.nn.Sequential(gb.nn.Conv2d(3, 4, 3))

    found = gb.nn.utils.convert_conv2d_weight_memory_format(layer, gb.channels_last)

    assert found is layer
    with pytest.raises(TypeError, match="memory_format"):
        gb.nn.utils.convert_conv3d_weight_memory_format(layer, "channels_last")


class TestModulesThatWereScripted:
    def test_are_script_modules_and_their_copies_too(self):
        plain, scripted = gb.nn.Linear(2, 1), gb.jit.script(gb.nn.Linear(2, 1))
        traced = gb.jit.trace(gb.nn.ReLU(), gb.ones(1))

        assert not isinstance(plain, gb.jit.ScriptModule)
        assert isinstance(scripted, gb.jit.ScriptModule)
        assert isinstance(traced, gb.jit.RecursiveScriptModule)
        assert isinstance(deepcopy(scripted), gb.jit.ScriptModule)
        assert list(scripted.state_dict()) == ["weight", "bias"]
        assert scripted.original_name == "Linear"
        assert not isinstance(gb.jit.script(abs), (gb.jit.ScriptModule, gb.jit.ScriptFunction))

    def test_are_of_no_class_made_of_it(self):
        class Own(gb.jit.ScriptModule):
            pass

        assert isinstance(Own(), gb.jit.ScriptModule)
        assert not isinstance(gb.jit.script(gb.nn.ReLU()), Own)
        with pytest.raises(TypeError, match="ScriptFunction"):
            gb.jit.ScriptFunction(abs)


@pytest.mark.parametrize(
    ("thing", "kind", "answer"),
    [
        ([1, 2], list[int], True),
        ([1, "a"], list[int], False),
        ([], list[int], True),
        ({"a": [1]}, dict[str, list[int]], True),
        ({1: [1]}, dict[str, list[int]], False),
        ((1, "a"), tuple[int, str], True),
        ((1,), tuple[int, str], False),
        ((1, 2, 3), tuple[int, ...], True),
        (None, int | None, True),
        ("a", int | None, False),
        (1.5, (int, float), True),
        (1.5, Any, True),
        ([1], dict[str, int], False),
    ],
)
def test_a_type_of_containers_tells_of_what_they_hold(thing, kind, answer):
    assert gb.jit.isinstance(thing, kind) is answer


def test_a_type_is_needed_to_tell_of_one():
    with pytest.raises(TypeError, match=r"jit\.isinstance: target_type"):
        gb.jit.isinstance(1, 3)
