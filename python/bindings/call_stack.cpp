#include "python/bindings/call_stack.h"

#include <algorithm>
#include <span>

#include "python/bindings/gil.h"
#include "python/bindings/interpreter_frame.h"

namespace garboard::python {
namespace {

constexpr std::size_t most_calls = 64;
constexpr std::size_t most_stacks = std::size_t{1} << 17;

struct Call {
  const void* position;
  PyCodeObject* code;  // a strong reference in `calls`, borrowed in a walk
};

struct Stack {
  std::uint64_t hash;
  std::uint32_t first;  // in `calls`
  std::uint32_t count;
};

// All guarded by the GIL, and leaked.
struct Stacks {
  std::uint32_t forgotten = 0;  // numbers up to here
  std::vector<Stack> all;
  std::vector<Call> calls;
  std::vector<std::uint32_t> slots =
      std::vector<std::uint32_t>(1024);  // 1 + place in `all`; 0: none
};
Stacks& stacks() {
  static auto* const it = new Stacks;
  return *it;
}

// A position lies inside one code object, and the interned ones live: comparing it is enough.
bool is_same(const Stack& stack, std::uint64_t hash, std::span<const Call> calls) {
  if (stack.hash != hash || stack.count != calls.size()) return false;
  return std::ranges::equal(calls, std::span(stacks().calls).subspan(stack.first, stack.count), {},
                            &Call::position, &Call::position);
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

std::uint32_t intern(std::span<const Call> calls, std::uint64_t hash) {
  Stacks& it = stacks();
  const std::size_t mask = it.slots.size() - 1;
  std::size_t at = hash & mask;
  for (; it.slots[at]; at = (at + 1) & mask) {
    if (is_same(it.all[it.slots[at] - 1], hash, calls)) return it.forgotten + it.slots[at];
  }
  if (it.all.size() == most_stacks) return 0;
  it.calls.reserve(it.calls.size() + calls.size());  // may throw: nothing has changed yet
  it.all.push_back({hash, static_cast<std::uint32_t>(it.calls.size()),
                    static_cast<std::uint32_t>(calls.size())});
  for (const Call& call : calls) {
    Py_INCREF(call.code);
    it.calls.push_back(call);
  }
  it.slots[at] = static_cast<std::uint32_t>(it.all.size());
  const std::uint32_t number = it.forgotten + it.slots[at];
  if (it.all.size() * 2 > it.slots.size()) grow_slots();
  return number;
}

}  // namespace

std::uint32_t current_call_stack() noexcept try {
  // This thread's own frames stand still while it is here, also without the GIL.
  PyThreadState* const thread = Py_IsInitialized() ? PyGILState_GetThisThreadState() : nullptr;
  if (!thread) return 0;
  Call calls[most_calls];
  std::size_t count = 0;
  std::uint64_t hash = 0;
  const InterpreterFrame* frame = innermost_frame(thread);
  for (; frame && count < most_calls; frame = frame->previous) {
    if (!runs_python(frame)) continue;
    calls[count] = {position_of(frame), code_of(frame)};
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(calls[count++].position)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  if (count == 0) return 0;
  // With the GIL: PyGILState_Check asks the same in four calls.
  if (thread == _PyThreadState_UncheckedGet()) return intern({calls, count}, hash);
  const WithGil gil;
  return intern({calls, count}, hash);
} catch (...) {
  return 0;
}

std::vector<SiteText> text_of_call_stack(std::uint32_t number) {
  const Stacks& it = stacks();
  if (number <= it.forgotten || number - it.forgotten > it.all.size()) return {};
  const Stack& stack = it.all[number - it.forgotten - 1];
  std::vector<SiteText> texts;
  for (const Call& call : std::span(it.calls).subspan(stack.first, stack.count))
    texts.push_back(text_at(call.code, line_at(call.code, call.position)));
  return texts;
}

// The references last: what ends with one may run Python, and that may ask for a stack.
void forget_call_stacks() {
  Stacks& it = stacks();
  const std::vector<Call> calls = std::move(it.calls);
  it.forgotten += static_cast<std::uint32_t>(it.all.size());
  it.calls.clear();
  it.all.clear();
  std::ranges::fill(it.slots, 0);
  for (const Call& call : calls) Py_DECREF(call.code);
}

std::size_t call_stack_count() noexcept { return stacks().all.size(); }

}  // namespace garboard::python
