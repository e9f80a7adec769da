#include "kernels/table.h"

#include <garboard_roll_call_hash.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/cpu/table.h"

namespace garboard::kernels {
namespace {

/// Of those that were built (CMake says which), the ones that the machine has, the best first.
std::vector<InstructionSet> found_here() {
  std::vector<InstructionSet> found;
#ifdef __x86_64__
  __builtin_cpu_init();
#ifdef GARBOARD_HAS_v4
  if (__builtin_cpu_supports("x86-64-v4")) found.push_back({"v4", v4::table});
#endif
#ifdef GARBOARD_HAS_v3
  if (__builtin_cpu_supports("x86-64-v3")) found.push_back({"v3", v3::table});
#endif
#endif
#ifdef GARBOARD_HAS_baseline
  found.push_back({"baseline", baseline::table});
#endif
  if (found.empty())
    throw DeviceError(
        "garboard: this build is for the processor that it was made on, and this one is older; "
        "build it here, or with GARBOARD_INSTRUCTION_SETS=all");
  return found;
}

/// The best one, or the one that the environment names.
InstructionSet choose() {
  const auto sets = instruction_sets();
  const char* wish = std::getenv("GARBOARD_ISA");
  if (!wish) return sets.front();
  std::string names;
  for (const auto& set : sets) {
    if (std::string_view(wish) == set.name) return set;
    names += names.empty() ? set.name : text(", ", set.name);
  }
  throw DeviceError(text("GARBOARD_ISA: ", wish,
                         " was given; what this build has for this machine is needed: ", names));
}

const InstructionSet& chosen() {
  static const InstructionSet set = choose();
  return set;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  static const auto& sets = *new std::vector(found_here());
  return sets;
}

constinit std::atomic<const Table*> detail::chosen_cpu_table{nullptr};

const Table& detail::choose_cpu_table() {
  const Table& table = chosen().table();
  chosen_cpu_table.store(&table, std::memory_order_release);
  return table;
}

const char* instruction_set() { return chosen().name; }

std::uint64_t roll_call_hash() { return roll_call_hash_here; }

}  // namespace garboard::kernels
