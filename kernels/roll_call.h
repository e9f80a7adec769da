// A number for what a kernel table holds and in which order. It is computed
// where this header is compiled, so two libraries can tell whether they mean
// the same table.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/table.h"

namespace garboard::kernels {
namespace detail {

/// FNV-1a.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 1099511628211u;
}

/// The name of a functor without its namespaces: compilers differ in how they
/// write those.
template <class T>
constexpr std::string_view short_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  name = name.substr(name.find("T =") + 1);
  name = name.substr(0, name.find_first_of(";],"));
  return name.substr(name.rfind(':') + 1);
}

template <class... Functors>
constexpr std::uint64_t mixed(std::uint64_t hash, TypeList<Functors...>) {
  const auto mix = [&](std::string_view name) {
    for (const char letter : name) hash = mixed(hash, static_cast<unsigned char>(letter));
    hash = mixed(hash, 0);
  };
  (mix(short_name<Functors>()), ...);
  return hash;
}

}  // namespace detail

constexpr std::uint64_t hash_of_roll_calls() {
  std::uint64_t hash = 14695981039346656037u;
  hash = detail::mixed(hash, functors::UnaryFunctors{});
  hash = detail::mixed(hash, functors::BinaryFunctors{});
  hash = detail::mixed(hash, functors::TernaryFunctors{});
  hash = detail::mixed(hash, functors::ReduceFunctors{});
  for (const std::size_t size :
       {sizeof(Table), sizeof(View), sizeof(Scalar), sizeof(Stream), sizeof(CrossEntropy),
        sizeof(LayerNorm), sizeof(LayerNormGradients), sizeof(AdamStep), sizeof(SgdStep)})
    hash = detail::mixed(hash, size);
  return hash;
}

}  // namespace garboard::kernels
