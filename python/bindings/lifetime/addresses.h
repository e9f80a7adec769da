// A set of objects: a bit for each place in memory where one may begin.
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace garboard::python {

/// Takes a 128th of the memory that the objects lie in, and never looks into an object: most of the
/// references that a search follows lead to what it has met before.
class Addresses {
 public:
  void add(const PyObject* object) {
    Entry* entry = &find(number_of(object));
    if (!entry->page) entry = &opened(number_of(object));
    word_of(*entry->page, object) |= bit_of(object);
  }
  bool has(const PyObject* object) const {
    const Entry& entry = find(number_of(object));
    return entry.page && word_of(*entry.page, object) & bit_of(object);
  }

 private:
  // Two objects never begin within 16 bytes: each has a count and a class.
  static constexpr std::uintptr_t cell = 16, cells = 1 << 14;
  using Page = std::array<std::uint64_t, cells / 64>;
  struct Entry {
    std::uintptr_t number = 0;
    std::unique_ptr<Page> page;
  };

  static std::uintptr_t cell_of(const PyObject* object) {
    return reinterpret_cast<std::uintptr_t>(object) / cell;
  }
  static std::uintptr_t number_of(const PyObject* object) { return cell_of(object) / cells; }
  static std::uint64_t& word_of(Page& page, const PyObject* object) {
    return page[cell_of(object) % cells / 64];
  }
  static std::uint64_t bit_of(const PyObject* object) {
    return std::uint64_t{1} << cell_of(object) % 64;
  }

  /// The entry of a page, or the one that is free for it.
  const Entry& find(std::uintptr_t number) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t i = number * 0x9E3779B97F4A7C15u >> 40;
    while (table_[i & mask].page && table_[i & mask].number != number) ++i;
    return table_[i & mask];
  }
  Entry& find(std::uintptr_t number) {
    return const_cast<Entry&>(std::as_const(*this).find(number));
  }

  Entry& opened(std::uintptr_t number) {
    if (2 * ++count_ > table_.size()) {
      std::vector<Entry> former = std::exchange(table_, std::vector<Entry>(2 * table_.size()));
      for (Entry& entry : former) {
        if (entry.page) find(entry.number) = std::move(entry);
      }
    }
    Entry& entry = find(number);
    entry = {number, std::make_unique<Page>()};
    return entry;
  }

  std::vector<Entry> table_ = std::vector<Entry>(1 << 6);
  std::size_t count_ = 0;
};

}  // namespace garboard::python
