"""Ops that programs name: what they are called by, on which device, with which gradient."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard import library

pytestmark = pytest.mark.usefixtures("no_leaks")


@library.custom_op("tests::scaled", mutates_args=())
def scaled(x: gb.Tensor, factor: float = 2.0) -> gb.Tensor:
    """Multiply by a factor, in NumPy."""
    return gb.from_numpy(x.numpy() * factor)


def keep_factor(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.factor = inputs[1]


scaled.register_autograd(lambda ctx, grad: (grad * ctx.factor, None), setup_context=keep_factor)


class TestAnOp:
    def test_is_called_as_the_function_was(self):
        assert scaled(gb.ones(2)).tolist() == [2, 2]
        assert scaled(gb.ones(2), factor=3.0).tolist() == [3, 3]
        assert scaled.__doc__ == "Multiply by a factor, in NumPy."

    def test_is_found_by_its_name(self):
        assert gb.ops.tests.scaled is scaled
        assert gb.ops.tests.scaled.default is scaled
        assert not hasattr(gb.ops.tests, "shrunk")
        assert not hasattr(gb.ops.nobody, "scaled")

    def test_has_the_gradient_of_its_formula(self):
        x = gb.ones(2, requires_grad=True)

        scaled(x, factor=3.0).sum().backward()

        assert x.grad is not None
        assert x.grad.tolist() == [3, 3]

    def test_is_given_values_that_numpy_takes_where_nothing_is_recorded_too(self):
        x = gb.tensor([0.5, 2.0], dtype=gb.float64, requires_grad=True)

        with gb.no_grad():
            assert scaled(x, factor=x.new_tensor(3.0).item()).tolist() == [1.5, 6]
            assert scaled(x=x).tolist() == [1, 4]
        assert gb.autograd.gradcheck(scaled, x)

    def test_without_a_formula_has_values_alone(self):
        @library.custom_op("tests::halved", mutates_args=())
        def halved(x: gb.Tensor) -> gb.Tensor:
            return x / 2

        found = halved(gb.ones(1, requires_grad=True))

        assert found.requires_grad
        assert found.tolist() == [0.5]
        with pytest.raises(
            gb.GradientError, match="custom_op: 'tests::halved' has no formula; regis"
        ):
            found.backward()

    def test_may_write_what_it_is_given(self):
        @library.custom_op("tests::fill_two", mutates_args={"out"})
        def fill_two(out: gb.Tensor) -> None:
            out.fill_(2)

        x = gb.zeros(2)
        fill_two(x)

        assert x.tolist() == [2, 2]

    def test_of_a_device_is_for_its_tensors_alone(self):
        op = library.custom_op("tests::on_cuda", lambda x: x, mutates_args=(), device_types="cuda")

        with pytest.raises(
            gb.DeviceError, match="'tests::on_cuda' for cpu; no kernel is there, reg"
        ):
            op(gb.ones(1))

        op.register_kernel("cpu", lambda x: x + 1)
        assert op(gb.ones(1)).tolist() == [2]

    def test_is_told_shapes_that_nobody_asks_for(self):
        @library.register_fake("tests::scaled")
        def shape(x: gb.Tensor, factor: float = 2.0) -> gb.Tensor:
            return gb.empty_like(x)

        assert scaled(gb.ones(1)).tolist() == [2]

    @pytest.mark.parametrize("name", ["scaled", "a::", "::b", "a b::c", ""])
    def test_needs_a_namespace(self, name):
        with pytest.raises(ValueError, match="'namespace::name' is needed"):
            library.custom_op(name, len, mutates_args=())

    def test_that_is_not_there_is_given_nothing(self):
        with pytest.raises(ValueError, match=r"impl: no op is called 'tests::gone'; custom_op or"):
            library.impl("tests::gone", "cpu", len)
        with pytest.raises(ValueError, match="'abacus'; 'cpu' or 'cuda' is needed"):
            library.impl("tests::scaled", "abacus", len)


class TestALibrary:
    def test_defines_ops_by_their_schemas(self):
        mine = library.Library("tests_lib", "DEF")
        mine.define("plus(Tensor x, int k) -> Tensor")
        mine.impl("plus", lambda x, k: x + k, "CPU")

        @library.impl(mine, "minus", "CompositeExplicitAutograd")
        def minus(x: gb.Tensor, k: int) -> gb.Tensor:
            return x - k

        assert gb.ops.tests_lib.plus(gb.ones(1), 2).tolist() == [3]
        assert gb.ops.tests_lib.minus(gb.ones(1), 2).tolist() == [-1]

    def test_gives_ops_without_a_formula_the_gradient_of_what_they_call(self):
        library.define("tests_lib::squared", "(Tensor x) -> Tensor")
        library.impl("tests_lib::squared", "default", lambda x: x * x)
        x = gb.ones(1, requires_grad=True)

        gb.ops.tests_lib.squared(x).backward()

        assert x.grad is not None
        assert x.grad.tolist() == [2]


def test_the_functions_of_the_library_are_ops_as_well():
    x = gb.tensor([-1.0, 2.0])

    assert gb.ops.aten.relu(x).tolist() == [0, 2]
    assert gb.ops.aten.add.Tensor(x, x).tolist() == [-2, 4]
    with pytest.raises(AttributeError, match="no op is called 'aten::nothing'"):
        gb.ops.aten.nothing  # noqa: B018


def test_nothing_that_calls_another_library_is_loaded():
    with pytest.raises(OSError, match=r"'_C\.so' is compiled against PyTorch"):
        gb.ops.load_library("_C.so")


def test_a_formula_sees_what_was_left_out():
    @gb.library.custom_op("tests::times_default", mutates_args=())
    def times(x: gb.Tensor, factor: float = 3.0) -> gb.Tensor:
        return x * factor

    def save(ctx, inputs, output):
        ctx.factor = inputs[1]

    times.register_autograd(lambda ctx, g: (g * ctx.factor, None), setup_context=save)
    x = gb.ones(2, requires_grad=True)

    times(x).sum().backward()

    assert x.grad.tolist() == [3, 3]


def test_an_op_that_compilers_look_into_is_an_op():
    @gb.library.triton_op("tests::thrice", mutates_args=())
    def thrice(x: gb.Tensor) -> gb.Tensor:
        return x * 3

    thrice.register_autograd(lambda ctx, gradient: gradient * 3)
    x = gb.ones(1, requires_grad=True)
    gb.ops.tests.thrice(x).backward()

    assert isinstance(thrice, gb.library.CustomOpDef)
    assert x.grad.tolist() == [3]


def test_an_argument_that_has_to_be_named_is_named_to_kernels_and_formulas():
    seen: list[Any] = []

    @gb.library.custom_op("tests::shifted", mutates_args=(), tags=[gb.Tag.pointwise])
    def shifted(x: gb.Tensor, factor: float = 2.0, *, by: float = 1.0) -> gb.Tensor:
        return x * factor + by

    def save(ctx, inputs, keyword_only_inputs, output):
        seen.append((inputs[1:], keyword_only_inputs, output.tolist()))
        ctx.factor = inputs[1]

    def backward(ctx, gradient):
        seen.append(ctx.needs_input_grad)
        return gradient * ctx.factor, None

    shifted.register_autograd(backward, setup_context=save)
    x = gb.ones(2, requires_grad=True)

    shifted(x, by=3.0).sum().backward()
    shifted(x=x).sum().backward()

    assert x.grad.tolist() == [4, 4]
    assert seen == [
        ((2.0,), {"by": 3.0}, [5, 5]),
        (True, False),
        ((2.0,), {"by": 1.0}, [3, 3]),
        (True, False),
    ]


def test_a_tensor_that_has_to_be_named_has_no_gradient():
    @gb.library.custom_op("tests::plus_named", mutates_args=())
    def plus(x: gb.Tensor, *, y: gb.Tensor) -> gb.Tensor:
        return x + y

    plus.register_autograd(lambda ctx, gradient: gradient)
    x = gb.ones(2, requires_grad=True)

    plus(x, y=gb.ones(2)).sum().backward()

    assert x.grad.tolist() == [1, 1]
    with pytest.raises(gb.GradientError, match="'y' of 'tests::plus_named' has to be named and"):
        plus(x.detach(), y=x)


def test_a_rule_for_batches_is_given_by_the_name_of_an_op():
    @gb.library.custom_op("tests::lifted", mutates_args=())
    def lifted(x: gb.Tensor, y: gb.Tensor, *, by: float = 1.0) -> gb.Tensor:
        return x + y + by

    seen = []

    @gb.library.register_vmap("tests::lifted")
    def rule(info, in_dims, x, y, *, by):
        seen.append((in_dims, x.shape, by))
        return x + y + by, 0

    found = gb.vmap(lambda x, y: lifted(x, y=y, by=2.0), in_dims=(0, None))(gb.ones(3), gb.ones(1))

    assert found.tolist() == [4, 4, 4]
    assert seen == [((0, None), (3,), 2.0)]


def test_tags_of_ops_have_the_numbers_of_torch():
    assert [gb.Tag.core.value, gb.Tag.view_copy.value] == [0, 19]
    assert gb.Tag(16) is gb.Tag.pointwise
