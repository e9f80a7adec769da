"""addcmul and addcdiv: in one walk where they can, op by op where they must, with the same bits."""

import garboard as gb
import numpy as np
import pytest

KINDS = [("addcmul", gb.mul), ("addcdiv", gb.div)]


def drawn(count: int, dtype: gb.dtype = gb.float32, seed: int = 1) -> gb.Tensor:
    random = np.random.default_rng(seed)
    return gb.tensor(random.uniform(0.5, 2, count)).to(dtype)


def test_products_and_quotients_are_added_in_place():
    x, a, b = gb.ones(2), gb.tensor([2.0, 3.0]), gb.tensor([4.0, 6.0])

    assert x.addcmul_(a, b, value=0.5) is x
    assert x.tolist() == [5.0, 10.0]
    assert x.addcdiv_(b, a, value=-1).tolist() == [3.0, 8.0]


def test_what_is_written_passes_gradients_on(no_leaks):
    a = gb.tensor([2.0], requires_grad=True)

    (gb.ones(1) * 1).addcmul_(a, a, value=3).backward()

    assert a.grad.tolist() == [12.0]


@pytest.mark.parametrize(("name", "inner"), KINDS)
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.float16, gb.bfloat16])
@pytest.mark.parametrize("count", [1, 7, 1000, 70_000])
def test_one_walk_gives_the_bits_of_the_ops(name, inner, dtype, count, no_leaks):
    x, a, b = (drawn(count, dtype, seed) for seed in (1, 2, 3))
    wide = gb.float64 if dtype == gb.float64 else gb.float32
    expected = x.to(wide).add(inner(a.to(wide), b.to(wide)), alpha=-0.3).to(dtype)

    assert gb.equal(getattr(gb, name)(x, a, b, value=-0.3), expected)
    assert gb.equal(
        getattr(gb, name)(x.clone().requires_grad_(), a, b, value=-0.3).detach(), expected
    )
    if dtype.itemsize > 2:
        y = x.clone()
        assert getattr(y, name + "_")(a, b, value=-0.3) is y
        assert gb.equal(y, expected)


@pytest.mark.parametrize(("name", "inner"), KINDS)
def test_what_is_written_may_be_what_is_read(name, inner):
    x, a = drawn(100), drawn(100, seed=2)
    for first, second in ((x, a), (a, x), (x, x)):
        y = x.clone()
        operands = [y if it is x else it for it in (first, second)]
        getattr(y, name + "_")(*operands, value=2)
        assert gb.equal(y, x.add(inner(first, second), alpha=2))


@pytest.mark.parametrize(("name", "inner"), KINDS)
def test_what_overlaps_is_read_before_it_is_written(name, inner):
    whole, a = drawn(101), drawn(100, seed=2)
    expected = whole[1:].add(inner(whole[:-1], a), alpha=0.5)

    getattr(whole[1:], name + "_")(whole[:-1], a, value=0.5)

    assert gb.equal(whole[1:], expected)


@pytest.mark.parametrize(("name", "inner"), KINDS)
def test_other_layouts_sizes_and_dtypes_go_op_by_op(name, inner):
    x, a, b = (drawn(12, seed=seed).view(3, 4) for seed in (1, 2, 3))
    for first, second in (
        (a.t().contiguous().t(), b),
        (a, b[:1]),
        (a[:, :1], b),
        (a, b.double().float()[..., 0:1]),
    ):
        expected = x.add(inner(first, second), alpha=3)
        assert gb.equal(getattr(gb, name)(x, first, second, value=3), expected)
        y = x.clone()
        assert gb.equal(getattr(y, name + "_")(first, second, value=3), expected)


def test_a_write_is_seen_by_what_saved_the_tensor():
    x = drawn(4).requires_grad_()
    kept = x.detach().clone()
    product = (x * kept).sum()

    kept.addcmul_(kept, kept)

    with pytest.raises(gb.VersionError, match="written"):
        product.backward()


def test_a_leaf_is_written_under_no_grad_alone(no_leaks):
    x, a = drawn(4).requires_grad_(), drawn(4)

    with pytest.raises(gb.GradientError, match="a leaf"):
        x.addcdiv_(a, a)
    with gb.no_grad():
        x.addcdiv_(a, a, value=-1)
    assert gb.equal(x.detach(), drawn(4) - 1)


@pytest.mark.parametrize(
    ("op", "error", "told"),
    [
        (lambda x: x.addcmul_(gb.ones(3), gb.ones(2)), gb.ShapeError, "differ at dim"),
        (lambda x: x.addcmul_(gb.ones(2, 2), gb.ones(2)), gb.ShapeError, "sizes"),
        (lambda x: gb.addcdiv(x, gb.ones(2).int(), gb.ones(2).int()), gb.DTypeError, "divide"),
        (lambda x: x.bool().addcmul_(x.bool(), x.bool()), gb.DTypeError, "dtype bool"),
        (lambda x: x.expand(3, 2).addcmul_(gb.ones(3, 2), gb.ones(3, 2)), gb.ShapeError, "once"),
    ],
)
def test_bad_input_changes_nothing(op, error, told, no_leaks):
    x = gb.ones(2)

    with pytest.raises(error, match=told):
        op(x)
    assert x.tolist() == [1.0, 1.0]


def test_a_disposed_operand_is_refused(no_leaks):
    x, gone = gb.ones(2), gb.ones(2)
    gone.dispose()

    with pytest.raises(gb.DisposedError):
        x.addcdiv_(gone, x)
    with pytest.raises(gb.DisposedError):
        gb.addcmul(x, x, gone)
    assert x.tolist() == [1.0, 1.0]
