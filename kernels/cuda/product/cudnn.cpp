#include "kernels/cuda/product/cudnn.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/cuda_library.h"
#include "kernels/cuda/launch/runtime.h"
#include "kernels/cuda/launch/status.h"
#include "kernels/cuda/product/switches.h"
#include "kernels/cuda/product/vendor_library.h"

namespace garboard::kernels::cuda {
namespace {

constexpr const char* op = "convolution";
constexpr int most_ways = 10;  // that cuDNN knows of doing one

/// What of cuDNN 9's interface is used, written down here: nvcc comes without its headers.
struct Cudnn {
  enum Status : int { success = 0 };
  enum DataType : int { float32 = 0, float64 = 1, float16 = 2, bfloat16 = 9 };
  enum Format : int { channels_first = 0 };
  enum Mode : int { cross_correlation = 1 };
  /// `any` has float32 computed in TF32 where that is faster, `own_units` is for half types.
  enum Math : int { any = 0, own_units = 1, exact = 3 };
  enum Determinism : int { is_determined = 1 };
  using Handle = void*;
  using Descriptor = void*;

  /// A way to compute a convolution; one struct for what the library has as three.
  struct Way {
    int algorithm;
    Status status;
    float time;
    std::size_t scratch_bytes;
    Determinism determinism;
    Math math;
    int reserved[3];
  };
  using FindWays = Status (*)(Handle, Descriptor, Descriptor, Descriptor, Descriptor, int most,
                              int* found, Way* ways);
  /// `first` and `second` are what is read.
  using Run = Status (*)(Handle, const void* alpha, Descriptor of_first, const void* first,
                         Descriptor of_second, const void* second, Descriptor of_convolution,
                         int algorithm, void* scratch, std::size_t scratch_bytes, const void* beta,
                         Descriptor of_result, void* result);
  using Make = Status (*)(Descriptor*);

  Status (*create)(Handle*) = nullptr;
  Status (*set_stream)(Handle, cudaStream_t) = nullptr;
  const char* (*describe)(Status) = nullptr;
  std::size_t (*version)() = nullptr;
  Make make_tensor = nullptr, make_filter = nullptr, make_convolution = nullptr;
  Status (*set_tensor)(Descriptor, DataType, int dims, const int* sizes,
                       const int* strides) = nullptr;
  Status (*set_filter)(Descriptor, DataType, Format, int dims, const int* sizes) = nullptr;
  Status (*set_convolution)(Descriptor, int dims, const int* padding, const int* stride,
                            const int* dilation, Mode, DataType) = nullptr;
  Status (*set_groups)(Descriptor, int) = nullptr;
  Status (*set_math)(Descriptor, Math) = nullptr;
  FindWays find_ways[3] = {};  // by ConvolutionPart
  Run run[3] = {};

  void ok(Status status) const {
    if (status != success) throw DeviceError(text(op, ": cuDNN: ", describe(status)));
  }
};

/// Null where it is not installed. Opened at the first convolution, for it takes a while.
const Cudnn* cudnn() {
  static const std::optional<Cudnn> found = []() -> std::optional<Cudnn> {
    const VendorLibrary library("cudnn", "libcudnn.so.9");
    if (!library) return std::nullopt;
    Cudnn of;
    library.find(op, "cudnnCreate", of.create);
    library.find(op, "cudnnSetStream", of.set_stream);
    library.find(op, "cudnnGetErrorString", of.describe);
    library.find(op, "cudnnGetVersion", of.version);
    library.find(op, "cudnnCreateTensorDescriptor", of.make_tensor);
    library.find(op, "cudnnCreateFilterDescriptor", of.make_filter);
    library.find(op, "cudnnCreateConvolutionDescriptor", of.make_convolution);
    library.find(op, "cudnnSetTensorNdDescriptor", of.set_tensor);
    library.find(op, "cudnnSetFilterNdDescriptor", of.set_filter);
    library.find(op, "cudnnSetConvolutionNdDescriptor", of.set_convolution);
    library.find(op, "cudnnSetConvolutionGroupCount", of.set_groups);
    library.find(op, "cudnnSetConvolutionMathType", of.set_math);
    library.find(op, "cudnnGetConvolutionForwardAlgorithm_v7", of.find_ways[0]);
    library.find(op, "cudnnGetConvolutionBackwardDataAlgorithm_v7", of.find_ways[1]);
    library.find(op, "cudnnGetConvolutionBackwardFilterAlgorithm_v7", of.find_ways[2]);
    library.find(op, "cudnnConvolutionForward", of.run[0]);
    library.find(op, "cudnnConvolutionBackwardData", of.run[1]);
    library.find(op, "cudnnConvolutionBackwardFilter", of.run[2]);
    return of;
  }();
  return found ? &*found : nullptr;
}

constexpr int most_dims = 2 + space_dims;

/// All that tells one convolution from another, apart from addresses.
struct Shape {
  int part, data_type, math, groups, dims;  // of the tensors
  std::array<int, most_dims> x, weight, out;
  std::array<int, space_dims> stride, padding, dilation;

  auto operator<=>(const Shape&) const = default;
};

Cudnn::DataType data_type_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return Cudnn::float64;
    case DType::float16:
      return Cudnn::float16;
    case DType::bfloat16:
      return Cudnn::bfloat16;
    default:
      return Cudnn::float32;
  }
}

Cudnn::Math math_of(DType dtype) {
  if (dtype == DType::float16 || dtype == DType::bfloat16) return Cudnn::own_units;
  return dtype == DType::float32 && switches.tf32_convolutions ? Cudnn::any : Cudnn::exact;
}

/// Nothing where a number does not fit into cuDNN's.
std::optional<Shape> shape_of(const Convolution& of, ConvolutionPart part) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (std::max({of.x.count, of.weight.count, of.out.count}) > most) return std::nullopt;
  // Of two dims of space there are always two: a leading one that does nothing goes.
  int skipped = 0;
  while (skipped < space_dims - 2 && of.x.sizes[2 + skipped] == 1 &&
         of.weight.sizes[2 + skipped] == 1 && of.padding[skipped] == 0 && of.stride[skipped] == 1)
    ++skipped;
  Shape shape{static_cast<int>(part),
              data_type_of(of.x.dtype),
              math_of(of.x.dtype),
              static_cast<int>(of.groups),
              most_dims - skipped,
              {},
              {},
              {},
              {},
              {},
              {}};
  const auto put = [&](std::array<int, most_dims>& to, const View& from) {
    for (int d = 0; d < shape.dims; ++d)
      to[d] = static_cast<int>(from.sizes[d < 2 ? d : d + skipped]);
  };
  put(shape.x, of.x);
  put(shape.weight, of.weight);
  put(shape.out, of.out);
  for (int d = skipped; d < space_dims; ++d) {
    if (std::max({of.stride[d], of.padding[d], of.dilation[d]}) > most) return std::nullopt;
    shape.stride[d - skipped] = static_cast<int>(of.stride[d]);
    shape.padding[d - skipped] = static_cast<int>(of.padding[d]);
    shape.dilation[d - skipped] = static_cast<int>(of.dilation[d]);
  }
  return shape;
}

/// A convolution as cuDNN is told of it, and the ways to do it, the fastest first.
struct Plan {
  Cudnn::Descriptor x = nullptr, weight = nullptr, out = nullptr, convolution = nullptr;
  std::vector<Cudnn::Way> ways;
};

Plan make_plan(const Cudnn& of, Cudnn::Handle handle, const Shape& shape) {
  Plan plan;
  const auto type = static_cast<Cudnn::DataType>(shape.data_type);
  const auto tensor = [&](Cudnn::Descriptor& descriptor, const std::array<int, most_dims>& sizes) {
    std::array<int, most_dims> strides{};
    for (int d = shape.dims - 1, stride = 1; d >= 0; stride *= sizes[d--]) strides[d] = stride;
    of.ok(of.make_tensor(&descriptor));
    return of.set_tensor(descriptor, type, shape.dims, sizes.data(), strides.data());
  };
  of.ok(of.make_filter(&plan.weight));
  of.ok(of.make_convolution(&plan.convolution));
  const Cudnn::DataType sums = type == Cudnn::float64 ? Cudnn::float64 : Cudnn::float32;
  const bool is_told =
      tensor(plan.x, shape.x) == Cudnn::success && tensor(plan.out, shape.out) == Cudnn::success &&
      of.set_filter(plan.weight, type, Cudnn::channels_first, shape.dims, shape.weight.data()) ==
          Cudnn::success &&
      of.set_convolution(plan.convolution, shape.dims - 2, shape.padding.data(),
                         shape.stride.data(), shape.dilation.data(), Cudnn::cross_correlation,
                         sums) == Cudnn::success &&
      of.set_groups(plan.convolution, shape.groups) == Cudnn::success &&
      of.set_math(plan.convolution, static_cast<Cudnn::Math>(shape.math)) == Cudnn::success;
  if (!is_told) return plan;
  Cudnn::Descriptor first = plan.x, second = plan.weight, result = plan.out;
  if (shape.part == static_cast<int>(ConvolutionPart::x)) {
    first = plan.weight, second = plan.out, result = plan.x;
  } else if (shape.part == static_cast<int>(ConvolutionPart::weight)) {
    second = plan.out, result = plan.weight;
  }
  Cudnn::Way ways[most_ways];
  int found = 0;
  if (of.find_ways[shape.part](handle, first, second, plan.convolution, result, most_ways, &found,
                               ways) != Cudnn::success)
    return plan;
  std::copy_if(ways, ways + found, std::back_inserter(plan.ways), [](const Cudnn::Way& way) {
    return way.status == Cudnn::success && way.determinism == Cudnn::is_determined;
  });
  return plan;
}

/// Of a stream: products that overlap must not share what a handle has for itself. It is locked
/// while a convolution is queued, which does not wait for the device.
struct StreamPlans {
  std::mutex mutex;
  Cudnn::Handle handle = nullptr;
  std::map<Shape, Plan> plans;
};

StreamPlans& plans_of(Stream stream) {
  struct LockedPlans {
    std::mutex mutex;
    std::map<void*, StreamPlans> of_stream;
  };
  static auto* const all = new LockedPlans[max_cuda_devices];  // leaked: threads may use it at exit
  LockedPlans& of_device = all[stream.device.number];
  const std::lock_guard lock(of_device.mutex);
  return of_device.of_stream[stream.handle];
}

/// Whether the way was gone. One that finds no room for its scratch is none.
bool run(const Cudnn& of, Cudnn::Handle handle, const Plan& plan, const Cudnn::Way& way,
         const Convolution& views, ConvolutionPart part, Stream stream) {
  const Scratch scratch(way.scratch_bytes, stream);
  const float one = 1, none = 0;
  const double one_wide = 1, none_wide = 0;
  const bool is_wide = views.x.dtype == DType::float64;
  const void* const alpha = is_wide ? static_cast<const void*>(&one_wide) : &one;
  const void* const beta = is_wide ? static_cast<const void*>(&none_wide) : &none;
  const auto call = [&](Cudnn::Descriptor of_first, const View& first, Cudnn::Descriptor of_second,
                        const View& second, Cudnn::Descriptor of_result, const View& result) {
    return of.run[static_cast<int>(part)](handle, alpha, of_first, first.data, of_second,
                                          second.data, plan.convolution, way.algorithm,
                                          scratch.as<void>(), way.scratch_bytes, beta, of_result,
                                          result.data) == Cudnn::success;
  };
  switch (part) {
    case ConvolutionPart::out:
      return call(plan.x, views.x, plan.weight, views.weight, plan.out, views.out);
    case ConvolutionPart::x:
      return call(plan.weight, views.weight, plan.out, views.out, plan.x, views.x);
    case ConvolutionPart::weight:
      return call(plan.x, views.x, plan.out, views.out, plan.weight, views.weight);
  }
  return false;
}

}  // namespace

bool convolve_by_cudnn(const Convolution& of, ConvolutionPart part, Stream stream) {
  const std::optional<Shape> shape = shape_of(of, part);
  if (!shape || std::min({of.x.count, of.weight.count, of.out.count}) == 0) return false;
  const Cudnn* const library = cudnn();
  if (!library) return false;
  ok(cudaSetDevice(stream.device.number));
  StreamPlans& own = plans_of(stream);
  const std::lock_guard lock(own.mutex);
  if (!own.handle) {
    library->ok(library->create(&own.handle));
    library->ok(library->set_stream(own.handle, static_cast<cudaStream_t>(stream.handle)));
  }
  auto found = own.plans.find(*shape);
  if (found == own.plans.end())
    found = own.plans.emplace(*shape, make_plan(*library, own.handle, *shape)).first;
  const Plan& plan = found->second;
  for (std::size_t i = 0; i < plan.ways.size(); ++i) {
    const bool is_last = i + 1 == plan.ways.size();
    try {
      if (run(*library, own.handle, plan, plan.ways[i], of, part, stream)) return true;
    } catch (const OutOfMemoryError&) {
      if (is_last) throw;
    }
  }
  return false;
}

int cudnn_version() {
  const Cudnn* const library = cudnn();
  return library ? static_cast<int>(library->version()) : 0;
}

}  // namespace garboard::kernels::cuda
