// On which lines the bytes that live were born.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "csrc/lifetime/peak.h"

namespace garboard {

struct StorageRecord;

/// The sites of all living storages that are wanted, most bytes first. What is just being asked for
/// does not live yet. `is_wanted` is called under the registry's lock: it must neither allocate
/// storages nor call out.
std::vector<SiteBytes> sites_by_bytes(const std::function<bool(const StorageRecord&)>& is_wanted);

/// The first five in lines such as `1.0 MiB in 2 storages, born at train.py:3 step()`, each with
/// its line break before it.
std::string largest_lines(const std::vector<SiteBytes>& sites);

}  // namespace garboard
