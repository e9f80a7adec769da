"""state_dict and load_state_dict."""

from __future__ import annotations

from collections import OrderedDict

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def model() -> nn.Sequential:
    made = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    made.register_buffer("mean", gb.ones(2))
    made.register_buffer("scratch", gb.ones(2), persistent=False)
    return made


def lists(state) -> dict[str, list]:
    return {name: tensor.tolist() for name, tensor in state.items()}


def test_a_round_trip_gives_the_same_outputs():
    gb.manual_seed(1)
    first, second = model(), model()
    x = gb.randn(5, 3)
    assert first(x).tolist() != second(x).tolist()

    result = second.load_state_dict(first.state_dict())

    assert first(x).tolist() == second(x).tolist()
    assert result == ([], [])


def test_what_is_saved_is_named_by_path():
    assert list(model().state_dict()) == ["mean", "0.weight", "0.bias", "2.weight", "2.bias"]
    assert list(nn.Linear(1, 1).state_dict(prefix="head.")) == ["head.weight", "head.bias"]


def test_a_prefix_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="state_dict: prefix is of type ParameterDict"):
        nn.Linear(1, 1).state_dict(prefix=nn.ParameterDict())


def test_entries_share_the_storage_without_history():
    layer = nn.Linear(2, 2)
    entry = layer.state_dict()["weight"]

    with gb.no_grad():
        layer.weight.fill_(3)

    assert entry.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert not entry.requires_grad
    assert layer.state_dict(keep_vars=True)["weight"] is layer.weight


def test_disposing_entries_leaves_the_module_alone():
    layer = nn.Linear(2, 2)

    with gb.dispose_scope():
        state = layer.state_dict()

    assert state["weight"].is_disposed
    assert not layer.weight.is_disposed


def test_values_are_copied_and_converted():
    layer, given = nn.Linear(1, 1), {"weight": gb.tensor([[2]]), "bias": gb.tensor([0.5])}

    layer.load_state_dict(given)
    given["bias"].fill_(9)

    assert lists(layer.state_dict()) == {"weight": [[2.0]], "bias": [0.5]}
    assert layer.weight.dtype == gb.float32


def test_keys_that_do_not_match_are_named_and_nothing_is_written():
    layer = nn.Linear(1, 1)
    before = lists(layer.state_dict())

    with pytest.raises(nn.StateDictError, match=r"^Linear\.load_state_dict: Error\(s\)") as caught:
        layer.load_state_dict({"weight": gb.zeros(1, 1), "offset": gb.zeros(1)})

    assert 'Missing key(s) in state_dict: "bias"; exactly' in str(caught.value)
    assert 'Unexpected key(s) in state_dict: "offset"; exactly' in str(caught.value)
    assert caught.value.missing_keys == ["bias"]
    assert caught.value.unexpected_keys == ["offset"]
    assert lists(layer.state_dict()) == before


def test_a_lax_load_takes_what_fits_and_returns_the_rest():
    layer = nn.Linear(1, 1)

    result = layer.load_state_dict({"bias": gb.tensor([4.0]), "offset": gb.zeros(1)}, strict=False)

    assert layer.bias.tolist() == [4.0]
    assert result.missing_keys == ["weight"]
    assert result.unexpected_keys == ["offset"]
    assert repr(result) == (
        "_IncompatibleKeys(missing_keys=['weight'], unexpected_keys=['offset'])"
    )
    assert repr(layer.load_state_dict(layer.state_dict())) == "<All keys matched successfully>"


def test_other_sizes_are_refused_and_nothing_is_written():
    layer = nn.Linear(2, 1)
    before = lists(layer.state_dict())
    given = {"weight": gb.zeros(1, 2), "bias": gb.zeros(3)}

    with pytest.raises(gb.ShapeError, match=r"size mismatch for bias: .*\[3\].*\[1\]"):
        layer.load_state_dict(given)

    assert lists(layer.state_dict()) == before


def test_what_is_no_tensor_is_refused():
    with pytest.raises(gb.DTypeError, match="'weight' is of type list; a Tensor is needed"):
        nn.Linear(1, 1).load_state_dict({"weight": [[1.0]], "bias": [1.0]})


def test_loading_records_no_history_and_keeps_the_parameters():
    layer = nn.Linear(1, 1)
    weight = layer.weight

    layer.load_state_dict({"weight": gb.ones(1, 1, requires_grad=True) * 2, "bias": gb.ones(1)})

    assert layer.weight is weight
    assert weight.is_leaf
    assert weight.requires_grad


class Counting(gb.nn.Module):
    def __init__(self, count: int = 0):
        super().__init__()
        self.inner = gb.nn.Linear(1, 1)
        self.register_buffer("scale", gb.ones(1))
        self.count = count

    def get_extra_state(self) -> object:
        return {"count": self.count}

    def set_extra_state(self, state: dict[str, int]) -> None:
        self.count = state["count"]


class TestExtraState:
    @pytest.mark.parametrize("has_hooks", [False, True])
    def test_what_a_module_says_of_itself_is_saved_behind_its_tensors(self, has_hooks):
        model = gb.nn.Sequential(Counting(3))
        if has_hooks:
            model.register_state_dict_pre_hook(lambda *given: None)

        saved = model.state_dict(prefix="at.")

        own = ["at.0.scale", "at.0._extra_state"]
        assert list(saved) == [*own, "at.0.inner.weight", "at.0.inner.bias"]
        assert saved["at.0._extra_state"] == {"count": 3}

    def test_it_comes_back_from_a_file(self, tmp_path):
        model = gb.nn.Sequential(Counting(3), Counting(4))
        gb.save(model.state_dict(), tmp_path / "model")
        other = gb.nn.Sequential(Counting(), Counting())

        told = other.load_state_dict(gb.load(tmp_path / "model"))

        assert [part.count for part in other] == [3, 4]
        assert told == ([], [])

    def test_it_is_missed_and_refused_as_tensors_are(self):
        model, plain = Counting(3), gb.nn.Linear(1, 1)
        saved = model.state_dict()
        del saved["_extra_state"]

        with pytest.raises(gb.nn.StateDictError, match=r'Missing key.* "_extra_state"'):
            model.load_state_dict(saved)
        with pytest.raises(gb.nn.StateDictError, match=r'Unexpected key.* "_extra_state"'):
            plain.load_state_dict({**plain.state_dict(), "_extra_state": 1})

        assert model.load_state_dict(saved, strict=False).missing_keys == ["_extra_state"]

    def test_it_is_not_given_where_a_tensor_does_not_fit(self):
        model = Counting(3)
        saved = {**Counting(5).state_dict(), "scale": gb.ones(2)}

        with pytest.raises(gb.ShapeError):
            model.load_state_dict(saved)

        assert model.count == 3


@pytest.mark.parametrize("has_hooks", [False, True])
def test_a_module_in_two_places_is_one_child_and_is_saved_under_both_paths(has_hooks):
    model, calls = nn.Sequential(nn.Linear(1, 1, bias=False)) * 2, []
    if has_hooks:
        model.register_state_dict_pre_hook(lambda *given: None)

    model.apply(calls.append)

    assert calls == [model[0], model]
    assert [name for name, _ in model.named_children()] == ["0"]
    assert list(model.state_dict()) == ["0.weight", "1.weight"]


class Frozen(nn.Module):
    """Loads what an older class has saved, as detection models do."""

    _version = 3

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", gb.ones(2))
        self.inner = nn.Linear(1, 1, bias=False)
        self.versions: list = []

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        self.versions.append(local_metadata.get("version"))
        state_dict.pop(prefix + "num_batches_tracked", None)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)
        self.loaded = self.scale.tolist()

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "more"] = gb.zeros(1)


class TestMethodsOfASubclass:
    def test_save_and_load_its_part(self):
        model = nn.Sequential(Frozen())
        saved = model.state_dict()

        assert list(saved) == ["0.scale", "0.more", "0.inner.weight"]

        given = {**saved, "0.scale": gb.zeros(2), "0.num_batches_tracked": gb.tensor(1)}
        del given["0.more"]
        assert model.load_state_dict(given) == ([], [])
        assert model[0].loaded == [0.0, 0.0]

    def test_are_told_the_version_that_saved(self):
        model = Frozen()
        saved = model.state_dict()
        del saved["more"]

        model.load_state_dict(saved)
        model.load_state_dict(dict(saved))

        assert model.versions == [3, None]

    def test_are_called_where_a_child_defines_state_dict_itself(self):
        class Told(nn.ReLU):
            def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
                destination[prefix + "told"] = gb.ones(1)
                return destination

        assert list(nn.Sequential(Told()).state_dict()) == ["0.told"]

    def test_work_when_called_by_themselves(self):
        layer, lists_ = nn.Linear(1, 1), ([], [], [])
        given = {"at.weight": gb.ones(1, 1), "at.more": gb.ones(1), "elsewhere": gb.ones(1)}

        layer._load_from_state_dict(given, "at.", {}, True, *lists_)

        assert layer.weight.item() == 1
        assert lists_ == (["at.bias"], ["at.more"], [])
        destination: dict = {}
        layer._save_to_state_dict(destination, "in.", True)
        assert destination["in.weight"] is layer.weight

    def test_leave_what_others_load_as_it_was_where_something_does_not_fit(self):
        model = nn.Sequential(nn.Linear(1, 1, bias=False), Frozen())
        before = model[0].weight.item()
        given = {**model.state_dict(), "0.weight": gb.full((1, 1), before + 1), "x": gb.ones(1)}

        with pytest.raises(nn.StateDictError, match=r'Unexpected key.* "x", "1.more"'):
            model.load_state_dict(given)

        assert model[0].weight.item() == before


class TestMetadata:
    def test_a_state_dict_has_the_versions_of_its_modules(self):
        saved = nn.Sequential(nn.BatchNorm1d(2), nn.ReLU()).state_dict(prefix="net.")

        assert isinstance(saved, OrderedDict)
        assert saved._metadata == {
            "net": {"version": 1},
            "net.0": {"version": 2},
            "net.1": {"version": 1},
        }

    def test_what_an_old_norm_did_not_count_is_not_missing(self):
        norm = nn.BatchNorm1d(2)
        saved = norm.state_dict()
        del saved["num_batches_tracked"]

        assert norm.load_state_dict(dict(saved)) == ([], [])
        with pytest.raises(nn.StateDictError, match=r'Missing key.* "num_batches_tracked"'):
            norm.load_state_dict(saved)

    def test_a_module_without_state_of_its_own_says_so(self):
        with pytest.raises(RuntimeError, match=r"ReLU: get_extra_state\(\) is missing"):
            nn.ReLU().get_extra_state()
        with pytest.raises(RuntimeError, match=r"ReLU: set_extra_state\(\) is missing"):
            nn.ReLU().set_extra_state(None)

    def test_transient_buffers_are_known_by_name_and_may_be_made_lasting(self):
        made = model()

        assert made._non_persistent_buffers_set == {"scratch"}
        made._non_persistent_buffers_set.discard("scratch")
        made._non_persistent_buffers_set.add("mean")

        assert made._non_persistent_buffers_set == {"mean"}
        assert "scratch" in made.state_dict()
        assert "mean" not in made.state_dict()

    def test_names_of_transient_buffers_join_other_sets_and_change_no_module(self):
        made = model()
        names = made._non_persistent_buffers_set

        found = set()
        found |= names
        assert found == names | set() == names.copy() == {"scratch"}
        found |= {"mean"}
        assert (names & {"mean"}, names - {"scratch"}) == (set(), set())
        assert repr(names) == "{'scratch'}"

        names.update(["mean"], ["no buffer"])

        assert made._non_persistent_buffers_set == {"scratch", "mean"}


def test_all_that_does_not_fit_is_told_at_once():
    model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    given = {
        "0.weight": gb.ones(1),
        "0.bias": gb.ones(2),
        "1.weight": gb.ones(1, 1),
        "x": gb.ones(1),
    }

    with pytest.raises(nn.StateDictError) as caught:
        model.load_state_dict(given)

    assert str(caught.value) == (
        "Sequential.load_state_dict: Error(s) in loading state_dict for Sequential:\n"
        '  Missing key(s) in state_dict: "1.bias"; exactly the module\'s keys are needed, or '
        "strict=False\n"
        '  Unexpected key(s) in state_dict: "x"; exactly the module\'s keys are needed, or '
        "strict=False\n"
        "  size mismatch for 0.weight: copying a param with shape [1] from checkpoint, the shape "
        "in current model is [1, 2]\n"
        "  size mismatch for 0.bias: copying a param with shape [2] from checkpoint, the shape in "
        "current model is [1]"
    )
    with pytest.raises(gb.ShapeError, match=r"for 0.weight: .*2\]\n  size mismatch for 0.bias"):
        model.load_state_dict(given, strict=False)


def test_a_number_is_loaded_of_one_dim_too():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(gb.tensor(1.0))

    one = Scaled()

    one.load_state_dict({"scale": gb.tensor([3.0])})

    assert one.scale.tolist() == 3.0
    one.load_state_dict({"scale": gb.tensor([4.0, 5.0])})  # as PyTorch reads its older files
    assert one.scale.tolist() == 4.0
    for wrong in (gb.zeros(0), gb.zeros(1, 1)):
        with pytest.raises(RuntimeError, match="size mismatch for scale"):
            one.load_state_dict({"scale": wrong})


def test_says_that_a_module_without_memory_keeps_nothing_of_what_it_loads():
    given = nn.Linear(2, 1, bias=False)
    module = nn.Linear(2, 1, bias=False, device="meta")

    with pytest.warns(UserWarning, match=r"'weight' has no memory.*assign=True"):
        module.load_state_dict(given.state_dict())

    assert module.weight.is_meta
    module.load_state_dict(given.state_dict(), assign=True)
    assert gb.equal(module.weight, given.weight)
