// Why a storage lives.
#pragma once

#include <cstdint>
#include <string_view>

namespace garboard {

/// An alias is of kind python, grad or optimizer; graph, view and exported are read off the things
/// that hold a storage otherwise.
enum class OwnerKind : std::uint8_t { python, graph, grad, view, optimizer, exported };

constexpr std::string_view name_of(OwnerKind kind) {
  constexpr std::string_view names[] = {"PYTHON", "GRAPH", "GRAD", "VIEW", "OPTIMIZER", "EXPORT"};
  return names[static_cast<int>(kind)];
}

}  // namespace garboard
