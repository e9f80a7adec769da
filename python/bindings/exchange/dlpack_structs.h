// What DLPack's specification says of the layout of its structs, version 1. Their names are its.
#pragma once

#include <cstdint>

namespace garboard::python {

struct DLDevice {
  std::int32_t device_type, device_id;
  static constexpr std::int32_t cpu = 1, pinned_host = 3;
};

struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
  static constexpr std::uint8_t integer = 0, unsigned_integer = 1, floating = 2, brain_float = 4,
                                complex = 5, boolean = 6;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;      // in elements; null: dense
  std::uint64_t byte_offset;  // of the first element from `data`
};

struct DLManagedTensor {
  static constexpr const char *name = "dltensor", *taken_name = "used_dltensor";
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLPackVersion {
  std::uint32_t major, minor;
};

struct DLManagedTensorVersioned {
  static constexpr const char *name = "dltensor_versioned", *taken_name = "used_dltensor_versioned";
  static constexpr std::uint64_t read_only = 1, is_copied = 2;
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

}  // namespace garboard::python
