"""A fix is the user's own statement with a method more; where that cannot be told, none."""

from __future__ import annotations

import pytest
from garboard.leaks.holders._mending import (
    OF_EACH,
    End,
    keyed_with,
    mended_sum,
    mended_together,
    ways_of_items,
    with_ends,
)


@pytest.mark.parametrize(
    ("statement", "mended"),
    [
        ("total += loss", "total += loss.detach()"),
        ("self.sum += loss * n", "self.sum += (loss * n).detach()"),
        ("ema = 0.9 * ema + 0.1 * loss", "ema = 0.9 * ema + 0.1 * loss.detach()"),
        ("ema = ema * 0.9 + loss / 10", "ema = ema * 0.9 + loss.detach() / 10"),
        ("h = h + p * f(x)", "h = h + (p * f(x)).detach()"),
        ("ema = gb.lerp(ema, loss, 0.1)", "ema = gb.lerp(ema, loss.detach(), 0.1)"),
        ("ema = ema.mul(0.9).add(loss)", "ema = ema.mul(0.9).add(loss.detach())"),
        ("s['a'] = s['a'] + -loss", "s['a'] = s['a'] + (-loss).detach()"),
        ("m = b * m + (1 - b) * loss", "m = (b * m + (1 - b) * loss).detach()"),
        ("m = (m * (n - 1) + loss) / n", "m = ((m * (n - 1) + loss) / n).detach()"),
        ("m = m + (loss - m) / n", "m = (m + (loss - m) / n).detach()"),
        ("m = loss if m is None else m + loss", "m = (loss if m is None else m + loss).detach()"),
        ("m = gb.add(m, loss, alpha=a)", "m = gb.add(m, loss, alpha=a).detach()"),
        ("m = m.mul(b).add(loss)", "m = m.mul(b).add(loss).detach()"),
        ("m = m + loss + n", "m = (m + loss + n).detach()"),
        ("m.mul_(0.9).add_(0.1 * x)", "m.mul_(0.9).add_(0.1 * x.detach())"),
        ("m.mul_(beta).add_(x)", None),
        ("s[k] = s.get(k, 0) + loss", "s[k] = s.get(k, 0) + loss.detach()"),
        ("s[k] = s.get(j, 0) + loss", None),
        ("m *= beta", None),
        ("m += 1", None),
        ("total = total * 2", None),
        ("a, b = b, a + loss", None),
        ("print(total)", None),
    ],
)
def test_what_is_added_is_detached(statement, mended):
    assert mended_sum(statement, "detach") == mended


@pytest.mark.parametrize(
    ("statement", "value", "way", "mended"),
    [
        ("xs.append(loss)", "loss", [], "xs.append(loss.item())"),
        ("xs.append(a + b)", "a + b", [], "xs.append((a + b).item())"),
        ("h['loss'].append(loss)", "loss", [], "h['loss'].append(loss.item())"),
        ("xs.append((i, loss))", "(i, loss)", ["1"], "xs.append((i, loss.item()))"),
        ("xs.append({'a': x})", "{'a': x}", ["'a'"], "xs.append({'a': x.item()})"),
        ("xs.append(dict(a=x))", "dict(a=x)", ["'a'"], "xs.append(dict(a=x.item()))"),
        ("xs.append(Row(i, loss))", "Row(i, loss)", ["1=loss"], "xs.append(Row(i, loss.item()))"),
        ("xs.append(Row(i, x=y))", "Row(i, x=y)", ["1=x"], "xs.append(Row(i, x=y.item()))"),
        ("xs.append(Row(i))", "Row(i)", ["1=loss"], None),
        ("xs.append((i, loss))", "(i, loss)", [], None),
        ("xs.append(row)", "row", ["1"], None),
        ("xs.append((i, loss))", "(i, loss)", ["7"], None),
        ("xs.append({'a': x})", "{'a': x}", ["'b'"], None),
    ],
)
def test_the_tensor_in_what_is_stored_is_found(statement, value, way, mended):
    assert with_ends(statement, value, [End(tuple(way), "item")]) == mended


@pytest.mark.parametrize(
    ("statement", "method", "mended"),
    [
        ("h[k].append(v)", "item or detach", "v.item() if v.numel() == 1 else v.detach()"),
        ("h[k].append(v)", "item or itself", "v.item() if hasattr(v, 'item') else v"),
        ("h[k].append(v)", "detach or itself", "v.detach() if hasattr(v, 'detach') else v"),
    ],
)
def test_what_stores_several_things_asks_each_what_it_is(statement, method, mended):
    assert with_ends(statement, "v", [End((), method)]) == f"h[k].append({mended})"
    assert (
        with_ends("h[k].append(f(v))", "f(v)", [End((), method)]) is None
    )  # and calls nothing twice


@pytest.mark.parametrize(
    ("statement", "value", "mended"),
    [
        ("xs += [loss]", "[loss]", "xs += [loss.item()]"),
        ("xs.extend([loss])", "[loss]", "xs.extend([loss.item()])"),
        (
            "xs.extend((f(x) for x in ys))",
            "(f(x) for x in ys)",
            "xs.extend((f(x).item() for x in ys))",
        ),
        ("xs.extend(map(run, ys))", "map(run, ys)", None),
        ("xs.extend([a, b])", "[a, b]", None),
        ("xs += losses", "losses", None),
    ],
)
def test_of_many_that_are_stored_each_is_mended_or_none(statement, value, mended):
    assert with_ends(statement, value, [End((), "item")], is_many=True) == mended


def test_each_tensor_of_an_item_is_mended():
    ends = [End(("0",), "item"), End(("1", "'y'"), "detach")]

    mended = with_ends("log.append((a, {'y': y}))", "(a, {'y': y})", ends)

    assert mended == "log.append((a.item(), {'y': y.detach()}))"


@pytest.mark.parametrize(
    ("whole", "method", "mended"),
    [
        ("dict", "item", "{key: value.item() for key, value in row.items()}"),
        ("list", "detach", "[value.detach() for value in row]"),
        (
            "tuple",
            "item or itself",
            "tuple((value.item() if hasattr(value, 'item') else value for value in row))",
        ),
    ],
)
def test_of_what_is_stored_by_its_name_each_item_is_mended(whole, method, mended):
    ends = [End((), f"{method}{OF_EACH}{whole}")]

    assert with_ends("rows.append(row)", "row", ends) == f"rows.append({mended})"
    assert with_ends("rows.append(made())", "made()", ends) is None  # and calls nothing twice


def test_what_is_stored_is_told_from_the_same_name_elsewhere():
    mended = with_ends("(a.append(x), b.append(x.detach()))", "x", [End((), "item")])

    assert mended == "(a.append(x.item()), b.append(x.detach()))"


@pytest.mark.parametrize(
    ("first", "other", "both"),
    [
        ("f(x.item()), g(y)", "f(x), g(y.item())", "(f(x.item()), g(y.item()))"),
        ("f((x * 2).item()), g(y)", "f(x * 2), g(y.item())", "(f((x * 2).item()), g(y.item()))"),
        ("f(h(x).item()), h(y)", "f(h(x)), h(y.item())", "(f(h(x).item()), h(y.item()))"),
        ("a.append(x.item())", "a.append(x.item())", "a.append(x.item())"),
        (
            "f(x), g(y); del a[:-9]",
            "f(x), g(y); del b[:-9]",
            "(f(x), g(y)); del a[:-9]; del b[:-9]",
        ),
        ("f(x); del a[:-9]", "f(x); del a[:-9]", "f(x); del a[:-9]"),
        ("a.append(x.item())", "a.append(x.detach())", None),
        ("a.append(x.item())", "take items out of a", None),
        ("keep numbers", "a.append(x.item())", None),
    ],
)
def test_two_fixes_of_one_statement_are_put_together_or_the_first_stands(first, other, both):
    assert mended_together(first, other) == (both or first)


@pytest.mark.parametrize(
    ("statement", "mended"),
    [
        ("counts[label] += 1", "counts[label.item()] += 1"),
        ("seen[out.argmax()] = step", "seen[out.argmax().item()] = step"),
        ("seen[step, label] = 1", None),
        ("seen['label'] = label", None),
        ("seen.add(label)", None),
    ],
)
def test_a_key_becomes_a_number(statement, mended):
    assert keyed_with(statement, "item") == mended


@pytest.mark.parametrize(
    ("value", "ways"),
    [
        ("[loss, 0.1]", ["0", "1"]),
        ("(loss,)", ["0"]),
        ("{'loss': loss, (step, 'rate'): 0.1}", ["'loss'", "(step, 'rate')"]),
        ("{**rest, 'loss': loss}", []),
        ("[loss, *rest]", []),
        ("losses", []),
        ("[f(it) for it in losses]", []),
    ],
)
def test_items_of_a_display_are_told_apart_by_their_places(value, ways):
    assert ways_of_items(value) == ways


def test_values_of_a_comprehension_are_mended_where_they_are_made():
    statement = "log.update({name: it.norm() for name, it in grads})"
    value = "{name: it.norm() for name, it in grads}"

    mended = with_ends(statement, value, [End((), "item")], is_many=True)

    assert mended == "log.update({name: it.norm().item() for name, it in grads})"
