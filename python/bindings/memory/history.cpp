// Binds what the allocators record, and tells them who is asking: a line or a stack of Python, the
// open scope's name, the thread.
#include "csrc/memory/record/history.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/ticks.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/registry.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/tensor/storage.h"
#include "python/bindings/interpreter/birth_site.h"
#include "python/bindings/interpreter/call_stack.h"
#include "python/bindings/memory/snapshot_blocks.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

constexpr std::uint32_t is_stack = 0x8000'0000;  // of a caller: a stack, not a site
constexpr std::size_t most_names = 10'000;       // a program may name each step

// Guarded by a lock of their own: an op may allocate without the GIL. Leaked.
struct ScopeNames {
  std::mutex lock;
  std::vector<std::string> all{""};
  std::unordered_map<std::string, std::uint32_t> numbers;
};
ScopeNames& scope_names() {
  static auto* const it = new ScopeNames;
  return *it;
}

/// Of the nearest scope with a name, from `scope` outward; 0: none.
std::uint32_t number_of_name(DisposeScope* scope) {
  while (scope && scope->name().empty()) scope = scope->outer();
  if (!scope) return 0;
  if (const std::uint32_t known = scope->name_number.load(std::memory_order_relaxed)) return known;
  ScopeNames& names = scope_names();
  const std::lock_guard guard(names.lock);
  const auto next = static_cast<std::uint32_t>(names.all.size());
  if (next > most_names && !names.numbers.contains(scope->name())) return 0;
  const auto [entry, is_new] = names.numbers.try_emplace(scope->name(), next);
  if (is_new) names.all.push_back(scope->name());
  scope->name_number.store(entry->second, std::memory_order_relaxed);
  return entry->second;
}

Origin origin_now(HistoryLevel level) noexcept try {
  const Stamp stamp = stamp_now();
  Origin origin{.thread = stamp.thread};
  if (level == HistoryLevel::off) return origin;
  origin.caller = stamp.site;
  origin.tag = number_of_name(birth.scope);
  if (level == HistoryLevel::stack) {
    if (const std::uint32_t stack = current_call_stack()) origin.caller = stack | is_stack;
  }
  return origin;
} catch (...) {
  return {};
}

const TickScale& scale() {
  static const auto* const it = new TickScale;
  return *it;
}

void record_history(int level, std::size_t most_entries, const py::object& device) {
  scale();
  const auto asked = static_cast<HistoryLevel>(level);
  if (device.is_none()) return record_history_everywhere(asked, most_entries);
  allocator_of(to_device(device.ptr(), "_record_memory_history"))
      .record_history(asked, most_entries);
}

/// The collector would walk the million dicts of a snapshot again and again while they are made.
class NoCollection {
 public:
  NoCollection() : was_on_(PyGC_Disable()) {}
  ~NoCollection() {
    if (was_on_) PyGC_Enable();
  }
  NoCollection(const NoCollection&) = delete;
  NoCollection& operator=(const NoCollection&) = delete;

 private:
  int was_on_;
};

std::vector<SeenStorage> live_storages(Device at) {
  std::vector<SeenStorage> found;
  found.reserve(static_cast<std::size_t>(registry().live().storages) + 256);
  registry().for_each_storage([&](const StorageRecord& it) {
    if (it.device != at || it.is_foreign || it.is_waiting || it.bytes == 0) return;
    if (found.size() == found.capacity()) return;
    const auto& storage = static_cast<const Storage&>(it);
    found.push_back({reinterpret_cast<std::uintptr_t>(storage.data()), it.bytes, it.site,
                     at.is_cpu() && it.bytes <= inline_bytes});
  });
  return found;
}

/// Of an open device: what its snapshot needs, read under as few locks as there are. Without
/// `frames` the events alone.
py::object snapshot_of(const py::object& device, const py::object& frames) {
  const Device at = to_device(device.ptr(), "_snapshot");
  CachingAllocator* const allocator = at.is_cpu() ? &allocator_of(at) : find_allocator(at);
  if (!allocator) return py::none();
  const std::vector<SeenStorage> live = live_storages(at);
  const MemorySnapshot snapshot = allocator->snapshot();

  const NoCollection meanwhile;
  const TickScale::Now now(scale());
  py::list segments, blocks, entries;
  SnapshotBlocks::Payloads payloads;
  if (!frames.is_none()) {
    SnapshotBlocks made(frames, live);
    std::span<const MemorySnapshot::BlockRow> rows(snapshot.blocks);
    for (const auto& it : snapshot.segments) {
      const BlockSums sums = made.append(blocks, rows.first(it.block_count));
      rows = rows.subspan(it.block_count);
      segments.append(py::make_tuple(it.address, it.bytes, it.stream, it.is_small, it.is_range,
                                     it.block_count, sums.allocated, sums.active, sums.requested));
    }
    payloads = made.payloads(snapshot.entries);
  }
  for (const auto& it : snapshot.entries)
    entries.append(py::make_tuple(static_cast<int>(it.action), it.address, it.bytes,
                                  now.epoch_us(it.ticks), it.origin.caller, it.origin.tag,
                                  it.origin.thread, it.stream, it.is_booked));
  const py::tuple sums =
      py::make_tuple(payloads.active_bytes, payloads.active_bytes, payloads.requested_bytes);
  return py::make_tuple(segments, blocks, entries,
                        py::make_tuple(payloads.blocks, payloads.count, sums), payloads.places,
                        snapshot.lost_entry_count);
}

py::list lines_of(std::uint32_t caller) {
  py::list lines;
  const auto add = [&](const SiteText& it) {
    if (!it.file.empty()) lines.append(py::make_tuple(it.file, it.line, it.function));
  };
  if (caller & is_stack) {
    for (const SiteText& it : text_of_call_stack(caller & ~is_stack)) add(it);
  } else {
    add(text_of(caller));
  }
  return lines;
}

std::string name_of_tag(std::uint32_t tag) {
  ScopeNames& names = scope_names();
  const std::lock_guard guard(names.lock);
  return tag < names.all.size() ? names.all[tag] : "";
}

}  // namespace

void bind_history(py::module_& m) {
  History::set_origin_source(&origin_now);
  m.def("_record_history", &record_history, py::arg("level"), py::arg("most_entries"),
        py::arg("device") = py::none(),
        "Forget what was recorded and record at level 0 (off), 1 (site) or 2 (stack).");
  m.def(
      "_history_level",
      [](const py::object& device) {
        const CachingAllocator* const it = find_allocator(to_device(device.ptr(), "history"));
        return it ? static_cast<int>(it->history_level()) : 0;
      },
      py::arg("device"), "The level a device records at; 0 where it is not open.");
  m.def(
      "_memory_snapshot", &snapshot_of, py::arg("device"), py::arg("frames") = py::none(),
      "(segments, blocks, entries, (blocks of payloads, how many places, their sums), places of "
      "payloads that entries tell of, entries lost); None where it is not open. Without frames(), "
      "which returns those of a caller, the entries alone.");
  m.def("_lines_of_caller", &lines_of, py::arg("caller"),
        "(file, line, function) of a recorded caller, innermost first.");
  m.def("_name_of_tag", &name_of_tag, py::arg("tag"), "The name of a recorded scope.");
  m.def("_call_stack_count", &call_stack_count, "How many call stacks are kept.");
  m.def("_forget_call_stacks", &forget_call_stacks,
        "Let go of all recorded stacks; what still names one shows no lines.");
}

}  // namespace garboard::python
