// What a hit of the caching allocator costs: allocate + release, ns a pair, beside a best-fit tree
// with a map of pointers, the usual shape; what a booking costs, beside an atomic counter; and what
// filling a fresh block costs, beside malloc. Must reach: 60 ns, and a third of the tree's; book +
// unbook: 10 ns; filling a 64 MiB block: a fifth of what it takes from malloc. All but the first
// two rows are measured as in Python, where an outer lock keeps other threads out; the tree has no
// use for that, as an allocator in a program of its own has none.
//
// Prints a line of JSON for each; times are in ns. `./run bench allocator` builds it and draws the
// table.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/exclusive.h"
#include "csrc/core/text.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/cpu_source.h"

namespace {

using namespace garboard;

// One large segment; free pieces in a tree by size and address, all pieces in a map by address.
class TreeAllocator {
 public:
  TreeAllocator(MemorySource& source, std::size_t bytes) : source_(source), bytes_(bytes) {
    start_ = static_cast<std::byte*>(source.map(bytes));
    insert(new Piece{start_, bytes, true, nullptr, nullptr});
  }
  ~TreeAllocator() {
    for (Piece* piece : free_) delete piece;
    source_.unmap(start_, bytes_);
  }

  void* allocate(std::size_t bytes) {
    const std::lock_guard guard(lock_);
    const std::size_t needed = (bytes + 63) & ~std::size_t{63};
    Piece key{nullptr, needed, true, nullptr, nullptr};
    const auto found = free_.lower_bound(&key);
    if (found == free_.end()) return nullptr;
    Piece* const piece = *found;
    free_.erase(found);
    piece->is_free = false;
    if (piece->bytes > needed) {
      auto* const rest =
          new Piece{piece->address + needed, piece->bytes - needed, true, piece, piece->after};
      if (rest->after) rest->after->before = rest;
      piece->after = rest;
      piece->bytes = needed;
      insert(rest);
    }
    live_[piece->address] = piece;
    live_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
    return piece->address;
  }

  void release(void* address) {
    const std::lock_guard guard(lock_);
    const auto found = live_.find(address);
    Piece* piece = found->second;
    live_.erase(found);
    live_bytes_ -= piece->bytes;
    piece->is_free = true;
    if (piece->after && piece->after->is_free) swallow(piece, piece->after);
    if (piece->before && piece->before->is_free) {
      Piece* const before = piece->before;
      free_.erase(before);
      join(before, piece);
      piece = before;
    }
    insert(piece);
  }

 private:
  struct Piece {
    std::byte* address;
    std::size_t bytes;
    bool is_free;
    Piece* before;
    Piece* after;
  };
  struct BySize {
    bool operator()(const Piece* a, const Piece* b) const {
      return std::tie(a->bytes, a->address) < std::tie(b->bytes, b->address);
    }
  };

  void insert(Piece* piece) { free_.insert(piece); }
  void swallow(Piece* piece, Piece* after) {
    free_.erase(after);
    join(piece, after);
  }
  void join(Piece* piece, Piece* after) {
    piece->bytes += after->bytes;
    piece->after = after->after;
    if (piece->after) piece->after->before = piece;
    delete after;
  }

  MemorySource& source_;
  std::size_t bytes_;
  std::byte* start_;
  std::mutex lock_;
  std::set<Piece*, BySize> free_;
  std::unordered_map<void*, Piece*> live_;
  std::size_t live_bytes_ = 0;
  std::size_t peak_bytes_ = 0;
};

struct Ours {
  CachingAllocator& allocator;
  Block* take(std::size_t bytes) { return allocator.allocate(bytes, {}); }
  void give(Block* block) { allocator.release(block); }
};

struct Tree {
  TreeAllocator& allocator;
  void* take(std::size_t bytes) { return allocator.allocate(bytes); }
  void give(void* address) { allocator.release(address); }
};

// Leaves free holes of many sizes between live pieces, as a program that has run for a while.
template <class Allocator>
auto with_holes(Allocator allocator, int count) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> sizes(64, 64_KiB);
  std::vector<decltype(allocator.take(1))> kept, holes;
  for (int i = 0; i < count; ++i) {
    holes.push_back(allocator.take(sizes(random)));
    kept.push_back(allocator.take(64));
  }
  std::shuffle(holes.begin(), holes.end(), random);
  for (auto hole : holes) allocator.give(hole);
  return kept;
}

void* data_of(const Block* block) { return block->data(); }
void* data_of(void* address) { return address; }

constexpr int pairs = 100'000;

// Sizes from a table, so that the branch predictor sees what a program shows it.
template <class Allocator>
double pair_ns(Allocator allocator, bool one_size) {
  std::mt19937 random(11);
  std::uniform_int_distribution<std::size_t> sizes(128, 32_KiB);
  std::vector<std::size_t> table(1024);
  for (std::size_t& bytes : table) bytes = one_size ? 4_KiB : sizes(random);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < pairs; ++i) allocator.give(allocator.take(table[i & 1023]));
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
  return took.count() / pairs;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

constexpr int turns = 15;

// By turns, so that the machine's drift hits both alike; the ratio is the median of the turns'.
template <class A, class B>
void by_turns(const std::string& what, A ours, B baseline) {
  std::vector<double> cost_ours, cost_baseline, ratios;
  for (int turn = 0; turn < turns; ++turn) {
    cost_ours.push_back(ours());
    cost_baseline.push_back(baseline());
    ratios.push_back(cost_baseline.back() / cost_ours.back());
  }
  std::printf("{\"what\": \"%s\", \"ours\": %.1f, \"baseline\": %.1f, \"ratio\": %.3f}\n",
              what.c_str(), median(cost_ours), median(cost_baseline), median(ratios));
  std::fflush(stdout);
}

void compare(const char* name, int holes, bool one_size) {
  CpuSource source;
  CachingAllocator allocator(source);
  TreeAllocator tree_allocator(source, 8_GiB);
  Ours ours{allocator};
  Tree tree{tree_allocator};
  const auto kept_ours = with_holes(ours, holes);
  const auto kept_tree = with_holes(tree, holes);
  const std::string what =
      text(name, ", ", holes, " holes, ", one_size ? "one size" : "mixed sizes");
  by_turns(
      what, [&] { return pair_ns(ours, one_size); }, [&] { return pair_ns(tree, one_size); });
  for (auto* block : kept_ours) ours.give(block);
  for (auto* address : kept_tree) tree.give(address);
}

void book() {
  CpuSource source;
  CachingAllocator allocator(source);
  std::atomic<std::size_t> counter = 0;
  const auto timed = [](auto step) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < pairs; ++i) step();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    return took.count() / pairs;
  };
  by_turns(
      "book + unbook",
      [&] {
        return timed([&] {
          allocator.book(8);
          allocator.unbook(8);
        });
      },
      [&] { return timed([&] { counter.fetch_add(8), counter.fetch_sub(8); }); });
}

template <class Take, class Give>
double fill_ns(Take take, Give give) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 4; ++i) {
    auto block = take(64_MiB);
    std::memset(data_of(block), i, 64_MiB);
    asm volatile("" : : "r"(data_of(block)) : "memory");  // or nobody would fill what nobody reads
    give(block);
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
  return took.count() / 4;
}

void fill() {
  CpuSource source;
  CachingAllocator allocator(source);
  by_turns(
      "fill 64 MiB",
      [&] {
        return fill_ns([&](std::size_t bytes) { return allocator.allocate(bytes, {}); },
                       [&](Block* block) { allocator.release(block); });
      },
      [] { return fill_ns(std::malloc, std::free); });
}

}  // namespace

int main() {
  std::thread([] {}).join();  // from now on the C library's locks are real ones
  for (const bool one_size : {true, false}) compare("hit without an outer lock", 4096, one_size);
  Exclusive::declare();
  for (const int holes : {0, 4096, 65536}) {
    for (const bool one_size : {true, false}) compare("hit", holes, one_size);
  }
  book();
  fill();
}
