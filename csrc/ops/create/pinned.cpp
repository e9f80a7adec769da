#include "csrc/ops/create/pinned.h"

#include "csrc/core/error.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/devices/pinned_memory.h"
#include "csrc/ops/op/record.h"

namespace garboard {
namespace {

// The host's books know it as memory of somebody else: its own allocator keeps the other ones.
Counted<Storage> allocate_pinned(CachingAllocator& memory, std::int64_t bytes) {
  Block* const block = memory.allocate(static_cast<std::size_t>(bytes), {});
  const ForeignOwner owner{
      .object = block,
      .release = [](void* held) noexcept { release_pinned(static_cast<Block*>(held)); },
      .used_on =
          [](void* held, Stream stream) {
            pinned_allocator("used_on").used_on(static_cast<Block*>(held), stream);
          }};
  try {
    return Storage::around(block ? block->data() : nullptr, bytes, Device{}, owner, true);
  } catch (...) {
    memory.release(block);
    throw;
  }
}

}  // namespace

Tensor pin_memory(const Tensor& input) {
  if (!input.device().is_cpu())
    throw DeviceError(text("pin_memory: a tensor on ", input.device(),
                           "; one on the CPU is needed, as cpu() returns it"));
  CachingAllocator& memory = pinned_allocator("pin_memory");
  if (is_pinned(input)) return input;
  const Tensor dense = contiguous(input);
  Tensor result = Tensor::over(allocate_pinned(memory, dense.nbytes()), dense.dtype(),
                               dense.sizes(), dense.strides(), 0);
  copy_into(result, dense);
  record("pin_memory", result, {input}, Keep::nothing,
         [](const Backward& at) -> Grads { return at.grad; });
  return result;
}

}  // namespace garboard
