#include "csrc/lifetime/peak.h"

namespace garboard {

// Sites are numbered in the order in which they are met, so the number is a good enough hash.
void SiteTally::add(const SiteBytes& more) noexcept {
  std::size_t at = more.site & (capacity_ - 1);
  while (entries_[at].round == round_ && entries_[at].counted.site != more.site)
    at = (at + 1) & (capacity_ - 1);
  Entry& entry = entries_[at];
  if (entry.round != round_) {
    entry = {{.site = more.site}, round_};
    ++size_;
  }
  entry.counted.count += more.count;
  entry.counted.bytes += more.bytes;
}

void SiteTally::take(const SiteTally& smaller) noexcept {
  smaller.for_each([this](const SiteBytes& entry) { add(entry); });
}

void SiteTally::clear() noexcept {
  ++round_;
  size_ = 0;
}

}  // namespace garboard
