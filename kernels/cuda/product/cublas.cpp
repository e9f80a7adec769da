#include "kernels/cuda/product/cublas.h"

#include <library_types.h>

#include <map>
#include <mutex>
#include <string>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "kernels/cuda/launch/captured.h"
#include "kernels/cuda/launch/runtime.h"
#include "kernels/cuda/launch/status.h"
#include "kernels/cuda/product/switches.h"
#include "kernels/cuda/product/vendor_library.h"

namespace garboard::kernels::cuda {
namespace {

constexpr int major_version = CUDART_VERSION / 1000;
constexpr const char* op = "matmul";

/// What of its interface is used, written down here: nvcc comes without cuBLAS's headers.
struct Cublas {
  enum Operation : int { as_is = 0, transposed = 1 };
  enum Status : int { success = 0, allocation_failed = 3 };
  using Handle = void*;
  template <class T>
  using Product = Status (*)(Handle, Operation x_as, Operation y_as, std::int64_t rows,
                             std::int64_t columns, std::int64_t depth, const T* alpha, const T* x,
                             std::int64_t x_leading, long long x_step, const T* y,
                             std::int64_t y_leading, long long y_step, const T* beta, T* c,
                             std::int64_t c_leading, long long c_step, std::int64_t batch);
  /// The same of other elements, with sums and numbers in float32.
  enum Compute : int { in_float32 = 68, in_tf32 = 77 };
  enum Algorithm : int { chosen_by_library = -1 };
  using MixedProduct = Status (*)(Handle, Operation x_as, Operation y_as, std::int64_t rows,
                                  std::int64_t columns, std::int64_t depth, const void* alpha,
                                  const void* x, cudaDataType, std::int64_t x_leading,
                                  long long x_step, const void* y, cudaDataType,
                                  std::int64_t y_leading, long long y_step, const void* beta,
                                  void* c, cudaDataType, std::int64_t c_leading, long long c_step,
                                  std::int64_t batch, Compute, Algorithm);

  /// Else parts of a sum may meet in the narrow type.
  enum MathMode : int { sums_stay_wide = 16 };

  Status (*create)(Handle*);
  Status (*set_math_mode)(Handle, MathMode);
  Status (*set_stream)(Handle, cudaStream_t);
  Status (*set_scratch)(Handle, void*, std::size_t bytes);
  const char* (*describe)(Status);
  Product<float> multiply_floats;
  Product<double> multiply_doubles;
  MixedProduct multiply_mixed;

  Handle make_handle(Stream stream) const {
    Handle handle = nullptr;
    ok(create(&handle));
    ok(set_math_mode(handle, sums_stay_wide));
    ok(set_stream(handle, static_cast<cudaStream_t>(stream.handle)));
    return handle;
  }
  void ok(Status status) const {
    if (status == success) return;
    const std::string message = text(op, ": cuBLAS: ", describe(status));
    if (status == allocation_failed) throw OutOfMemoryError(message, message);
    throw DeviceError(message);
  }
};

// At the first product, for it takes most of a second.
const Cublas& cublas() {
  static const Cublas found = [] {
    Cublas functions{};
    const VendorLibrary library(text("cu", major_version), text("libcublas.so.", major_version));
    if (!library)
      throw DeviceError(text(op, ": ", library.file_name(), " was not found (", library.fault(),
                             "); install the CUDA toolkit or the package nvidia-cublas"));
    library.find(op, "cublasCreate_v2", functions.create);
    library.find(op, "cublasSetMathMode", functions.set_math_mode);
    library.find(op, "cublasSetStream_v2", functions.set_stream);
    library.find(op, "cublasSetWorkspace_v2", functions.set_scratch);
    library.find(op, "cublasGetStatusString", functions.describe);
    library.find(op, "cublasSgemmStridedBatched_64", functions.multiply_floats);
    library.find(op, "cublasDgemmStridedBatched_64", functions.multiply_doubles);
    library.find(op, "cublasGemmStridedBatchedEx_64", functions.multiply_mixed);
    return functions;
  }();
  return found;
}

/// Of a device, one for each stream: products that overlap must not share the memory that a handle
/// has for their sums. It is locked while a product is queued, which does not wait for the device.
struct LockedHandles {
  std::mutex mutex;
  std::map<void*, Cublas::Handle> of_stream;
};

Cublas::Operation operation(const Gemm::Operand& operand) {
  return operand.is_transposed ? Cublas::transposed : Cublas::as_is;
}

template <class T>
void multiply(Cublas::Handle handle, Cublas::Product<T> product, const Gemm& g) {
  const T alpha = 1, beta = static_cast<T>(g.beta);
  cublas().ok(product(handle, operation(g.x), operation(g.y), g.rows, g.columns, g.depth, &alpha,
                      static_cast<const T*>(g.x.data), g.x.leading, g.x.step,
                      static_cast<const T*>(g.y.data), g.y.leading, g.y.step, &beta,
                      static_cast<T*>(g.c), g.leading, g.step, g.batch));
}

void multiply_mixed(Cublas::Handle handle, cudaDataType type, Cublas::Compute compute,
                    const Gemm& g) {
  const float alpha = 1, beta = static_cast<float>(g.beta);
  cublas().ok(cublas().multiply_mixed(
      handle, operation(g.x), operation(g.y), g.rows, g.columns, g.depth, &alpha, g.x.data, type,
      g.x.leading, g.x.step, g.y.data, type, g.y.leading, g.y.step, &beta, g.c, type, g.leading,
      g.step, g.batch, compute, Cublas::chosen_by_library));
}

}  // namespace

namespace {

void multiply(Cublas::Handle handle, const Gemm& gemm) {
  visit_floating(gemm.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, float>) {
      if (switches.tf32_products) return multiply_mixed(handle, CUDA_R_32F, Cublas::in_tf32, gemm);
      multiply<float>(handle, cublas().multiply_floats, gemm);
    } else if constexpr (std::is_same_v<T, double>) {
      multiply<double>(handle, cublas().multiply_doubles, gemm);
    } else {
      const auto type = std::is_same_v<T, Float16> ? CUDA_R_16F : CUDA_R_16BF;
      multiply_mixed(handle, type, Cublas::in_float32, gemm);
    }
  });
}

/// A handle that works for another stream, on memory of ours, as long as this lives.
class LentHandle {
 public:
  LentHandle(Cublas::Handle handle, Stream stream, void* scratch, std::size_t bytes)
      : handle_(handle) {
    cublas().ok(cublas().set_stream(handle, static_cast<cudaStream_t>(stream.handle)));
    cublas().ok(cublas().set_scratch(handle, scratch, bytes));
  }
  ~LentHandle() { cublas().set_stream(handle_, nullptr); }  // with the memory that it had
  LentHandle(const LentHandle&) = delete;
  LentHandle& operator=(const LentHandle&) = delete;

 private:
  Cublas::Handle handle_;
};

}  // namespace

// What is captured has memory of its own for its sums: that of a handle is used by other work, too,
// whenever it is played.
void multiply(const Gemm& gemm, Stream stream) {
  static auto* const handles = new LockedHandles[max_cuda_devices];  // leaked too
  constexpr std::size_t captured_bytes = std::size_t{32} << 20;      // as much as a handle takes
  const Cublas& library = cublas();
  const bool is_to_be_played = is_captured(stream);
  const Scratch scratch(is_to_be_played ? captured_bytes : 0, stream);
  ok(cudaSetDevice(stream.device.number));
  LockedHandles& of_device = handles[stream.device.number];
  const std::lock_guard lock(of_device.mutex);
  const Stream owner = is_to_be_played ? Stream{stream.device} : stream;
  Cublas::Handle& own = of_device.of_stream[owner.handle];
  if (!own) own = library.make_handle(owner);
  if (!is_to_be_played) return multiply(own, gemm);
  const LentHandle lent(own, stream, scratch.as<void>(), captured_bytes);
  multiply(own, gemm);
}

}  // namespace garboard::kernels::cuda
