#include "csrc/core/slabs.h"

#include <pthread.h>
#include <sys/mman.h>

#include <bit>
#include <mutex>
#include <new>

namespace garboard::pool::detail {

constinit Slabs slabs;

namespace {

static_assert(slabs_a_region == 32, "a bit each");
static_assert(slab_bytes / fine_grain_bytes <= UINT16_MAX);

Region& region_of(const void* at) noexcept {
  return *reinterpret_cast<Region*>(reinterpret_cast<std::uintptr_t>(at) & ~(region_bytes - 1));
}
std::byte* start_of(Region& region, std::size_t slab) noexcept {
  constexpr std::size_t front = (sizeof(Region) + 63) / 64 * 64;
  return reinterpret_cast<std::byte*>(&region) + (slab ? slab * slab_bytes : front);
}
std::byte* end_of(Region& region, std::size_t slab) noexcept {
  return reinterpret_cast<std::byte*>(&region) + (slab + 1) * slab_bytes;
}
std::size_t place_of(const Slab& slab) noexcept {
  return static_cast<std::size_t>(&slab - region_of(&slab).slabs);
}

/// Fails only where the system has no memory, or no address.
Region* new_region() {
  void* const twice =
      mmap(nullptr, 2 * region_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (twice == MAP_FAILED) throw std::bad_alloc();
  auto* const given = static_cast<std::byte*>(twice);
  auto* const start = reinterpret_cast<std::byte*>(&region_of(given + region_bytes - 1));
  if (start > given) munmap(given, static_cast<std::size_t>(start - given));
  if (start < given + region_bytes)
    munmap(start + region_bytes, static_cast<std::size_t>(given + region_bytes - start));
  madvise(start, region_bytes, MADV_HUGEPAGE);
  return ::new (start) Region;
}

void unmap(Region* region) noexcept {
  while (region) {
    auto* const next = static_cast<Region*>(region->after);
    munmap(region, region_bytes);
    region = next;
  }
}

void watch_forks() {
  static const int is_watching =
      pthread_atfork([] { slabs.lock_for_fork(); }, [] { slabs.unlock_after_fork(); },
                     [] { slabs.unlock_after_fork(); });
  (void)is_watching;
}

}  // namespace

Slab* Slabs::slab_with_room(std::size_t size_class) noexcept {
  if (!with_room_[size_class].empty()) return &with_room_[size_class].front();
  const bool is_idle = in_use_.empty();
  if (is_idle && idle_.empty()) return nullptr;
  Region& region = is_idle ? idle_.back() : in_use_.front();
  const auto place = static_cast<std::size_t>(std::countr_zero(region.free_slabs));
  region.free_slabs &= region.free_slabs - 1;
  if (is_idle) {
    --idle_count_;
    region.unlink();
    in_use_.push_back(region);
  } else if (!region.free_slabs) {
    region.unlink();
  }
  const std::ptrdiff_t room = end_of(region, place) - start_of(region, place);
  Slab& slab = region.slabs[place];
  slab.free = nullptr;
  slab.size_class = static_cast<std::uint8_t>(size_class);
  slab.unused_count =
      static_cast<std::uint16_t>(static_cast<std::size_t>(room) / bytes_of(size_class));
  with_room_[size_class].push_back(slab);
  return &slab;
}

Free* Slabs::take(std::size_t size_class, int most) {
  Free* chain = nullptr;
  std::byte* unused = nullptr;
  int count = 0;
  for (Region* fresh = nullptr;; fresh = new_region()) {  // without the lock: the system may wait
    watch_forks();
    const std::lock_guard guard(lock_);
    if (fresh) {
      ++region_count_;
      ++idle_count_;
      idle_.push_back(*fresh);
    }
    Slab* const slab = slab_with_room(size_class);
    if (!slab) continue;
    for (; slab->free && count < most; ++count) {
      Free* const block = slab->free;
      slab->free = block->next;
      block->next = chain;
      chain = block;
    }
    if (count == 0) {
      count = most < slab->unused_count ? most : slab->unused_count;
      Region& region = region_of(slab);
      unused = start_of(region, place_of(*slab)) +
               static_cast<std::size_t>(slab->out_count) * bytes_of(size_class);
      slab->unused_count = static_cast<std::uint16_t>(slab->unused_count - count);
    }
    slab->out_count = static_cast<std::uint16_t>(slab->out_count + count);
    blocks_out_ += static_cast<std::size_t>(count);
    if (!slab->has_room()) slab->unlink();
    break;
  }
  if (!unused) return chain;
  // Without the lock: the first write to a page waits for the system.
  for (int i = count; i-- > 0;) {
    chain = ::new (unused + static_cast<std::size_t>(i) * bytes_of(size_class)) Free{chain};
  }
  return chain;
}

void Slabs::take_back(Free& block) noexcept {
  Region& region = region_of(&block);
  const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(&block) -
                                               reinterpret_cast<std::byte*>(&region));
  Slab& slab = region.slabs[offset / slab_bytes];
  if (!slab.has_room()) with_room_[slab.size_class].push_back(slab);
  block.next = slab.free;
  slab.free = &block;
  --blocks_out_;
  if (--slab.out_count > 0) return;
  slab.unlink();
  if (!region.free_slabs) in_use_.push_back(region);
  region.free_slabs |= std::uint32_t{1} << (offset / slab_bytes);
  if (!region.is_idle()) return;
  region.unlink();
  idle_.push_back(region);
  ++idle_count_;
}

Region* Slabs::idle_beyond(int kept) noexcept {
  Region* chain = nullptr;
  while (idle_count_ > kept) {
    Region& region = idle_.back();
    region.unlink();
    region.after = chain;
    chain = &region;
    --idle_count_;
    --region_count_;
  }
  return chain;
}

void Slabs::give(Free* chain) noexcept {
  constexpr int most_a_time = 64;  // others may be waiting
  while (chain) {
    Region* idle = nullptr;
    {
      const std::lock_guard guard(lock_);
      for (int i = 0; chain && i < most_a_time; ++i) {
        Free& block = *chain;
        chain = chain->next;
        take_back(block);
      }
      idle = idle_beyond(most_idle_regions);
    }
    unmap(idle);
  }
}

void Slabs::trim() noexcept {
  Region* idle = nullptr;
  {
    const std::lock_guard guard(lock_);
    idle = idle_beyond(0);
  }
  unmap(idle);
}

std::size_t Slabs::blocks_out() noexcept {
  const std::lock_guard guard(lock_);
  return blocks_out_;
}

std::size_t Slabs::bytes() noexcept {
  const std::lock_guard guard(lock_);
  return region_count_ * region_bytes;
}

}  // namespace garboard::pool::detail
