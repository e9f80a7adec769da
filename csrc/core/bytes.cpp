#include "csrc/core/bytes.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard {
namespace {

constexpr std::array binary_units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

struct Unit {
  std::string_view name;  // in lower case
  double bytes;
};
constexpr std::array<Unit, 10> units{{{"", 1},
                                      {"b", 1},
                                      {"kib", 0x1p10},
                                      {"mib", 0x1p20},
                                      {"gib", 0x1p30},
                                      {"tib", 0x1p40},
                                      {"kb", 1e3},
                                      {"mb", 1e6},
                                      {"gb", 1e9},
                                      {"tb", 1e12}}};

constexpr std::string_view blanks = " \t";

std::string_view stripped(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Not std::tolower: what a number means must not hang on the locale.
std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

[[noreturn]] void refuse(std::string_view text, std::string_view given_to) {
  throw ShapeError(garboard::text(
      given_to, " '", text, "' given; an amount such as '2 GiB', '1.5 MiB' or '4096' is needed"));
}

}  // namespace

std::string human_bytes(std::size_t bytes) {
  if (bytes < 1024) return text(bytes, bytes == 1 ? " byte" : " bytes");
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1023.95) {  // would be printed as 1024.0
    amount /= 1024;
    ++unit;
  }
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.1f %s", amount, binary_units[unit]);
  return buffer.data();
}

std::string exact_bytes(std::size_t bytes) {
  if (bytes < 1024) return human_bytes(bytes);
  return text(human_bytes(bytes), " (", bytes, " bytes)");
}

std::size_t parse_bytes(std::string_view text, std::string_view given_to) {
  const std::string_view given = stripped(text);
  double amount = 0;
  const auto [end, failure] =
      std::from_chars(given.data(), given.data() + given.size(), amount, std::chars_format::fixed);
  if (failure != std::errc{} || !std::isfinite(amount) || std::signbit(amount))
    refuse(text, given_to);
  const std::string name = lower(stripped(given.substr(end - given.data())));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double bytes = amount * unit.bytes;
    if (!(bytes < 0x1p63)) refuse(text, given_to);
    return static_cast<std::size_t>(bytes);
  }
  refuse(text, given_to);
}

}  // namespace garboard
