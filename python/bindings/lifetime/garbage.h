// Python's collector, for allocators that are short of memory.
#pragma once

#include <string>

namespace garboard::python {

/// Collects one generation, 0 to 2, unless the program has disabled `gc`. Any thread may ask; it
/// runs under the GIL, and an exception on its way through the op that asked survives it. Where
/// reference cycles have held much, a MemoryLeakWarning names the first birth, once for each line.
/// `is_first` begins what remark_on_garbage() tells of.
void collect_garbage(int generation, bool is_first) noexcept;

/// What the collections of this thread's last request have found, a line, or nothing.
std::string remark_on_garbage();

}  // namespace garboard::python
