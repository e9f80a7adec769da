// A site is kept as text, and what was found out about a code object stands in its extra slot, a
// place that CPython has for such and empties with the object. So nobody keeps code alive, and when
// its memory becomes another function's, nothing is left that could be taken for that one.
#include "python/bindings/interpreter/birth_site.h"

#include <memory>
#include <new>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "python/bindings/interpreter/interpreter_frame.h"
#include "python/bindings/interpreter/unicode.h"

namespace garboard::python {
namespace {

struct Interned {
  const std::string* file;
  const std::string* function;
  int line;
  bool operator==(const Interned&) const = default;
};
struct HashInterned {
  std::size_t operator()(const Interned& it) const noexcept {
    const std::hash<const void*> hash;
    return (hash(it.file) * 31 + hash(it.function)) * 31 + static_cast<std::size_t>(it.line);
  }
};

// All guarded by the GIL, and leaked: sites are read until the process ends.
struct Sites {
  const std::string nothing;
  std::vector<Interned> all{{&nothing, &nothing, 0}};
  std::unordered_map<Interned, Site, HashInterned> numbers;
  std::unordered_set<std::string> texts;  // where they stand they stay
  std::vector<std::string> library_paths;
  Py_ssize_t extra_slot = -1;
};
Sites& sites() {
  static auto* const it = new Sites;
  return *it;
}

/// What is known of a code object while it lives.
struct KnownCode {
  PyCodeObject* code;
  bool is_library;
  std::size_t path_count;  // of the library, when that was found out
  // A line has several positions, and one call two: the interpreter makes it at another
  // instruction once it has specialised the first.
  std::unordered_map<const void*, Site> by_position;
};

struct CachedSite {
  const void* code = nullptr;
  const void* position = nullptr;
  Site site = unknown_site;  // of the library's code only where somebody asked for it
  bool is_library = false;
};
constexpr std::size_t cached_count = 1024;
CachedSite cached_sites[cached_count];

CachedSite& cached_site_of(const void* at) {
  const auto position = reinterpret_cast<std::uintptr_t>(at);
  return cached_sites[(position >> 1 ^ position >> 11) % cached_count];
}

bool knows(const CachedSite& cached, const InterpreterFrame* frame) {
  return cached.position == position_of(frame) && cached.code == code_of(frame);
}

/// The code object ends. Runs for each one there is, mostly with null.
#if PY_VERSION_HEX >= 0x030c0000
constexpr auto code_extra = PyUnstable_Code_GetExtra;
constexpr auto set_code_extra = PyUnstable_Code_SetExtra;
constexpr auto request_code_extra = PyUnstable_Eval_RequestCodeExtraIndex;
#else
constexpr auto code_extra = _PyCode_GetExtra;
constexpr auto set_code_extra = _PyCode_SetExtra;
constexpr auto request_code_extra = _PyEval_RequestCodeExtraIndex;
#endif

void forget(void* given) noexcept {
  const std::unique_ptr<KnownCode> known(static_cast<KnownCode*>(given));
  if (!known) return;
  for (CachedSite& cached : cached_sites) {
    if (cached.code == known->code) cached = {};
  }
}

KnownCode& known(PyCodeObject* code) {
  void* found = nullptr;
  auto* const object = reinterpret_cast<PyObject*>(code);
  const std::size_t path_count = sites().library_paths.size();
  if (code_extra(object, sites().extra_slot, &found) == 0 && found) {
    auto& known = *static_cast<KnownCode*>(found);
    if (known.path_count != path_count) known.is_library = is_library(code);
    known.path_count = path_count;
    return known;
  }
  auto fresh = std::make_unique<KnownCode>(KnownCode{code, is_library(code), path_count, {}});
  if (set_code_extra(object, sites().extra_slot, fresh.get()) != 0) {
    PyErr_Clear();
    throw std::bad_alloc();
  }
  return *fresh.release();
}

Site intern(PyCodeObject* code, const void* position) {
  Sites& it = sites();
  const auto keep = [&](PyObject* string) {
    return &*it.texts.emplace(text_or_mark(string)).first;
  };
  const Interned site{keep(code->co_filename), keep(code->co_qualname), line_at(code, position)};
  if (const auto known = it.numbers.find(site); known != it.numbers.end()) return known->second;
  const auto number = static_cast<Site>(it.all.size());
  it.all.push_back(site);
  it.numbers.emplace(site, number);
  return number;
}

Site site_at(KnownCode& known, const void* position) {
  if (const auto it = known.by_position.find(position); it != known.by_position.end())
    return it->second;
  const Site site = intern(known.code, position);
  known.by_position.emplace(position, site);
  return site;
}

CachedSite& filled_site(const InterpreterFrame* frame) {
  CachedSite& cached = cached_site_of(position_of(frame));
  if (knows(cached, frame)) return cached;
  KnownCode& code = known(code_of(frame));
  const Site site = code.is_library ? unknown_site : site_at(code, position_of(frame));
  return cached = {code.code, position_of(frame), site, code.is_library};
}

[[gnu::noinline]] Site search(const InterpreterFrame* frame) noexcept try {
  for (; frame; frame = frame->previous) {
    if (!runs_python(frame)) continue;
    if (const CachedSite& cached = filled_site(frame); !cached.is_library) return cached.site;
  }
  return unknown_site;
} catch (const std::bad_alloc&) {
  return unknown_site;
}

}  // namespace

bool is_library(const PyCodeObject* code) {
  const std::string file = text_or_mark(code->co_filename);
  for (const std::string& prefix : sites().library_paths) {
    if (file.starts_with(prefix)) return true;
  }
  return false;
}

bool start_birth_sites() {
  sites().extra_slot = request_code_extra(forget);
  if (sites().extra_slot >= 0) return true;
  PyErr_SetString(PyExc_ImportError,
                  "garboard: others have taken all places in code objects; import it before them");
  return false;
}

Site current_site(PyThreadState* thread) noexcept {
  const InterpreterFrame* const frame = innermost_frame(thread);
  if (!frame) return unknown_site;
  const CachedSite& cached = cached_site_of(position_of(frame));
  return knows(cached, frame) && !cached.is_library ? cached.site : search(frame);
}

Site site_of(const InterpreterFrame* frame) {
  CachedSite& cached = filled_site(frame);
  if (cached.is_library && cached.site == unknown_site)
    cached.site = site_at(known(code_of(frame)), position_of(frame));
  return cached.site;
}

SiteText text_of(Site site) {
  if (site >= sites().all.size()) site = unknown_site;
  const Interned& it = sites().all[site];
  return {*it.file, it.line, *it.function};
}

void add_library_path(std::string prefix) {
  sites().library_paths.push_back(std::move(prefix));
  for (CachedSite& cached : cached_sites) cached = {};
}

std::size_t site_count() noexcept { return sites().all.size() - 1; }

}  // namespace garboard::python
