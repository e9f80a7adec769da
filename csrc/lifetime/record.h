// What the registry keeps of every live thing, inside the thing itself.
#pragma once

#include <cstdint>

#include "csrc/core/intrusive_list.h"
#include "csrc/lifetime/birth.h"

namespace garboard {

enum class RecordKind : std::uint8_t { alias, storage, node };

struct InRegistry;

/// Serials are never reused; each kind counts its own, in the order of births.
struct Numbered {
  std::uint64_t serial = 0;
};

/// Who am I, and where, when and by which thread was I born. The stamp is last: the four bytes
/// behind it are the derived class's.
struct Record : Links<InRegistry>, Numbered, Stamp {
  bool is_registered() const noexcept { return is_linked(); }

 protected:
  Record() = default;
  ~Record() = default;
};

}  // namespace garboard
