// Builds messages: `text("view: sizes ", sizes, " hold ", n, " elements")`.
#pragma once

#include <sstream>
#include <string>

namespace garboard {

/// The arguments, written one after the other with `operator<<`.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

}  // namespace garboard
