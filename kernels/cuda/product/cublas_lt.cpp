#include "kernels/cuda/product/cublas_lt.h"

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "kernels/cuda/launch/runtime.h"
#include "kernels/cuda/launch/status.h"
#include "kernels/cuda/product/alignment.h"
#include "kernels/cuda/product/switches.h"
#include "kernels/cuda/product/vendor_library.h"

namespace garboard::kernels::cuda {
namespace {

constexpr const char* op = "linear";
constexpr std::size_t most_scratch_bytes = std::size_t{32} << 20;
constexpr std::uintptr_t most_alignment = 256;

/// What of its interface is used, written down here: nvcc comes without cuBLAS's headers.
struct CublasLt {
  enum Status : int { success = 0 };
  enum Compute : int { in_float32 = 68, in_tf32 = 77 };
  enum Fact : int { x_as = 3, y_as = 4, epilogue = 7, bias = 8 };  // of a product
  enum Epilogue : int { adds_bias = 4 };
  enum Wish : int { scratch_bytes = 1, reductions = 3, alignment_of_x = 5 };  // then y, c, d
  enum Reduction : int { of_wide_sums = 2 };
  using Handle = void*;
  using Descriptor = void*;

  struct Algorithm {
    std::uint64_t data[8];
  };
  struct Found {
    Algorithm algorithm;
    std::size_t scratch_bytes;
    Status status;
    float waves;
    int reserved[4];
  };

  Status (*create)(Handle*) = nullptr;
  const char* (*describe)(Status) = nullptr;
  Status (*make_product)(Descriptor*, Compute, cudaDataType) = nullptr;
  Status (*set_product)(Descriptor, Fact, const void*, std::size_t bytes) = nullptr;
  Status (*make_layout)(Descriptor*, cudaDataType, std::uint64_t rows, std::uint64_t columns,
                        std::int64_t leading) = nullptr;
  Status (*destroy_product)(Descriptor) = nullptr;
  Status (*destroy_layout)(Descriptor) = nullptr;
  Status (*make_wishes)(Descriptor*) = nullptr;
  Status (*destroy_wishes)(Descriptor) = nullptr;
  Status (*set_wish)(Descriptor, Wish, const void*, std::size_t bytes) = nullptr;
  Status (*find_algorithm)(Handle, Descriptor product, Descriptor x, Descriptor y, Descriptor c,
                           Descriptor d, Descriptor wishes, int most, Found*, int* found) = nullptr;
  Status (*multiply)(Handle, Descriptor product, const void* alpha, const void* x, Descriptor of_x,
                     const void* y, Descriptor of_y, const void* beta, const void* c,
                     Descriptor of_c, void* d, Descriptor of_d, const Algorithm*, void* scratch,
                     std::size_t scratch_bytes, cudaStream_t) = nullptr;

  void ok(Status status) const {
    if (status != success) throw DeviceError(text(op, ": cuBLASLt: ", describe(status)));
  }
};

/// Null where it is not installed.
const CublasLt* cublas_lt() {
  static const std::optional<CublasLt> found = []() -> std::optional<CublasLt> {
    constexpr int major_version = CUDART_VERSION / 1000;
    const VendorLibrary library(text("cu", major_version), text("libcublasLt.so.", major_version));
    if (!library) return std::nullopt;
    CublasLt of;
    library.find(op, "cublasLtCreate", of.create);
    library.find(op, "cublasLtGetStatusString", of.describe);
    library.find(op, "cublasLtMatmulDescCreate", of.make_product);
    library.find(op, "cublasLtMatmulDescSetAttribute", of.set_product);
    library.find(op, "cublasLtMatrixLayoutCreate", of.make_layout);
    library.find(op, "cublasLtMatmulDescDestroy", of.destroy_product);
    library.find(op, "cublasLtMatrixLayoutDestroy", of.destroy_layout);
    library.find(op, "cublasLtMatmulPreferenceCreate", of.make_wishes);
    library.find(op, "cublasLtMatmulPreferenceDestroy", of.destroy_wishes);
    library.find(op, "cublasLtMatmulPreferenceSetAttribute", of.set_wish);
    library.find(op, "cublasLtMatmulAlgoGetHeuristic", of.find_algorithm);
    library.find(op, "cublasLtMatmul", of.multiply);
    return of;
  }();
  return found ? &*found : nullptr;
}

/// All that tells one product from another, but for addresses.
struct ProductProblem {
  cudaDataType type;
  CublasLt::Compute compute;
  std::int64_t rows, columns, depth, x_leading, y_leading, leading;
  bool is_x_transposed, is_y_transposed;
  std::int64_t x_alignment, y_alignment, alignment, bias_alignment;

  ProductProblem(const Gemm& g, cudaDataType type, const void* bias)
      : type(type),
        compute(type == CUDA_R_32F && switches.tf32_products ? CublasLt::in_tf32
                                                             : CublasLt::in_float32),
        rows(g.rows),
        columns(g.columns),
        depth(g.depth),
        x_leading(g.x.leading),
        y_leading(g.y.leading),
        leading(g.leading),
        is_x_transposed(g.x.is_transposed),
        is_y_transposed(g.y.is_transposed),
        x_alignment(alignment_of(g.x.data, most_alignment)),
        y_alignment(alignment_of(g.y.data, most_alignment)),
        alignment(alignment_of(g.c, most_alignment)),
        bias_alignment(alignment_of(bias, most_alignment)) {}
  auto operator<=>(const ProductProblem&) const = default;
};

using OwnedDescriptor = std::unique_ptr<void, CublasLt::Status (*)(CublasLt::Descriptor)>;

/// A product as cuBLASLt is told of it.
struct ProductWay {
  OwnedDescriptor product{nullptr, nullptr}, x{nullptr, nullptr}, y{nullptr, nullptr},
      c{nullptr, nullptr};
  std::optional<CublasLt::Found> way;  // nothing: it has none
};

ProductWay make_plan(const CublasLt& of, CublasLt::Handle handle, const ProductProblem& s,
                     const void* bias) {
  ProductWay plan;
  const auto set = [&](CublasLt::Fact fact, const auto& value) {
    of.ok(of.set_product(plan.product.get(), fact, &value, sizeof(value)));
  };
  CublasLt::Descriptor product = nullptr;
  of.ok(of.make_product(&product, s.compute, CUDA_R_32F));
  plan.product = {product, of.destroy_product};
  set(CublasLt::x_as, static_cast<int>(s.is_x_transposed));
  set(CublasLt::y_as, static_cast<int>(s.is_y_transposed));
  set(CublasLt::epilogue, CublasLt::adds_bias);
  set(CublasLt::bias, bias);
  const auto layout = [&](std::int64_t rows, std::int64_t columns, bool is_transposed,
                          std::int64_t leading) {
    if (is_transposed) std::swap(rows, columns);
    CublasLt::Descriptor made = nullptr;
    of.ok(of.make_layout(&made, s.type, static_cast<std::uint64_t>(rows),
                         static_cast<std::uint64_t>(columns), leading));
    return OwnedDescriptor(made, of.destroy_layout);
  };
  plan.x = layout(s.rows, s.depth, s.is_x_transposed, s.x_leading);
  plan.y = layout(s.depth, s.columns, s.is_y_transposed, s.y_leading);
  plan.c = layout(s.rows, s.columns, false, s.leading);
  CublasLt::Descriptor wishes = nullptr;
  of.ok(of.make_wishes(&wishes));
  const OwnedDescriptor owned_wishes(wishes, of.destroy_wishes);
  const auto wish = [&](int what, const auto& value) {
    of.ok(of.set_wish(wishes, static_cast<CublasLt::Wish>(what), &value, sizeof(value)));
  };
  wish(CublasLt::scratch_bytes, most_scratch_bytes);
  wish(CublasLt::reductions, CublasLt::of_wide_sums);
  int k = CublasLt::alignment_of_x;
  for (const auto alignment : {s.x_alignment, s.y_alignment, s.alignment, s.alignment})
    wish(k++, static_cast<std::uint32_t>(alignment));
  CublasLt::Found way{};
  int found = 0;
  const auto status = of.find_algorithm(handle, plan.product.get(), plan.x.get(), plan.y.get(),
                                        plan.c.get(), plan.c.get(), wishes, 1, &way, &found);
  if (status == CublasLt::success && found > 0 && way.status == CublasLt::success) plan.way = way;
  return plan;
}

/// Of a device. Locked while a product is queued, for the place of its bias is a plan's.
struct LockedPlans {
  std::mutex mutex;
  CublasLt::Handle handle = nullptr;
  static constexpr std::size_t most = 1024;  // problems: sizes of a program's may never end
  std::map<ProductProblem, std::shared_ptr<ProductWay>> plans;

  /// The plan of a problem, which stays while it is used. The mutex is held.
  std::shared_ptr<ProductWay> plan(const CublasLt& of, const ProductProblem& problem,
                                   const void* bias) {
    const auto found = plans.find(problem);
    if (found != plans.end()) return found->second;
    if (plans.size() >= most) plans.clear();
    return plans[problem] = std::make_shared<ProductWay>(make_plan(of, handle, problem, bias));
  }
};

std::optional<cudaDataType> type_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return CUDA_R_32F;
    case DType::float16:
      return CUDA_R_16F;
    case DType::bfloat16:
      return CUDA_R_16BF;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool multiply_with_bias(const Gemm& gemm, const void* bias, Stream stream) {
  static auto* const all = new LockedPlans[max_cuda_devices];  // leaked: threads may use it at exit
  const std::optional<cudaDataType> type = type_of(gemm.dtype);
  const CublasLt* const library = type && gemm.batch == 1 ? cublas_lt() : nullptr;
  if (!library) return false;
  ok(cudaSetDevice(stream.device.number));
  LockedPlans& own = all[stream.device.number];
  std::unique_lock lock(own.mutex);
  if (!own.handle) library->ok(library->create(&own.handle));
  const std::shared_ptr<ProductWay> plan =
      own.plan(*library, ProductProblem(gemm, *type, bias), bias);
  if (!plan->way) return false;
  lock.unlock();  // memory comes and goes without it: the allocator may let Python run
  const Scratch scratch(plan->way->scratch_bytes, stream);
  ok(cudaSetDevice(stream.device.number));  // what ran may have chosen another
  const std::lock_guard again(own.mutex);
  library->ok(library->set_product(plan->product.get(), CublasLt::bias, &bias, sizeof(bias)));
  const float alpha = 1, beta = 0;
  library->ok(library->multiply(
      own.handle, plan->product.get(), &alpha, gemm.x.data, plan->x.get(), gemm.y.data,
      plan->y.get(), &beta, gemm.c, plan->c.get(), gemm.c, plan->c.get(), &plan->way->algorithm,
      scratch.as<void>(), plan->way->scratch_bytes, static_cast<cudaStream_t>(stream.handle)));
  return true;
}

}  // namespace garboard::kernels::cuda
