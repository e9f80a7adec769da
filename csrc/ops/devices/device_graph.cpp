#include "csrc/ops/devices/device_graph.h"

#include <utility>

#include "csrc/core/error.h"
#include "csrc/core/outer_lock.h"
#include "csrc/core/text.h"
#include "csrc/device/stream_event.h"
#include "csrc/memory/allocator/allocators.h"

namespace garboard {
namespace {

/// Nobody knows how long what is played takes.
constexpr double unknown_wait_ns = 1e9;

CapturePools& pools_of(Device device) { return allocator_of(device).capture_pools(); }

void await(Stream stream) noexcept {
  const StreamPoint here = StreamPoint::at(stream);
  if (here.capture != 0) return;  // it waits for what was played itself
  const OuterLock::Away away(unknown_wait_ns);
  here.await();
}

}  // namespace

SharedCapturePool::SharedCapturePool(Device device, CapturePool pool) : device_(device) {
  if (pool == 0) {
    number_ = pools_of(device).open();
  } else if (pools_of(device).share(pool)) {
    number_ = pool;
  } else {
    throw DeviceError(text("capture_begin: pool ", pool,
                           ", which nobody holds; pool() of a graph that was captured, or "
                           "graph_pool_handle(), gives one"));
  }
}

SharedCapturePool::SharedCapturePool(SharedCapturePool&& other) noexcept
    : device_(other.device_), number_(std::exchange(other.number_, 0)) {}

SharedCapturePool& SharedCapturePool::operator=(SharedCapturePool other) noexcept {
  std::swap(device_, other.device_);
  std::swap(number_, other.number_);
  return *this;
}

SharedCapturePool::~SharedCapturePool() {
  if (number_ != 0) pools_of(device_).close(number_);
}

void DeviceGraph::begin(Device device, CapturePool pool) {
  if (capture_ || captured_)
    throw DeviceError(
        "capture_begin: the graph has been captured, or is; call reset() first, or make another "
        "one");
  SharedCapturePool own(device, pool);
  const Stream stream = current_stream(device);
  const CaptureId capture = begin_capture(stream);
  try {
    numbers_.emplace(device);
    numbers_->begin(capture);
    pools_of(device).begin(capture, own.number());
  } catch (...) {
    numbers_.reset();
    try {
      forget_captured(device, end_capture(stream));
    } catch (const Error&) {  // nothing was captured
    }
    throw;
  }
  lent_ = current_lent_stream(device);
  stream_ = stream;
  capture_ = capture;
  pool_ = std::move(own);
}

void DeviceGraph::end_capture_routes() noexcept {
  pools_of(stream_.device).end(capture_);
  numbers_->end();
  capture_ = 0;
  lent_ = {};
}

void DeviceGraph::end() {
  if (!capture_)
    throw DeviceError("capture_end: nothing is being captured; call capture_begin() first");
  try {
    captured_ = end_capture(stream_);
  } catch (...) {
    end_capture_routes();
    reset();
    throw;
  }
  end_capture_routes();
}

void DeviceGraph::replay() {
  if (!captured_) throw DeviceError("replay: the graph holds no work; capture some first");
  const Stream stream = current_stream(stream_.device);
  if (capture_of(stream) != 0)
    throw DeviceError(
        "replay: the current stream is being captured, and what a replay draws would be captured "
        "with it; replay behind the capture");
  if (played_on_) let_wait(stream, *played_on_);
  played_on_ = stream;
  numbers_->draw();
  play_captured(captured_, stream);
}

void DeviceGraph::reset() noexcept {
  if (capture_) {
    try {
      end();
    } catch (const Error&) {  // it is given up anyway
    }
  }
  if (captured_) {
    if (played_on_) await(*played_on_);
    forget_captured(stream_.device, std::exchange(captured_, nullptr));
  }
  numbers_.reset();
  pool_ = {};
  played_on_ = {};
}

const SharedCapturePool& DeviceGraph::pool() const {
  if (!pool_) throw DeviceError("pool: the graph holds no work; capture some first");
  return pool_;
}

}  // namespace garboard
