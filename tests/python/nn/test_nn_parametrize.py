"""Parameters computed from others, modules called with other parameters, layers made one."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.nn.utils import parametrize, stateless

U = gb.nn.utils


class Symmetric(gb.nn.Module):
    def forward(self, x: Any) -> Any:
        return x.triu() + x.triu(1).T

    def right_inverse(self, x: Any) -> Any:
        return x.triu()


class Halved(gb.nn.Module):
    def forward(self, x: Any) -> Any:
        return x / 2

    def right_inverse(self, x: Any) -> Any:
        return x * 2


class Doubled(gb.nn.Module):
    def forward(self, x: Any) -> Any:
        return x * 2


def norms(weight):
    return np.linalg.norm(weight.detach().numpy().reshape(weight.shape[0], -1), axis=1)


class TestParametrizations:
    def test_a_weight_is_computed_whenever_it_is_read_and_learns_through_that(self):
        layer = gb.nn.Linear(3, 3)
        assert parametrize.register_parametrization(layer, "weight", Symmetric()) is layer

        with gb.leaks.no_leaks():
            layer(gb.ones(2, 3)).sum().backward()
            learned = layer.parametrizations.weight.original
            assert learned.grad.tolist()[1][0] == 0.0  # below the diagonal nothing is read
            layer.zero_grad()
            del learned

        assert gb.equal(layer.weight, layer.weight.T)
        assert repr(layer).startswith("ParametrizedLinear(")
        assert isinstance(layer, gb.nn.Linear)
        assert parametrize.type_before_parametrizations(layer) is gb.nn.Linear
        assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]

    def test_copies_are_parametrized_apart_from_each_other(self):
        layer = parametrize.register_parametrization(gb.nn.Linear(2, 2), "weight", Symmetric())
        copied, other = copy.deepcopy(layer), copy.deepcopy(layer)

        parametrize.remove_parametrizations(copied, "weight")
        parametrize.register_parametrization(other, "bias", Doubled())

        assert type(copied) is gb.nn.Linear
        assert parametrize.is_parametrized(layer, "weight")
        assert not parametrize.is_parametrized(layer, "bias")
        assert gb.equal(layer.weight, layer.weight.T)
        assert gb.equal(other.bias, 2 * layer.bias)
        assert [it.shape for it in (layer.bias, copied.weight)] == [(2,), (2, 2)]

    def test_what_is_cached_is_the_living_modules_own(self):
        made = []
        with parametrize.cached():
            for _ in range(5):
                layer = gb.nn.Linear(2, 2)
                parametrize.register_parametrization(layer, "weight", Doubled())
                made.append(gb.equal(layer.weight, 2 * layer.parametrizations.weight.original))
                del layer

        assert made == [True] * 5

    def test_several_are_computed_in_their_order_and_assigning_goes_back_through_them(self):
        layer = gb.nn.Linear(2, 2, bias=False)
        parametrize.register_parametrization(layer, "weight", Symmetric())
        wanted = gb.tensor([[1.0, 2.0], [2.0, 3.0]])
        layer.weight = wanted

        assert gb.equal(layer.weight, wanted)
        parametrize.register_parametrization(layer, "weight", Doubled())
        assert gb.equal(layer.weight, wanted * 2)
        for kind in (TypeError, RuntimeError):
            with pytest.raises(kind, match="Doubled cannot be inverted"):
                layer.weight = wanted

    def test_one_more_leaves_what_is_learned_as_it_is(self):
        layer = gb.nn.Linear(2, 2, bias=False)
        wanted = layer.weight.detach().clone()
        parametrize.register_parametrization(layer, "weight", Doubled())

        parametrize.register_parametrization(layer, "weight", Halved())

        assert gb.equal(layer.parametrizations.weight.original, wanted)
        assert gb.equal(layer.weight, wanted)

    def test_removing_leaves_what_was_computed_or_what_was_learned(self):
        for leaves in (True, False):
            layer = gb.nn.Linear(2, 2, bias=False)
            before = layer.weight
            drawn = before.detach().clone()
            parametrize.register_parametrization(layer, "weight", Doubled())

            parametrize.remove_parametrizations(layer, "weight", leave_parametrized=leaves)

            assert type(layer) is gb.nn.Linear
            assert layer.weight is before  # an optimizer goes on
            assert gb.equal(layer.weight, drawn * 2 if leaves else drawn)
            assert not parametrize.is_parametrized(layer)
            assert list(layer.state_dict()) == ["weight"]

    def test_a_buffer_stays_one_and_copies_are_apart(self):
        module = gb.nn.BatchNorm1d(2)
        parametrize.register_parametrization(module, "running_mean", Doubled())
        copied = copy.deepcopy(module)

        module.parametrizations.running_mean.original.fill_(1.0)

        assert module.running_mean.tolist() == [2.0, 2.0]
        assert copied.running_mean.tolist() == [0.0, 0.0]
        assert len(list(module.parameters())) == 2
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(module)

    def test_inside_cached_each_is_computed_once(self):
        layer = parametrize.register_parametrization(gb.nn.Linear(2, 2), "weight", Doubled())

        with parametrize.cached():
            with parametrize.cached():
                first = layer.weight
            assert layer.weight is first
            with gb.dispose_scope():
                other = parametrize.register_parametrization(
                    gb.nn.Linear(1, 1), "weight", Doubled()
                )
                other.weight  # noqa: B018
            first.dispose()
            assert layer.weight.shape == (2, 2)  # what has ended is computed again
        assert layer.weight is not layer.weight

    def test_refuses_what_does_not_fit(self):
        class Longer(gb.nn.Module):
            def forward(self, x: Any) -> Any:
                return gb.cat((x, x))

        layer = gb.nn.Linear(2, 2)
        with pytest.raises(gb.ShapeError, match="the same sizes are needed"):
            parametrize.register_parametrization(layer, "weight", Longer())
        with pytest.raises(ValueError, match=r"no tensor 'nothing'; there are \['weight'"):
            parametrize.register_parametrization(layer, "nothing", Doubled())
        with pytest.raises(ValueError, match="is not parametrized"):
            parametrize.remove_parametrizations(layer, "weight")
        with pytest.raises(TypeError, match="parametrization is of type builtin"):
            parametrize.register_parametrization(layer, "weight", print)  # type: ignore[arg-type]
        assert type(layer) is gb.nn.Linear
        parametrize.register_parametrization(layer, "weight", Longer(), unsafe=True)
        assert layer.weight.shape == (4, 2)


class TestNorms:
    @pytest.mark.parametrize("dim", [0, 1, None])
    def test_a_weight_is_a_norm_times_a_direction(self, dim):
        for normed, remove in (
            (U.parametrizations.weight_norm, parametrize.remove_parametrizations),
            (U.weight_norm, U.remove_weight_norm),
        ):
            layer = gb.nn.Linear(4, 3)
            drawn = layer.weight.detach().clone()
            normed(layer, dim=dim)
            x = gb.randn(2, 4)

            with gb.leaks.no_leaks(), gb.dispose_scope():
                layer(x).sum().backward()
                layer.zero_grad()

            layer(x)
            assert gb.allclose(layer.weight, drawn, atol=1e-6)
            names = [name for name, _ in layer.named_parameters()]
            assert len(names) == 3
            norm = layer.get_parameter(names[1])
            with gb.no_grad():
                norm.mul_(2.0)
            layer(x)
            assert gb.allclose(layer.weight, drawn * 2, atol=1e-6)
            remove(layer, "weight")
            assert gb.allclose(layer.weight, drawn * 2, atol=1e-6)
            assert {name for name, _ in layer.named_parameters()} == {"bias", "weight"}

    def test_a_spectral_norm_becomes_one(self):
        gb.manual_seed(2)
        for normed in (U.parametrizations.spectral_norm, U.spectral_norm):
            for made in (gb.nn.Linear(5, 4), gb.nn.ConvTranspose2d(2, 3, 2)):
                layer = normed(made, n_power_iterations=30)
                x = gb.ones(1, 5) if isinstance(made, gb.nn.Linear) else gb.ones(1, 2, 3, 3)
                layer(x).square().sum().backward()
                weight = layer.weight.detach()
                rows = weight if weight.ndim == 2 else weight.transpose(0, 1).reshape(3, -1)

                largest = np.linalg.svd(rows.numpy(), compute_uv=False)[0]

                assert largest == pytest.approx(1.0, abs=1e-3)
                layer.eval()
                layer(x)
                assert gb.allclose(layer.weight, weight, atol=1e-3)
                again = normed(parametrize.type_before_parametrizations(made)(*_arguments(made)))
                again.load_state_dict(layer.state_dict())

    def test_are_refused_where_there_is_nothing_to_norm(self):
        for call in (
            lambda: U.weight_norm(gb.nn.ReLU()),
            lambda: U.weight_norm(U.weight_norm(gb.nn.Linear(1, 1))),
            lambda: U.spectral_norm(gb.nn.Linear(1, 1), n_power_iterations=0),
            lambda: U.remove_weight_norm(gb.nn.Linear(1, 1)),
            lambda: U.remove_spectral_norm(gb.nn.Linear(1, 1)),
            lambda: U.parametrizations.spectral_norm(gb.nn.ReLU()),
        ):
            with pytest.raises(ValueError, match="norm"):
                call()


def _arguments(layer):
    return (5, 4) if isinstance(layer, gb.nn.Linear) else (2, 3, 2)


class TestOrthogonal:
    @pytest.mark.parametrize(
        ("chosen", "has_base"),
        [(it, has_base) for it in ("matrix_exp", "cayley", "householder") for has_base in (0, 1)],
    )
    @pytest.mark.parametrize("sizes", [(4, 4), (3, 5), (5, 3)])
    def test_weights_stay_orthogonal_while_they_learn(self, sizes, chosen, has_base):
        layer = U.parametrizations.orthogonal(
            gb.nn.Linear(*sizes, dtype=gb.float64),
            orthogonal_map=chosen,
            use_trivialization=bool(has_base),
        )
        optimizer = gb.optim.SGD(layer.parameters(), lr=0.3)

        for _ in range(3):
            optimizer.zero_grad()
            (layer(gb.ones(2, sizes[0], dtype=gb.float64)) - 1.0).square().sum().backward()
            optimizer.step()
            weight = layer.weight.detach().numpy()
            small = weight @ weight.T if sizes[1] < sizes[0] else weight.T @ weight
            np.testing.assert_allclose(small, np.eye(min(sizes)), atol=1e-9)

    @pytest.mark.parametrize("chosen", ["matrix_exp", "cayley", None])
    @pytest.mark.parametrize("has_base", [False, True])
    @pytest.mark.parametrize("sizes", [(4, 4), (3, 5), (5, 3)])
    def test_complex_weights_stay_unitary_while_they_learn(self, sizes, chosen, has_base):
        layer = U.parametrizations.orthogonal(
            gb.nn.Linear(*sizes, dtype=gb.complex128),
            orthogonal_map=chosen,
            use_trivialization=has_base,
        )
        optimizer = gb.optim.SGD(layer.parameters(), lr=0.3)
        before = layer.weight.detach().numpy()

        for _ in range(3):
            optimizer.zero_grad()
            (layer(gb.ones(2, sizes[0], dtype=gb.complex128)) - 1.0).abs().sum().backward()
            optimizer.step()
            weight = layer.weight.detach().numpy()
            turned = weight.conj().T
            small = weight @ turned if sizes[1] < sizes[0] else turned @ weight
            np.testing.assert_allclose(small, np.eye(min(sizes)), atol=1e-9)
        assert np.abs(weight - before).max() > 0.01
        assert np.abs(weight.imag).max() > 0.01

    def test_a_unitary_weight_stays_what_it_is(self):
        layer = gb.nn.Linear(2, 2, dtype=gb.complex64)
        before = gb.tensor([[1, 1j], [1j, 1]]) * 0.5**0.5

        U.parametrizations.orthogonal(layer)
        layer.weight = before

        assert gb.allclose(layer.weight, before, atol=1e-6)

    @pytest.mark.parametrize("chosen", ["matrix_exp", "cayley", "householder"])
    def test_what_is_orthogonal_already_stays_what_it_is(self, chosen):
        layer = gb.nn.Linear(3, 3, dtype=gb.float64)
        gb.nn.init.orthogonal_(layer.weight)
        before = layer.weight.detach().clone()

        U.parametrizations.orthogonal(layer, orthogonal_map=chosen)

        assert gb.allclose(layer.weight, before, atol=1e-9)

    def test_refuses_vectors_and_maps_that_cannot_be_assigned_to(self):
        with pytest.raises(gb.ShapeError, match="two dims or more"):
            U.parametrizations.orthogonal(gb.nn.Linear(2, 2), "bias")
        with pytest.raises(ValueError, match="another map is needed"):
            U.parametrizations.orthogonal(
                gb.nn.Linear(2, 2, dtype=gb.complex64), orthogonal_map="householder"
            )
        layer = U.parametrizations.orthogonal(
            gb.nn.Linear(2, 2), orthogonal_map="cayley", use_trivialization=False
        )
        with pytest.raises(NotImplementedError, match="without use_trivialization"):
            layer.weight = gb.eye(2)


class TestFunctionalCall:
    def test_uses_what_is_given_and_leaves_the_module_as_it_was(self):
        model = gb.nn.Sequential(gb.nn.Linear(2, 2), gb.nn.BatchNorm1d(2))
        weight = gb.eye(2).requires_grad_()
        given = {"0.weight": weight, "0.bias": gb.zeros(2), "1.running_mean": gb.zeros(2)}
        own = model.get_parameter("0.weight")
        model.eval()

        with gb.leaks.no_leaks():
            made = gb.func.functional_call(model, given, gb.ones(1, 2))
            made.sum().backward()
            del made
            assert weight.grad is not None
            weight.grad = None

        assert model.get_parameter("0.weight") is own
        assert own.grad is None
        with pytest.raises(RuntimeError, match="forward"):
            gb.func.functional_call(_Failing(), {"weight": gb.ones(1)}, ())

    def test_puts_back_what_the_call_deletes(self):
        class Fickle(gb.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.weight, self.bias = gb.nn.Parameter(gb.ones(1)), gb.nn.Parameter(gb.ones(1))

            def forward(self, x: Any) -> Any:
                del self.weight
                return x

        model = Fickle()

        gb.func.functional_call(model, {"weight": gb.zeros(1)}, gb.ones(1))

        assert [name for name, _ in model.named_parameters()] == ["weight", "bias"]
        assert model.weight.item() == 1.0

    def test_ties_what_the_module_shares(self):
        model = gb.nn.Sequential(gb.nn.Linear(1, 1, bias=False), gb.nn.Linear(1, 1, bias=False))
        shared: Any = model[1]
        shared.weight = model.get_parameter("0.weight")
        three = gb.tensor([[3.0]])

        assert gb.func.functional_call(model, {"0.weight": three}, gb.ones(1, 1)).item() == 9.0
        with pytest.raises(ValueError, match="two tensors for a shared parameter"):
            gb.func.functional_call(model, {"0.weight": three, "1.weight": gb.ones(1, 1)})

    def test_replaces_a_tensor_that_is_a_plain_attribute(self):
        class Scaled(gb.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.scale, self.count = gb.ones(1), 3

            def forward(self, x: Any) -> Any:
                return self.scale * x + getattr(self, "shift", 0.0)

        model = gb.nn.Sequential(Scaled())
        five = gb.full((1,), 5.0).requires_grad_()

        made = gb.func.functional_call(model, {"0.scale": five, "0.shift": gb.ones(1)}, gb.ones(1))
        made.sum().backward()

        assert made.tolist() == [6.0]
        assert five.grad is not None
        assert model[0].scale.tolist() == [1.0]
        assert not hasattr(model[0], "shift")
        with pytest.raises(TypeError, match=r"'0\.count' of the module is of type int"):
            gb.func.functional_call(model, {"0.count": five}, gb.ones(1))

    def test_a_dict_has_what_forward_assigns_and_none_takes_a_parameter_away(self):
        class Counting(gb.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.count = gb.nn.Buffer(gb.zeros(1))
                self.layer = gb.nn.Linear(1, 1)

            def forward(self, x: Any) -> Any:
                self.count = self.count + 1
                return self.layer(x)

        model = Counting()
        given = {"count": gb.ones(1), "layer.weight": gb.full((1, 1), 3.0), "layer.bias": None}

        assert gb.func.functional_call(model, given, gb.ones(1)).tolist() == [3.0]
        assert given["count"].tolist() == [2.0]
        assert model.count.item() == 0.0
        assert model.layer.bias is not None

    def test_ties_count_where_all_keys_are_asked_for(self):
        model = gb.nn.Sequential(gb.nn.Linear(1, 1, bias=False), gb.nn.Linear(1, 1, bias=False))
        model[1].weight = model[0].weight
        three = {"0.weight": gb.full((1, 1), 3.0)}

        assert gb.func.functional_call(model, three, gb.ones(1, 1), strict=True).item() == 9.0
        with pytest.raises(RuntimeError, match=r"missing keys \['1\.weight'\]"):
            gb.func.functional_call(model, three, gb.ones(1, 1), tie_weights=False, strict=True)

    def test_a_block_has_the_module_use_what_is_given_until_it_ends(self):
        layer = gb.nn.Linear(1, 1, bias=False)
        own = layer.weight
        given = {"weight": gb.full((1, 1), 2.0)}

        with stateless._reparametrize_module(layer, given):
            assert layer(gb.ones(1)).tolist() == [2.0]
        with pytest.raises(KeyError), stateless._reparametrize_module(layer, given):
            raise KeyError

        assert layer.weight is own

    def test_a_bias_that_the_module_was_made_without_is_taken(self):
        layer = gb.nn.Linear(1, 1, bias=False)
        given = {"weight": gb.full((1, 1), 2.0), "bias": gb.full((1,), 3.0)}

        assert gb.func.functional_call(layer, given, gb.ones(1)).tolist() == [5.0]
        assert gb.func.functional_call(layer, {"weight": gb.ones(1, 1)}, gb.ones(1), strict=True)
        assert layer.bias is None

    def test_refuses_paths_that_are_unknown_twice_or_missing(self):
        layer, one = gb.nn.Linear(1, 1), {"weight": gb.ones(1, 1)}

        with pytest.raises(ValueError, match=r"no module for 'other\.weight'"):
            gb.func.functional_call(layer, {"other.weight": gb.ones(1)}, gb.ones(1))
        both = {**one, "bias": gb.ones(1), "b": gb.ones(1)}
        with pytest.raises(RuntimeError, match=r"unexpected keys \['b'\]"):
            gb.func.functional_call(layer, both, gb.ones(1), strict=True)
        with pytest.raises(ValueError, match="stands in two dicts"):
            gb.func.functional_call(layer, (one, one), gb.ones(1))
        with pytest.raises(ValueError, match=r"missing keys \['bias'\]"):
            gb.func.functional_call(layer, one, gb.ones(1), strict=True)


class _Failing(gb.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = gb.nn.Parameter(gb.zeros(1))

    def forward(self) -> Any:
        raise RuntimeError("forward fails")


class TestFusion:
    @pytest.mark.parametrize("transpose", [False, True])
    def test_one_layer_does_what_two_did(self, transpose):
        kind = gb.nn.ConvTranspose2d if transpose else gb.nn.Conv2d
        conv, norm = kind(3, 4, 3, bias=False), gb.nn.BatchNorm2d(4)
        x = gb.randn(4, 3, 6, 6)
        norm(conv(x))
        conv.eval()
        norm.eval()

        fused = U.fuse_conv_bn_eval(conv, norm, transpose)

        assert gb.allclose(fused(x), norm(conv(x)), atol=1e-5)
        with pytest.raises(ValueError, match="call eval"):
            U.fuse_conv_bn_eval(conv.train(), norm)

    def test_skipping_draws_nothing_and_gives_the_class(self):
        gb.manual_seed(0)
        before = gb.get_rng_state()

        layer = U.skip_init(gb.nn.Linear, 3, 2, dtype=gb.float64)

        assert type(layer) is gb.nn.Linear
        assert layer.weight.dtype == gb.float64
        assert gb.equal(before, gb.get_rng_state())
        with pytest.raises(TypeError, match="a class of modules"):
            U.skip_init(print)  # type: ignore[arg-type]


def test_a_normed_weight_is_loaded_from_what_the_older_function_saved():
    older = gb.nn.utils.weight_norm(gb.nn.Linear(3, 2))
    newer = gb.nn.Sequential(gb.nn.utils.parametrizations.weight_norm(gb.nn.Linear(3, 2)))
    x = gb.ones(1, 3)

    state = {f"0.{name}": it for name, it in older.state_dict().items()}
    newer.load_state_dict(state)

    assert gb.equal(newer(x), older(x))
    assert "0.weight_g" in state


def test_what_does_not_fit_is_a_value_error_too():
    class Apart(gb.nn.Module):
        def forward(self, x):
            return x, x

    class Wider(gb.nn.Module):
        def forward(self, x):
            return x

        def right_inverse(self, x):
            return x.double()

    layer = gb.nn.utils.parametrize.register_parametrization(
        gb.nn.Linear(2, 2), "weight", gb.nn.Identity()
    )
    for it in (Apart(), Wider()):
        for module in (gb.nn.Linear(2, 2), layer):
            with pytest.raises(ValueError, match="the same dtype is needed"):
                gb.nn.utils.parametrize.register_parametrization(module, "weight", it)


def test_a_further_parametrization_is_tried_with_what_it_makes_itself():
    class Skewed(gb.nn.Module):
        def forward(self, x):
            return x.triu(1) - x.triu(1).T

        def right_inverse(self, x):
            if not gb.allclose(x, -x.T):
                raise ValueError("not skew")
            return x.triu(1)

    layer = gb.nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())

    parametrize.register_parametrization(layer, "weight", Skewed())

    assert gb.equal(layer.weight, -layer.weight.T)


@pytest.mark.parametrize("older", [False, True])
def test_a_complex_weight_is_divided_by_its_largest_singular_value(older):
    gb.manual_seed(0)
    spectral_norm = U.spectral_norm if older else U.parametrizations.spectral_norm
    layer = gb.nn.Linear(3, 3, dtype=gb.complex64)
    before = layer.weight.detach().clone()

    spectral_norm(layer, n_power_iterations=200)
    layer(gb.ones(1, 3, dtype=gb.complex64))

    wanted = before / gb.linalg.matrix_norm(before, 2)
    assert gb.allclose(layer.weight.detach(), wanted, atol=1e-4)
