// Where in the user's program something was born: a number here, a file and a line above.
#pragma once

#include <cstdint>
#include <string>

namespace garboard {

/// Interned by whoever knows the program (the Python bindings); 0 is "unknown".
using Site = std::uint32_t;

inline constexpr Site unknown_site = 0;

/// `train.py:42 step()`, once a resolver is set; "unknown" before.
std::string describe(Site site);

/// Set once, by the floor that interns sites. It is called without any of our locks.
void set_site_resolver(std::string (*resolver)(Site)) noexcept;

}  // namespace garboard
