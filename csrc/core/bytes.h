// Amounts of memory, as people write and read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace garboard {

inline namespace byte_literals {

consteval std::size_t operator""_KiB(unsigned long long n) { return n << 10; }
consteval std::size_t operator""_MiB(unsigned long long n) { return n << 20; }
consteval std::size_t operator""_GiB(unsigned long long n) { return n << 30; }

}  // namespace byte_literals

/// `412 bytes`, `1.5 KiB`, `400.0 MiB`: one digit after the point, rounded to the nearest.
std::string human_bytes(std::size_t bytes);

/// The same with every byte: `400.0 MiB (419430400 bytes)`.
std::string exact_bytes(std::size_t bytes);

/// Reads `512`, `1.5 KiB`, `2GiB`, `100 MB` (a million each); upper and lower case are alike, a
/// fraction of a byte is dropped. Raises ShapeError for anything else, and for 2^63 and more, which
/// begins with `given_to`.
std::size_t parse_bytes(std::string_view text, std::string_view given_to = "parse_bytes:");

}  // namespace garboard
