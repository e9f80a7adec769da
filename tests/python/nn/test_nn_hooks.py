"""Hooks of modules in backward and around state dicts, lazy layers, buffers by assignment."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

import garboard as gb
import pytest
from garboard.nn.modules import module as every


class TestInBackward:
    def test_a_hook_sees_the_gradients_of_arguments_and_results(self):
        layer, seen = gb.nn.Bilinear(2, 3, 4), []
        layer.register_full_backward_hook(lambda *given: seen.append(given))
        x, fixed = gb.ones(5, 2, requires_grad=True), gb.ones(5, 3)

        layer(x, fixed).backward(gb.ones(5, 4))

        ((module, inputs, outputs),) = seen
        assert module is layer
        assert gb.equal(inputs[0], x.grad)
        assert inputs[1] is None
        assert gb.equal(outputs[0], gb.ones(5, 4))

    def test_hooks_replace_gradients_on_both_sides_and_can_be_taken_off(self):
        layer = gb.nn.Sequential(gb.nn.Identity())
        x = gb.ones(2, requires_grad=True)
        layer.register_full_backward_hook(lambda module, given, got: given[0] + 1)
        last = layer.register_full_backward_pre_hook(lambda module, got: (got[0] * 10,))

        layer(x).sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [11.0, 11.0]
        last.remove()
        x.grad = None
        layer(x).sum().backward()
        assert x.grad.tolist() == [2.0, 2.0]

    def test_a_hook_is_called_where_only_parameters_learn(self):
        layer, seen = gb.nn.Linear(2, 1), []
        layer.register_full_backward_hook(lambda module, given, got: seen.append((given, got)))

        layer(gb.ones(3, 2)).sum().backward()

        assert seen[0][0] == (None,)
        assert seen[0][1][0].shape == (3, 1)
        with gb.no_grad():
            layer(gb.ones(3, 2))
        assert len(seen) == 1

    def test_several_results_and_named_tuples_keep_their_form(self):
        class Two(gb.nn.Module):
            def forward(self, x: Any) -> Any:
                return x * 2, "text", x * 3

        module, seen = Two(), []
        module.register_full_backward_hook(lambda module, given, got: seen.append(got))
        x = gb.ones(1, requires_grad=True)

        first, text, last = module(x)
        (first + last).backward()

        assert text == "text"
        assert [one if one is None else one.item() for one in seen[0]] == [1.0, None, 1.0]
        assert x.grad is not None
        assert x.grad.item() == 5.0

    def test_nothing_stays_behind_and_errors_are_told(self):
        layer = gb.nn.Linear(2, 1)
        handle = layer.register_full_backward_hook(lambda module, given, got: None)
        x = gb.ones(1, 2, requires_grad=True)

        with gb.leaks.no_leaks():
            layer(x).sum().backward()
            layer.zero_grad()
            x.grad = None

        handle.remove()
        layer.register_full_backward_hook(lambda module, given, got: "gradient")
        with pytest.raises(TypeError, match="returned what is of type str; None, or 1 gradients"):
            layer(x).sum().backward()
        with pytest.raises(TypeError, match="hook is of type int"):
            layer.register_full_backward_hook(1)  # type: ignore[arg-type]

    def test_a_copy_has_hooks_of_its_own(self):
        layer, seen = gb.nn.Linear(1, 1), []
        layer.register_full_backward_hook(lambda *given: seen.append(1))
        copied = copy.copy(layer)

        copied.register_full_backward_hook(lambda *given: seen.append(2))
        layer(gb.ones(1, 1)).sum().backward()

        assert seen == [1]


class TestOfEveryModule:
    def test_hooks_run_before_a_modules_own(self):
        from garboard.nn.modules import module as modules

        calls: list[str] = []
        layer = gb.nn.Sequential(gb.nn.ReLU(), gb.nn.ReLU())
        layer[0].register_forward_hook(lambda *given: calls.append("own"))
        handles = [
            modules.register_module_forward_hook(lambda *given: calls.append("after")),
            modules.register_module_forward_pre_hook(lambda *given: calls.append("before")),
            modules.register_module_full_backward_hook(lambda *given: calls.append("backward")),
        ]

        try:
            layer(gb.ones(1, requires_grad=True)).sum().backward()
        finally:
            for handle in handles:
                handle.remove()
        layer(gb.ones(1))

        assert calls == [
            *("before", "before", "after", "own", "before", "after", "after"),
            *("backward",) * 3,
            "own",
        ]


class TestAlways:
    def test_a_hook_is_called_after_an_error_and_does_not_hide_it(self):
        class Failing(gb.nn.Module):
            def forward(self, x):
                raise ZeroDivisionError("forward's own")

        seen = []

        def hook(module, args, output):
            seen.append(output)
            raise KeyError("the hook's")

        layer = Failing()
        layer.register_forward_hook(hook, always_call=True)
        layer.register_forward_hook(lambda *_: seen.append("too"), always_call=True)
        layer.register_forward_hook(lambda *_: seen.append("not"))

        with (
            pytest.warns(UserWarning, match="always_call raised KeyError"),
            pytest.raises(ZeroDivisionError, match="forward's own"),
        ):
            layer(gb.ones(1))

        assert seen == [None, "too"]

    def test_a_hook_is_called_once_where_another_one_raises(self):
        def refuse(*_):
            raise KeyError("refused")

        layer, seen = gb.nn.ReLU(), []
        layer.register_forward_hook(lambda *_: seen.append(1), always_call=True)
        layer.register_forward_hook(refuse)
        layer.register_forward_hook(lambda *given: seen.append(given[2].item()), always_call=True)

        with pytest.raises(KeyError, match="refused"):
            layer(gb.tensor(2.0))

        assert seen == [1, 2.0]


class TestAroundStateDicts:
    def test_hooks_see_what_is_saved(self):
        model, calls = gb.nn.Sequential(gb.nn.Linear(1, 1), gb.nn.ReLU()), []
        model[0].register_state_dict_pre_hook(lambda *given: calls.append(given[1:]))

        def add(module: Any, state: Any, prefix: str, metadata: Any) -> None:
            calls.append((prefix, list(state)))
            state[f"{prefix}more"] = gb.ones(1)

        handle = model[0].register_state_dict_post_hook(add)
        saved = model.state_dict(prefix="net.")

        assert calls == [("net.0.", False), ("net.0.", ["net.0.weight", "net.0.bias"])]
        assert list(saved) == ["net.0.weight", "net.0.bias", "net.0.more"]
        handle.remove()
        kept = {"other": gb.ones(1)}
        assert model.state_dict(destination=kept) is kept
        assert list(kept) == ["other", "0.weight", "0.bias"]
        model[0].register_state_dict_post_hook(lambda *given: {})
        with pytest.raises(TypeError, match="None is needed"):
            model.state_dict()

    def test_hooks_change_what_is_loaded_and_what_is_missing(self):
        layer = gb.nn.Linear(1, 1)
        given = {"w": gb.full((1, 1), 3.0)}

        def rename(state: Any, prefix: str, *others: Any) -> None:
            state[f"{prefix}weight"] = state.pop(f"{prefix}w")

        layer._register_load_state_dict_pre_hook(rename)
        handle = layer.register_load_state_dict_post_hook(lambda _, keys: keys[0].clear())

        layer.load_state_dict(given)

        assert layer.weight.item() == 3.0
        assert list(given) == ["w"]  # a copy was changed
        handle.remove()
        with pytest.raises(gb.nn.StateDictError, match=r'Missing key.* "bias"'):
            layer.load_state_dict(given)

    def test_assigning_takes_the_tensors_themselves(self):
        layer = gb.nn.Linear(2, 1)
        layer.bias.requires_grad_(False)
        given = {"weight": gb.ones(1, 2, dtype=gb.float64), "bias": gb.nn.Parameter(gb.ones(1))}

        layer.load_state_dict(given, assign=True)
        given["weight"].fill_(5.0)

        assert layer.weight.tolist() == [[5.0, 5.0]]
        assert layer.weight.dtype == gb.float64
        assert layer.weight.requires_grad
        assert layer.bias is given["bias"]
        assert not layer.bias.requires_grad
        with pytest.raises(gb.ShapeError, match="size mismatch for weight"):
            layer.load_state_dict({"weight": gb.ones(1), "bias": gb.ones(1)}, assign=True)


class TestLazyLayers:
    @pytest.mark.parametrize(
        ("lazy", "plain", "sizes", "arguments"),
        [
            (gb.nn.LazyLinear, gb.nn.Linear, (2, 3), (4,)),
            (gb.nn.LazyConv2d, gb.nn.Conv2d, (2, 3, 5, 5), (4, 3)),
            (gb.nn.LazyConvTranspose1d, gb.nn.ConvTranspose1d, (2, 3, 5), (4, 3)),
            (gb.nn.LazyBatchNorm2d, gb.nn.BatchNorm2d, (2, 3, 5, 5), ()),
            (gb.nn.LazyInstanceNorm1d, gb.nn.InstanceNorm1d, (2, 3, 5), (1e-5, 0.1, True, True)),
        ],
    )
    def test_become_what_the_first_input_asks_for(self, lazy, plain, sizes, arguments):
        layer = lazy(*arguments, dtype=gb.float64)
        assert layer.has_uninitialized_params()
        copied = copy.deepcopy(layer).float()
        gb.manual_seed(7)

        made = layer(gb.ones(*sizes, dtype=gb.float64))

        gb.manual_seed(7)
        first = (3,) if not arguments or len(arguments) == 4 else (3, arguments[0])
        expected = plain(*first, *arguments[0 if len(arguments) == 4 else 1 :], dtype=gb.float64)
        assert type(layer) is plain
        assert gb.equal(made, expected(gb.ones(*sizes, dtype=gb.float64)))
        assert list(layer.state_dict()) == list(expected.state_dict())
        assert copied(gb.ones(*sizes)).dtype == gb.float32

    def test_load_what_was_saved_before_or_after(self):
        layer, other = gb.nn.LazyLinear(2), gb.nn.LazyLinear(2)
        other.load_state_dict(layer.state_dict())
        assert other.has_uninitialized_params()
        layer(gb.ones(1, 3))

        other.load_state_dict(layer.state_dict())

        assert not other.has_uninitialized_params()
        assert gb.equal(other(gb.ones(1, 3)), layer(gb.ones(1, 3)))
        assert type(other) is gb.nn.Linear

    def test_in_a_row_leave_nothing_and_refuse_what_is_too_small(self):
        model = gb.nn.Sequential(gb.nn.LazyConv1d(4, 3, groups=2), gb.nn.ReLU(), gb.nn.Flatten())
        with pytest.raises(gb.ShapeError, match="groups must divide"):
            model(gb.ones(1, 3, 5))

        with gb.dispose_scope():
            model(gb.ones(1, 2, 5))

        assert model[0].weight.shape == (4, 1, 3)
        with gb.leaks.no_leaks():
            model(gb.ones(1, 2, 5)).sum().backward()
            model.zero_grad()
        with pytest.raises(gb.ShapeError, match="1 dims or more"):
            gb.nn.LazyLinear(2)(gb.tensor(1.0))


class TestBuffers:
    def test_are_registered_by_assignment(self):
        module = gb.nn.Module()
        module.kept = gb.nn.Buffer(gb.ones(2))
        module.passing = gb.nn.Buffer(gb.ones(3), persistent=False)

        copied = copy.deepcopy(module)

        assert list(copied.state_dict()) == ["kept"]
        assert [name for name, _ in copied.named_buffers()] == ["kept", "passing"]
        module.kept = gb.zeros(2)
        assert copied.get_buffer("kept").tolist() == [1.0, 1.0]
        assert list(module.state_dict()) == ["kept"]

    def test_a_module_is_emptied_elsewhere_or_converted(self):
        layer = gb.nn.Sequential(gb.nn.BatchNorm1d(2))
        old = layer[0].weight

        layer.to_empty(device="cpu").type(gb.float64)

        assert layer[0].weight is old
        assert layer[0].weight.dtype == layer[0].running_mean.dtype == gb.float64
        assert layer[0].num_batches_tracked.dtype == gb.int64


class TestTables:
    def test_are_dicts_that_programs_look_into(self):
        layer, seen = gb.nn.Linear(1, 1), []
        assert len(layer._forward_hooks) == len(layer._forward_pre_hooks) == 0

        def hook(*given: object) -> None:
            seen.append(1)

        handle = layer.register_forward_hook(hook)
        assert list(layer._forward_hooks.values()) == [hook]
        layer(gb.ones(1))
        layer._forward_hooks.clear()
        layer(gb.ones(1))
        handle.remove()

        assert seen == [1]

    def test_may_be_replaced_and_filled(self):
        layer, seen = gb.nn.Linear(1, 1), []
        layer._forward_hooks = OrderedDict()
        layer._forward_hooks[7] = lambda *given: seen.append("by hand")

        layer.register_forward_hook(lambda *given: seen.append("registered"))
        layer(gb.ones(1))

        assert seen == ["by hand", "registered"]
        assert list(layer._forward_hooks) == [7, 8]

    def test_tell_which_hooks_take_names_and_which_are_called_after_errors(self):
        layer = gb.nn.Linear(1, 1)
        layer.register_forward_hook(lambda *given: None)
        named = layer.register_forward_hook(lambda *given: None, with_kwargs=True)
        always = layer.register_forward_hook(lambda *given: None, always_call=True)
        before = layer.register_forward_pre_hook(lambda *given: None, with_kwargs=True)

        assert layer._forward_hooks_with_kwargs == {named.id: True}
        assert layer._forward_hooks_always_called == {always.id: True}
        assert layer._forward_pre_hooks_with_kwargs == {before.id: True}
        assert gb.nn.Linear(1, 1)._forward_hooks_with_kwargs == {}

    def test_of_one_module_are_no_others(self):
        layer, other = gb.nn.Linear(1, 1), gb.nn.Linear(1, 1)

        with pytest.raises(TypeError, match="use the module's register_"):
            layer._forward_hooks[0] = print

        layer.register_forward_hook(lambda *given: None)
        assert len(other._forward_hooks) == 0
        copied = copy.deepcopy(layer)
        copied.register_forward_hook(lambda *given: None)
        assert (len(layer._forward_hooks), len(copied._forward_hooks)) == (1, 2)


@pytest.mark.parametrize(
    "put",
    [
        lambda table: table.update({0: print}),
        lambda table: table.setdefault(0, print),
        lambda table: table.__ior__({0: print}),
    ],
)
def test_nothing_is_put_into_the_table_that_modules_without_hooks_share(put):
    with pytest.raises(TypeError, match="use the module's register_"):
        put(gb.nn.Linear(1, 1)._forward_hooks)

    assert len(gb.nn.Linear(1, 1)._forward_hooks) == 0


class TestHooksOfEveryModule:
    def test_hear_of_what_is_registered_and_may_replace_it(self):
        seen: list[Any] = []

        with (
            every.register_module_parameter_registration_hook(lambda *given: seen.append(given[1])),
            every.register_module_buffer_registration_hook(lambda module, name, it: it + 1),
            every.register_module_module_registration_hook(lambda *given: seen.append(given[1])),
        ):
            layer = gb.nn.Linear(1, 1)
            layer.register_buffer("count", gb.zeros(1))
            layer.inner = gb.nn.ReLU()
            layer.register_parameter("missing", None)
        layer.last = gb.nn.ReLU()

        assert seen == ["weight", "bias", "inner"]
        assert layer.count.item() == 1

    def test_the_older_name_of_a_backward_hook_sees_gradients_too(self):
        x, seen = gb.ones(2, requires_grad=True), []

        with every.register_module_backward_hook(lambda module, given, got: seen.append(given[0])):
            gb.nn.Tanh()(x).sum().backward()

        assert gb.equal(seen[0], x.grad)


class TestWhatBackwardHooksReturn:
    @pytest.mark.parametrize("made", [(), (gb.ones, gb.ones)])
    def test_has_one_gradient_for_each_argument_or_result(self, made):
        layer = gb.nn.Tanh()
        for register in (layer.register_full_backward_hook, layer.register_full_backward_pre_hook):
            with (
                register(lambda *given: tuple(make(2) for make in made)),
                pytest.raises(RuntimeError, match=rf"returned {len(made)} gradients"),
            ):
                layer(gb.ones(2, requires_grad=True)).sum().backward()

    def test_is_none_where_no_argument_asks_for_a_gradient(self):
        layer = gb.nn.Linear(2, 1)
        with layer.register_full_backward_hook(lambda module, given, got: given):
            layer(gb.ones(2)).sum().backward()
        layer.register_full_backward_hook(lambda module, given, got: got)

        with pytest.raises(RuntimeError, match="where no input requires grad"):
            layer(gb.ones(2)).sum().backward()


def test_backward_hooks_of_a_module_that_returns_a_dict_warn_that_they_are_not_called():
    class Named(gb.nn.Module):
        def forward(self, x):
            return {"twice": x * 2}

    module = Named()
    module.register_full_backward_hook(lambda *given: pytest.fail("called"))

    with pytest.warns(UserWarning, match="Named: a result of type dict"):
        made = module(gb.ones(1, requires_grad=True))
    made["twice"].sum().backward()


def test_a_handle_knows_the_number_of_its_hook():
    layer = gb.nn.ReLU()
    handle = layer.register_forward_hook(lambda *given: None)

    assert list(layer._forward_hooks) == [handle.id]


class TestAHandleOfAProgramsOwnTable:
    def test_has_a_number_that_no_other_has(self):
        hooks: Any = OrderedDict()
        first, second = (gb.utils.hooks.RemovableHandle(hooks) for _ in range(2))

        assert first.id != second.id

    def test_takes_its_hook_out_of_all_tables_that_live(self):
        hooks: Any = OrderedDict()
        with_kwargs: Any = OrderedDict()
        gone: Any = OrderedDict()
        handle = gb.utils.hooks.RemovableHandle(hooks, extra_dict=[with_kwargs, gone])
        for table in (hooks, with_kwargs, gone):
            table[handle.id] = print
        hooks[-1] = max
        del gone, table

        handle.remove()
        handle.remove()

        assert (list(hooks), list(with_kwargs)) == ([-1], [])

    def test_has_to_hold_it_weakly(self):
        with pytest.raises(TypeError, match="weak reference"):
            gb.utils.hooks.RemovableHandle({})
