// How ops run on this thread: recorded or not, and the rare wishes beside that.
#pragma once

#include <cstdint>
#include <utility>

namespace garboard {

/// Bits of `grad_mode`.
namespace mode {
inline constexpr std::uint8_t records = 1;
/// What nodes keep is packed; see csrc/ops/op/packing.h.
inline constexpr std::uint8_t packs = 2;
/// Nothing is recorded, and what is born can never take part in a graph.
inline constexpr std::uint8_t inference = 4;
/// A backward pass looks for NaN in each gradient.
inline constexpr std::uint8_t finds_nan = 8;
}  // namespace mode

// Initial-exec: every op asks.
extern constinit thread_local std::uint8_t grad_mode [[gnu::tls_model("initial-exec")]];

/// Thread-local: false inside no_grad.
inline bool is_grad_enabled() noexcept { return grad_mode & mode::records; }
/// Returns what it was. In inference mode it stays off.
inline bool set_grad_enabled(bool enabled) noexcept {
  const std::uint8_t before = grad_mode;
  const bool records = enabled && !(before & mode::inference);
  grad_mode = static_cast<std::uint8_t>((before & ~mode::records) | (records ? mode::records : 0));
  return before & mode::records;
}

/// Sets grad mode for a block.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) noexcept : before_(grad_mode) { set_grad_enabled(enabled); }
  ~GradModeGuard() { grad_mode = before_; }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  std::uint8_t before_;
};

}  // namespace garboard
