#include "csrc/lifetime/sites_by_bytes.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "csrc/core/bytes.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/registry.h"

namespace garboard {

// Copied first: under the lock nothing is allocated.
std::vector<SiteBytes> sites_by_bytes(const std::function<bool(const StorageRecord&)>& is_wanted) {
  std::vector<std::pair<Site, std::int64_t>> births;
  births.reserve(static_cast<std::size_t>(registry().live().storages) + 64);
  registry().for_each_storage([&](const StorageRecord& it) {
    if (births.size() < births.capacity() && !it.is_waiting && is_wanted(it))
      births.emplace_back(it.site, it.bytes);
  });
  std::unordered_map<Site, SiteBytes> by_site;
  for (const auto& [site, bytes] : births) {
    SiteBytes& entry = by_site[site];
    entry.site = site;
    entry.bytes += bytes;
    ++entry.count;
  }
  std::vector<SiteBytes> sorted;
  for (const auto& [site, entry] : by_site) sorted.push_back(entry);
  std::ranges::sort(sorted,
                    [](const SiteBytes& a, const SiteBytes& b) { return a.bytes > b.bytes; });
  return sorted;
}

std::string largest_lines(const std::vector<SiteBytes>& sites) {
  std::string lines;
  for (std::size_t i = 0; i < std::min<std::size_t>(sites.size(), 5); ++i) {
    const char* const noun = sites[i].count == 1 ? " storage" : " storages";
    lines += text("\n  ", human_bytes(sites[i].bytes), " in ", sites[i].count, noun, ", born at ",
                  describe(sites[i].site));
  }
  return lines;
}

}  // namespace garboard
