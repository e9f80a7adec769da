#include "python/bindings/birth_site.h"

#include <unordered_map>
#include <vector>

#include "csrc/core/text.h"
#include "python/bindings/interpreter_frame.h"

namespace garboard::python {
namespace {

using Frame = InterpreterFrame;

constexpr Site in_library = ~Site{0};

struct Interned {
  PyCodeObject* code;  // a strong reference: an address must not come to mean another function
  int line;
  bool operator==(const Interned&) const = default;
};
struct HashInterned {
  std::size_t operator()(const Interned& it) const noexcept {
    return std::hash<const void*>()(it.code) * 31 + static_cast<std::size_t>(it.line);
  }
};

struct Slot {
  const void* code = nullptr;
  const void* position = nullptr;
  Site site = unknown_site;
};

// All guarded by the GIL, and leaked: sites are read until the process ends.
struct Sites {
  std::vector<Interned> all{{nullptr, 0}};
  std::unordered_map<const void*, Site> numbers;  // by position, which lies inside one code object
  // A line has several positions, and one call two: the interpreter makes it at another
  // instruction once it has specialised the first.
  std::unordered_map<Interned, Site, HashInterned> by_line;
  std::unordered_map<const PyCodeObject*, bool> library_code;
  std::vector<std::string> library_paths;
};
Sites& sites() {
  static auto* const it = new Sites;
  return *it;
}

constexpr std::size_t slot_count = 1024;
Slot slots[slot_count];

bool is_library(PyCodeObject* code) {
  const auto [entry, is_new] = sites().library_code.try_emplace(code, false);
  if (!is_new) return entry->second;
  Py_INCREF(code);
  Py_ssize_t length = 0;
  const char* const file = PyUnicode_AsUTF8AndSize(code->co_filename, &length);
  if (!file) {
    PyErr_Clear();
    return false;
  }
  for (const std::string& prefix : sites().library_paths)
    entry->second |= std::string_view(file, static_cast<std::size_t>(length)).starts_with(prefix);
  return entry->second;
}

Site intern(const Frame* frame) {
  PyCodeObject* const code = code_of(frame);
  if (is_library(code)) return in_library;
  const auto [entry, is_new] = sites().numbers.try_emplace(position_of(frame), unknown_site);
  if (is_new) {
    const Interned it{code, line_at(code, position_of(frame))};
    const auto next = static_cast<Site>(sites().all.size());
    const auto [line, is_new_line] = sites().by_line.try_emplace(it, next);
    if (is_new_line) sites().all.push_back(it);
    entry->second = line->second;
  }
  return entry->second;
}

Slot& slot_of(const Frame* frame) {
  const auto position = reinterpret_cast<std::uintptr_t>(position_of(frame));
  return slots[(position >> 1 ^ position >> 11) % slot_count];
}

bool knows(const Slot& slot, const Frame* frame) {
  return slot.position == position_of(frame) && slot.code == code_of(frame);
}

Site lookup(const Frame* frame) {
  Slot& slot = slot_of(frame);
  if (!knows(slot, frame)) slot = {code_of(frame), position_of(frame), intern(frame)};
  return slot.site;
}

[[gnu::noinline]] Site search(const Frame* frame) {
  for (; frame; frame = frame->previous) {
    if (!runs_python(frame)) continue;
    if (const Site site = lookup(frame); site != in_library) return site;
  }
  return unknown_site;
}

}  // namespace

Site current_site(PyThreadState* thread) noexcept {
  const Frame* const frame = innermost_frame(thread);
  if (!frame) return unknown_site;
  const Slot& slot = slot_of(frame);
  return knows(slot, frame) && slot.site != in_library ? slot.site : search(frame);
}

SiteText text_at(PyCodeObject* code, int line) {
  const auto utf8 = [](PyObject* string) {
    const char* const text = PyUnicode_AsUTF8(string);
    if (!text) PyErr_Clear();
    return std::string(text ? text : "?");
  };
  return {utf8(code->co_filename), line, utf8(code->co_qualname)};
}

SiteText text_of(Site site) {
  if (site == unknown_site || site >= sites().all.size()) return {"", 0, ""};
  const auto [code, line] = sites().all[site];
  return text_at(code, line);
}

void add_library_path(std::string prefix) {
  sites().library_paths.push_back(std::move(prefix));
  sites().library_code.clear();
  for (Slot& slot : slots) slot = {};
}

std::size_t site_count() noexcept { return sites().all.size() - 1; }

}  // namespace garboard::python
