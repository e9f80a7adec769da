#include "python/bindings/lifetime/garbage.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/registry.h"
#include "python/bindings/interpreter/gil.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// What is less is not worth a word.
constexpr std::int64_t least_bytes = 1_MiB;

struct LiveStorage {
  std::uint64_t serial;
  Site site;
  std::int64_t bytes;
};

/// All storages, oldest first. What is born meanwhile may be missing.
std::vector<LiveStorage> live_storages() {
  std::vector<LiveStorage> all;
  all.reserve(static_cast<std::size_t>(registry().live().storages) + 64);
  registry().for_each_storage([&](const StorageRecord& it) {
    if (all.size() < all.capacity()) all.push_back({it.serial, it.site, it.bytes});
  });
  return all;
}

/// What a collection has ended. Both looks have the order of the serials, so one walk compares
/// them.
struct Ended {
  std::int64_t bytes = 0;
  Site first_site = unknown_site;

  explicit Ended(const std::vector<LiveStorage>& before) {
    const std::vector<LiveStorage> after = live_storages();
    if (after.size() == after.capacity()) return;  // some may be missing: nobody is accused
    auto left = after.begin();
    for (const LiveStorage& it : before) {
      while (left != after.end() && left->serial < it.serial) ++left;
      if (left != after.end() && left->serial == it.serial) continue;
      if (first_site == unknown_site) first_site = it.site;
      bytes += it.bytes;
    }
  }
};

std::string sentence(std::int64_t bytes, Site first_site) {
  return text(human_bytes(bytes),
              " of tensors were held by reference cycles alone, the first born at ",
              describe(first_site));
}

constinit thread_local std::int64_t remarked_bytes = 0;
constinit thread_local bool is_interrupted = false;  // by Ctrl-C, which waits to be heard
constinit thread_local Site remarked_site = unknown_site;

void warn_once(const Ended& ended) {
  static std::unordered_set<Site>& warned = *new std::unordered_set<Site>;  // under the GIL
  if (!warned.insert(ended.first_site).second) return;
  const py::object category = py::module_::import("garboard.leaks").attr("MemoryLeakWarning");
  const std::string message = text(sentence(ended.bytes, ended.first_site),
                                   "; dispose what is done with, or break the cycle");
  if (PyErr_WarnEx(category.ptr(), message.c_str(), 1) < 0) throw py::error_already_set();
}

void collect(int generation) {
  const py::module_ gc = py::module_::import("gc");
  if (!py::bool_(gc.attr("isenabled")())) return;
  const std::vector<LiveStorage> before = live_storages();
  gc.attr("collect")(generation);
  const Ended ended(before);
  if (ended.bytes < least_bytes) return;
  remarked_bytes += ended.bytes;
  remarked_site = ended.first_site;
  warn_once(ended);
}

}  // namespace

void collect_garbage(int generation, bool is_first) noexcept {
  const WithGil gil;
  if (!gil) return;
  if (is_first) {
    remarked_bytes = 0;
    is_interrupted = false;
  }
  if (is_interrupted) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    collect(generation);
  } catch (py::error_already_set& error) {
    // Once more, for whoever can pass it on: what runs while garbage is collected cannot.
    if ((is_interrupted = error.matches(PyExc_KeyboardInterrupt)))
      PyErr_SetInterrupt();
    else
      error.discard_as_unraisable("garboard's request for garbage collection");
  } catch (const std::bad_alloc&) {  // whose cycles they were is the least that matters now
  }
  PyErr_Restore(type, value, traceback);
}

std::string remark_on_garbage() {
  return remarked_bytes == 0 ? std::string() : sentence(remarked_bytes, remarked_site);
}

}  // namespace garboard::python
