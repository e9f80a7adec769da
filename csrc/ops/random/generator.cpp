#include "csrc/ops/random/generator.h"

#include <memory>
#include <mutex>

#include "csrc/device/capture.h"
#include "csrc/device/streams.h"
#include "csrc/ops/random/captured_numbers.h"

namespace garboard {
namespace {

constinit thread_local Generator* own [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

Generator& Generator::standard() noexcept {
  static Generator generator;
  return own ? *own : generator;
}

void Generator::part_from_others(std::uint64_t seed) {
  thread_local const auto kept = std::make_unique<Generator>();
  own = kept.get();
  own->manual_seed(seed);
}

GeneratorState Generator::state() const noexcept {
  const std::lock_guard guard(lock_);
  return state_;
}

void Generator::set_state(GeneratorState state) noexcept {
  const std::lock_guard guard(lock_);
  state_ = state;
}

kernels::RandomStream Generator::numbers_for(std::int64_t count, Device device) {
  return advance_on(device, (static_cast<std::uint64_t>(count) + 3) / 4);
}

kernels::RandomStream Generator::numbers_for_rows(std::int64_t rows, std::int64_t counters_each,
                                                  Device device) {
  return advance_on(device,
                    static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(counters_each));
}

kernels::RandomStream Generator::advance_on(Device device, std::uint64_t counters) {
  if (is_anything_captured() && !device.is_cpu()) [[unlikely]] {
    if (const CaptureId capture = capture_of(current_stream(device)))
      return captured_numbers(capture, *this, counters);
  }
  return advance(counters);
}

kernels::RandomStream Generator::advance(std::uint64_t counters) noexcept {
  const std::lock_guard guard(lock_);
  const kernels::RandomStream numbers{state_.seed, state_.offset};
  state_.offset += counters;
  return numbers;
}

}  // namespace garboard
