// Every entry of a kernel table with the name of its op: for tables whose
// kernels are all alike.
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

/// Calls `visit.operator()<"op">(entry)` for each entry.
template <class Visit>
void for_each_entry(Table& table, Visit visit) {
  const auto each = [&]<Name op>(auto& entries) {
    for (auto& entry : entries) visit.template operator()<op>(entry);
  };
  each.template operator()<"op of one input">(table.unary);
  each.template operator()<"op of two inputs">(table.binary);
  each.template operator()<"op of three inputs">(table.ternary);
  each.template operator()<"reduction">(table.reduce);
  visit.template operator()<"max along a dim">(table.maximum_index);
  visit.template operator()<"min along a dim">(table.minimum_index);
  visit.template operator()<"var">(table.variance);
  visit.template operator()<"cumsum">(table.cumulative_sum);
  visit.template operator()<"layer_norm">(table.layer_norm);
  visit.template operator()<"layer_norm backward">(table.layer_norm_gradient);
  visit.template operator()<"softmax">(table.softmax);
  visit.template operator()<"log_softmax">(table.log_softmax);
  visit.template operator()<"softmax backward">(table.softmax_gradient);
  visit.template operator()<"log_softmax backward">(table.log_softmax_gradient);
  visit.template operator()<"cross_entropy">(table.cross_entropy);
  visit.template operator()<"cross_entropy backward">(table.cross_entropy_gradient);
  visit.template operator()<"matmul">(table.matmul);
  visit.template operator()<"linear">(table.linear);
  visit.template operator()<"copy">(table.copy);
  visit.template operator()<"fill">(table.fill);
  visit.template operator()<"arange">(table.arange);
  visit.template operator()<"rand">(table.uniform);
  visit.template operator()<"randn">(table.normal);
  visit.template operator()<"bernoulli">(table.bernoulli);
  visit.template operator()<"Adam">(table.adam);
  visit.template operator()<"SGD">(table.sgd);
}

}  // namespace garboard::kernels
