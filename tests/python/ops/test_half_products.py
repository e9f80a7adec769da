"""Products of half types are float32's, rounded once, whichever way they are multiplied."""

import garboard as gb
import pytest

HALVES = [gb.float16, gb.bfloat16]
LAYOUTS = {
    "dense": lambda x: x.clone(),
    "turned": lambda x: x.t().contiguous().t(),
    "from an odd element on": lambda x: gb.cat([x[:, :1], x], 1)[:, 1:],
    "every third": lambda x: gb.stack([x, x, x], 2).flatten(1)[:, ::3],
    "one row for all": lambda x: x[:1].expand(x.shape),
}


def drawn(seed, *sizes, dtype):
    return gb.randn(*sizes, generator=gb.Generator().manual_seed(seed)).to(dtype)


def expect_rounded_once(found, a, b):
    """Of sums of floats in any order, which are rounded to 8 or 11 digits."""
    exact = a.double() @ b.double()
    sizes = a.double().abs() @ b.double().abs()
    digits, last = (2.0**-8, 2.0**-134) if found.dtype is gb.bfloat16 else (2.0**-11, 2.0**-25)

    assert ((found.double() - exact).abs() <= digits * exact.abs() + 2.0**-18 * sizes + last).all()


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    "sizes",
    [
        (5, 6, 7),
        (64, 64, 64),
        (64, 63, 70),
        (33, 1, 40),
        (17, 1000, 31),
        (40, 65, 1100),
        (12, 4501, 20),
    ],
)
@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("right", LAYOUTS)
def test_a_product_is_rounded_once_in_every_layout(dtype, sizes, left, right):
    rows, depth, columns = sizes
    a = LAYOUTS[left](drawn(1, rows, depth, dtype=dtype))
    b = LAYOUTS[right](drawn(2, depth, columns, dtype=dtype))

    expect_rounded_once(a @ b, a, b)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("sizes", [(1, 300, 200), (200, 300, 1), (40, 0, 50)])
def test_so_are_products_with_a_vector_and_of_no_depth(dtype, sizes):
    rows, depth, columns = sizes
    a, b = drawn(1, rows, depth, dtype=dtype), drawn(2, depth, columns, dtype=dtype)

    expect_rounded_once(a @ b, a, b)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    "sizes", [(5, 6, 7), (64, 96, 64), (100, 700, 90), (9, 33, 1100), (9, 4100, 20)]
)
def test_a_bias_and_what_is_there_are_added_before_it_is_rounded(dtype, sizes, no_leaks):
    rows, depth, columns = sizes
    a, b = drawn(1, rows, depth, dtype=dtype), drawn(2, columns, depth, dtype=dtype)
    bias, there = drawn(3, columns, dtype=dtype), drawn(4, rows, columns, dtype=dtype)
    one = gb.ones(rows, 1, dtype=dtype)

    def expect(found, times, added):
        expect_rounded_once(found, gb.cat([a, times], 1), gb.cat([b.t(), added], 0))

    expect(gb.nn.functional.linear(a, b, bias), one, bias[None])
    expect(gb.addmm(there, a, b.t()), gb.eye(rows, dtype=dtype), there)


@pytest.mark.parametrize("dtype", HALVES)
def test_an_infinity_reaches_its_row_alone(dtype):
    a, b = gb.ones(20, 65, dtype=dtype), gb.ones(65, 30, dtype=dtype)
    a[3, 64], a[5, 2], a[7, 0] = float("inf"), float("nan"), float("-inf")
    a[7, 1] = float("inf")

    found = (a @ b).float()

    assert (found[3] == float("inf")).all()
    assert found[5].isnan().all()
    assert found[7].isnan().all()
    rest = [i for i in range(20) if i not in (3, 5, 7)]
    assert (found[rest] == 65).all()


@pytest.mark.parametrize("dtype", HALVES)
def test_a_product_has_the_same_bits_for_any_number_of_threads(dtype):
    a, b = drawn(1, 300, 259, dtype=dtype), drawn(2, 259, 280, dtype=dtype)
    before = gb.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            found.append(a @ b)
    finally:
        gb.set_num_threads(before)

    assert gb.equal(found[0], found[1])
    assert gb.equal(found[0], found[2])


@pytest.mark.parametrize("dtype", HALVES)
def test_a_layer_adds_its_bias_before_it_rounds(dtype, no_leaks):
    layer = gb.nn.Linear(97, 50).to(dtype)
    x = drawn(3, 40, 97, dtype=dtype).requires_grad_()

    found = layer(x)
    found.float().sum().backward()

    exact = x.double() @ layer.weight.double().t() + layer.bias.double()
    gb.testing.assert_close(found.double(), exact, rtol=2.0**-8, atol=1e-4)
    slope = layer.weight.double().sum(0).expand(40, 97)
    gb.testing.assert_close(x.grad.double(), slope, rtol=2.0**-8, atol=1e-4)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_batch_is_as_many_products(dtype):
    a, b = drawn(4, 6, 33, 45, dtype=dtype), drawn(5, 6, 45, 29, dtype=dtype)

    together = gb.bmm(a, b)

    assert gb.equal(together, gb.stack([x @ y for x, y in zip(a, b, strict=True)]))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("depth", [1, 31, 64, 515])
@pytest.mark.parametrize("columns", [3, 400, 1030])
def test_a_few_rows_meet_many_columns_in_every_layout(dtype, rows, depth, columns, no_leaks):
    for layout in LAYOUTS.values():
        a, b = drawn(1, rows, depth, dtype=dtype), layout(drawn(2, depth, columns, dtype=dtype))
        bias, given = drawn(3, columns, dtype=dtype), drawn(4, rows, columns, dtype=dtype)
        ones = gb.ones(rows, 1, dtype=dtype)

        expect_rounded_once(a @ b, a, b)
        expect_rounded_once(b.t() @ a.t(), b.t(), a.t())
        found = gb.nn.functional.linear(a, b.t(), bias)
        expect_rounded_once(found, gb.cat([a, ones], 1), gb.cat([b, bias[None]], 0))
        with_given = gb.cat([b, given.float().mean(0, keepdim=True).to(dtype)], 0)
        same = gb.cat([a, ones], 1)
        to = with_given[-1:].expand(rows, columns).contiguous()
        expect_rounded_once(gb.addmm(to, a, b), same, with_given)


@pytest.mark.parametrize("dtype", HALVES)
def test_an_infinity_beside_a_few_rows_reaches_its_own_place_alone(dtype):
    a, b = gb.ones(2, 70, dtype=dtype), gb.ones(50, 70, dtype=dtype)
    b[17, 69] = float("inf")

    found = gb.nn.functional.linear(a, b)

    assert (found[:, 17] == float("inf")).all()
    assert (found.sum(0).isinf()).sum().item() == 1
