"""What PyTorch pickled is read by Python's own `pickle` where its names are found here."""

from __future__ import annotations

import base64
import io
import pickle
import zlib
from typing import Any

import garboard as gb
import pytest
from garboard._tensor import _rebuild_from_type_v2
from garboard._utils import (
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_tensor,
    _rebuild_tensor_v2,
)
from garboard.io._rebuilding import _load_from_bytes
from garboard.serialization import _get_layout

# `pickle.dumps` of a dict of tensors and others, protocol 4, by PyTorch 2.15; compressed
PICKLED = (
    "c-q~T&rjPh6vvY^Eh3B!4ehYQq#e6U)t0ujClE|rqWyv$a+$1<xFl1EYsZ0sRH+wOnR2Ul+hNE3Yx@(BCT-"
    "72e^Gv@*Dgw8$NAb$K7P;d_4M!8%Sw85MKLMxn1$FC$s<mf<CRd%{U8#_Q^fFL><2F5IE)BGCsi>3{c0wQps<gyN"
    "Y+q5Y!|f|IYx(P97mwqSyvUMr+qVmKR@=aUw;1e{&}gVz4@JkdzUIjYYisvFv5vL0(62|<dcx9Ah1^9P2h7LV1z^"
    "0w?nG+Edv_)SqG!YKgSWxb*Wyo^3WK0gmIcTH7f^Ce#mLT)Gb|(LBb=tWa@DYa~7>7Db7BbDo*+f#vXh)Kgb#ls#"
    "=dh)2eMY8}(MRx=}Ben=~8O>BKZ=7T$8Ie}K_GQRObJYL^Pi^wHab+cunV_2BxsEiS~qFjZ4CwM$v%F2z-"
    "{0t^D|a6kaqSKcufGwi<h9S$U4?F$Zll0s-RMoxvN7rmt&Z4vP9q<kxl`w3U-"
    ")f<Gh2M9|o5Z1<Qds`Vz#ndi<<%PKNo{VVe4hcUGSs9DKYL^^$0{rD(i>x&(m3pOGF5lp#-"
    "pOmC1zzfmHIA66)6BXfV*Mz?7ht=c;oJSYxNZy}%B_t?t1%z6p>_t^46y#h$d)@cvyU;yOnBPVb~$Mt{1*(t^UCu"
    "w9BOYc+`ilBB*U!sHMKcT0#|~3aT_E$^|^;4ZgVU{Q0CXU#Sbx?o3+}!8(^xP+5l%A`qn1cAG<aq0mSKi<k(PV9$"
    "q+%+ikGWQ8XXMc#%9C(@z6>N+b*Xo}T1WG4%eJsb%XzTel=zY1THXb6EF8`|u7iS^=3`86Ek@5y0gT=ndpYXb8R^"
    "XX_ByX9TLr`Y@})%(nyo+?Lq@Bm?LOb2QWp#3c7(z6&XvoH)t55||h-"
    "P9ESiYErFBh{8Ka^aEKL2x%m;Ph9#3WDWk3"
)


class Reader(pickle.Unpickler):
    """Finds PyTorch's names here."""

    def find_class(self, module: str, name: str) -> Any:
        first, dot, rest = module.partition(".")
        return super().find_class(("garboard" if first == "torch" else first) + dot + rest, name)


def read_all() -> dict[str, Any]:
    found: dict[str, Any] = Reader(io.BytesIO(zlib.decompress(base64.b85decode(PICKLED)))).load()
    return found


class TestAPickleOfPyTorchs:
    @pytest.mark.no_leaks
    def test_has_its_tensors_as_they_lay(self):
        read = read_all()

        assert read["turned"].tolist() == [[1, 4], [2, 5]]
        assert read["turned"].stride() == (1, 3)
        assert read["turned"].storage_offset() == 1
        assert read["narrow"].dtype is gb.bfloat16
        assert read["narrow"].tolist() == [1, 1]
        assert read["conj"].tolist() == [1 - 2j]
        assert read["leaf"].requires_grad

    def test_has_its_parameters_and_buffers(self):
        read = read_all()

        assert isinstance(read["parameter"], gb.nn.Parameter)
        assert not read["parameter"].requires_grad
        assert isinstance(read["told"], gb.nn.Parameter)
        assert read["told"].role == "scale"
        assert isinstance(read["buffer"], gb.nn.Buffer)
        assert read["buffer"].persistent is False

    def test_has_what_describes_tensors(self):
        read = read_all()

        assert read["layout"] is gb.strided
        assert read["dtype"] is gb.int64
        assert read["size"] == gb.Size([2])


class TestAStorage:
    def test_is_read_from_bytes_of_a_file_and_from_nothing_else(self):
        file = io.BytesIO()
        gb.save({"x": gb.ones(2)}, file)

        with pytest.raises(TypeError, match=r"_load_from_bytes: a file of .*; one of a storage"):
            _load_from_bytes(file.getvalue())
        with pytest.raises(TypeError, match="_load_from_bytes: b "):
            _load_from_bytes("text")
        with pytest.raises(gb.io.FileError, match="load: "):
            _load_from_bytes(b"no file")


class TestATensor:
    def test_shares_its_storage_with_others_over_it(self):
        storage = gb.arange(6).storage()

        x = _rebuild_tensor(storage, 0, (6,), (1,))
        y = _rebuild_tensor_v2(storage, 2, (2,), (3,), False, {})
        x[5] = -1

        assert y.tolist() == [2, -1]

    def test_that_leads_out_of_its_storage_is_refused(self):
        with pytest.raises(gb.ShapeError, match=r"set_: |as_strided: "):
            _rebuild_tensor(gb.arange(6).storage(), 2, (5,), (1,))
        with pytest.raises(TypeError, match="_rebuild_tensor: storage "):
            _rebuild_tensor(gb.arange(6), 2, (5,), (1,))

    def test_that_was_negated_is_so(self):
        x = _rebuild_tensor_v2(gb.ones(1).storage(), 0, (1,), (1,), False, {}, {"neg": True})

        assert x.tolist() == [-1]

    def test_of_a_class_is_made_by_its_own_rule_where_it_has_one(self):
        class Told(gb.Tensor):
            def __setstate__(self, state):
                self.heard = state

        x = _rebuild_from_type_v2(gb.ones, Told, (2,), {"heard": 1})
        y = _rebuild_from_type_v2(gb.ones, gb.Tensor, (2,), ({"a": 1}, {"b": 2}))

        assert type(x) is Told
        assert x.heard == {"heard": 1}
        assert (y.a, y.b) == (1, 2)

    def test_may_be_a_parameter_with_attributes(self):
        x = _rebuild_parameter_with_state(_rebuild_parameter(gb.ones(1), True, {}), False, {}, None)

        assert isinstance(x, gb.nn.Parameter)
        assert not x.requires_grad


def test_a_layout_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"_get_layout: 'torch\.odd'; torch\.strided is one"):
        _get_layout("torch.odd")
