// The driver's library is not linked, for the machine may have none: its functions are asked of the
// runtime by name, at the first use.
#include "kernels/cuda/library/virtual_memory.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace garboard::kernels::cuda {
namespace {

constexpr unsigned version_of_calls = 10020;  // CUDA 10.2 brought all of them

template <class Function>
void ask_for(Function*& function, const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &found, version_of_calls, cudaEnableDefault, &result);
  if (status != cudaSuccess) cudaGetLastError();
  if (status == cudaSuccess && result == cudaDriverEntryPointSuccess)
    function = reinterpret_cast<Function*>(found);
}

struct Driver {
  decltype(cuDeviceGetAttribute)* get_attribute = nullptr;
  decltype(cuMemGetAllocationGranularity)* get_granularity = nullptr;
  decltype(cuMemAddressReserve)* reserve = nullptr;
  decltype(cuMemAddressFree)* unreserve = nullptr;
  decltype(cuMemCreate)* create = nullptr;
  decltype(cuMemRelease)* release = nullptr;
  decltype(cuMemMap)* map = nullptr;
  decltype(cuMemSetAccess)* set_access = nullptr;
  decltype(cuMemUnmap)* unmap = nullptr;

  Driver() {
    ask_for(get_attribute, "cuDeviceGetAttribute");
    ask_for(get_granularity, "cuMemGetAllocationGranularity");
    ask_for(reserve, "cuMemAddressReserve");
    ask_for(unreserve, "cuMemAddressFree");
    ask_for(create, "cuMemCreate");
    ask_for(release, "cuMemRelease");
    ask_for(map, "cuMemMap");
    ask_for(set_access, "cuMemSetAccess");
    ask_for(unmap, "cuMemUnmap");
  }
  bool is_complete() const {
    return get_attribute && get_granularity && reserve && unreserve && create && release && map &&
           set_access && unmap;
  }
};

const Driver& driver() {
  static const Driver once;
  return once;
}

// Each time: the calls want a context of the device, and another library may have chosen another.
bool use(int device) noexcept {
  if (cudaSetDevice(device) == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

CUmemAllocationProp memory_of(int device) noexcept {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  return properties;
}

CUdeviceptr number_of(void* address) noexcept { return reinterpret_cast<CUdeviceptr>(address); }

std::size_t granularity(int device) noexcept {
  if (!use(device) || !driver().is_complete()) return 0;
  int can_do = 0;
  if (driver().get_attribute(&can_do, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                             device) != CUDA_SUCCESS ||
      !can_do)
    return 0;
  std::size_t bytes = 0;
  const CUmemAllocationProp properties = memory_of(device);
  if (driver().get_granularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) !=
      CUDA_SUCCESS)
    return 0;
  return bytes;
}

void* reserve(int device, std::size_t bytes, std::size_t alignment) noexcept {
  CUdeviceptr range = 0;
  if (!use(device) || driver().reserve(&range, bytes, alignment, 0, 0) != CUDA_SUCCESS)
    return nullptr;
  return reinterpret_cast<void*>(range);
}

void unreserve(int device, void* range, std::size_t bytes) noexcept {
  if (use(device)) driver().unreserve(number_of(range), bytes);
}

std::uint64_t create(int device, std::size_t bytes) noexcept {
  CUmemGenericAllocationHandle memory = 0;
  const CUmemAllocationProp properties = memory_of(device);
  if (!use(device) || driver().create(&memory, bytes, &properties, 0) != CUDA_SUCCESS) return 0;
  return memory;
}

void release(int device, std::uint64_t memory) noexcept {
  if (use(device)) driver().release(memory);
}

bool map(int device, void* address, std::size_t bytes, std::uint64_t memory) noexcept {
  return use(device) && driver().map(number_of(address), bytes, 0, memory, 0) == CUDA_SUCCESS;
}

bool set_access(int device, void* address, std::size_t bytes) noexcept {
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return use(device) && driver().set_access(number_of(address), bytes, &access, 1) == CUDA_SUCCESS;
}

void unmap(int device, void* address, std::size_t bytes) noexcept {
  if (!use(device)) return;
  if (cudaDeviceSynchronize() != cudaSuccess) cudaGetLastError();
  driver().unmap(number_of(address), bytes);
}

}  // namespace

const CudaVirtualMemory virtual_memory{.granularity = granularity,
                                       .reserve = reserve,
                                       .unreserve = unreserve,
                                       .create = create,
                                       .release = release,
                                       .map = map,
                                       .set_access = set_access,
                                       .unmap = unmap};

}  // namespace garboard::kernels::cuda
