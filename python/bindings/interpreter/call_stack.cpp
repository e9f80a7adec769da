#include "python/bindings/interpreter/call_stack.h"

#include <algorithm>
#include <optional>
#include <span>

#include "python/bindings/interpreter/gil.h"
#include "python/bindings/interpreter/interpreter_frame.h"

namespace garboard::python {
namespace {

constexpr std::size_t most_calls = 64;
constexpr std::size_t most_stacks = std::size_t{1} << 17;

struct Stack {
  std::uint64_t hash;
  std::uint32_t first;  // in `sites`
  std::uint32_t count;
};

// All guarded by the GIL, and leaked.
struct Stacks {
  std::uint32_t forgotten = 0;  // numbers up to here
  std::vector<Stack> all;
  std::vector<Site> sites;
  std::vector<std::uint32_t> slots =
      std::vector<std::uint32_t>(1024);  // 1 + place in `all`; 0: none
};
Stacks& stacks() {
  static auto* const it = new Stacks;
  return *it;
}

std::span<const Site> sites_of(const Stack& stack) {
  return std::span(stacks().sites).subspan(stack.first, stack.count);
}

bool is_same(const Stack& stack, std::uint64_t hash, std::span<const Site> sites) {
  return stack.hash == hash && std::ranges::equal(sites, sites_of(stack));
}

void grow_slots() {
  Stacks& it = stacks();
  std::vector<std::uint32_t> slots(it.slots.size() * 2);
  for (std::size_t i = 0; i < it.all.size(); ++i) {
    std::size_t at = it.all[i].hash % slots.size();
    while (slots[at]) at = (at + 1) % slots.size();
    slots[at] = static_cast<std::uint32_t>(i + 1);
  }
  it.slots = std::move(slots);
}

std::uint32_t intern(std::span<const Site> sites, std::uint64_t hash) {
  Stacks& it = stacks();
  const std::size_t mask = it.slots.size() - 1;
  std::size_t at = hash & mask;
  for (; it.slots[at]; at = (at + 1) & mask) {
    if (is_same(it.all[it.slots[at] - 1], hash, sites)) return it.forgotten + it.slots[at];
  }
  if (it.all.size() == most_stacks) return 0;
  const auto first = static_cast<std::uint32_t>(it.sites.size());
  it.sites.insert(it.sites.end(), sites.begin(), sites.end());
  it.all.push_back({hash, first, static_cast<std::uint32_t>(sites.size())});
  it.slots[at] = static_cast<std::uint32_t>(it.all.size());
  const std::uint32_t number = it.forgotten + it.slots[at];
  if (it.all.size() * 2 > it.slots.size()) grow_slots();
  return number;
}

}  // namespace

std::uint32_t current_call_stack() noexcept try {
  PyThreadState* const thread = Py_IsInitialized() ? PyGILState_GetThisThreadState() : nullptr;
  if (!thread) return 0;
  std::optional<WithGil> gil;  // PyGILState_Check asks the same in four calls
  if (thread != _PyThreadState_UncheckedGet() && !gil.emplace()) return 0;
  Site sites[most_calls];
  std::size_t count = 0;
  std::uint64_t hash = 0;
  const InterpreterFrame* frame = innermost_frame(thread);
  for (; frame && count < most_calls; frame = frame->previous) {
    if (!runs_python(frame)) continue;
    const Site site = sites[count++] = site_of(frame);
    hash = (hash ^ site) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return count ? intern({sites, count}, hash) : 0;
} catch (...) {
  return 0;
}

std::vector<SiteText> text_of_call_stack(std::uint32_t number) {
  const Stacks& it = stacks();
  if (number <= it.forgotten || number - it.forgotten > it.all.size()) return {};
  std::vector<SiteText> texts;
  for (const Site site : sites_of(it.all[number - it.forgotten - 1]))
    texts.push_back(text_of(site));
  return texts;
}

void forget_call_stacks() {
  Stacks& it = stacks();
  it.forgotten += static_cast<std::uint32_t>(it.all.size());
  it.sites.clear();
  it.all.clear();
  std::ranges::fill(it.slots, 0);
}

std::size_t call_stack_count() noexcept { return stacks().all.size(); }

}  // namespace garboard::python
