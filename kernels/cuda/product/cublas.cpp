#include "kernels/cuda/product/cublas.h"

#include <dlfcn.h>
#include <library_types.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "kernels/cuda/launch/status.h"

namespace garboard::kernels::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int major_version = CUDART_VERSION / 1000;
// Leaked: nothing that a thread may still use is destroyed at the end.
const std::string& file_name = *new std::string(text("libcublas.so.", major_version));

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
  /// The same of elements of half types, with sums and numbers in float32.
  enum Compute : int { in_float32 = 68 };
  enum Algorithm : int { chosen_by_library = -1 };
  using HalfProduct = Status (*)(Handle, Operation x_as, Operation y_as, std::int64_t rows,
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
  const char* (*describe)(Status);
  Product<float> multiply_floats;
  Product<double> multiply_doubles;
  HalfProduct multiply_halves;

  Handle make_handle(Stream stream) const {
    Handle handle = nullptr;
    ok(create(&handle));
    ok(set_math_mode(handle, sums_stay_wide));
    ok(set_stream(handle, static_cast<cudaStream_t>(stream.handle)));
    return handle;
  }
  void ok(Status status) const {
    if (status == success) return;
    const std::string message = text("matmul: cuBLAS: ", describe(status));
    if (status == allocation_failed) throw OutOfMemoryError(message, message);
    throw DeviceError(message);
  }
};

/// First the wheels that pip installs beside us, then what the system knows, then the toolkit.
std::vector<std::string> places() {
  std::vector<std::string> places;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&multiply), &info) && info.dli_fname) {
    const fs::path packages = fs::path(info.dli_fname).parent_path().parent_path();
    places.push_back(packages / "nvidia" / text("cu", major_version) / "lib" / file_name);
  }
  places.push_back(file_name);
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* toolkit = std::getenv(variable))
      places.push_back(fs::path(toolkit) / "lib64" / file_name);
  places.push_back("/usr/local/cuda/lib64/" + file_name);
  return places;
}

void* open_library() {
  std::string said;
  for (const std::string& place : places()) {
    if (void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (const char* fault = dlerror(); said.empty() && fault) said = fault;
  }
  throw DeviceError(text("matmul: ", file_name, " was not found (", said,
                         "); install the CUDA toolkit or the package nvidia-cublas"));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw DeviceError(text("matmul: ", file_name, " lacks ", name));
}

// At the first product, for it takes most of a second; never closed, for it has memory of its own
// on the devices.
const Cublas& cublas() {
  static const Cublas found = [] {
    Cublas functions{};
    void* const library = open_library();
    find(library, "cublasCreate_v2", functions.create);
    find(library, "cublasSetMathMode", functions.set_math_mode);
    find(library, "cublasSetStream_v2", functions.set_stream);
    find(library, "cublasGetStatusString", functions.describe);
    find(library, "cublasSgemmStridedBatched_64", functions.multiply_floats);
    find(library, "cublasDgemmStridedBatched_64", functions.multiply_doubles);
    find(library, "cublasGemmStridedBatchedEx_64", functions.multiply_halves);
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

void multiply_halves(Cublas::Handle handle, cudaDataType type, const Gemm& g) {
  const float alpha = 1, beta = static_cast<float>(g.beta);
  cublas().ok(cublas().multiply_halves(
      handle, operation(g.x), operation(g.y), g.rows, g.columns, g.depth, &alpha, g.x.data, type,
      g.x.leading, g.x.step, g.y.data, type, g.y.leading, g.y.step, &beta, g.c, type, g.leading,
      g.step, g.batch, Cublas::in_float32, Cublas::chosen_by_library));
}

}  // namespace

void multiply(const Gemm& gemm, Stream stream) {
  static auto* const handles = new LockedHandles[max_cuda_devices];  // leaked too
  const Cublas& library = cublas();
  ok(cudaSetDevice(stream.device.number));
  LockedHandles& of_device = handles[stream.device.number];
  const std::lock_guard lock(of_device.mutex);
  Cublas::Handle& own = of_device.of_stream[stream.handle];
  if (!own) own = library.make_handle(stream);
  visit_floating(gemm.dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_same_v<T, float>)
      multiply<float>(own, library.multiply_floats, gemm);
    else if constexpr (std::is_same_v<T, double>)
      multiply<double>(own, library.multiply_doubles, gemm);
    else
      multiply_halves(own, std::is_same_v<T, Float16> ? CUDA_R_16F : CUDA_R_16BF, gemm);
  });
}

}  // namespace garboard::kernels::cuda
