#include "csrc/ops/random/captured_numbers.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/create/create.h"
#include "csrc/tensor/grad_mode.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constinit std::mutex mutex;

// Never destroyed: a finalizer may end a graph when the process is leaving.
std::vector<std::pair<CaptureId, CapturedNumbers*>>& under_way() {
  static auto& all = *new std::vector<std::pair<CaptureId, CapturedNumbers*>>;
  return all;
}

CapturedNumbers* found(CaptureId capture) {
  const std::lock_guard guard(mutex);
  const auto at = std::ranges::find(under_way(), capture, [](const auto& it) { return it.first; });
  return at == under_way().end() ? nullptr : at->second;
}

}  // namespace

void CapturedNumbers::begin(CaptureId capture) {
  const std::lock_guard guard(mutex);
  under_way().emplace_back(capture, this);
}

void CapturedNumbers::end() noexcept {
  const std::lock_guard guard(mutex);
  std::erase_if(under_way(), [&](const auto& it) { return it.second == this; });
}

kernels::RandomStream CapturedNumbers::next(Generator& from, std::uint64_t counters) {
  if (&from != &Generator::standard())
    throw DeviceError(
        "Generator: one of the program's own, in captured work; the standard generator is needed, "
        "which counts on when the work is played");
  if (!place_) {
    const GradModeGuard no_grad(false);
    place_ = empty({2}, DType::int64, device_, "capture");
  }
  const std::uint64_t before = std::exchange(counters_, counters_ + counters);
  return {0, before, place_.view().as<std::int64_t>()};
}

void CapturedNumbers::draw() {
  if (!place_) return;
  const kernels::RandomStream numbers = Generator::standard().advance(counters_);
  const auto write = [&](std::int64_t at, std::uint64_t number) {
    std::int64_t* const place = place_.view().as<std::int64_t>() + at;
    const View view = make_view(place, DType::int64, Dims{1}, Dims{1});
    kernels::run(kernels::Fill{view, Scalar::of(static_cast<std::int64_t>(number))}, device_);
  };
  const auto seed = static_cast<std::int64_t>(numbers.seed);
  if (seed_ != seed) write(0, numbers.seed);
  seed_ = seed;
  write(1, numbers.offset);
}

kernels::RandomStream captured_numbers(CaptureId capture, Generator& from, std::uint64_t counters) {
  CapturedNumbers* const numbers = found(capture);
  if (!numbers)
    throw DeviceError("random numbers: a capture that no graph of ours has begun; begin it by one");
  return numbers->next(from, counters);
}

}  // namespace garboard
