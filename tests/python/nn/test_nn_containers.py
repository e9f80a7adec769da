"""Sequential and ModuleList, and how much memory a Sequential needs at once."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

ROWS, WIDTH = 256, 1024
MATRIX = ROWS * WIDTH * 4  # bytes of one activation


def layers(count: int) -> list[nn.Linear]:
    return [nn.Linear(2, 2) for _ in range(count)]


def peak_over(model: nn.Module, x: gb.Tensor) -> float:
    """The most activations that were alive at once beside `x`, in activations."""
    before = gb.memory.memory_allocated()
    gb.memory.reset_peak_memory_stats()
    model(x)
    return (gb.memory.max_memory_allocated() - before) / MATRIX


class TestSequential:
    def test_it_chains_its_modules(self):
        first, second = layers(2)
        x = gb.ones(3, 2)

        assert nn.Sequential(first, second)(x).tolist() == second(first(x)).tolist()

    def test_an_empty_one_returns_its_input(self):
        x = gb.ones(1)

        assert nn.Sequential()(x) is x

    def test_names_can_be_given(self):
        model = nn.Sequential({"first": nn.Linear(2, 2), "last": nn.Tanh()})

        assert [name for name, _ in model.named_children()] == ["first", "last"]
        assert isinstance(model.last, nn.Tanh)

    def test_a_slice_shares_its_modules(self):
        model = nn.Sequential(*layers(3))

        part = model[1:]

        assert list(part) == [model[1], model[2]]
        assert [name for name, _ in part.named_children()] == ["1", "2"]

    def test_append_takes_a_free_name(self):
        model = nn.Sequential({"1": nn.Tanh()}).append(nn.ReLU())

        assert [type(module) for module in model] == [nn.Tanh, nn.ReLU]

    def test_a_nested_one_with_a_hook_is_called(self):
        inner, seen = nn.Sequential(nn.Tanh()), []
        inner.register_forward_hook(lambda module, args, output: seen.append(output.shape))

        nn.Sequential(inner, nn.Tanh())(gb.ones(2))

        assert seen == [(2,)]

    def test_a_nested_one_with_a_forward_of_its_own_is_called(self):
        class Doubled(nn.Sequential):
            def forward(self, input):
                return super().forward(input) * 2

        assert nn.Sequential(Doubled(nn.Identity()))(gb.ones(1)).item() == 2

    def test_without_gradients_two_activations_are_alive_at_once(self):
        model = nn.Sequential(*(nn.Tanh() for _ in range(8)))
        x = gb.ones(ROWS, WIDTH)

        with gb.no_grad():
            peak = peak_over(model, x)

        assert peak == pytest.approx(2, abs=0.01)

    def test_nesting_keeps_no_more_alive(self):
        inner = [nn.Sequential(*(nn.Tanh() for _ in range(4))) for _ in range(3)]
        model = nn.Sequential(nn.Sequential(*inner), nn.Tanh())
        x = gb.ones(ROWS, WIDTH)

        with gb.no_grad():
            peak = peak_over(model, x)

        assert peak == pytest.approx(2, abs=0.01)

    def test_inside_a_scope_intermediates_die_as_it_goes(self):
        model = nn.Sequential(*(nn.Tanh() for _ in range(8)))
        x = gb.ones(ROWS, WIDTH)

        with gb.no_grad(), gb.dispose_scope():
            peak = peak_over(model, x)

        assert peak == pytest.approx(2, abs=0.01)

    def test_with_gradients_what_no_rule_keeps_is_freed(self):
        class AddOne(nn.Module):
            def forward(self, x):
                return x + 1  # its rule keeps nothing

        model = nn.Sequential(*(AddOne() for _ in range(8)))
        x = gb.ones(ROWS, WIDTH, requires_grad=True)

        peak = peak_over(model, x)

        assert peak == pytest.approx(2, abs=0.01)

    def test_what_a_hook_holds_stays_usable(self):
        model, held = nn.Sequential(nn.Tanh(), nn.Tanh(), nn.Tanh()), []
        for module in model:
            module.register_forward_hook(lambda module, args, output: held.append(output))

        with gb.no_grad():
            model(gb.ones(2))

        assert [tensor.shape for tensor in held] == [(2,)] * 3
        assert all(not tensor.is_disposed for tensor in held)

    def test_the_callers_input_stays(self):
        x = gb.ones(2)

        with gb.no_grad():
            nn.Sequential(nn.Identity(), nn.Tanh())(x)

        assert x.tolist() == [1.0, 1.0]


ACTIVATIONS = [nn.ReLU, nn.Sigmoid, nn.Tanh]
LAYERS = [
    (nn.Conv1d, (2, 4, 3), (2, 2, 7)),
    (nn.Conv2d, (2, 4, 3), (2, 2, 7, 7)),
    (nn.Conv2d, (2, 4, 3), (2, 7, 7)),
    (nn.Conv3d, (2, 4, 3), (2, 2, 4, 4, 4)),
    (nn.ConvTranspose1d, (2, 4, 3), (2, 2, 7)),
    (nn.ConvTranspose2d, (2, 4, 3), (2, 2, 7, 7)),
    (nn.ConvTranspose3d, (2, 4, 3), (2, 2, 4, 4, 4)),
    (nn.BatchNorm1d, (4,), (3, 4)),
    (nn.BatchNorm2d, (4,), (3, 4, 5, 5)),
    (nn.BatchNorm3d, (4,), (3, 4, 5, 5, 5)),
    (nn.GroupNorm, (2, 4), (3, 4, 5, 5)),
    (nn.LayerNorm, (4,), (3, 4)),
]


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda it: it.__name__)
class TestSequentialOverwritesWhatALayerReturned:
    def test_so_one_activation_is_alive_without_gradients(self, activation):
        model = nn.Sequential(nn.Linear(WIDTH, WIDTH), activation())
        x = gb.ones(ROWS, WIDTH)

        with gb.no_grad():
            assert peak_over(model, x) == 1

    def test_with_the_same_values_and_gradients(self, activation):
        first, second = nn.Linear(3, 4), nn.Linear(4, 2)
        x = gb.rand(5, 3)
        act = activation()
        act.forward = type(act)().forward  # no longer called plainly, so nothing is overwritten
        found = []
        for model in (
            nn.Sequential(first, activation(), second),
            nn.Sequential(first, act, second),
        ):
            model.zero_grad()
            out = model(x)
            out.sum().backward()
            grads = [parameter.grad for parameter in model.parameters()]
            found.append([out.tolist(), *(grad.tolist() for grad in grads if grad is not None)])

        assert found[0] == found[1]
        assert len(found[0]) == 5

    @pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
    @pytest.mark.parametrize(("kind", "args", "sizes"), LAYERS)
    def test_of_every_kind_with_the_same_gradients(self, activation, kind, args, sizes, training):
        layer = kind(*args)
        x = gb.rand(*sizes, generator=gb.Generator().manual_seed(3)).requires_grad_()
        layer.train(training)
        act = activation()
        act.forward = type(act)().forward
        found = []
        for model in (nn.Sequential(layer, activation()), nn.Sequential(layer, act)):
            model.zero_grad()
            x.grad = None
            (model(x) * 1.5).sum().backward()
            grads = [it.grad for it in (x, *layer.parameters())]
            found.append([grad.tolist() for grad in grads if grad is not None])

        assert found[0] == found[1]

    def test_unless_a_hook_saw_it(self, activation):
        linear, act = nn.Linear(2, 2), activation()
        seen = []
        linear.register_forward_hook(lambda module, given, output: seen.append(output))
        x = gb.rand(3, 2)

        nn.Sequential(linear, act)(x)

        assert seen[0].tolist() == nn.functional.linear(x, linear.weight, linear.bias).tolist()

    def test_unless_a_hook_of_the_activation_saw_it(self, activation):
        linear, act = nn.Linear(2, 2), activation()
        seen = []
        act.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
        x = gb.rand(3, 2)

        nn.Sequential(linear, act)(x)

        assert seen[0].tolist() == linear(x).tolist()

    def test_unless_it_is_a_linear_of_ones_own(self, activation):
        class Remembering(nn.Linear):
            def forward(self, input: gb.Tensor) -> gb.Tensor:
                self.last = super().forward(input)
                return self.last

        linear = Remembering(2, 2)
        x = gb.rand(3, 2)

        nn.Sequential(linear, activation())(x)

        assert linear.last.tolist() == nn.functional.linear(x, linear.weight, linear.bias).tolist()

    def test_and_nothing_else(self, activation):
        x = gb.rand(3, 2)
        before = x.tolist()

        nn.Sequential(activation())(x)
        nn.Sequential(nn.Flatten(), activation())(x)
        nn.Sequential(nn.Sequential(), activation())(x)

        assert x.tolist() == before


class TestModuleList:
    def test_its_modules_are_found(self):
        rows = nn.ModuleList(layers(2))

        assert len(list(rows.parameters())) == 4
        assert len(rows) == 2
        assert [name for name, _ in rows.named_children()] == ["0", "1"]

    def test_it_is_edited_like_a_list(self):
        a, b, c, d = layers(4)
        rows = nn.ModuleList([a])

        rows.append(b).extend([c])
        rows += [d]
        assert rows.insert(1, nn.Identity()) is rows
        del rows[2]
        rows[-1] = nn.Tanh()

        assert [type(module) for module in rows] == [nn.Linear, nn.Identity, nn.Linear, nn.Tanh]
        assert [name for name, _ in rows.named_children()] == ["0", "1", "2", "3"]
        assert rows[0] is a
        assert rows[2] is c

    def test_slices(self):
        rows = nn.ModuleList(layers(4))

        assert list(rows[::2]) == [rows[0], rows[2]]
        del rows[1:3]
        assert len(rows) == 2

    @pytest.mark.parametrize("index", [2, -3])
    def test_a_place_out_of_range_is_refused(self, index):
        with pytest.raises(gb.IndexOutOfRangeError, match=rf"index {index} of 2 modules"):
            nn.ModuleList(layers(2))[index]

    def test_what_is_no_module_is_refused(self):
        with pytest.raises(
            TypeError, match="item 1 of modules is of type Tensor; a list of Modules is needed"
        ):
            nn.ModuleList([nn.Tanh(), gb.ones(1)])

    def test_it_cannot_be_called(self):
        with pytest.raises(NotImplementedError, match=r"ModuleList: forward\(\) is missing"):
            nn.ModuleList()(gb.ones(1))


class TestRows:
    def test_they_are_joined_and_repeated(self):
        a, b = layers(2)
        row = nn.Sequential(a)

        joined, repeated = row + nn.Sequential(b), row * 3
        row += [b]
        row *= 2

        assert list(joined) == [a, b]
        assert list(repeated) == [a, a, a]
        assert list(row) == [a, b, a, b]
        assert list(nn.ModuleList([a]) + nn.ModuleList([b])) == [a, b]

    def test_a_module_is_taken_out(self):
        a, b = layers(2)
        row = nn.ModuleList([a, b])

        assert row.pop(0) is a
        assert [name for name, _ in row.named_children()] == ["0"]

    @pytest.mark.parametrize(
        ("call", "error"),
        [
            (lambda row: row * 0, ValueError),
            (lambda row: row * 1.5, TypeError),
            (lambda row: row + 1, TypeError),
            (lambda row: row.pop(3), IndexError),
        ],
    )
    def test_what_cannot_be_is_refused(self, call, error):
        with pytest.raises(error):
            call(nn.Sequential(nn.ReLU()))

    def test_a_list_shows_modules_that_look_alike_once(self):
        assert repr(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])) == (
            "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
        )
        assert repr(nn.ModuleList()) == "ModuleList()"


def test_a_row_takes_no_module_at_a_place_that_it_does_not_have():
    row = nn.Sequential(nn.ReLU(), nn.Tanh())

    for place in (3, -3):
        with pytest.raises(IndexError, match="one of a row of 2 is needed"):
            row.insert(place, nn.ReLU())
    assert len(row.insert(2, nn.ReLU()).insert(-3, nn.ReLU())) == 4


def test_the_places_of_a_row_are_no_names_that_an_editor_offers():
    names = dir(nn.Sequential(nn.ReLU()))

    assert "0" not in names
    assert {"append", "training"} <= {*names}


def test_a_list_without_modules_may_be_made_of_none():
    assert len(gb.nn.ModuleList(None)) == 0


class TestSharedModules:
    def test_come_out_of_a_generator_as_out_of_a_list(self):
        shared = nn.Linear(2, 2)

        layers = nn.ModuleList(shared for _ in range(3))

        assert len(layers) == 3
        assert len(list(layers.parameters())) == 2

    def test_stand_in_parts_of_lists(self):
        shared = nn.Linear(2, 2)

        part = nn.ModuleList([shared, shared, nn.ReLU()])[:2]

        assert [it is shared for it in part] == [True, True]
