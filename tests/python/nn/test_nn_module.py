"""Modules: registration, walking, hooks, modes, conversion, copies, text, and their end."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Block(nn.Module):
    """A layer, a parameter of its own, a saved and a transient buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.scale = nn.Parameter(gb.ones(2))
        self.register_buffer("mean", gb.zeros(2))
        self.register_buffer("scratch", gb.zeros(1), persistent=False)

    def forward(self, x):
        return self.layer(x) * self.scale


class TestRegistration:
    def test_assigning_registers_parameters_and_modules_in_order(self):
        block = Block()

        names = [name for name, _ in block.named_parameters()]

        assert names == ["scale", "layer.weight", "layer.bias"]
        assert [name for name, _ in block.named_buffers()] == ["mean", "scratch"]
        assert [name for name, _ in block.named_modules()] == ["", "layer"]
        assert list(block.children()) == [block.layer]

    def test_a_plain_tensor_is_an_ordinary_attribute(self):
        block = Block()

        block.note = gb.ones(1)

        assert "note" not in dict(block.named_buffers())
        assert block.note.item() == 1

    def test_a_name_can_change_its_role(self):
        block = Block()

        block.layer = nn.Parameter(gb.ones(1))

        assert list(block.children()) == []
        assert [name for name, _ in block.named_parameters()] == ["layer", "scale"]

    def test_deleting_an_attribute_unregisters_it(self):
        block = Block()

        del block.scale

        assert [name for name, _ in block.named_parameters()] == ["layer.weight", "layer.bias"]
        assert not hasattr(block, "scale")

    def test_none_keeps_the_name(self):
        block = Block()

        block.scale = None
        block.mean = None

        assert "scale" not in dict(block.named_parameters())
        block.scale = nn.Parameter(gb.ones(2))
        block.mean = gb.ones(2)
        assert "scale" in dict(block.named_parameters())
        assert "mean" in dict(block.named_buffers())

    @pytest.mark.parametrize("name", ["scale", "layer", "mean"])
    def test_a_registered_name_refuses_another_type(self, name):
        block = Block()

        with pytest.raises(TypeError, match=rf"Block: a value of type int for the .*'{name}'"):
            setattr(block, name, 3)

        assert next(name for name, _ in block.named_parameters()) == "scale"

    def test_a_parameter_name_refuses_a_plain_tensor(self):
        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            Block().scale = gb.ones(2)

    @pytest.mark.parametrize("name", ["", "a.b", "forward", "note"])
    def test_a_bad_name_is_refused(self, name):
        block = Block()
        block.note = 1

        for register in (block.register_buffer, block.register_parameter, block.add_module):
            with pytest.raises(ValueError, match="no attribute is needed"):
                register(name, None)

    def test_a_name_keeps_what_it_stands_for(self):
        layer = nn.Linear(2, 1)
        layer.register_parameter("weight", nn.Parameter(gb.ones(1, 2)))

        with pytest.raises(ValueError, match="no attribute is needed"):
            layer.register_buffer("weight", gb.zeros(1, 2))
        with pytest.raises(ValueError, match="no attribute is needed"):
            layer.add_module("bias", nn.ReLU())

        assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
        assert layer.weight.tolist() == [[1.0, 1.0]]

    def test_assigning_before_init_is_refused(self):
        class Hasty(nn.Module):
            def __init__(self) -> None:
                self.weight = nn.Parameter(gb.ones(1))

        with pytest.raises(AttributeError, match=r"Hasty: parameter 'weight'.*super\(\).__init__"):
            Hasty()

    def test_a_shared_parameter_is_yielded_once(self):
        first, second = nn.Linear(2, 2), nn.Linear(2, 2)
        second.weight = first.weight
        both = nn.Sequential(first, second)

        assert len(list(both.parameters())) == 3
        assert len(list(both.named_parameters(remove_duplicate=False))) == 4
        assert len(both.state_dict()) == 4

    def test_a_shared_module_is_yielded_once(self):
        layer = nn.Linear(2, 2)

        both = nn.Sequential(layer, layer)

        assert list(both.modules()) == [both, layer]

    def test_a_module_without_forward_says_so(self):
        with pytest.raises(NotImplementedError, match=r"Module: forward\(\) is missing"):
            nn.Module()(gb.ones(1))


class TestWalking:
    def test_apply_visits_children_first(self):
        block = Block()
        seen = []

        block.apply(seen.append)

        assert seen == [block.layer, block]

    def test_train_and_eval_reach_every_module(self):
        model = nn.Sequential(nn.Sequential(nn.Dropout()))

        assert model.eval() is model
        assert not any(module.training for module in model.modules())
        model.train()
        assert all(module.training for module in model.modules())

    def test_train_refuses_what_is_no_bool(self):
        with pytest.raises(ValueError, match="a bool is needed"):
            Block().train("yes")

    def test_requires_grad_freezes_every_parameter(self):
        block = Block().requires_grad_(False)

        assert not block(gb.ones(1, 3)).requires_grad

    def test_zero_grad_drops_or_zeroes(self):
        block = Block()
        block(gb.ones(1, 3)).sum().backward()
        gradient = block.scale.grad

        block.zero_grad(set_to_none=False)
        assert block.scale.grad is gradient
        assert gradient.tolist() == [0.0, 0.0]
        block.zero_grad()
        assert block.scale.grad is None

    def test_zeroing_lets_go_of_a_gradients_graph(self):
        x = nn.Parameter(gb.tensor([2.0]))
        holder = nn.Module()
        holder.x = x
        (x * x * x).sum().backward(create_graph=True)
        assert x.grad.grad_fn is not None

        holder.zero_grad(set_to_none=False)

        assert x.grad.grad_fn is None
        assert x.grad.tolist() == [0.0]


class TestHooks:
    def test_hooks_run_around_forward_and_may_replace(self):
        layer = nn.Identity()
        order = []
        layer.register_forward_pre_hook(lambda m, args: order.append("before"))
        layer.register_forward_pre_hook(lambda m, args: args[0] + 1)
        layer.register_forward_hook(lambda m, args, out: order.append((args[0].item(), out.item())))
        layer.register_forward_hook(lambda m, args, out: out * 10)

        result = layer(gb.tensor(1.0))

        assert order == ["before", (2.0, 2.0)]
        assert result.item() == 20.0

    def test_a_handle_takes_its_hook_off(self):
        layer, calls = nn.Identity(), []
        handle = layer.register_forward_hook(lambda *seen: calls.append("kept"))
        with layer.register_forward_hook(lambda *seen: calls.append("inside")):
            layer(gb.ones(1))
        handle.remove()
        handle.remove()

        layer(gb.ones(1))

        assert calls == ["kept", "inside"]

    def test_a_hook_may_remove_itself_while_it_runs(self):
        layer, calls = nn.Identity(), []

        def once(*seen):
            calls.append("once")
            handle.remove()

        handle = layer.register_forward_hook(once)
        layer.register_forward_hook(lambda *seen: calls.append("always"))
        layer(gb.ones(1))
        layer(gb.ones(1))

        assert calls == ["once", "always", "always"]

    def test_a_handle_does_not_keep_its_module_alive(self):
        layer = nn.Linear(2, 2)
        seen = weakref.ref(layer)
        handle = layer.register_forward_hook(lambda *seen: None)

        del layer

        assert seen() is None
        handle.remove()

    def test_a_hook_that_refers_to_its_module_is_collected(self):
        layer = nn.Linear(2, 2)
        seen = weakref.ref(layer)
        layer.register_forward_hook(lambda *args, held=layer: None)

        del layer
        gc.collect()

        assert seen() is None


class TestConversion:
    def test_to_converts_floating_tensors_alone(self):
        block = Block()
        block.register_buffer("count", gb.tensor(3))

        assert block.to(gb.float64) is block

        assert {p.dtype for p in block.parameters()} == {gb.float64}
        assert block.mean.dtype == gb.float64
        assert block.count.dtype == gb.int64
        assert block(gb.ones(1, 3, dtype=gb.float64)).dtype == gb.float64

    def test_what_is_so_already_stays(self):
        block = Block()
        before = list(block.parameters())

        block.float().cpu().to(dtype=gb.float32)

        assert all(a is b for a, b in zip(before, block.parameters(), strict=True))

    def test_values_gradients_and_flags_are_carried_over(self):
        layer = nn.Linear(2, 1)
        layer(gb.ones(1, 2)).sum().backward()
        layer.bias.requires_grad_(False)
        weight = layer.weight.tolist()

        layer.double()

        assert layer.weight.tolist() == weight
        assert layer.weight.grad.tolist() == [[1.0, 1.0]]
        assert layer.weight.grad.dtype == gb.float64
        assert not layer.bias.requires_grad

    def test_shared_parameters_stay_shared(self):
        first, second = nn.Linear(2, 2), nn.Linear(2, 2)
        second.weight = first.weight

        nn.Sequential(first, second).double()

        assert first.weight is second.weight

    def test_parameters_stay_the_tensors_that_they_are(self):
        block = Block()
        before = list(block.parameters())

        block.double().to_empty(device="cpu")

        assert all(a is b for a, b in zip(before, block.parameters(), strict=True))
        assert {p.dtype for p in before} == {gb.float64}

    def test_an_optimizer_made_before_trains_on(self):
        layer = nn.Linear(2, 1)
        optimizer = gb.optim.SGD(layer.parameters(), lr=0.5)
        layer.double()
        before = layer.weight.tolist()

        layer(gb.ones(1, 2, dtype=gb.float64)).sum().backward()
        optimizer.step()

        assert layer.weight.tolist() == [[value - 0.5 for value in before[0]]]

    def test_hooks_stay_and_a_graph_of_the_old_elements_is_refused(self):
        layer = nn.Linear(2, 1)
        seen = []
        layer.weight.register_hook(lambda grad: seen.append(grad.dtype))
        loss = layer(gb.ones(1, 2, requires_grad=True)).sum()

        layer.double()

        with pytest.raises(gb.VersionError):
            loss.backward()
        layer(gb.ones(1, 2, dtype=gb.float64)).sum().backward()
        assert seen[-1] == gb.float64

    def test_the_old_elements_go(self):
        layer = nn.Linear(100, 100)
        layer(gb.ones(1, 100)).sum().backward()

        layer.double()

        assert gb.memory.live().bytes == 2 * 8 * (100 * 100 + 100)

    def test_a_dtype_without_gradients_is_refused_and_changes_nothing(self):
        block = Block()

        with pytest.raises(gb.DTypeError, match="a floating one is needed"):
            block.to(gb.int64)

        assert block.scale.dtype == gb.float32

    def test_a_device_that_is_not_there_changes_nothing(self):
        block = Block()
        before = list(block.parameters())

        with pytest.raises(gb.DeviceError):
            block.cuda(7)

        assert all(a is b for a, b in zip(before, block.parameters(), strict=True))


class TestCopies:
    def test_a_deep_copy_has_storages_of_its_own(self):
        block = Block()
        block(gb.ones(1, 3)).sum().backward()

        copied = copy.deepcopy(block)
        with gb.no_grad():
            copied.scale.fill_(7)
        copied.mean.fill_(7)

        assert block.scale.tolist() == [1.0, 1.0]
        assert block.mean.tolist() == [0.0, 0.0]
        assert copied.layer.weight.tolist() == block.layer.weight.tolist()
        assert copied.scale.grad is None
        assert [n for n, _ in copied.named_parameters()] == [n for n, _ in block.named_parameters()]

    def test_a_deep_copy_keeps_sharing(self):
        first, second = nn.Linear(2, 2), nn.Linear(2, 2)
        second.weight = first.weight

        copied = copy.deepcopy(nn.Sequential(first, second))

        assert copied[0].weight is copied[1].weight
        assert copied[0].weight is not first.weight

    def test_a_shallow_copy_shares_tensors_and_registers_apart(self):
        block = Block()
        block.register_forward_hook(lambda module, args, output: output * 2)

        copied = copy.copy(block)
        copied.more = nn.Parameter(gb.ones(1))
        copied.register_forward_hook(lambda module, args, output: output * 0)

        assert copied.scale is block.scale
        assert "more" not in dict(block.named_parameters())
        x = gb.ones(1, 3)
        assert block(x).tolist() == (block.layer(x) * block.scale * 2).tolist()
        assert copied(x).tolist() == [[0.0, 0.0]]

    def test_a_pickle_brings_it_back_with_tensors_of_its_own(self):
        layer = nn.Sequential(nn.Linear(3, 2), nn.ReLU()).eval()

        with gb.dispose_scope() as scope:
            back = pickle.loads(pickle.dumps(layer))
            back.extra = nn.Parameter(gb.ones(1))
            assert len(scope) == 3

        assert back[0].weight.is_disposed
        assert not back.training
        assert not layer[0].weight.is_disposed


class TestText:
    def test_it_reads_like_pytorchs(self):
        assert repr(nn.Sequential(Block(), nn.ReLU())) == (
            "Sequential(\n"
            "  (0): Block(\n"
            "    (layer): Linear(in_features=3, out_features=2, bias=True)\n"
            "  )\n"
            "  (1): ReLU()\n"
            ")"
        )

    def test_a_parameter_says_what_it_is(self):
        assert repr(nn.Parameter(gb.ones(1))) == (
            "Parameter containing:\ntensor([1.], requires_grad=True)"
        )


class TestParameter:
    def test_it_shares_storage_and_has_no_history(self):
        source = gb.ones(2, requires_grad=True) * 2

        parameter = nn.Parameter(source)
        with gb.no_grad():
            parameter.fill_(5)

        assert source.tolist() == [5.0, 5.0]
        assert parameter.is_leaf
        assert parameter.requires_grad

    def test_ops_on_it_give_plain_tensors_and_in_place_ones_itself(self):
        parameter = nn.Parameter(gb.ones(2))

        assert type(parameter * 2) is gb.Tensor
        with gb.no_grad():
            assert parameter.add_(1) is parameter

    def test_integers_have_no_gradients(self):
        with pytest.raises(gb.GradientError, match="floating"):
            nn.Parameter(gb.arange(3))
        assert not nn.Parameter(gb.arange(3), requires_grad=False).requires_grad

    def test_a_disposed_tensor_makes_none(self):
        source = gb.ones(1)
        source.dispose()

        with pytest.raises(gb.DisposedError):
            nn.Parameter(source)

    def test_without_data_it_is_empty(self):
        assert nn.Parameter().shape == (0,)


class TestEnd:
    def test_dispose_ends_parameters_gradients_and_buffers(self):
        before = gb.memory.live()
        block = Block()
        block(gb.ones(1, 3)).sum().backward()
        gradient = block.scale.grad

        block.dispose()
        block.dispose()

        assert gradient.is_disposed
        assert all(tensor.is_disposed for tensor in [*block.parameters(), *block.buffers()])
        assert gb.memory.live() == before

    def test_with_ends_the_module(self):
        before = gb.memory.live()

        with nn.Linear(2, 2) as layer:
            layer(gb.ones(1, 2))

        assert gb.memory.live() == before
        with pytest.raises(gb.DisposedError, match=r"linear: (weight|bias) is a disposed tensor"):
            layer(gb.ones(1, 2))


class TestTypesOfTensors:
    @pytest.mark.parametrize("given", [gb.DoubleTensor, "torch.DoubleTensor", gb.float64, float])
    def test_convert_a_module_as_older_programs_do(self, given):
        norm = gb.nn.BatchNorm1d(2)

        assert norm.type(given) is norm
        assert norm.weight.dtype == norm.running_mean.dtype == gb.float64
        assert norm.num_batches_tracked.dtype == gb.int64

    def test_that_are_none_are_refused(self):
        layer = gb.nn.Linear(1, 1)

        with pytest.raises(gb.DTypeError, match="int64; a floating one is needed"):
            layer.type(gb.LongTensor)
        with pytest.raises(gb.DTypeError, match=r"type: there is no 'torch.Tensors'"):
            layer.type("torch.Tensors")
        with pytest.raises(TypeError, match="type: dtype is 3; a dtype such as"):
            layer.type(3)
