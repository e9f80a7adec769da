// All lines of Python that led here, as a number.
#pragma once

#include <cstdint>
#include <vector>

#include "python/bindings/interpreter/birth_site.h"

namespace garboard::python {

/// Interned; 0 for a thread that runs no Python, and where there are too many stacks already. At
/// most 64 calls, the innermost ones, each the number of a site. Takes the GIL where the thread has
/// given it up.
std::uint32_t current_call_stack() noexcept;

/// The calls of an interned number, innermost first; nothing for 0 and for what is forgotten. Needs
/// the GIL.
std::vector<SiteText> text_of_call_stack(std::uint32_t number);

/// Forgets all. Their numbers are not given again. Needs the GIL.
void forget_call_stacks();

/// How many are interned.
std::size_t call_stack_count() noexcept;

}  // namespace garboard::python
