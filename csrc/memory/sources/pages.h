// Anonymous memory from the system.
#pragma once

#include <cstddef>

namespace garboard {

/// Zeroed pages, aligned to `alignment` (a power of two), none of them in memory before it is
/// touched. Null where the system refuses.
void* map_pages(std::size_t bytes, std::size_t alignment) noexcept;
/// Makes pages zero again, and gives back the memory behind them; the addresses stay.
void drop_pages(void* pages, std::size_t bytes) noexcept;
/// Takes back what `map_pages(bytes, ...)` gave.
void unmap_pages(void* pages, std::size_t bytes) noexcept;

}  // namespace garboard
