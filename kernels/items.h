// Elements of which only the size counts: what moves them need not know their types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "csrc/core/dtype.h"

namespace garboard::kernels {

/// As far apart as elements of 8 bytes: those of 16 are no better aligned.
struct [[gnu::may_alias]] TwoWords {
  std::uint64_t first, second;
};

/// Calls `visit(Type<Item>{})` with a type of `bytes`, an unsigned integer where there is one.
template <class Visit>
decltype(auto) visit_item(std::size_t bytes, Visit visit) {
  switch (bytes) {
    case 1:
      return visit(Type<std::uint8_t>{});
    case 2:
      return visit(Type<std::uint16_t>{});
    case 4:
      return visit(Type<std::uint32_t>{});
    case 8:
      return visit(Type<std::uint64_t>{});
    case 16:
      return visit(Type<TwoWords>{});
    default:
      __builtin_trap();
  }
}

}  // namespace garboard::kernels
