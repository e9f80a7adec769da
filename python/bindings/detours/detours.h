// What calls of ops go through first while somebody asks for it: autocast, the profiler, fuse,
// classes and blocks that take calls over.
#pragma once

#include <Python.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "csrc/lifetime/op_profile.h"
#include "python/bindings/detours/autocast.h"
#include "python/bindings/detours/deferring.h"
#include "python/bindings/detours/overriding.h"
#include "python/bindings/detours/profiled.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {

/// Who asks, a bit each.
enum class Detour : std::uint8_t {
  profile = 1,
  autocast = 2,
  fuse = 4,
  classes = 8,
  blocks = 16,
};

namespace detail {
extern constinit std::atomic<std::uint8_t> detours [[gnu::visibility("hidden")]];
bool took_pass() noexcept;
void pass() noexcept;
}  // namespace detail

void set_detour(Detour detour, bool is_asked_for) noexcept;

/// Whether the op that asks is to go through `detour`: one look while nobody asks. Not asked again
/// on the way there.
inline bool has_detour() noexcept {
  return detail::detours.load(std::memory_order_relaxed) && !detail::took_pass();
}

/// Whether a class or a block might override calls.
inline bool has_overrides() noexcept {
  constexpr auto both = std::uint8_t(Detour::classes) | std::uint8_t(Detour::blocks);
  return detail::detours.load(std::memory_order_relaxed) & both;
}

/// `overridden`, of what has no detour: null unless the object's own class might override it.
inline PyObject* overridden_by_class(const char* name, const Given& given) {
  if (Py_TYPE(given.self) == tensor_type || !has_overrides()) [[likely]]
    return nullptr;
  return overridden(name, given);
}

/// Calls `call(self, arguments)`, which asks `has_detour` again and is let pass.
template <class Call>
[[gnu::noinline]] PyObject* detour(const char* name, const Given& given, Call call) {
  if (has_overrides()) {
    if (PyObject* const result = overridden(name, given)) return result;
  }
  const Recast recast(name, given);
  std::optional<OpProfile::Op> op;
  if (OpProfile::is_on()) op.emplace(name, detail_of(recast.given()));
  if (PyObject* const later = deferred_call(name, recast.given())) return later;
  detail::pass();
  return call(recast.given().self, recast.given().arguments);
}

}  // namespace garboard::python
