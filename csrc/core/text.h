// Builds messages: `text("view: sizes ", sizes, " hold ", n, " elements")`.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace garboard {

/// The arguments, written one after the other with `operator<<`.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

/// "[1, 2]".
inline std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string all;
  for (const std::int64_t number : numbers) all += text(all.empty() ? "" : ", ", number);
  return "[" + all + "]";
}

}  // namespace garboard
