// Who held a device's bytes when they were the most: kept by lazy copy. What lives on since then is
// in the registry's list anyway, so only what ends after the peak is written down.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "csrc/lifetime/site.h"

namespace garboard {

/// What storages born on one line came to.
struct SiteBytes {
  Site site = unknown_site;
  std::int64_t count = 0;  // storages
  std::int64_t bytes = 0;
};

/// A device's bytes at their most, and the sites that held them, most bytes first. Their sum is
/// `bytes`.
struct Peak {
  std::int64_t bytes = 0;
  std::uint32_t step = 0;  // the birth step in which it was reached
  std::vector<SiteBytes> by_site;
};

/// Storages counted by site. `add` allocates nothing, for it is called under a lock: whoever finds
/// no room makes a larger tally outside it. Clearing costs the same however much was counted.
class SiteTally {
 public:
  /// `capacity` is a power of two; three quarters of it can be filled.
  explicit SiteTally(std::size_t capacity) : capacity_(capacity), entries_(new Entry[capacity]) {}

  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t size() const noexcept { return size_; }
  bool has_room() const noexcept { return size_ < capacity_ / 4 * 3; }
  /// There must be room; beyond it, for one site more.
  void add(const SiteBytes& more) noexcept;
  /// Takes over what `smaller` has counted.
  void take(const SiteTally& smaller) noexcept;
  void clear() noexcept;

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < capacity_; ++i) {
      if (entries_[i].round == round_) visit(entries_[i].counted);
    }
  }

 private:
  struct Entry {
    SiteBytes counted;
    std::uint64_t round = 0;
  };
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::uint64_t round_ = 1;  // an entry of another round is free
  std::unique_ptr<Entry[]> entries_;
};

}  // namespace garboard
