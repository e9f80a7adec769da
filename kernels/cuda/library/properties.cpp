#include "kernels/cuda/library/properties.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include "kernels/cuda/launch/status.h"

namespace garboard::kernels::cuda {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  ok(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

/// As the driver's tools print it.
void write_uuid(char (&text)[37], const cudaUUID_t& uuid) {
  char* at = text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
    at += std::snprintf(at, 3, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
  }
}

CudaProperties ask(int device) {
  cudaDeviceProp from{};
  ok(cudaGetDeviceProperties(&from, device));
  CudaProperties to;
  std::memcpy(to.name, from.name, sizeof to.name);
  write_uuid(to.uuid, from.uuid);
  to.major = from.major;
  to.minor = from.minor;
  to.total_memory = from.totalGlobalMem;
  to.shared_memory_per_block = from.sharedMemPerBlock;
  to.shared_memory_per_block_optin = from.sharedMemPerBlockOptin;
  to.shared_memory_per_multiprocessor = from.sharedMemPerMultiprocessor;
  to.l2_cache_size = from.l2CacheSize;
  to.multi_processor_count = from.multiProcessorCount;
  to.max_threads_per_block = from.maxThreadsPerBlock;
  to.max_threads_per_multi_processor = from.maxThreadsPerMultiProcessor;
  to.regs_per_multiprocessor = from.regsPerMultiprocessor;
  to.warp_size = from.warpSize;
  to.memory_bus_width = from.memoryBusWidth;
  to.clock_rate = attribute(cudaDevAttrClockRate, device);
  to.memory_clock_rate = attribute(cudaDevAttrMemoryClockRate, device);
  to.pci_bus_id = from.pciBusID;
  to.pci_device_id = from.pciDeviceID;
  to.pci_domain_id = from.pciDomainID;
  to.is_integrated = from.integrated != 0;
  to.is_multi_gpu_board = from.isMultiGpuBoard != 0;
  return to;
}

}  // namespace

const CudaProperties& properties_of(int device) {
  static CudaProperties properties[max_cuda_devices];
  static std::once_flag asked[max_cuda_devices];
  std::call_once(asked[device], [&] { properties[device] = ask(device); });
  return properties[device];
}

}  // namespace garboard::kernels::cuda
