// Bytes that go past the caches, for whoever computes in pieces what is larger than they are.
#pragma once

#include <cstdint>

namespace garboard::kernels {

/// Copies `bytes` from what lies in the cache. What is written becomes visible to other threads in
/// order only after `finish_past_cache`.
void copy_past_cache(void* to, const void* from, std::int64_t bytes) noexcept;
void finish_past_cache() noexcept;

}  // namespace garboard::kernels
