// Shared ownership with the count inside the object: one word, atomic, no control block.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "csrc/core/exclusive.h"

namespace garboard {

/// Base of what `Counted` can hold. Starts with no share; the first Counted takes one.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  [[gnu::always_inline]] void retain() const noexcept {
    if (Exclusive::now()) {
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  /// True when that was the last share.
  bool drop() const noexcept {
    // A sole owner needs no locked decrement: nobody else can add a share meanwhile.
    const std::uint32_t count = count_.load(std::memory_order_acquire);
    if (count == 1) return true;
    if (Exclusive::now()) {
      count_.store(count - 1, std::memory_order_relaxed);
      return false;
    }
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  std::uint32_t share_count() const noexcept { return count_.load(std::memory_order_acquire); }

 protected:
  ~RefCounted() = default;
  /// The share of the first owner, taken without a locked increment.
  void start_with_one_share() noexcept { count_.store(1, std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::uint32_t> count_{0};
};

/// A share of a T. `destroy(T*)`, found beside T, ends it when the last share goes; by default
/// that is `delete`.
template <class T>
class Counted {
 public:
  Counted() = default;
  Counted(std::nullptr_t) {}
  explicit Counted(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Counted(const Counted& other) : Counted(other.object_) {}
  Counted(Counted&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Counted& operator=(Counted other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Counted() {
    if (object_ && object_->drop()) destroy(object_);
  }

  /// Takes over a share that was already counted.
  static Counted adopt(T* object) noexcept {
    Counted result;
    result.object_ = object;
    return result;
  }
  /// Gives the share away uncounted.
  [[nodiscard]] T* release() noexcept { return std::exchange(object_, nullptr); }

  void reset() noexcept {
    if (T* object = std::exchange(object_, nullptr); object && object->drop()) destroy(object);
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const Counted&, const Counted&) = default;

 private:
  T* object_ = nullptr;
};

template <class T>
void destroy(T* object) noexcept {
  delete object;
}

}  // namespace garboard
