// Stand-ins for a table's kernels: for devices whose kernels are all alike, or that lack some.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/table.h"

namespace garboard::kernels {

/// A text as a template argument.
template <std::size_t size>
struct Name {
  char letters[size];
  constexpr Name(const char (&text)[size]) { std::copy(text, text + size, letters); }
};

/// Calls `visit.operator()<"op">(entry)` for each entry of an op that is a functor.
template <class Visit>
void for_each_functor_entry(Table& table, Visit visit) {
  const auto each = [&]<Name op>(auto& entries) {
    for (auto& entry : entries) visit.template operator()<op>(entry);
  };
  each.template operator()<"op of one input">(table.unary);
  each.template operator()<"op of two inputs">(table.binary);
  each.template operator()<"op of three inputs">(table.ternary);
  each.template operator()<"reduction">(table.reduce);
}

}  // namespace garboard::kernels
