"""`garboard.func`: derivatives of functions, beside formulas; batches of samples, by a loop."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest
from garboard import func

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

X = [0.5, -1.0, 2.0]
A = [[1.0, 2.0, 0.0], [0.0, 1.0, -1.0], [3.0, 0.0, 1.0]]


def f64(values):
    return gb.tensor(values, dtype=gb.float64)


class TestGradients:
    def test_are_those_of_the_argument_that_is_named(self):
        def energy(x, a):
            return (a @ x).square().sum()

        of_x = func.grad(energy)(f64(X), f64(A))
        both = func.grad(energy, argnums=(1, -2))(f64(X), f64(A))

        x, a = np.array(X), np.array(A)
        np.testing.assert_allclose(of_x.tolist(), 2 * a.T @ a @ x)
        np.testing.assert_allclose(both[0].tolist(), 2 * np.outer(a @ x, x))
        assert both[1].tolist() == of_x.tolist()
        assert not of_x.requires_grad

    def test_come_in_the_nest_of_the_argument_with_the_value(self):
        def loss(p):
            return (p["w"] * p["b"][0]).sum(), "more"

        given = {"w": f64(X), "b": (f64(2.0),)}
        found, (value, more) = func.grad_and_value(loss, has_aux=True)(given)

        assert found["w"].tolist() == [2.0] * 3
        assert found["b"][0].item() == value.item() / 2 == 1.5
        assert more == "more"
        assert not value.requires_grad

    def test_of_gradients_of_gradients(self):
        third = func.grad(func.grad(func.grad(lambda x: x**4)))(f64(2.0))
        mixed = func.grad(lambda x: func.grad(lambda y: x**2 * y**3)(f64(2.0)))(f64(3.0))

        assert third.item() == 48.0
        assert mixed.item() == 2 * 3 * 12.0
        assert not third.requires_grad

    def test_have_a_history_where_the_argument_has(self):
        x = f64(3.0).requires_grad_()

        slope = func.grad(lambda it: it**3)(x)
        slope.backward()

        assert x.grad is not None
        assert x.grad.item() == 18.0

    def test_have_a_history_where_the_function_reads_what_has_one(self):
        model = gb.nn.Sequential(gb.nn.Linear(3, 4), gb.nn.Tanh(), gb.nn.Linear(4, 1)).double()
        rows = f64(A)

        def value(x):
            return model(x).sum()

        for of_row in (func.grad(value), func.jacrev(value), func.jacfwd(value)):
            model.zero_grad()
            func.vmap(of_row)(rows).square().sum().backward()
            found = model[0].weight.grad
            model.zero_grad()
            x = rows.clone().requires_grad_()
            gb.autograd.grad(value(x), x, create_graph=True)[0].square().sum().backward()
            np.testing.assert_allclose(found.tolist(), model[0].weight.grad.tolist())
        model.requires_grad_(False)
        assert not func.grad(value)(rows).requires_grad

    def test_have_a_history_through_nests_vectors_and_values(self):
        w, z = f64(2.0).requires_grad_(), f64(3.0)

        nested = func.grad(lambda x: func.grad(lambda y: x**2 * y**3 * w)(f64(2.0)))(z)
        slope, value = func.grad_and_value(lambda x: x * x + w)(z)
        _, back = func.vjp(lambda x: x * x, z)
        same, moved = func.jvp(lambda x: x * x, (z,), (w,))

        assert gb.autograd.grad(nested, w)[0].item() == 2 * 3 * 3 * 4
        assert (slope.requires_grad, value.requires_grad) == (False, True)
        assert gb.autograd.grad(back(w)[0], w)[0].item() == 6.0
        assert not back(z)[0].requires_grad
        assert gb.autograd.grad(moved, w)[0].item() == 6.0
        assert not same.requires_grad

    def test_along_directions_nest(self):
        x, v = f64(X), f64([1.0, 0.0, 2.0])

        def slope(y):
            return func.jvp(lambda it: it**3, (y,), (v,))[1]

        value, second = func.jvp(slope, (x,), (v,))
        _, third = func.jvp(lambda y: func.jvp(slope, (y,), (v,))[1], (x,), (v,))

        assert value.tolist() == (3 * x**2 * v).tolist()
        np.testing.assert_allclose(second.tolist(), (6 * x * v**2).tolist())
        np.testing.assert_allclose(third.tolist(), (6 * v**3).tolist())
        assert func.jacrev(slope)(x).tolist() == (6 * x * v).diag().tolist()

    def test_have_no_history_where_nothing_outside_records(self):
        w = f64(3.0).requires_grad_()

        with gb.no_grad():
            slope, value = func.grad_and_value(lambda x: x * x * w)(w)

        assert slope.item() == 18.0
        assert not slope.requires_grad
        assert not value.requires_grad

    def test_along_directions_of_indices_are_zeros(self):
        x, v = f64([1.0, 3.0, 2.0]), f64(X)

        (_, places), (moved, still) = func.jvp(lambda x: x.sort(), (x,), (v,))
        of_places = func.jacfwd(lambda x: x.argsort())(x)

        assert places.tolist() == [0, 2, 1]
        assert moved.tolist() == [0.5, 2.0, -1.0]
        assert (still.dtype, still.tolist()) == (gb.int64, [0, 0, 0])
        assert (of_places.dtype, of_places.tolist()) == (gb.int64, [[0, 0, 0]] * 3)

    def test_along_directions_are_right_where_a_pass_takes_logarithms(self):
        x, v = f64([-900.0, 3.0, 900.0]), f64([1.0, 2.0, 3.0])

        _, found = func.jvp(lambda x: x.logcumsumexp(0), (x,), (v,))
        _, linear = func.linearize(lambda x: x.logcumsumexp(0), x)

        gb.testing.assert_close(found, v)
        gb.testing.assert_close(linear(v), v)

    def test_are_recorded_whatever_the_mode(self):
        with gb.no_grad():
            assert func.grad(lambda x: x * x)(f64(3.0)).item() == 6.0

    def test_of_what_does_not_depend_are_zeros(self):
        assert func.grad(lambda x, y: y * 2)(f64(3.0), f64(1.0)).item() == 0.0


class TestJacobians:
    def test_of_rows_and_of_several_results(self):
        a = f64(A)
        rows = func.jacrev(lambda x: a @ x.square())(f64(X))
        parts = func.jacrev(lambda x: {"y": a @ x, "s": x.sum()})(f64(X))

        np.testing.assert_allclose(rows.tolist(), np.array(A) * 2 * np.array(X))
        assert parts["y"].tolist() == A
        assert parts["s"].tolist() == [1.0] * 3
        assert func.jacfwd(lambda x: a @ x)(f64(X)).tolist() == A
        assert func.jacrev(lambda x: x[:0])(f64(X)).shape == (0, 3)

    def test_along_directions_have_the_dtype_of_the_output(self):
        forward = func.jacfwd(lambda x: (x.float(), x.sum()))(f64(X))
        backward = func.jacrev(lambda x: x.float())(f64(X))

        assert [it.dtype for it in (*forward, backward)] == [gb.float32, gb.float64, gb.float64]

    def test_of_gradients_are_hessians(self):
        found = func.hessian(lambda x: (x**3).sum() + x[0] * x[1])(f64(X))

        expected = np.diag(6 * np.array(X)) + np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
        np.testing.assert_allclose(found.tolist(), expected)

    def test_are_multiplied_from_both_sides(self):
        a, x = f64(A), f64(X)

        value, back = func.vjp(lambda it: a @ it.square(), x)
        same, forward = func.jvp(lambda it: a @ it.square(), (x,), (f64([1.0, 0.0, 2.0]),))

        whole = np.array(A) * 2 * np.array(X)
        np.testing.assert_allclose(back(f64([1.0, 2.0, 3.0]))[0].tolist(), [1, 2, 3] @ whole)
        np.testing.assert_allclose(back(f64([0.0, 1.0, 0.0]))[0].tolist(), whole[1])
        np.testing.assert_allclose(forward.tolist(), whole @ [1, 0, 2])
        assert value.tolist() == same.tolist()
        assert not value.requires_grad
        assert not forward.requires_grad

    def test_are_what_a_function_is_near_a_place(self):
        value, forward = func.linearize(gb.sin, f64(X))

        np.testing.assert_allclose(value.tolist(), np.sin(X))
        np.testing.assert_allclose(forward(f64([2.0] * 3)).tolist(), 2 * np.cos(X))


class TestBatches:
    def test_are_looped_over_along_the_dims_that_are_named(self):
        a, x = f64(A), f64(X)

        assert func.vmap(lambda row: row @ x)(a).tolist() == (a @ x).tolist()
        columns = func.vmap(lambda column, it: column * it, (1, None), 1)(a, x)
        assert columns.tolist() == (a * x.unsqueeze(1)).tolist()
        pair = func.vmap(lambda d: (d["a"].sum(), d["b"]), ({"a": -1, "b": None},), (0, None))
        sums, shared = pair({"a": a, "b": x})
        assert (sums.tolist(), shared.tolist()) == (a.sum(0).tolist(), X)

    def test_give_a_gradient_for_each_sample(self):
        model = gb.nn.Linear(3, 1).double()
        parameters = {name: it.detach() for name, it in model.named_parameters()}

        def loss(given, x):
            return func.functional_call(model, given, (x,)).square().sum()

        each = func.vmap(func.grad(loss), in_dims=(None, 0))(parameters, f64(A))

        whole = func.grad(lambda p: loss(p, f64(A)))(parameters)
        assert each["weight"].shape == (3, 1, 3)
        np.testing.assert_allclose(each["weight"].sum(0).tolist(), whole["weight"].tolist())

    def test_pass_gradients_and_nest(self):
        a = f64(A).requires_grad_()

        func.vmap(lambda row: row.square().sum())(a).sum().backward()
        table = func.vmap(func.vmap(gb.mul, (None, 0)), (0, None))(f64(X), f64(X))

        assert a.grad is not None
        assert a.grad.tolist() == (2 * np.array(A)).tolist()
        assert table.tolist() == np.outer(X, X).tolist()

    def test_draw_alike_where_that_is_asked_for(self):
        gb.manual_seed(3)

        same = func.vmap(lambda x: x + gb.rand(2), randomness="same")(gb.zeros(3, 2))
        apart = func.vmap(lambda x: x + gb.rand(2), randomness="different")(gb.zeros(3, 2))

        assert len({tuple(row) for row in same.tolist()}) == 1
        assert len({tuple(row) for row in apart.tolist()}) == 3

    def test_of_modules_have_stacked_parameters(self):
        models = [gb.nn.BatchNorm1d(2) for _ in range(3)]

        parameters, buffers = func.stack_module_state(models)

        assert parameters["weight"].shape == (3, 2)
        assert parameters["weight"].requires_grad
        assert buffers["running_mean"].shape == (3, 2)


def test_nothing_stays_alive():
    x = f64(X)

    with gb.leaks.no_leaks():
        func.grad(lambda it: it.square().sum())(x)
        func.hessian(lambda it: it.exp().sum())(x)
        func.vjp(gb.sin, x)[1](x)
        func.vmap(func.jacrev(gb.square))(x)
        with pytest.raises(gb.ShapeError):
            func.grad(gb.square)(x)
        with pytest.raises(gb.ShapeError):
            func.vmap(gb.add)(x, x[:2])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda x: func.grad(3), TypeError, "func"),
        (lambda x: func.grad(gb.square)(x), gb.ShapeError, "a tensor of one element"),
        (lambda x: func.grad(gb.sum, argnums=1)(x), ValueError, "argnums 1; there are 1 pos"),
        (lambda x: func.grad(gb.sum, argnums=(0, 0))(x), ValueError, "each once"),
        (lambda x: func.grad(lambda it: it)("a"), TypeError, "holds str"),
        (lambda x: func.grad(gb.sum)(x.long()), gb.GradientError, "a floating dtype"),
        (lambda x: func.grad(gb.sum, has_aux=True)(x), TypeError, "returns a pair"),
        (lambda x: func.jacrev(lambda it: 3)(x), TypeError, "what the function returned"),
        (lambda x: func.vjp(gb.square, x)[1](x[:2]), gb.ShapeError, "a vector of other sizes"),
        (lambda x: func.jvp(gb.square, (x,), (x[:2],)), gb.ShapeError, "tangents of other sizes"),
        (lambda x: func.jvp(gb.square, x, x), TypeError, "are tuples"),
        (
            lambda x: func.jvp(lambda it: gb.ones(2), (x,), (x,), strict=True),
            gb.GradientError,
            "does not depend",
        ),
        (lambda x: func.vmap(gb.sum, 1)(x), ValueError, "in_dims 1 of a tensor of 1 dims"),
        (lambda x: func.vmap(gb.sum, (0, 0))(x), ValueError, "in_dims holds 2 places"),
        (lambda x: func.vmap(gb.sum, None)(x), gb.ShapeError, "one size is needed"),
        (lambda x: func.vmap(gb.sum, randomness="x")(x), ValueError, "randomness"),
        (lambda x: func.stack_module_state([]), ValueError, "no modules; at least one is needed"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call(f64(X))


class TestNormsOfBatches:
    def test_without_running_statistics_are_functions_of_one_batch(self):
        model = gb.nn.Sequential(gb.nn.Sequential(gb.nn.BatchNorm1d(2)), gb.nn.LayerNorm(2))
        alone = gb.nn.BatchNorm2d(3)

        assert func.replace_all_batch_norm_modules_(model) is model
        func.replace_all_batch_norm_modules_(func.replace_all_batch_norm_modules_(alone))

        norm = model[0][0].eval()
        gb.testing.assert_close(
            norm(f64([[0.0, 1], [2, 5]]).float()), f64([[-1, -1], [1, 1]]).float()
        )
        assert norm.running_mean is norm.running_var is norm.num_batches_tracked is None
        assert list(alone.state_dict()) == ["weight", "bias"]

    def test_that_are_no_modules_are_refused(self):
        with pytest.raises(TypeError, match="replace_all_batch_norm_modules_: root is of type"):
            func.replace_all_batch_norm_modules_([gb.nn.BatchNorm1d(2)])


class TestComplexArguments:
    def test_have_the_gradient_of_what_is_real(self):
        x = gb.tensor([1 + 2j, 3 - 1j])

        got = gb.func.grad(lambda x: (x * x.conj()).real.sum())(x)

        assert gb.allclose(got, 2 * x)
        _, back = gb.func.vjp(lambda x: x * x, x)
        assert gb.allclose(back(gb.ones_like(x))[0], 2 * x.conj())

    def test_have_tangents(self):
        z, v = gb.tensor([1 + 2j, -1j]), gb.tensor([1j, 2 - 1j])

        _, of_square = func.jvp(lambda z: z * z, (z,), (v,))
        _, of_conjugate = func.jvp(lambda z: z.conj() * 2j, (z,), (v,))
        _, of_size = func.jvp(lambda z: z.abs().square(), (z,), (v,))

        gb.testing.assert_close(of_square, 2 * z * v)
        gb.testing.assert_close(of_conjugate, v.conj() * 2j)
        gb.testing.assert_close(of_size, 2 * (z * v.conj()).real)

    def test_have_none_of_what_is_complex(self):
        x = gb.tensor([1 + 2j])

        with pytest.raises(gb.GradientError, match="a real one has a gradient"):
            gb.func.grad(lambda x: x.sum())(x)
        with pytest.raises(gb.GradientError, match="a floating dtype is needed"):
            gb.func.jacrev(lambda x: x * x)(x)


def test_what_vjp_gives_has_no_history_where_nothing_is_recorded():
    x = gb.tensor(3.0, requires_grad=True)
    value, back = gb.func.vjp(lambda x: x**2, x)

    with gb.no_grad():
        (slope,) = back(gb.tensor(1.0))

    assert (slope.item(), slope.requires_grad, value.requires_grad) == (6, False, True)
    assert back(gb.tensor(1.0))[0].requires_grad


@pytest.mark.parametrize(
    "call",
    [
        lambda x: gb.func.grad(gb.mul, argnums=-3)(x, x),
        lambda x: gb.func.jacrev(gb.sin, argnums=(0, 0))(x),
        lambda x: gb.func.grad(lambda x: [x, x], has_aux=True)(x),
        lambda x: gb.func.stack_module_state([]),
        lambda x: gb.func.stack_module_state([gb.nn.ReLU(), gb.nn.ReLU().eval()]),
        lambda x: gb.func.stack_module_state(
            [gb.nn.Linear(1, 1), gb.nn.Linear(1, 1).requires_grad_(False)]
        ),
    ],
)
def test_a_wrong_place_or_result_is_a_runtime_error_too(call):
    with pytest.raises(RuntimeError, match=r"needed|did not|positional"):
        call(gb.tensor(1.0))


def test_a_graph_outside_of_vmap_serves_all_of_its_calls_and_goes_with_the_last():
    x = gb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    rows = gb.eye(3)

    jacobian = func.vmap(lambda v: gb.autograd.grad(y, x, v)[0])(rows)
    nested = (x**2).sum()
    batches = func.vmap(func.vmap(lambda v: gb.autograd.grad(nested, x, v)[0]))(gb.ones(2, 2))

    assert jacobian.tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]
    assert batches.shape == (2, 2, 3)
    for end in (lambda: y.backward(rows[0]), lambda: nested.backward()):
        with pytest.raises(gb.GradientError, match="freed"):
            end()


@pytest.mark.parametrize("derivative", [func.grad, func.jacrev, func.jacfwd])
def test_derivatives_are_the_same_in_inference_mode(derivative):
    def energy(x):
        return (x**3).sum()

    with gb.inference_mode():
        x = gb.tensor([1.0, 2.0])
        found = derivative(energy)(x)
        value, slope = func.jvp(energy, (x,), (gb.ones(2),))
        _, back = func.vjp(energy, x)
        curves = func.hessian(energy)(x)

        assert back(gb.tensor(1.0))[0].tolist() == [3.0, 12.0]

    assert found.tolist() == [3.0, 12.0]
    assert (value.item(), slope.item()) == (9.0, 15.0)
    assert curves.tolist() == [[6.0, 0.0], [0.0, 12.0]]
