#include "csrc/lifetime/scope_report.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/birth.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/lifetime_lock.h"

namespace garboard {
namespace {

int size_of(const DisposeScope& scope) {
  const LifetimeLock lock;
  return scope.size();
}

}  // namespace

std::string largest_scopes(Device device) {
  struct Held {
    const DisposeScope* scope;
    std::int64_t bytes;
    int size;
  };
  std::vector<Held> held;
  std::int64_t inside = 0;
  const DisposeScope* scope = birth.scope;
  if (scope && scope->is_closed()) scope = scope->outer();
  for (; scope; scope = scope->outer()) {
    const ScopeLedger ledger = scope->bytes();
    const auto slot = static_cast<std::size_t>(device.slot());
    const std::int64_t bytes = ledger.live_bytes[slot] - ledger.waiting_bytes[slot];
    if (bytes > inside) held.push_back({scope, bytes - inside, size_of(*scope)});
    inside = bytes;
  }
  std::ranges::sort(held, [](const Held& a, const Held& b) { return a.bytes > b.bytes; });
  if (held.size() > 3) held.resize(3);
  std::string lines;
  for (const Held& it : held) {
    const std::string name =
        it.scope->name().empty() ? "an unnamed scope" : text("scope \"", it.scope->name(), '"');
    lines += text("\n  ", human_bytes(it.bytes), " born in ", name, " are live, ", it.size,
                  " tensors are in it");
  }
  return lines;
}

}  // namespace garboard
