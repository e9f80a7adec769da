"""What comes out the same all along a row is computed once a row."""

import garboard as gb
import pytest

OPS = {
    "copy": lambda x, y: x.clone(),
    "dense": lambda x, y: x.contiguous(),
    "exp": lambda x, y: x.exp(),
    "with a number": lambda x, y: x + 1.5,
    "with another": lambda x, y: x * y,
    "compared": lambda x, y: x < y,
    "chosen": lambda x, y: gb.where(x > y, x, y),
    "converted": lambda x, y: x.to(gb.float64),
}


@pytest.mark.parametrize("sizes", [(3, 500), (1, 128), (700, 127), (5, 4, 300), (2, 100_000)])
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.int16, gb.bfloat16, gb.uint8])
def test_a_column_spread_over_rows_gives_what_its_copy_gives(sizes, name, dtype):
    draw = gb.Generator().manual_seed(7)
    columns = [
        (gb.rand(*sizes[:-1], 1, generator=draw) * 20).to(dtype).expand(sizes) for _ in range(2)
    ]
    dense = [gb.stack([x[..., 0]] * sizes[-1], -1) for x in columns]

    found = OPS[name](*columns)

    assert gb.equal(found, OPS[name](*dense))
    assert found.is_contiguous() or name in ("copy", "converted")


def test_it_is_written_into_what_is_given_alone():
    room = gb.zeros(4, 402)
    x = gb.tensor([[1.0], [2.0], [3.0], [4.0]]).expand(4, 400)

    gb.exp(x, out=room[:, 1:-1])

    assert gb.equal(room[:, 1:-1], gb.stack([gb.exp(x[:, 0])] * 400, 1))
    assert not room[:, [0, -1]].any()


def test_in_place_a_row_is_read_before_it_is_written():
    x = gb.ones(3, 300)

    x.copy_(gb.tensor([[1.0], [2.0], [3.0]]))
    x += gb.tensor([[10.0], [20.0], [30.0]])

    assert x.sum(1).tolist() == [3300.0, 6600.0, 9900.0]


DTYPES = [gb.float32, gb.float64, gb.int16, gb.bfloat16, gb.uint8, gb.bool, gb.complex64]


@pytest.mark.parametrize("columns", [3, 33, 65, 700, 40_000])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_condition_for_a_whole_row_takes_all_of_it_from_one_side(columns, dtype):
    draw = gb.Generator().manual_seed(8)
    x, y = ((gb.rand(5, columns, generator=draw) * 9).to(dtype) for _ in range(2))
    rows = gb.tensor([[True], [False], [False], [True], [True]])
    whole = rows.repeat(1, columns)
    number = gb.tensor(1).to(dtype)
    line = x[0]

    for one, other in [(x, y), (x, number), (number, y), (line, y), (x, y[:, :1])]:
        assert gb.equal(gb.where(rows, one, other), gb.where(whole, one, other))
    assert gb.equal(x.T.masked_fill(rows.T, number), gb.where(whole, number, x).T)
    written = x.clone()
    written.masked_fill_(rows, number)
    assert gb.equal(written, gb.where(whole, number, x))


@pytest.mark.parametrize("columns", [3, 33, 65, 700, 40_000])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.int16, gb.bfloat16], ids=str)
def test_a_multiple_is_added_to_what_is_the_same_along_a_row(columns, dtype):
    draw = gb.Generator().manual_seed(9)
    x, y = ((gb.rand(5, columns, generator=draw) * 9).to(dtype) for _ in range(2))
    column = x[:, :1]

    found = gb.add(column, y, alpha=3)

    assert gb.equal(found, gb.add(column.repeat(1, columns), y, alpha=3))
