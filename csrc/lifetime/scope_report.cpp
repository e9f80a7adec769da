#include "csrc/lifetime/scope_report.h"

#include <algorithm>

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

std::vector<ScopeBytes> scopes_by_bytes(Device device) {
  std::vector<ScopeBytes> held;
  std::int64_t inside = 0;
  const DisposeScope* scope = birth.scope;
  if (scope && scope->is_closed()) scope = scope->outer();
  for (; scope; scope = scope->outer()) {
    const ScopeLedger ledger = scope->bytes();
    const auto slot = static_cast<std::size_t>(device.slot());
    const std::int64_t bytes = ledger.live_bytes[slot] - ledger.waiting_bytes[slot];
    if (bytes > inside) held.push_back({scope->name(), bytes - inside, size_of(*scope)});
    inside = bytes;
  }
  std::ranges::sort(held,
                    [](const ScopeBytes& a, const ScopeBytes& b) { return a.bytes > b.bytes; });
  return held;
}

std::string largest_scopes(const std::vector<ScopeBytes>& scopes) {
  std::string lines;
  for (std::size_t i = 0; i < std::min<std::size_t>(scopes.size(), 3); ++i) {
    const ScopeBytes& it = scopes[i];
    const std::string name = it.name.empty() ? "an unnamed scope" : text("scope \"", it.name, '"');
    lines += text("\n  ", human_bytes(it.bytes), " born in ", name, " are live, ", it.size,
                  " tensors are in it");
  }
  return lines;
}

}  // namespace garboard
