"""What else there is of a sample: its handle and memory, its leaves, where it is written."""

from __future__ import annotations

import copy
from typing import Any

import garboard as gb
import pytest
from garboard import func, nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def rows() -> gb.Tensor:
    return gb.arange(6.0).reshape(3, 2)


def test_a_handle_that_is_turned_in_place_is_a_turned_sample():
    def called(x):
        y = x.clone()
        y.unsqueeze_(0)
        sizes.append(tuple(y.shape))
        y.mul_(2)
        y.transpose_(0, 1)
        sizes.append(tuple(y.shape))
        y.squeeze_()
        return y

    sizes: list[Any] = []
    assert gb.equal(func.vmap(called)(rows()), 2 * rows())
    assert sizes == [(1, 2), (2, 1)]


def test_a_sample_detached_in_place_has_no_history():
    def called(x):
        y = (x * x).detach_()
        assert not y.requires_grad
        return (x * y).sum()

    assert gb.equal(func.vmap(func.grad(called))(rows()), rows().square())


def test_a_sample_lies_in_memory_as_one_does():
    seen: list[Any] = []

    def called(x):
        seen.append((x.stride(), x.is_contiguous(), x.storage_offset()))
        seen.append(x.clone().view(-1).stride())
        return x.as_strided((2,), (1,), 1)

    found = func.vmap(called, 1)(gb.arange(12.0).reshape(2, 3, 2))

    assert seen == [((6, 1), False, 0), (1,)]
    assert found.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_a_sample_can_be_a_parameter_that_a_module_has():
    def called(x):
        layer = nn.Linear(2, 1, bias=False)
        layer.weight = nn.Parameter(x.unsqueeze(0))
        assert [name for name, _ in layer.named_parameters()] == ["weight"]
        copied = copy.deepcopy(layer)
        assert isinstance(copied.weight, nn.Parameter)
        layer(gb.tensor([1.0, 2.0])).square().sum().backward()
        with gb.no_grad():
            layer.weight -= 0.5 * layer.weight.grad
        layer.weight.grad = None
        layer.weight.data = layer.weight.data * 2
        return layer.weight.detach()

    made = func.vmap(called)(rows())

    product = rows() @ gb.tensor([[1.0], [2.0]])
    assert gb.equal(made.squeeze(1), 2 * (rows() - product * gb.tensor([1.0, 2.0])))


def test_a_copy_of_a_sample_is_a_sample():
    assert gb.equal(func.vmap(lambda x: copy.copy(x) + 1)(rows()), rows() + 1)


def test_data_of_other_sizes_is_refused():
    def called(x):
        x.data = x.data.sum()
        return x

    with pytest.raises(ValueError, match="data of other sizes"):
        func.vmap(called)(rows())


@pytest.mark.parametrize(
    "write",
    [
        lambda shared, x: gb.add(x, x, out=shared),
        lambda shared, x: gb.max(x, 0, out=(shared, gb.zeros(2, dtype=gb.int64))),
        lambda shared, x: gb.randn(2, out=shared),
        lambda shared, x: shared.normal_(),
        lambda shared, x: nn.init.uniform_(shared),
    ],
)
def test_results_and_numbers_of_samples_are_not_written_into_what_they_share(write):
    shared = gb.zeros(2)

    with pytest.raises(RuntimeError, match="have alike"):
        func.vmap(lambda x: write(shared, x) + x)(rows())
    assert shared.tolist() == [0, 0]


def test_new_memory_is_each_samples_own():
    def called(x):
        made = gb.empty(3)
        made[:2] = x
        made[2] = x.sum()
        return made, gb.empty((4,)).normal_(), nn.init.uniform_(gb.empty(4))

    made, *drawn = func.vmap(called)(rows())

    assert gb.equal(made, gb.cat([rows(), rows().sum(1, keepdim=True)], 1))
    for it in drawn:
        assert len(it.unique(dim=0)) == 3


def test_numbers_without_dims_promote_each_other():
    wide = gb.tensor(1.0, dtype=gb.float64)

    made = func.vmap(lambda x: (x + wide, gb.where(x > 1, x, wide)))(gb.arange(3.0))

    assert [it.dtype for it in made] == [gb.float64, gb.float64]
    assert made[0].tolist() == [1.0, 2.0, 3.0]


def test_one_place_in_a_tuple_is_that_of_the_one_result():
    assert gb.equal(func.vmap(lambda x: x, out_dims=(1,))(rows()), rows().T)


def test_a_result_that_has_lost_its_elements_is_refused():
    with pytest.raises(RuntimeError, match="without elements"):
        func.vmap(lambda x: gb.Tensor(x))(rows())
    assert func.vmap(lambda x: x)(rows().to("meta")).is_meta


class Noisy(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        noise = gb.rand(x.shape)
        ctx.save_for_backward(noise)
        return x * noise

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[0]


class Inner(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.slope = func.grad(lambda it: it.sin().sum())(x)
        return x.sin()

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.slope


def test_a_function_of_ones_own_computes_with_plain_tensors():
    noise = func.vmap(func.grad(lambda x: Noisy.apply(x).sum()))(rows())
    slopes = func.vmap(func.grad(lambda x: Inner.apply(x).sum()))(rows())

    assert noise.shape == (3, 2)
    assert len(noise.unique()) == 6
    assert gb.allclose(slopes, rows().cos())


D = gb.distributions
DISTRIBUTIONS = [
    lambda a: D.Gamma(a, 1.0),
    lambda a: D.Gamma(gb.tensor([2.0, 3.0]), 1.0),
    lambda a: D.Beta(a, a + 1),
    lambda a: D.Dirichlet(a),
    lambda a: D.StudentT(a + 1),
    lambda a: D.Exponential(a),
    lambda a: D.Exponential(gb.ones(2)),
    lambda a: D.Gumbel(a, 1.0),
    lambda a: D.Cauchy(a, 1.0),
    lambda a: D.VonMises(a, a),
    lambda a: D.Binomial(100000, probs=a / 9),
    lambda a: D.NegativeBinomial(1000, probs=a / 9),
    lambda a: D.Multinomial(1000, logits=a),
    lambda a: D.LKJCholesky(3, a[0]),
    lambda a: D.Wishart(a[0] + 4, gb.eye(3)),
]


@pytest.mark.parametrize("make", DISTRIBUTIONS)
def test_samples_draw_of_a_distribution_apart_unless_alike(make):
    x = gb.full((4, 2), 2.0)
    gb.manual_seed(0)

    apart = func.vmap(lambda a: make(a).sample((2,)), randomness="different")(x)
    alike = func.vmap(lambda a: make(a).sample((2,)), randomness="same")(x)

    assert len(apart.unique(dim=0)) == 4
    assert gb.equal(alike, alike[:1].expand_as(alike))


def test_one_sample_that_a_number_could_be_is_no_number():
    x = gb.ones(1, 4)

    made = func.vmap(lambda s: (gb.full_like(x, s), gb.add(x, x, alpha=s)))(gb.tensor([3.0]))

    assert [it.tolist() for it in made] == [[[[3.0] * 4]], [[[4.0] * 4]]]


def test_values_of_another_level_are_put_into_samples():
    x, at, put = gb.zeros(2, 3), gb.tensor([[0], [2]]), gb.ones(2, 1)

    made = func.vmap(lambda v: func.vmap(lambda x, i: x.index_put((i,), v))(x, at))(put)

    assert made.tolist() == 2 * [[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]


def test_classes_weights_and_what_is_padded_have_no_gradient():
    scores, classes, weights = gb.eye(3), gb.tensor([0, 1, 2]), gb.arange(3.0) + 1
    table, places = gb.ones(3, 2, 2), gb.tensor([[0, 1]]).expand(3, 2)

    def loss(weights, scores, at):
        return nn.functional.cross_entropy(scores, at, weights)

    def looked_up(table, places):
        return nn.functional.embedding(places, table, padding_idx=0).sum()

    of_weights = func.vmap(func.grad(loss), (None, 0, 0))(weights, scores, classes)
    of_table = func.vmap(func.grad(looked_up))(table, places)

    assert not of_weights.any()
    assert of_table.tolist() == 3 * [[[0.0, 0.0], [1.0, 1.0]]]


def test_an_op_of_ones_own_has_a_rule_or_is_called_for_each_sample():
    @gb.library.custom_op("test_vmap_state::squared", mutates_args=())
    def squared(x: gb.Tensor) -> gb.Tensor:
        seen.append(x.shape)
        return gb.from_numpy(x.numpy() ** 2)

    squared.register_autograd(
        lambda ctx, gradient: 2 * gradient * ctx.saved_tensors[0],
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    seen: list[Any] = []

    singly = func.vmap(squared)(rows())
    squared.register_vmap(lambda info, in_dims, x: (squared(x.movedim(in_dims[0], 0)), 0))
    at_once = func.vmap(squared)(rows())
    slopes = func.vmap(func.grad(lambda x: squared(x).sum()))(rows())

    assert gb.equal(singly, rows().square())
    assert gb.equal(at_once, rows().square())
    assert gb.equal(slopes, 2 * rows())
    assert seen == [(2,), (2,), (2,), (3, 2), (3, 2)]


def test_optimizers_refuse_samples():
    def called(x):
        return gb.optim.SGD([x.clone().requires_grad_()], lr=0.1)

    with pytest.raises(ValueError, match="is a sample of vmap"):
        func.vmap(called)(rows())


def test_a_product_with_a_jacobian_keeps_nothing_of_its_batches():
    _, back = func.vjp(lambda x: x.sin(), rows())

    with gb.leaks.no_leaks():
        assert gb.allclose(func.vmap(back)(gb.ones(4, 3, 2))[0], rows().cos().expand(4, 3, 2))


@pytest.mark.parametrize(
    "draw",
    [
        lambda x, generator: x.clone().uniform_(generator=generator),
        lambda x, generator: gb.randn(2, generator=generator),
        lambda x, generator: gb.randint(1000, (2,), generator=generator).float(),
        lambda x, generator: gb.normal(0.0, 1.0, (2,), generator=generator),
        lambda x, generator: gb.bernoulli(x * 0 + 0.5, generator=generator),
    ],
)
def test_samples_draw_of_a_generator_apart_or_alike(draw):
    generator = gb.Generator().manual_seed(0)

    apart, alike = (
        func.vmap(lambda x: draw(x, generator), randomness=it)(gb.ones(50, 2))
        for it in ("different", "same")
    )

    assert len(apart.unique(dim=0)) > 1
    assert gb.equal(alike, alike[:1].expand_as(alike))


def test_numbers_of_given_sizes_are_drawn_for_all_samples_as_for_a_batch():
    gb.manual_seed(1)
    drawn = func.vmap(lambda x: gb.randint(9, (4,)) + 0 * x.long(), randomness="different")(
        gb.zeros(3)
    )
    gb.manual_seed(1)

    assert gb.equal(drawn, gb.randint(9, (3, 4)))
