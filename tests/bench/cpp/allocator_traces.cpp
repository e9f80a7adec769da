// How much memory CachingAllocator needs for programs, beside PyTorch's default policy: the most it
// has mapped, and the smallest device on which the program still runs, both divided by the most
// that is live. Must reach: 1.05 on programs shaped like models, and on MiniMalloc's sets. Ours
// moves free memory to keep to that: how much in all, and in the program's last quarter, is told as
// well.
//
//   allocator_traces [--cuda] [SET.csv | RECORDING ...]      prints a line of JSON for each
//
// `--cuda`: on a device as CUDA's, with large handles of 32 MiB, where nothing is moved.
//
// Sets are MiniMalloc's, buffers as id,lower,upper,size: played 30 times over, sizes x 4096 and up
// to 15 % smaller. A recording is a line a step, as tests/bench/traces/README.md says.
// `./run bench allocator` builds it, names the files and draws the table.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace {

using namespace garboard;

/// Allocations and releases, in order. Every one is numbered, and released once.
struct Trace {
  struct Step {
    std::size_t number;
    std::size_t bytes;  // 0: release
  };
  std::string name;
  std::vector<Step> steps;
  std::vector<std::size_t> sizes = {};

  std::size_t allocate(std::size_t bytes) {
    sizes.push_back(bytes);
    steps.push_back({sizes.size() - 1, bytes});
    return sizes.size() - 1;
  }
  void release(std::size_t number) { steps.push_back({number, 0}); }
  std::size_t peak_bytes() const {
    std::size_t live = 0, peak = 0;
    for (const Step& step : steps) {
      live = step.bytes ? live + step.bytes : live - sizes[step.number];
      peak = std::max(peak, live);
    }
    return peak;
  }
};

struct Outcome {
  bool is_complete;
  std::size_t mapped_bytes;  // the most
  std::size_t moved_bytes = 0;
  std::size_t lately_moved_bytes = 0;  // in the last quarter
};

constexpr std::size_t plenty = std::size_t{1} << 40;

bool is_cuda = false;

Outcome play_ours(const Trace& trace, std::size_t capacity) {
  SimulatedSource device(
      {.capacity_bytes = capacity, .large_handle_bytes = is_cuda ? 32_MiB : 0, .is_backed = false});
  AllocationPolicy policy;
  policy.moving.is_on = !is_cuda;
  CachingAllocator cache(device, policy);
  std::vector<Block*> blocks(trace.sizes.size());
  std::size_t moved_before = 0;
  Outcome outcome{.is_complete = true, .mapped_bytes = 0};
  try {
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      const auto& [number, bytes] = trace.steps[i];
      if (bytes) {
        blocks[number] = cache.allocate(bytes, {});
      } else {
        cache.release(std::exchange(blocks[number], nullptr));
      }
      if (i == trace.steps.size() / 4 * 3) moved_before = cache.stats().moved_bytes;
    }
  } catch (const OutOfMemoryError&) {
    outcome.is_complete = false;
  }
  for (Block* block : blocks) cache.release(block);
  outcome.mapped_bytes = device.peak_mapped_bytes();
  outcome.moved_bytes = cache.stats().moved_bytes;
  outcome.lately_moved_bytes = outcome.moved_bytes - moved_before;
  return outcome;
}

/// PyTorch's default policy (2.x, no expandable segments, one stream), by its documentation: sizes
/// in multiples of 512 bytes; up to 1 MiB from segments of 2 MiB, below 10 MiB from segments of 20,
/// above from segments of their own in multiples of 2 MiB; best fit; a large piece is cut where
/// more than 1 MiB is left; neighbours merge at once; before it gives up, all free segments go.
class DefaultPolicy {
 public:
  explicit DefaultPolicy(std::size_t capacity) : capacity_(capacity) {}

  bool allocate(std::size_t number, std::size_t requested) {
    const std::size_t bytes = rounded(requested, 512);
    const bool is_small = bytes <= 1_MiB;
    std::size_t segment = rounded(bytes, 2_MiB);
    if (is_small) segment = 2_MiB;
    if (!is_small && bytes < 10_MiB) segment = 20_MiB;
    auto& free = free_[is_small];
    auto found = free.lower_bound({bytes, 0});
    if (found == free.end()) {
      if (mapped_ + segment > capacity_) return_free_segments();
      if (mapped_ + segment > capacity_) return false;
      mapped_ += segment;
      peak_ = std::max(peak_, mapped_);
      const std::size_t address = next_address_;
      next_address_ += segment + 1_MiB;  // segments never touch
      pieces_[address] = {segment, true, is_small, true, true};
      found = free.insert({segment, address}).first;
    }
    const std::size_t address = found->second;
    free.erase(found);
    Piece& piece = pieces_[address];
    piece.is_free = false;
    const std::size_t rest = piece.bytes - bytes;
    if (is_small ? rest >= 512 : rest > 1_MiB) {
      pieces_[address + bytes] = {rest, true, is_small, false, piece.ends_segment};
      free.insert({rest, address + bytes});
      piece.bytes = bytes;
      piece.ends_segment = false;
    }
    live_[number] = address;
    return true;
  }

  void release(std::size_t number) {
    auto at = pieces_.find(live_.extract(number).mapped());
    auto& free = free_[at->second.is_small];
    at->second.is_free = true;
    if (const auto after = std::next(at); !at->second.ends_segment && after->second.is_free) {
      free.erase({after->second.bytes, after->first});
      join(at, after);
    }
    if (!at->second.begins_segment && std::prev(at)->second.is_free) {
      const auto before = std::prev(at);
      free.erase({before->second.bytes, before->first});
      join(before, at);
      at = before;
    }
    free.insert({at->second.bytes, at->first});
  }

  std::size_t peak_bytes() const { return peak_; }

 private:
  struct Piece {
    std::size_t bytes = 0;
    bool is_free = true;
    bool is_small = false;
    bool begins_segment = true;
    bool ends_segment = true;
  };
  using Pieces = std::map<std::size_t, Piece>;

  static std::size_t rounded(std::size_t bytes, std::size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
  }
  void join(Pieces::iterator below, Pieces::iterator above) {
    below->second.bytes += above->second.bytes;
    below->second.ends_segment = above->second.ends_segment;
    pieces_.erase(above);
  }
  void return_free_segments() {
    for (auto at = pieces_.begin(); at != pieces_.end();) {
      const Piece& piece = at->second;
      if (!piece.is_free || !piece.begins_segment || !piece.ends_segment) {
        ++at;
        continue;
      }
      mapped_ -= piece.bytes;
      free_[piece.is_small].erase({piece.bytes, at->first});
      at = pieces_.erase(at);
    }
  }

  std::size_t capacity_;
  std::size_t mapped_ = 0;
  std::size_t peak_ = 0;
  std::size_t next_address_ = 0;
  Pieces pieces_;
  std::set<std::pair<std::size_t, std::size_t>> free_[2];  // by size, then address
  std::map<std::size_t, std::size_t> live_;
};

Outcome play_default(const Trace& trace, std::size_t capacity) {
  DefaultPolicy policy(capacity);
  for (const auto& [number, bytes] : trace.steps) {
    if (!bytes) {
      policy.release(number);
    } else if (!policy.allocate(number, bytes)) {
      return {false, policy.peak_bytes()};
    }
  }
  return {true, policy.peak_bytes()};
}

// By halving: to one 256th of what is live.
template <class Play>
std::size_t smallest_capacity(const Trace& trace, Play play, std::size_t enough) {
  std::size_t low = trace.peak_bytes() / 2_MiB * 2_MiB;
  const std::size_t step = std::max<std::size_t>(2_MiB, low / 256 / 2_MiB * 2_MiB);
  std::size_t high = (enough + step - 1) / step * step;
  while (high - low > step) {
    const std::size_t middle = (low + (high - low) / 2) / 2_MiB * 2_MiB;
    (play(trace, middle).is_complete ? high : low) = middle;
  }
  return high;
}

/// Training steps of a transformer whose sequences are of random length: weights and two moments
/// stay, activations are kept on the way forth and end on the way back, gradients are made anew.
Trace transformer(bool is_random) {
  Trace trace{.name = is_random ? "transformer, random lengths" : "transformer, one length",
              .steps = {}};
  std::mt19937_64 random(5);
  constexpr std::size_t width = 768, layers = 12, batch = 8;
  for (std::size_t layer = 0; layer < 3 * layers; ++layer) {
    for (const std::size_t count : {3 * width, width, 4 * width, 4 * width}) {
      trace.allocate(4 * count * width);
      trace.allocate(4 * count);
    }
  }
  for (int step = 0; step < 40; ++step) {
    const std::size_t length = is_random ? 64 + random() % 960 : 512;
    const std::size_t row = 4 * batch * length * width;
    std::vector<std::vector<std::size_t>> kept(layers);
    for (auto& saved : kept) {
      for (const std::size_t bytes :
           {row, 3 * row, 4 * batch * 12 * length * length, row, row, 4 * row, 4 * row, row}) {
        const std::size_t scratch = trace.allocate(bytes);
        saved.push_back(trace.allocate(bytes));
        trace.release(scratch);
      }
      saved.push_back(trace.allocate(4 * batch * length));
    }
    std::vector<std::size_t> gradients;
    for (std::size_t layer = layers; layer-- > 0;) {
      for (std::size_t i = kept[layer].size(); i-- > 0;) {
        const std::size_t gradient = trace.allocate(trace.sizes[kept[layer][i]]);
        trace.release(kept[layer][i]);
        trace.release(gradient);
      }
      for (const std::size_t count : {3 * width, width, 4 * width, 4 * width}) {
        gradients.push_back(trace.allocate(4 * count * width));
        gradients.push_back(trace.allocate(4 * count));
      }
    }
    for (const std::size_t gradient : gradients) trace.release(gradient);
  }
  return trace;
}

/// Training steps of a convolutional network on images of random size.
Trace convolutions() {
  Trace trace{.name = "convolutions, random images", .steps = {}};
  std::mt19937_64 random(6);
  for (int step = 0; step < 60; ++step) {
    const std::size_t side = 128 + 32 * (random() % 12);
    std::vector<std::size_t> kept;
    for (std::size_t level = 0; level < 5; ++level) {
      const std::size_t pixels = (side >> level) * (side >> level);
      for (int i = 0; i < 4; ++i) {
        const std::size_t columns = trace.allocate(16 * 9 * pixels * (std::size_t{16} << level));
        kept.push_back(trace.allocate(4 * 16 * pixels * (std::size_t{16} << level)));
        trace.release(columns);
        kept.push_back(trace.allocate(4 * (std::size_t{64} << level)));
      }
    }
    while (!kept.empty()) {
      const std::size_t gradient = trace.allocate(trace.sizes[kept.back()]);
      trace.release(kept.back());
      kept.pop_back();
      trace.release(gradient);
    }
  }
  return trace;
}

/// Decoding with a cache of keys and values that is copied into a longer one at every token.
Trace decoding() {
  Trace trace{.name = "decoding, growing caches", .steps = {}};
  std::mt19937_64 random(7);
  for (int request = 0; request < 6; ++request) {
    const std::size_t batch = 1 + random() % 8;
    const std::size_t first = 16 + random() % 256;
    std::vector<std::size_t> caches;
    for (int layer = 0; layer < 24; ++layer) caches.push_back(trace.allocate(4096 * batch * first));
    for (std::size_t token = first + 1; token < first + 200; ++token) {
      for (std::size_t& cache : caches) {
        const std::size_t scores = trace.allocate(64 * batch * token);
        const std::size_t longer = trace.allocate(4096 * batch * token);
        trace.release(std::exchange(cache, longer));
        trace.release(scores);
      }
    }
    for (const std::size_t cache : caches) trace.release(cache);
  }
  return trace;
}

Trace mini_malloc(const std::string& path) {
  Trace trace{.name = path.substr(path.rfind('/') + 1), .steps = {}};
  struct Buffer {
    std::size_t id, lower, upper, size;
  };
  std::vector<Buffer> buffers;
  std::ifstream file(path);
  file.ignore(256, '\n');
  char comma;
  for (Buffer b; file >> b.id >> comma >> b.lower >> comma >> b.upper >> comma >> b.size;) {
    buffers.push_back(b);
  }
  std::vector<std::tuple<std::size_t, bool, std::size_t>> events;  // releases before allocations
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    events.emplace_back(buffers[i].lower, true, i);
    events.emplace_back(buffers[i].upper, false, i);
  }
  std::sort(events.begin(), events.end());
  std::mt19937_64 random(8);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::size_t> numbers(buffers.size());
    for (const auto& [time, begins, i] : events) {
      if (begins) {
        const std::size_t bytes = buffers[i].size * 4096;
        numbers[i] = trace.allocate(bytes - random() % (bytes * 15 / 100 + 1));
      } else {
        trace.release(numbers[i]);
      }
    }
  }
  return trace;
}

/// What a program did in PyTorch: bytes to allocate, or -1 to release the youngest, and so on back.
Trace recorded(const std::string& path) {
  Trace trace{.name = path.substr(path.rfind('/') + 1), .steps = {}};
  std::ifstream file(path);
  for (long long step; file >> step;) {
    if (step > 0) {
      trace.allocate(static_cast<std::size_t>(step));
    } else {
      trace.release(trace.sizes.size() - static_cast<std::size_t>(-step));
    }
  }
  if (!file.eof() || trace.steps.empty()) throw Error(text(path, " is no recording"));
  return trace;
}

template <class Play>
void print_needs(const char* who, const Trace& trace, Play play) {
  const auto peak = static_cast<double>(trace.peak_bytes());
  const auto share = [&](std::size_t bytes) { return static_cast<double>(bytes) / peak; };
  const Outcome freely = play(trace, plenty);
  const std::size_t smallest = smallest_capacity(trace, play, freely.mapped_bytes);
  std::printf(
      ", \"%s\": {\"mapped\": %.4f, \"smallest_device\": %.4f, \"moved\": %.4f, "
      "\"lately_moved\": %.4f}",
      who, share(freely.mapped_bytes), share(smallest), share(freely.moved_bytes),
      share(freely.lately_moved_bytes));
}

void compare(const Trace& trace) {
  std::printf("{\"what\": \"%s\", \"peak_bytes\": %zu", trace.name.c_str(), trace.peak_bytes());
  print_needs("ours", trace, play_ours);
  print_needs("baseline", trace, play_default);
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** paths) try {
  is_cuda = count > 1 && std::string_view(paths[1]) == "--cuda";
  compare(transformer(true));
  compare(transformer(false));
  compare(convolutions());
  compare(decoding());
  for (int i = is_cuda ? 2 : 1; i < count; ++i) {
    const std::string path = paths[i];
    compare(path.ends_with(".csv") ? mini_malloc(path) : recorded(path));
  }
} catch (const garboard::Error& error) {
  std::fprintf(stderr, "allocator_traces: %s\n", error.what());
  return 1;
}
