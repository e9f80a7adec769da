// Binds the allocators: statistics, limits, the cache, and the garbage collector they ask for help.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/core/host_memory.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/failing_allocation.h"
#include "csrc/lifetime/registry.h"
#include "csrc/lifetime/scope_report.h"
#include "csrc/lifetime/sites_by_bytes.h"
#include "csrc/memory/allocator/allocators.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/unicode.h"
#include "python/bindings/lifetime/garbage.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

Device device_of_object(const py::object& device) {
  return device.is_none() ? Device{} : to_device(device.ptr(), "memory");
}

CachingAllocator& allocator_of_object(const py::object& device) {
  return allocator_of(device_of_object(device));
}

py::dict stats_of(const py::object& device) {
  const MemoryStats stats = allocator_of_object(device).stats();
  py::dict all;
  const auto add = [&](const char* key, auto value) { all[key] = value; };
  add("live_bytes", stats.live_bytes);
  add("peak_live_bytes", stats.peak_live_bytes);
  add("booked_bytes", stats.booked_bytes);
  add("reserved_bytes", stats.reserved_bytes);
  add("peak_reserved_bytes", stats.peak_reserved_bytes);
  add("pending_bytes", stats.pending_bytes);
  add("cached_bytes", stats.cached_bytes);
  add("largest_free_block", stats.largest_free_block);
  add("foreign_bytes", stats.foreign_bytes);
  add("scratch_bytes", stats.scratch_bytes);
  add("peak_scratch_bytes", stats.peak_scratch_bytes);
  add("allocation_count", stats.allocation_count);
  add("free_count", stats.free_count);
  add("segment_count", stats.segment_count);
  add("cache_hits", stats.cache_hits);
  add("cache_misses", stats.cache_misses);
  py::dict saved_by;
  for (std::size_t i = 0; i < miss_step_names.size(); ++i)
    saved_by[py::str(miss_step_names[i].data(), miss_step_names[i].size())] = stats.saved_by[i];
  all["step_saved"] = saved_by;
  add("map_count", stats.map_count);
  add("map_time_us", stats.map_time_us);
  add("unmap_count", stats.unmap_count);
  add("unmap_time_us", stats.unmap_time_us);
  add("stream_wait_count", stats.stream_wait_count);
  add("moved_bytes", stats.moved_bytes);
  add("stolen_bytes", stats.stolen_bytes);
  add("retry_count", stats.retry_count);
  add("gc_runs", stats.gc_runs);
  add("gc_freed_bytes", stats.gc_freed_bytes);
  add("gc_time_us", stats.gc_time_us);
  add("out_of_memory_count", stats.out_of_memory_count);
  return all;
}

/// Who holds the live bytes of a device, for the report of a request that failed: lines of the
/// program, and the open scopes that have a name to be found by.
HoldersReport holders_of(Device device) {
  const auto sites = sites_by_bytes([=](const StorageRecord& it) { return it.device == device; });
  const auto scopes = scopes_by_bytes(device);
  HoldersReport report;
  for (const SiteBytes& it : sites)
    report.each.push_back(
        {text("what was born at ", describe(it.site)), static_cast<std::size_t>(it.bytes)});
  for (const ScopeBytes& it : scopes) {
    if (!it.name.empty())
      report.each.push_back({text("scope \"", it.name, '"'), static_cast<std::size_t>(it.bytes)});
  }
  if (!sites.empty()) report.lines = largest_lines(sites).substr(1);
  if (!scopes.empty())
    report.lines += text("\nopen scopes of this thread:", largest_scopes(scopes));
  const std::string garbage = remark_on_garbage();
  if (!garbage.empty()) report.lines += text('\n', garbage);
  return report;
}

py::tuple row_of(const Tally& tally) {
  return py::make_tuple(tally.current(), tally.peak(), tally.allocated(), tally.freed());
}

/// By pool and quantity, (current, peak, allocated, freed); (blocks, bytes) of "split"; and one
/// number, "free_squared".
py::dict counts_of(const py::object& device) {
  const CountsByPool counts = allocator_of_object(device).counts_by_pool();
  const auto pool = [](const PoolCounts& of) {
    py::dict rows;
    rows["blocks"] = row_of(of.blocks);
    rows["active_blocks"] =
        py::make_tuple(of.active_blocks(), std::max(of.most_active_blocks, of.blocks.peak()),
                       of.blocks.allocated(), of.ended_blocks());
    rows["requested_bytes"] = row_of(of.requested_bytes);
    rows["occupied_bytes"] = row_of(of.occupied_bytes);
    rows["segments"] = row_of(of.segments);
    rows["reserved_bytes"] = row_of(of.reserved_bytes);
    rows["split"] = py::make_tuple(of.split_blocks, of.split_bytes);
    rows["free_squared"] = py::make_tuple(py::int_(py::float_(of.free_squared)));
    return rows;
  };
  py::dict all;
  all["all"] = pool(counts.all);
  all["small_pool"] = pool(counts.small);
  all["large_pool"] = pool(counts.large);
  return all;
}

std::size_t capacity_of(const py::object& device) {
  const Device of = device_of_object(device);
  return of.is_cpu() ? host_memory_bytes() : allocator_of(of).source().capacity_bytes();
}

/// (bytes, step, rows of (site, storages, bytes)).
py::tuple peak_of(const py::object& device) {
  const Peak peak = registry().peak(device_of_object(device));
  py::list rows;
  for (const SiteBytes& it : peak.by_site) rows.append(py::make_tuple(it.site, it.count, it.bytes));
  return py::make_tuple(peak.bytes, peak.step, rows);
}

std::optional<std::size_t> bytes_from(const py::object& limit) {
  if (limit.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(limit))
    return parse_bytes(to_text(limit.ptr(), "set_memory_limit", "limit"),
                       "set_memory_limit: limit");
  const std::int64_t bytes = to_integer(limit.ptr(), "set_memory_limit", "limit");
  if (bytes < 0)
    throw ShapeError(text("set_memory_limit: limit ", bytes, "; it must not be negative"));
  return static_cast<std::size_t>(bytes);
}

}  // namespace

void bind_memory(py::module_& m) {
  set_hooks_everywhere({.collect = &collect_garbage, .holders = &holders_of});
  m.def("_memory_stats", &stats_of, py::arg("device") = py::none(),
        "The counters of one device's allocator, in bytes.");
  m.def(
      "_empty_cache",
      [](const py::object& device) { return allocator_of_object(device).empty_cache(); },
      py::arg("device") = py::none(), "Return free segments to the system; the bytes returned.");
  m.def(
      "_set_memory_limit",
      [](const py::object& limit, const py::object& device) {
        CachingAllocator& allocator = allocator_of_object(device);
        const auto before = allocator.limit();
        allocator.set_limit(bytes_from(limit));
        return before;
      },
      py::arg("limit"), py::arg("device") = py::none(),
      "Cap reserved and booked bytes; None takes the cap off. Returns what it was.");
  m.def(
      "_memory_limit", [](const py::object& device) { return allocator_of_object(device).limit(); },
      py::arg("device") = py::none(), "The cap in bytes, or None.");
  m.def(
      "_reset_peaks",
      [](const py::object& device) {
        allocator_of_object(device).reset_peaks();
        registry().reset_peak(device_of_object(device));
      },
      py::arg("device") = py::none(), "Let the peaks be what is live and reserved now.");
  m.def("_memory_counts", &counts_of, py::arg("device") = py::none(),
        "What small and large requests have taken, by pool and quantity.");
  m.def("_memory_capacity", &capacity_of, py::arg("device") = py::none(),
        "The bytes the device has; the CPU's are the machine's or the control group's.");
  m.def(
      "_reset_accumulated",
      [](const py::object& device) { allocator_of_object(device).reset_accumulated(); },
      py::arg("device") = py::none(), "Count what is allocated and freed from now on.");
  m.def("_peak", &peak_of, py::arg("device") = py::none(),
        "(bytes, step, rows of (site, storages, bytes)) of the most that lived at once.");
  py::class_<FailingAllocation>(m, "_FailingAllocation",
                                "Fails one allocation of this thread, while it lives.")
      .def(py::init<std::int64_t>(), py::arg("number"))
      .def_property_readonly("count", &FailingAllocation::count)
      .def_property_readonly("has_failed", &FailingAllocation::has_failed);
  m.def(
      "human_bytes", [](std::int64_t bytes) { return human_bytes(bytes); }, py::arg("bytes"),
      R"(Write an amount of bytes as people read it.

Args:
    bytes: The amount.

Returns:
    Text with a binary unit.

>>> gb.memory.human_bytes(1536)
'1.5 KiB'
)");
  m.def(
      "parse_bytes", [](const std::string& text) { return parse_bytes(text); }, py::arg("text"),
      R"(Read an amount of bytes, as people write it.

Args:
    text: A number, whole or not, with or without a unit: B, KB, MB, GB, TB of 1000, or KiB, MiB,
        GiB, TiB of 1024.

Returns:
    The bytes, a whole number.

Raises:
    ShapeError: The text is no amount.

>>> gb.memory.parse_bytes("1.5 KiB")
1536
)");
}

}  // namespace garboard::python
