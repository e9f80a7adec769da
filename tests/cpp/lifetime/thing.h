// A disposable without a tensor behind it, for tests of scopes and statistics.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "csrc/lifetime/disposable.h"

namespace garboard {

/// Counts how often its share was dropped, which must be once. What it counts with outlives it: a
/// scope on another thread may have taken the share when the thing itself goes.
class Thing final : public Disposable {
 public:
  struct Shared {
    std::atomic<int> drop_count = 0;
    std::function<void()> on_drop;
  };

  explicit Thing(std::shared_ptr<Shared> shared = std::make_shared<Shared>(),
                 Kind kind = Kind::tensor, bool in_scope = true)
      : Disposable(kind), shared_(std::move(shared)) {
    be_born(in_scope);
  }
  ~Thing() {
    if (finalize()) drop(new Held(shared_));
  }

  int drop_count() const { return shared_->drop_count; }
  Shared& shared() { return *shared_; }

 protected:
  Share take_share() noexcept override { return {new Held(shared_), drop}; }

 private:
  using Held = std::shared_ptr<Shared>;
  static void drop(void* held) noexcept {
    const std::unique_ptr<Held> owned(static_cast<Held*>(held));
    ++(*owned)->drop_count;
    if ((*owned)->on_drop) (*owned)->on_drop();
  }

  std::shared_ptr<Shared> shared_;
};

/// A thing whose end runs `on_drop`.
inline std::unique_ptr<Thing> thing_that(std::function<void()> on_drop) {
  auto shared = std::make_shared<Thing::Shared>();
  shared->on_drop = std::move(on_drop);
  return std::make_unique<Thing>(std::move(shared));
}

}  // namespace garboard
