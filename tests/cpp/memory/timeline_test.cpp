// Memory that several streams use, in all interleavings of small programs: a block is never handed
// out before every stream that was given work on its bytes has passed it, or is waited for.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/memory/caching_allocator.h"
#include "csrc/memory/simulated_source.h"

namespace garboard {
namespace {

Stream stream(std::size_t number) { return {{}, reinterpret_cast<void*>(number)}; }

/// One step of a program: on a slot, which holds a block or none, and on a stream.
struct Step {
  enum Kind { allocate, use, release, advance } kind;
  std::size_t slot;
  std::size_t stream;
};

/// What a program may be made of.
struct Shape {
  std::size_t streams;
  std::size_t slots;
  std::size_t block_bytes;
  std::size_t capacity_bytes;
  std::size_t length;

  std::vector<Step> steps() const {
    std::vector<Step> all;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      for (std::size_t s = 0; s < streams; ++s) {
        all.push_back({Step::allocate, slot, s});
        all.push_back({Step::use, slot, s});
      }
      all.push_back({Step::release, slot, 0});
    }
    for (std::size_t s = 0; s < streams; ++s) all.push_back({Step::advance, 0, s});
    return all;
  }
};

/// Runs programs, and knows for every byte what work was given on it.
class Execution {
 public:
  explicit Execution(const Shape& shape)
      : device_({.capacity_bytes = shape.capacity_bytes, .is_backed = false, .has_streams = true}),
        cache_(device_),
        bytes_(shape.block_bytes),
        slots_(shape.slots) {}
  ~Execution() {
    for (Block* block : slots_) cache_.release(block);
  }

  /// Whether the step made sense; else nothing has happened.
  bool act(const Step& step) {
    Block*& slot = slots_[step.slot];
    switch (step.kind) {
      case Step::allocate:
        if (slot) return false;
        slot = allocate(stream(step.stream));
        return slot;
      case Step::use:
        if (!slot) return false;
        cache_.used_on(slot, stream(step.stream));
        work_on(*slot, stream(step.stream));
        return true;
      case Step::release:
        if (!slot) return false;
        cache_.release(slot);
        slot = nullptr;
        return true;
      case Step::advance:
        break;
    }
    const Stream on = stream(step.stream);
    const Ticket next = device_.streams().passed(on) + 1;
    if (device_.streams().submitted(on) < next) return false;
    device_.streams().advance(on, next);
    return true;
  }

  /// Work on the block of a slot that the allocator knows nothing of.
  void use_secretly(std::size_t slot, Stream on) { work_on(*slots_[slot], on); }

  std::string fault() const { return fault_.empty() ? cache_.fault() + device_.misuse() : fault_; }

 private:
  struct Work {
    std::byte* from;
    std::byte* to;
    Stream stream;
    Ticket ticket;
  };

  Block* allocate(Stream on) {
    Block* block = nullptr;
    try {
      block = cache_.allocate(bytes_, on);
    } catch (const OutOfMemoryError&) {
      return nullptr;  // all of it is live
    }
    for (const Work& work : works_) {
      const bool overlaps = work.from < block->end() && block->address < work.to;
      if (overlaps && !device_.streams().is_before(work.stream, work.ticket, on))
        fault_ = text("handed out while stream ", work.stream.handle, " still uses it");
    }
    work_on(*block, on);
    return block;
  }
  void work_on(const Block& block, Stream on) {
    works_.push_back({block.address, block.end(), on, device_.streams().submit(on)});
  }

  SimulatedSource device_;
  CachingAllocator cache_;
  std::size_t bytes_;
  std::vector<Block*> slots_;
  std::vector<Work> works_;
  std::string fault_;
};

/// Depth first; every program is run from its beginning.
class Programs {
 public:
  explicit Programs(const Shape& shape) : shape_(shape), steps_(shape.steps()) {}

  /// The first that goes wrong, or nothing.
  std::string search() {
    for (const Step& step : steps_) {
      program_.push_back(step);
      const std::string fault = run();
      if (!fault.empty()) return fault;
      program_.pop_back();
    }
    return {};
  }
  std::size_t count() const { return count_; }

 private:
  std::string run() {
    {
      Execution execution(shape_);
      for (const Step& step : program_) {
        if (!execution.act(step)) return {};  // so would be all that begin like this
      }
      ++count_;
      if (const std::string fault = execution.fault(); !fault.empty())
        return text(fault, ":", name());
    }
    return program_.size() < shape_.length ? search() : std::string();
  }
  std::string name() const {
    static constexpr std::array words{"allocate", "use", "release", "advance"};
    std::string all;
    for (const Step& it : program_)
      all += text(' ', words[it.kind], '(', it.slot, ',', it.stream, ')');
    return all;
  }

  Shape shape_;
  std::vector<Step> steps_;
  std::vector<Step> program_;
  std::size_t count_ = 0;
};

class StreamSafetyTest : public testing::TestWithParam<Shape> {};

TEST_P(StreamSafetyTest, NeverHandsOutWhatAStreamStillUses) {
  Programs programs(GetParam());

  EXPECT_EQ(programs.search(), "");
  EXPECT_GT(programs.count(), 1000u);
  RecordProperty("programs", static_cast<int>(programs.count()));
}

// Room for two blocks, or for one: memory has to be shared, waited for and stolen.
INSTANTIATE_TEST_SUITE_P(Small, StreamSafetyTest,
                         testing::Values(Shape{2, 2, 2_MiB, 4_MiB, 6}, Shape{2, 2, 1_MiB, 2_MiB, 6},
                                         Shape{3, 2, 1_MiB, 2_MiB, 5}, Shape{2, 3, 1_MiB, 2_MiB, 5},
                                         Shape{3, 1, 2_MiB, 2_MiB, 6}));

// The search would say so if the allocator did not care.
TEST(StreamSafety, FindsAUseThatTheAllocatorWasNotToldOf) {
  Execution execution({2, 1, 1_MiB, 2_MiB, 0});
  ASSERT_TRUE(execution.act({Step::allocate, 0, 0}));
  execution.use_secretly(0, stream(1));
  ASSERT_TRUE(execution.act({Step::release, 0, 0}));

  ASSERT_TRUE(execution.act({Step::allocate, 0, 0}));

  EXPECT_NE(execution.fault(), "");
}

}  // namespace
}  // namespace garboard
