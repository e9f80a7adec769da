#include "kernels/table.h"

#include <garboard_roll_call_hash.h>

#include <cstdlib>
#include <string_view>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "kernels/cpu/table.h"

namespace garboard::kernels {
namespace {

struct InstructionSet {
  const char* name;
  const Table& (*table)();
  bool is_here;
};

/// The best one the machine has, or the one the environment names.
InstructionSet choose() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("x86-64-v3");
  const bool has_v4 = __builtin_cpu_supports("x86-64-v4");
  const InstructionSet best_first[] = {
      {"v4", v4::table, has_v4}, {"v3", v3::table, has_v3}, {"baseline", baseline::table, true}};
#else
  const InstructionSet best_first[] = {{"baseline", baseline::table, true}};
#endif
  const char* wish = std::getenv("GARBOARD_ISA");
  for (const auto& set : best_first)
    if (set.is_here && (!wish || std::string_view(wish) == set.name)) return set;
  throw DeviceError(text("GARBOARD_ISA: ", wish,
                         " was given; one of baseline, v3, v4 that this machine has is needed"));
}

const InstructionSet& chosen() {
  static const InstructionSet set = choose();
  return set;
}

}  // namespace

constinit std::atomic<const Table*> detail::chosen_cpu_table{nullptr};

const Table& detail::choose_cpu_table() {
  const Table& table = chosen().table();
  chosen_cpu_table.store(&table, std::memory_order_release);
  return table;
}

const char* instruction_set() { return chosen().name; }

std::uint64_t roll_call_hash() { return roll_call_hash_here; }

}  // namespace garboard::kernels
