// What the library takes the machine to be: whatever differs between machines and decides how work
// is cut, in one place. Block sizes and costs that suit every machine: kernels/cpu/tuning.h.
#pragma once

#include <cstdint>
#include <string>

namespace garboard {

/// No result depends on it but by rounding: a product may sum in other blocks where the second
/// cache has another size.
struct Machine {
  /// What a core has for itself, read from the machine.
  std::int64_t second_cache_bytes = std::int64_t{1} << 20;

  /// What a byte costs that comes from memory, to one thread that has it to itself.
  double memory_byte_ns = 0.035;
  /// Fresh results from this size on go past the caches: they would throw out what is still needed,
  /// and a plain store reads the line first. In chains of ops it pays from 32 MiB on; where a third
  /// cache is smaller, sooner: it is read from the machine, between these 16 MiB and 32.
  std::int64_t streaming_bytes = std::int64_t{16} << 20;

  /// Work is split from here on while a worker is awake, and while all sleep.
  double split_awake_ns = 25e3, split_asleep_ns = 100e3;
  /// So much work between those two, with gaps no longer than that, wakes them.
  std::int64_t waking_ns = 400'000, longest_gap_ns = 1'000'000;
  /// How often a worker looks for work before it sleeps, at 10 to 40 ns each.
  int most_looks = 2000;
  /// Work gives up the outer lock from here on: having it back can take 5 ms.
  double outer_lock_ns = 1e6;
  /// Long work is cut into pieces of about this time, between which it can be interrupted.
  double piece_ns = 4e6;

  /// The machine as the system describes it; `root` is where /sys is looked for. Of what is not
  /// told, the defaults above stay.
  static Machine read(const std::string& root = {});
};

/// Read when first asked for.
const Machine& machine() noexcept;

/// For tests, while no kernel runs: cuts that would need another machine.
void set_machine(const Machine& machine) noexcept;

}  // namespace garboard
