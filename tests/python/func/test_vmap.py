"""A function that `vmap` calls is called once, with samples that stand for all."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import func, nn
from garboard.nn import functional

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def rows() -> gb.Tensor:
    return gb.arange(6.0).reshape(3, 2)


class Square(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * gradient * ctx.saved_tensors[0]


def test_a_function_is_called_once_with_sizes_of_a_sample():
    seen: list[Any] = []

    def called(x):
        seen.append((x.shape, x.ndim, len(x), x.numel(), x.dtype, x.device, x.is_cpu, x.size(0)))
        return x.sum()

    assert func.vmap(called)(rows()).tolist() == [1, 5, 9]
    assert seen == [((2,), 1, 2, 2, gb.float32, rows().device, True, 2)]


def test_chunks_are_computed_one_after_the_other():
    counts = []

    def called(x):
        counts.append(gb._C._functorch.get_unwrapped(x).shape[0])
        return x * 2, x.sum()

    twice, sums = func.vmap(called, out_dims=(1, 0), chunk_size=2)(rows())

    assert counts == [2, 1]
    assert gb.equal(twice, 2 * rows().T)
    assert sums.tolist() == [1, 5, 9]


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: bool(x.sum() > 3),
        lambda x: x.sum().item(),
        lambda x: float(x[0]),
        lambda x: int(x[0]),
        lambda x: complex(x[0]),
        lambda x: x.tolist(),
        lambda x: x[0].is_nonzero(),
        lambda x: [0, 1, 2, 3, 4, 5][x[0].long()],
        lambda x: x.numpy(),
        lambda x: np.asarray(x),
        lambda x: gb.equal(x, rows()[0]),
    ],
)
def test_what_samples_differ_in_is_no_one_answer_but_for_a_single_one(ask):
    def called(x):
        ask(x)
        return x

    with pytest.raises(ValueError, match="chunk_size=1"):
        func.vmap(called)(rows())
    assert gb.equal(func.vmap(called, chunk_size=1)(rows()), rows())


def test_what_samples_agree_in_decides():
    def called(x):
        return x + 1 if (x >= 0).all() and x.isfinite().all().item() else x

    assert gb.equal(func.vmap(called)(rows()), rows() + 1)


def test_a_sample_is_told_iterated_and_copied():
    import copy
    import pickle

    texts = []

    def called(x):
        texts.extend([repr(x), str(x), f"{x}"])
        one, two = x
        with pytest.raises(ValueError, match="cannot be pickled"):
            pickle.dumps(x)
        return one * two + copy.deepcopy(x).sum() + sum(it for it in x)

    expected = rows()[:, 0] * rows()[:, 1] + 2 * rows().sum(1)
    assert gb.equal(func.vmap(called)(rows()), expected)
    assert len(set(texts)) == 1
    assert texts[0].startswith("BatchedTensor(level=1, value=tensor([[0., 1.],")


@pytest.mark.parametrize(
    "write",
    [
        lambda shared, x: shared.add_(x),
        lambda shared, x: shared.copy_(x),
        lambda shared, x: gb.add(x, x, out=shared),
        lambda shared, x: shared.__setitem__(0, x[0]),
        lambda shared, x: shared.scatter_(0, gb.tensor([0]), x),
    ],
)
def test_samples_are_not_written_into_what_they_share(write):
    shared = gb.zeros(2)

    with pytest.raises(RuntimeError, match="written into a tensor that all of them have alike"):
        func.vmap(lambda x: write(shared, x))(rows())
    assert shared.tolist() == [0, 0]


def test_a_result_is_written_into_a_sample():
    def called(x):
        made = gb.zeros_like(x)
        assert gb.add(x, x, out=made) is made
        return made

    assert gb.equal(func.vmap(called)(rows()), 2 * rows())


def test_samples_are_written_in_place_and_through_views():
    def called(x, at):
        made = gb.zeros_like(x)
        made[0] = x[1]
        made[1:] += x[:1]
        made[at] = 7.0
        made[x > 4] = -1.0
        view = made.view(2, 1).squeeze_(1).unsqueeze_(0)
        view.mul_(2)
        return made, x.new_zeros(2).index_add_(0, at.view(1), x[:1])

    at = gb.tensor([0, 1, 0])
    made, added = func.vmap(called)(rows().clone(), at)

    assert made.tolist() == [[14.0, 0.0], [6.0, 14.0], [14.0, -2.0]]
    assert added.tolist() == [[0.0, 0.0], [0.0, 2.0], [4.0, 0.0]]


def test_each_sample_draws_its_own_numbers_unless_all_are_to_draw_the_same():
    x = gb.zeros(8, 4)

    def called(x):
        parts = gb.rand(4), gb.randn_like(x), gb.rand_like(gb.ones(4)), x.clone().uniform_()
        dropped = functional.dropout(x + 1)
        return gb.stack([*parts, gb.randperm(4).float(), dropped, gb.normal(x, 1.0)])

    apart = func.vmap(called, randomness="different")(x)
    same = func.vmap(called, randomness="same")(x)

    for row in range(apart.shape[1]):
        assert len(apart[:, row].unique(dim=0)) > 1
    assert gb.equal(same, same[:1].expand_as(same))


def test_a_seed_gives_all_samples_their_numbers_again():
    def drawn():
        gb.manual_seed(3)
        return func.vmap(lambda x: x + gb.rand(2), randomness="different")(rows())

    assert gb.equal(drawn(), drawn())


def test_levels_are_within_each_other_in_any_order():
    x, y = gb.arange(3.0), gb.arange(4.0)

    table = func.vmap(func.vmap(lambda a, b: 10 * a + b, (None, 0)), (0, None))(x, y)
    other = func.vmap(lambda a: func.vmap(lambda b: a.sin() * b, out_dims=-1)(y), out_dims=1)(x)

    assert gb.equal(table, 10 * x[:, None] + y)
    assert gb.allclose(other, y[:, None] * x.sin())


def test_results_are_the_callers_scopes_and_what_is_between_ends():
    before = gb.memory.memory_allocated()
    with gb.dispose_scope():
        made = func.vmap(lambda x: (functional.layer_norm(x, (2,)) * 2).exp())(rows())
        assert gb.memory.memory_allocated() - before == made.nbytes

    assert made.is_disposed
    assert gb.memory.memory_allocated() == before


def test_a_function_of_ones_own_is_called_for_each_sample_or_has_a_rule():
    class Twice(gb.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return 2 * gradient

        @staticmethod
        def vmap(info, in_dims, x):
            seen.append((info.batch_size, info.randomness, in_dims, x.shape))
            return Twice.apply(x), 0

    seen: list[Any] = []
    squares = func.vmap(func.grad(lambda x: Square.apply(x).sum()))(rows())
    twice = func.vmap(func.grad(lambda x: Twice.apply(x).sum()))(rows())

    assert gb.equal(squares, 2 * rows())
    assert gb.equal(twice, gb.full_like(rows(), 2))
    assert seen == [(3, "different", (0,), (3, 2))]


@pytest.mark.parametrize("retain_graph", [None, False])
def test_rows_of_a_jacobian_share_a_graph_that_is_kept_until_the_last(retain_graph):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    y = x.square()

    (jacobian,) = func.vmap(lambda row: gb.autograd.grad(y, (x,), row, retain_graph=retain_graph))(
        gb.eye(2)
    )

    assert jacobian.tolist() == [[2, 0], [0, 4]]
    with pytest.raises(gb.GradientError, match="was freed"):
        y.backward(gb.ones(2))


def test_gradients_of_samples_are_of_each_alone():
    shared = gb.tensor([1.0, 2.0], requires_grad=True)

    def called(x):
        leaf = x.detach().requires_grad_()
        y = (leaf * shared).square().sum()
        (own,) = gb.autograd.grad(y, leaf, retain_graph=True)
        (of_shared,) = gb.autograd.grad(y, shared, retain_graph=True)
        leaf.register_hook(lambda gradient: gradient * 3)
        y.backward()
        return own, of_shared, leaf.grad

    own, of_shared, hooked = func.vmap(called)(rows())

    assert gb.allclose(own, 2 * rows() * shared.square())
    assert gb.allclose(of_shared, 2 * rows().square() * shared)
    assert gb.allclose(hooked, 3 * own)
    assert gb.allclose(shared.grad, of_shared.sum(0))
    shared.grad = None


def test_a_module_gives_each_samples_gradients():
    gb.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 3))
    parameters = {name: it.detach() for name, it in model.named_parameters()}
    targets = gb.tensor([0, 2, 1])

    def loss(parameters, x, target):
        made = func.functional_call(model, parameters, (x.unsqueeze(0),))
        return functional.cross_entropy(made, target.unsqueeze(0))

    found = func.vmap(func.grad(loss), (None, 0, 0))(parameters, rows(), targets)

    for place in range(len(rows())):
        alone = func.grad(loss)(parameters, rows()[place], targets[place])
        for name, gradient in alone.items():
            assert gb.allclose(found[name][place], gradient, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "sizes"),
    [
        (lambda: nn.MultiheadAttention(4, 2, batch_first=True), (2, 3, 4)),
        (lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), (2, 3, 4)),
        (lambda: nn.LSTM(4, 3, batch_first=True), (2, 3, 4)),
        (lambda: nn.GRUCell(4, 3), (2, 4)),
        (lambda: nn.BatchNorm1d(4).eval(), (2, 4)),
        (lambda: nn.BatchNorm1d(4, track_running_stats=False), (2, 4)),
        (lambda: nn.Conv2d(4, 2, 3, padding=1), (2, 4, 5, 5)),
        (lambda: nn.GroupNorm(2, 4), (2, 4, 5)),
        (lambda: nn.Bilinear(4, 4, 3), (2, 4)),
        (lambda: gb.utils.checkpoint.checkpoint, (2, 4)),
    ],
)
def test_layers_and_their_copies_are_functions_of_samples(make, sizes):
    gb.manual_seed(1)
    layer = make()
    x = gb.randn(3, *sizes)

    def called(it, parameters=None):
        if not isinstance(layer, nn.Module):
            return layer(lambda x: x.sin(), it, use_reentrant=False)
        given = {nn.MultiheadAttention: (it, it, it), nn.Bilinear: (it, it)}.get(type(layer), (it,))
        made = func.functional_call(layer, parameters or {}, given)
        return made[0] if isinstance(made, tuple) else made

    expected = gb.stack([called(it) for it in x])
    assert gb.allclose(func.vmap(called)(x), expected, atol=1e-5)
    if isinstance(layer, nn.Module):
        copies = {
            name: gb.stack([it * scale for scale in (1, 0.5, 2)]).detach()
            for name, it in layer.named_parameters()
        }
        own = [{name: it[place] for name, it in copies.items()} for place in range(3)]
        expected = gb.stack([called(it, one) for it, one in zip(x, own, strict=True)])
        assert gb.allclose(func.vmap(called)(x, copies), expected, atol=1e-5)


def test_norms_of_batches_do_not_move_statistics_that_samples_share():
    norm = nn.BatchNorm1d(2)

    with pytest.raises(RuntimeError, match="replace_all_batch_norm_modules_"):
        func.vmap(norm)(rows().unsqueeze(1).expand(3, 4, 2))
    own = gb.zeros(3, 2), gb.ones(3, 2)
    func.vmap(lambda x, mean, var: functional.batch_norm(x, mean, var, training=True))(
        rows().unsqueeze(1).expand(3, 4, 2), *own
    )
    assert gb.allclose(own[0], 0.1 * rows())


def test_an_op_that_refuses_a_sample_says_so_of_the_sample():
    with pytest.raises(gb.ShapeError, match=r"\[2\] and \[3\]|\(2,\).*\(3,\)"):
        func.vmap(lambda x: x + gb.ones(3))(rows())
    with pytest.raises(gb.IndexOutOfRangeError):
        func.vmap(lambda x: x.sum(1))(rows())
    for place in (-1, 2):
        with pytest.raises(gb.IndexOutOfRangeError):
            func.vmap(functional.embedding)(gb.tensor([0, place]), gb.rand(2, 2, 3))


def test_a_list_that_holds_itself_is_refused_by_the_op():
    endless: list[Any] = []
    endless.append(endless)

    for call in (gb.stack, gb.tensor, gb.cat):
        with pytest.raises((TypeError, gb.ShapeError)):
            func.vmap(lambda x, call=call: call([x, endless]))(rows())
    endless.clear()


def test_operators_in_place_and_their_methods_write_into_the_sample():
    def called(x):
        made = x.clone()
        assert made.__iadd__(x) is made
        made *= 2
        return made, (made > 8).__invert__()

    made, small = func.vmap(called)(rows())
    assert gb.equal(made, 4 * rows())
    assert gb.equal(small, 4 * rows() <= 8)


@pytest.mark.parametrize("chunk_size", [1, 3, None])
def test_jacobians_go_forward_in_chunks(chunk_size):
    weight = gb.arange(60.0).reshape(12, 5) / 60
    counts = []

    def called(x):
        counts.append(gb._C._functorch.get_unwrapped(x).shape[0])
        return (weight @ x).tanh()

    x = gb.arange(5.0) / 5
    found = func.jacfwd(called, chunk_size=chunk_size)(x)
    expected = func.jacrev(lambda x: (weight @ x).tanh())(x)

    assert gb.allclose(found, expected, atol=1e-6)
    assert max(counts[1:]) == (chunk_size or 5)


def test_pieces_of_several_sizes_are_refused():
    with pytest.raises(RuntimeError, match="results of several sizes"):
        func.vmap(lambda x: x[x > 2])(rows())
    assert func.vmap(lambda x: x[x > 9])(rows()).shape == (3, 0)


def test_what_is_given_by_name_all_samples_share():
    x = gb.ones(2, 5)

    found = func.vmap(lambda row, scale: row * scale)(x, scale=x)

    assert found.shape == (2, 2, 5)
    assert func.vmap(lambda row, pair: pair["a"][0] + row)(x, pair={"a": x}).shape == (2, 5)
    with pytest.raises(ValueError, match="one size is needed"):
        func.vmap(lambda row: row)(row=x)


def test_a_result_that_samples_differ_in_needs_a_dim_to_lie_along():
    with pytest.raises(ValueError, match="vmap: out_dims None for a result that each sample has"):
        func.vmap(lambda x: x, out_dims=None)(rows())
    with pytest.raises(ValueError, match="vmap: out_dims None for a result that each sample has"):
        func.vmap(lambda x: (x.sum(), x), out_dims=(None, 0), chunk_size=1)(rows())


def test_what_is_the_same_for_all_samples_may_be_any_object():
    def called(x):
        return {"sum": x.sum(), "name": "some", "none": None, "ones": gb.ones(2)}

    made = func.vmap(called, out_dims={"none": None, "name": None, "ones": None, "sum": 0})(rows())

    assert made.pop("sum").tolist() == [1, 5, 9]
    assert made.pop("ones").tolist() == [1, 1]
    assert made == {"name": "some", "none": None}
    with pytest.raises(TypeError, match="vmap: item 1 of what the function returned is of type s"):
        func.vmap(lambda x: (x, "some"))(rows())


def test_dims_of_a_dict_go_by_its_keys_in_any_order():
    parts = {"weight": gb.arange(6.0).reshape(2, 3), "bias": gb.ones(2)}

    made = func.vmap(
        lambda given: given["weight"] + given["bias"][:1], in_dims=({"bias": None, "weight": 0},)
    )(parts)

    assert gb.equal(made, parts["weight"] + 1)
    with pytest.raises(ValueError, match="in_dims holds the keys"):
        func.vmap(lambda given: given["bias"], in_dims=({"bias": 0, "other": 0},))(parts)


def test_samples_seen_in_one_place_have_gradients_of_their_own():
    found = func.jacrev(lambda x: x.as_strided((2,), (2,), 1))(gb.zeros(2, 2))

    assert found.tolist() == [[[0, 1], [0, 0]], [[0, 0], [0, 1]]]


def test_masked_sums_and_the_like_are_those_of_each_sample():
    x = rows()

    sums = func.vmap(lambda it: gb.masked.sum(it, 0, mask=it > 1))(x)
    places = func.vmap(lambda it: gb.masked.argmax(it, 0, mask=it < 5))(x)
    scaled = func.vmap(lambda it: gb.masked.softmax(it, 0, mask=it > 1))(x)

    assert sums.tolist() == [0, 5, 9]
    assert places.tolist() == [1, 1, 0]
    assert scaled[1:].sum(1).tolist() == [1, 1]


def test_variances_of_rows_are_those_of_each_sample_s_rows():
    x, target, variances = gb.arange(8.0).reshape(2, 2, 2), gb.ones(2, 2), gb.tensor([1.0, 4.0])

    found = func.vmap(lambda it: functional.gaussian_nll_loss(it, target, variances))(x)

    alone = [functional.gaussian_nll_loss(it, target, variances).item() for it in x]
    assert found.tolist() == pytest.approx(alone)


def test_what_is_given_by_name_is_each_sample_s_own():
    matrices, bounds = gb.eye(2).expand(3, 1, 1, 2, 2), gb.tensor([0.5, 1.5, 0.5]).view(3, 1, 1)

    ranks = func.vmap(lambda a, bound: gb.linalg.matrix_rank(a, atol=bound))(matrices, bounds)

    assert ranks.flatten().tolist() == [2, 0, 2]
