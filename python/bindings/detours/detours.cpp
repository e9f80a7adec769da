#include "python/bindings/detours/detours.h"

#include <utility>

namespace garboard::python {
namespace {

constinit thread_local bool has_pass = false;

}  // namespace

namespace detail {

constinit std::atomic<std::uint8_t> detours{0};

bool took_pass() noexcept { return std::exchange(has_pass, false); }
void pass() noexcept { has_pass = true; }

}  // namespace detail

void set_detour(Detour detour, bool is_asked_for) noexcept {
  const auto bit = static_cast<std::uint8_t>(detour);
  if (is_asked_for)
    detail::detours.fetch_or(bit, std::memory_order_relaxed);
  else
    detail::detours.fetch_and(static_cast<std::uint8_t>(~bit), std::memory_order_relaxed);
}

}  // namespace garboard::python
