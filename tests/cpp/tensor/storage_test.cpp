// Storages that several streams use. Every short program is tried, over a device that works
// whenever it likes: no work may touch bytes that work of another owner, not known to be done
// before, has touched.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/device/streams.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/tensor/storage.h"
#include "tests/cpp/support/stand_in.h"

namespace garboard {
namespace {

/// The current stream of the thread, until it ends.
class OnStream {
 public:
  OnStream(Device device, const Counted<LentStream>& lent)
      : device_(device), before_(set_current_stream(device, lent)) {}
  ~OnStream() { set_current_stream(device_, before_); }

 private:
  Device device_;
  Counted<LentStream> before_;
};

constexpr std::int64_t large = 24 * 1024 * 1024;  // two fit beside each other, and no third

/// One step of a program. The streams are 0, the default one, and 1.
struct Step {
  enum Kind { allocate, touch, end, work } kind;
  int stream;
  int storage = 0;
};

constexpr std::array alphabet{
    Step{Step::allocate, 0}, Step{Step::allocate, 1}, Step{Step::touch, 0, 0},
    Step{Step::touch, 1, 0}, Step{Step::touch, 1, 1}, Step{Step::end, 0, 0},
    Step{Step::end, 0, 1},   Step{Step::work, 0},     Step{Step::work, 1},
};

/// What a program does to bytes, and whether that is safe.
class Program {
 public:
  Program(const Counted<LentStream>& side, bool notes_uses) : side_(side), notes_(notes_uses) {
    streams().finish();
    allocator_of(device_).empty_cache();
  }
  ~Program() {
    storages_.fill({});
    streams().finish();
  }

  /// False where the step has no meaning here, so that no program that begins so is of interest.
  bool take(const Step& step) {
    switch (step.kind) {
      case Step::allocate:
        return allocate(step.stream);
      case Step::touch:
        return storages_[place(step.storage)] && touch(step.storage, step.stream);
      case Step::end:
        if (!storages_[place(step.storage)]) return false;
        storages_[place(step.storage)] = {};
        return true;
      case Step::work:
        if (streams().passed(stream(step.stream)) == streams().submitted(stream(step.stream)))
          return false;
        streams().advance(stream(step.stream), streams().passed(stream(step.stream)) + 1);
        return true;
    }
    return false;
  }
  bool is_safe() const { return is_safe_; }

 private:
  struct Touch {
    const void* address;
    std::uint64_t owner;
    Stream stream;
    Ticket ticket;
  };

  static std::size_t place(int i) { return static_cast<std::size_t>(i); }
  static SimulatedTimeline& streams() { return stand_in::streams(); }
  Stream stream(int number) const { return number ? side_->stream : Stream{device_}; }

  bool allocate(int on) {
    const int free = !storages_[0] ? 0 : !storages_[1] ? 1 : -1;
    if (free < 0) return false;
    const OnStream current(device_, on ? side_ : Counted<LentStream>());
    storages_[place(free)] = Storage::allocate(large, device_);
    born_on_[place(free)] = stream(on);
    return touch(free, on);  // what is allocated is written
  }

  // As a program must: the stream waits for the one of birth, and the storage hears of it.
  bool touch(int number, int on) {
    Storage& storage = *storages_[place(number)];
    let_wait(stream(on), born_on_[place(number)]);
    if (notes_) storage.used_on(stream(on));
    for (const Touch& it : touches_) {
      const bool is_of_another = it.address == storage.data() && it.owner != storage.serial;
      if (is_of_another && !streams().is_before(it.stream, it.ticket, stream(on))) is_safe_ = false;
    }
    touches_.push_back({storage.data(), storage.serial, stream(on), streams().submit(stream(on))});
    return true;
  }

  const Device device_ = stand_in::device();
  const Counted<LentStream> side_;
  const bool notes_;
  bool is_safe_ = true;
  std::array<Counted<Storage>, 2> storages_;
  std::array<Stream, 2> born_on_;
  std::vector<Touch> touches_;
};

std::string written(const std::vector<Step>& program) {
  constexpr const char* verbs[] = {"allocate", "touch", "end", "work"};
  std::string text;
  for (const Step& step : program)
    text += std::string(verbs[step.kind]) + " on " + std::to_string(step.stream) + " of " +
            std::to_string(step.storage) + "; ";
  return text;
}

struct Tried {
  int programs = 0;
  int unsafe = 0;
  std::string first_unsafe;
};

// Each program from its start: an allocator cannot be copied.
void try_all(std::vector<Step>& program, std::size_t length, const Counted<LentStream>& side,
             bool notes_uses, Tried& tried) {
  {
    Program run(side, notes_uses);
    for (const Step& step : program) {
      if (!run.take(step)) return;
    }
    if (program.size() == length) ++tried.programs;
    if (!run.is_safe()) {
      if (tried.unsafe++ == 0) tried.first_unsafe = written(program);
      return;
    }
  }
  if (program.size() == length) return;
  for (const Step& step : alphabet) {
    program.push_back(step);
    try_all(program, length, side, notes_uses, tried);
    program.pop_back();
  }
}

Tried try_all(std::size_t length, bool notes_uses) {
  const Counted<LentStream> side = lend_stream(stand_in::device(), 0);
  Tried tried;
  std::vector<Step> program;
  try_all(program, length, side, notes_uses, tried);
  return tried;
}

TEST(StorageOnStreams, IsSafeInEveryShortProgramThatNotesItsUses) {
  const Tried tried = try_all(7, true);

  EXPECT_GT(tried.programs, 10'000);
  EXPECT_EQ(tried.unsafe, 0) << tried.first_unsafe;
}

TEST(StorageOnStreams, IsNotSafeInSomeProgramThatNotesNone) {
  const Tried tried = try_all(5, false);

  EXPECT_GT(tried.unsafe, 0);
}

TEST(StorageOnStreams, IsBornOnTheCurrentStream) {
  const Device device = stand_in::device();
  const Counted<LentStream> side = lend_stream(device, 0);
  const void* first = nullptr;
  {
    const OnStream current(device, side);
    first = Storage::allocate(large, device)->data();
  }

  const Counted<Storage> on_default = Storage::allocate(large, device);
  const OnStream current(device, side);
  const Counted<Storage> on_side = Storage::allocate(large, device);

  EXPECT_NE(on_default->data(), first);
  EXPECT_EQ(on_side->data(), first) << "what a stream has freed it has again at once";
}

TEST(StorageOnStreams, IsWaitedForByTheStreamThatMeetsIt) {
  const Device device = stand_in::device();
  const Counted<LentStream> side = lend_stream(device, 0);
  Counted<Storage> storage = Storage::allocate(large, device);
  const Ticket written = stand_in::streams().submit(Stream{device});
  const void* const address = storage->data();
  {
    const OnStream current(device, side);
    storage->meet_current_stream();
  }
  EXPECT_TRUE(stand_in::streams().is_before(Stream{device}, written, side->stream));
  stand_in::streams().submit(side->stream);

  storage = {};

  EXPECT_NE(Storage::allocate(large, device)->data(), address) << "the side stream may still read";
  stand_in::streams().finish();
}

TEST(StorageOnStreams, HearsNothingOfThemOnTheCpu) {
  const Counted<Storage> storage = Storage::allocate(1000, Device{});

  storage->meet_current_stream();
  storage->used_on(Stream{});

  EXPECT_FALSE(storage->is_pinned());
}

TEST(StorageOnStreams, TellsTheOwnerOfPinnedMemory) {
  static std::vector<Stream> heard;
  heard.clear();
  char bytes[8];
  const Counted<Storage> storage =
      Storage::around(bytes, sizeof bytes, Device{},
                      {.used_on = [](void*, Stream stream) { heard.push_back(stream); }}, true);

  storage->used_on(Stream{stand_in::device()});

  EXPECT_TRUE(storage->is_pinned());
  EXPECT_EQ(heard, std::vector<Stream>{Stream{stand_in::device()}});
}

}  // namespace
}  // namespace garboard
