"""Files of sparse tensors: those of `save`, and PyTorch's of both forms."""

from __future__ import annotations

import base64
import io
import json
import struct
import zlib
from typing import Any

import garboard as gb
import pytest
from garboard.io import FileError

from tests.python.data.test_io import of_others, there_and_back, torch_file
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# By PyTorch 2.15, compressed: the pickle of a dict of the matrix [[0, 1], [2, 0]] by coordinates
# and by rows, and a file of the older form of the same.
PICKLED_SPARSE = (
    "c-nQ4T~E|N6o$K9<YN#)KoLbn`Ral!uz(<lctN<SiDC9;@0vP0*=f@3@V2K!Nlduu2L83vPBAf&t4Sv3InVo^8}~OH"
    "uTygz=O=1{bRtwU$S8_a79{dV7RB8ly$q971|<8bP8i&3ER{(V#?f_1k?ymgCn<=-Upga(dS}XPti~)Yw8l`5M;yc6"
    "10E{~u38Kup4S;MD^fEV_9R9v!oKN#uWkPr#>(8=V4b>o#bt(Ze~9q-!gqYvcL$g-Pi=rFcS7hmmZAunvhPV(CbD}L"
    "36pfP!7)X6$}z2sRNaftV;$08(@bgF!K@nhUBa`{kmI>u%Q1JSiX|@y^BgZLyd7N|?3InNkmEJSn_I%$0TwylmD>c~"
    "D_8yRQfY#v9LpRlp3S6e(-u~ZzfM>y{Pi4O;cr;~I$?w3!#}_-HdT3&=0%Yt$5sJsTVRLK;@GVK+i(wiw&8x&@M8fS"
    "Sm2QGiQ`CBt&Vei<~SjI8Q_%TYu5Y&1Cp+t"
)
OLDER_SPARSE = (
    "c-oDV*>0Oa6o$>>xFJoNHr>)S-ANbM#u(e(l8Y)gbPKuRra}~t3>5<ZFhotHNWQ^J`V4)5zFHrlQZG6foVF2`Iu|o="
    "IRE_LIWvs-uaf`k+t$yu&)+|+)<^u?9|D^XP?62$N~JQ4LK-@uZ|#yO_QC)hOE4GN7vH1QCl(3%o*jTcG$j_KdqZNy"
    "-ad&T96*%KDhtML7*SMp-W1rI7f{UUqA6y3guwtcT}+axC&!{+z&SLG9Jg*I)bnG>ipZzL^ZQmjw4<0<lmu}YN#KjL"
    "m_(lKd;2zJgpxHN)bj1UFrgBJNfkv}u6Du@Vv4GPIeCUpZeZ;y5^Az+*0Lg4rad4yl}n^I41Fh$Ntid6SW2(eRhyl*"
    "ru5oMOMx^g*BK^Q(8YHYr?>Tr&g=Xbi)`V>SUPf8XMN&i*s=6J>XV4{UwaPYKC^CMnc}R0b1p-0r?y*uXwzfgl|Q~("
    "tJhZ5hNj}YyP)&T@500{#YLS<ap}m-w!BQSYT!z-*$z7>30HHdYbmZ9xN%5vbBr|uw<c%d;I_-VWnGLT+(~iQz&$x9"
    "bm#w}>1fSHql^2DMqo4#G8!R;oYAc3G!H2r8F*YOZ>ue>so{y6H?O{(QKopB$s4)6Nud~M74nsn?wy_jwdh5==!KTa"
    "JGs0|(KGPOE$V-s;)Q{i6tBkEFtC|j$&cBUETQ7c`p%b?FO*S<W!I%j>e(;x_ux*f)4?A<jW*b{Da_FEGxGn}=QnUk"
    "{o("
)


def text_of(literal: str) -> bytes:
    return zlib.decompress(base64.b85decode(literal))


def newer(rows: tuple[int, ...] = (0, 1, 2)) -> io.BytesIO:
    places, values = struct.pack("<4q", 0, 1, 1, 0), struct.pack("<2f", 1, 2)
    stored = [places, values, struct.pack("<3q", *rows), places, values]
    return torch_file(text_of(PICKLED_SPARSE), {str(i): it for i, it in enumerate(stored)})


def test_are_kept_by_coordinates_and_by_rows():
    told_twice = gb.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (3,))
    learned = gb.sparse_coo_tensor([[0, 1], [1, 1]], [1.0, 2.0], (2, 4), requires_grad=True)

    found = there_and_back({"a": told_twice, "b": [learned], "c": gb.eye(2, 3).to_sparse_csr()})

    assert found["a"]._indices().tolist() == [[0, 0]]
    assert not found["a"].is_coalesced()
    assert (found["b"][0].shape, found["b"][0].requires_grad) == ((2, 4), True)
    assert gb.equal(found["b"][0].to_dense(), learned.to_dense())
    assert found["c"].layout is gb.sparse_csr
    assert gb.equal(found["c"].to_dense(), gb.eye(2, 3))


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "bsc"])
def test_are_kept_by_columns_and_by_blocks(kind):
    x = gb.arange(24.0).reshape(4, 6)
    blocks = ((2, 3),) if kind.startswith("b") else ()
    given = getattr(x, f"to_sparse_{kind}")(*blocks)

    found = there_and_back({"x": given})["x"]

    assert found.layout is given.layout
    assert gb.equal(found.values(), given.values())
    assert gb.equal(found.to_dense(), x)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "bsc"])
def test_places_that_lie_are_refused(kind):
    from garboard.io._sparse import sparse_of_parts

    sizes = (2, 3) if kind.startswith("b") else ()
    values = gb.ones(2, *sizes)
    for begins, places in (
        ([0, 1, 2**40], [0, 1]),
        ([0, 5, 2], [0, 1]),
        ([0, 1, 2], [0, 99]),
        ([0, 1, 2], [-1, 0]),
        ([0, 1], [0, 1]),
        ([[0, 1, 2]], [0, 1]),
    ):
        parts = [gb.tensor(begins), gb.tensor(places), values]
        with pytest.raises(FileError, match="whose parts do not fit"):
            sparse_of_parts(f"sparse_{kind}", parts, [4, 6], False)


def test_are_in_the_state_of_a_module_whose_buffer_they_are():
    layer, other = gb.nn.Module(), gb.nn.Module()
    layer.register_buffer("near", gb.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse())
    other.register_buffer("near", None)

    other.near = there_and_back(layer.state_dict())["near"]

    assert other.near.to_dense().tolist() == [[0, 2], [0, 0]]


@pytest.mark.parametrize("file", [newer, lambda: io.BytesIO(text_of(OLDER_SPARSE))])
def test_of_pytorch_are_read(file):
    found = gb.load(file())

    assert [found["x"].layout, found["c"].layout] == [gb.sparse_coo, gb.sparse_csr]
    assert found["x"].is_coalesced()
    assert found["x"].to_dense().tolist() == [[0, 1], [2, 0]]
    assert found["c"].to_dense().tolist() == [[0, 1], [2, 0]]


def test_of_pytorch_whose_parts_do_not_fit_are_refused():
    with pytest.raises(FileError, match="load: a sparse tensor whose parts do not fit"):
        gb.load(newer(rows=(0, 3, 2)))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (["r", "sparse_coo", ["x", "x"], [1], [0, 0]], "parts do not fit"),
        (["r", "sparse_csr", ["x", "x", "x"], [9, 1], [0, 0]], "parts do not fit"),
        (["r", "sparse_cubes", ["x"] * 3, [1, 1], [0, 0]], "layout sparse_cubes and 3 parts"),
        (["r", "sparse_coo", ["x"], [1], [0, 0]], "layout sparse_coo and 1 parts"),
        (["r", "sparse_coo", ["x", "x"], [1], [0]], "metadata that save"),
        (["r", "sparse_coo", 3, [1], [0, 0]], "metadata that save"),
        (["r", "sparse_coo", ["x", "x"], "ab", [0, 0]], "parts do not fit"),
    ],
)
def test_that_do_not_fit_are_refused(tree: list[Any], message: str):
    entry = {"dtype": "I64", "shape": [1, 2], "data_offsets": [0, 16]}
    data = struct.pack("<2q", 0, 7)

    with pytest.raises(FileError, match=message):
        gb.load(of_others({"x": entry}, data, __metadata__={"garboard.tree": json.dumps(tree)}))
