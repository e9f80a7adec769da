// A number for each granule of a range of addresses: memory where there were any but 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace garboard {

class GranuleMarks {
 public:
  explicit GranuleMarks(std::size_t size)
      : size_(size), pages_((size + page_marks - 1) / page_marks) {}

  std::size_t size() const { return size_; }

  std::uint32_t operator[](std::size_t granule) const {
    const auto& page = pages_[granule / page_marks];
    return page ? (*page)[granule % page_marks] : 0;
  }

  void fill(std::size_t first, std::size_t count, std::uint32_t number) {
    for (const std::size_t end = first + count; first < end;) {
      const std::size_t within = first % page_marks;
      const std::size_t some = std::min(page_marks - within, end - first);
      auto& page = pages_[first / page_marks];
      if (!page && number != 0) page = std::make_unique<Page>();
      if (page) std::fill_n(page->begin() + static_cast<std::ptrdiff_t>(within), some, number);
      first += some;
    }
  }

  bool has_any() const {
    return std::ranges::any_of(pages_, [](const auto& page) {
      return page && std::ranges::any_of(*page, [](std::uint32_t it) { return it != 0; });
    });
  }

 private:
  static constexpr std::size_t page_marks = std::size_t{1} << 14;
  using Page = std::array<std::uint32_t, page_marks>;

  std::size_t size_;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace garboard
