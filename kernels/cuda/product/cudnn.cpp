#include "kernels/cuda/product/cudnn.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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

constexpr const char* op = "convolution";

/// What of cuDNN 9's interface is used, written down here: nvcc comes without its headers. All
/// things are descriptors, with attributes by number.
struct Cudnn {
  enum Status : int { success = 0 };
  enum DataType : int { float32 = 0, float64 = 1, float16 = 2, bfloat16 = 9 };
  enum Mode : int { cross_correlation = 1 };
  enum Heuristic : int { decision_tree = 3, fallback = 2 };
  /// What is to be known of an engine's numbers.
  enum Note : int { uses_tensor_cores = 0, converts_down, sums_narrowly, changes_by_run = 4 };
  static constexpr int most_notes = 16;

  enum Kind : int {
    convolution = 1,
    engine = 2,
    engine_config = 3,
    heuristic = 4,
    execution_plan = 5,
    forward = 10,
    weight_gradient = 11,
    input_gradient = 12,
    graph = 15,
    variant_pack = 16,
    tensor = 17
  };
  enum Attribute : int {
    sums_type = 100,
    convolution_mode = 101,
    dilations = 102,
    strides = 103,
    paddings_behind = 104,
    paddings_before = 105,
    space = 106,
    heuristic_mode = 200,
    heuristic_graph = 201,
    heuristic_results = 202,
    config_engine = 300,
    plan_handle = 400,
    plan_config = 401,
    plan_scratch_bytes = 402,
    graph_handle = 800,
    graph_operations = 801,
    tensor_alignment = 900,
    tensor_type = 901,
    tensor_sizes = 902,
    tensor_strides = 903,
    tensor_id = 906,
    pack_ids = 1000,
    pack_pointers = 1001,
    pack_scratch = 1003,
    engine_notes = 1303
  };
  /// Of an operation, the numbers of its attributes: they differ by its kind.
  struct Operation {
    Kind kind;
    int alpha, beta, convolution, weight, x, out;
  };
  static constexpr Operation operations[] = {{forward, 700, 701, 702, 703, 704, 705},
                                             {input_gradient, 706, 707, 708, 709, 710, 711},
                                             {weight_gradient, 712, 713, 714, 715, 716, 717}};
  /// Of an attribute's elements.
  enum Type : int {
    handles = 0,
    data_types = 1,
    integers = 3,
    floats = 4,
    doubles = 5,
    pointers = 6,
    modes = 7,
    heuristics = 8,
    notes = 11,
    descriptors = 15
  };
  using Handle = void*;
  using RawDescriptor = void*;

  Status (*create_handle)(Handle*) = nullptr;
  Status (*set_stream)(Handle, cudaStream_t) = nullptr;
  const char* (*describe)(Status) = nullptr;
  std::size_t (*version)() = nullptr;
  Status (*create)(Kind, RawDescriptor*) = nullptr;
  Status (*destroy)(RawDescriptor) = nullptr;
  Status (*finalize)(RawDescriptor) = nullptr;
  Status (*set)(RawDescriptor, int attribute, Type, std::int64_t count, const void*) = nullptr;
  Status (*get)(RawDescriptor, int attribute, Type, std::int64_t most, std::int64_t* count,
                void*) = nullptr;
  Status (*execute)(Handle, RawDescriptor plan, RawDescriptor pack) = nullptr;

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
    library.find(op, "cudnnCreate", of.create_handle);
    library.find(op, "cudnnSetStream", of.set_stream);
    library.find(op, "cudnnGetErrorString", of.describe);
    library.find(op, "cudnnGetVersion", of.version);
    library.find(op, "cudnnBackendCreateDescriptor", of.create);
    library.find(op, "cudnnBackendDestroyDescriptor", of.destroy);
    library.find(op, "cudnnBackendFinalize", of.finalize);
    library.find(op, "cudnnBackendSetAttribute", of.set);
    library.find(op, "cudnnBackendGetAttribute", of.get);
    library.find(op, "cudnnBackendExecute", of.execute);
    return of;
  }();
  return found ? &*found : nullptr;
}

/// One of its descriptors.
class Descriptor {
 public:
  /// Raises DeviceError.
  Descriptor(const Cudnn& of, Cudnn::Kind kind) : of_(&of) { of.ok(of.create(kind, &raw_)); }
  ~Descriptor() {
    if (raw_) of_->destroy(raw_);
  }
  Descriptor(Descriptor&& other) noexcept
      : of_(other.of_), raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  Cudnn::RawDescriptor raw() const { return raw_; }
  template <class T>
  Descriptor& set(int attribute, Cudnn::Type type, const T* values, std::int64_t count = 1) {
    is_right_ &= of_->set(raw_, attribute, type, count, values) == Cudnn::success;
    return *this;
  }
  Descriptor& set(int attribute, const Descriptor& other) {
    return set(attribute, Cudnn::descriptors, &other.raw_);
  }
  /// Whether it is whole, and cuDNN can do it.
  bool finalize() { return is_right_ && of_->finalize(raw_) == Cudnn::success; }
  /// How many values there are, at most `most`.
  template <class T>
  std::int64_t get(int attribute, Cudnn::Type type, T* values, std::int64_t most = 1) const {
    std::int64_t count = 0;
    const auto status = of_->get(raw_, attribute, type, most, &count, values);
    return status == Cudnn::success ? std::min(count, most) : 0;
  }

 private:
  const Cudnn* of_;
  Cudnn::RawDescriptor raw_ = nullptr;
  bool is_right_ = true;
};

constexpr int most_dims = 2 + space_dims;

/// All that tells one convolution from another, but for addresses.
struct ConvolutionProblem {
  int part, data_type, may_use_tensor_cores, may_convert_down, may_change_by_run, groups,
      dims;  // of the tensors
  std::array<std::int64_t, most_dims> x, weight, out;
  std::array<std::int64_t, space_dims> stride, padding, dilation;
  std::array<std::int64_t, 3> alignment;  // of x, weight and out

  auto operator<=>(const ConvolutionProblem&) const = default;
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

ConvolutionProblem problem_of(const Convolution& of, ConvolutionPart part) {
  // Of two dims of space there are always two: a leading one that does nothing goes.
  int skipped = 0;
  while (skipped < space_dims - 2 && of.x.sizes[2 + skipped] == 1 &&
         of.weight.sizes[2 + skipped] == 1 && of.padding[skipped] == 0 && of.stride[skipped] == 1)
    ++skipped;
  const auto aligned = [](const View& x) { return alignment_of(x.data, 16); };
  const bool is_single = of.x.dtype == DType::float32, is_tf32 = switches.tf32_convolutions;
  ConvolutionProblem shape{static_cast<int>(part),
                           data_type_of(of.x.dtype),
                           !is_single || is_tf32,
                           is_single && is_tf32,
                           !switches.is_determined,
                           static_cast<int>(of.groups),
                           most_dims - skipped,
                           {},
                           {},
                           {},
                           {},
                           {},
                           {},
                           {aligned(of.x), aligned(of.weight), aligned(of.out)}};
  const auto put = [&](std::array<std::int64_t, most_dims>& to, const View& from) {
    for (int d = 0; d < shape.dims; ++d) to[d] = from.sizes[d < 2 ? d : d + skipped];
  };
  put(shape.x, of.x);
  put(shape.weight, of.weight);
  put(shape.out, of.out);
  for (int d = skipped; d < space_dims; ++d) {
    shape.stride[d - skipped] = of.stride[d];
    shape.padding[d - skipped] = of.padding[d];
    shape.dilation[d - skipped] = of.dilation[d];
  }
  return shape;
}

constexpr std::int64_t ids[] = {'x', 'w', 'o'};  // of x, weight and out

Descriptor tensor_of(const Cudnn& of, const ConvolutionProblem& shape, int which) {
  const auto& sizes = which == 0 ? shape.x : which == 1 ? shape.weight : shape.out;
  std::array<std::int64_t, most_dims> strides{};
  std::int64_t stride = 1;
  for (int d = shape.dims - 1; d >= 0; stride *= sizes[d--]) strides[d] = stride;
  Descriptor tensor(of, Cudnn::tensor);
  tensor.set(Cudnn::tensor_type, Cudnn::data_types, &shape.data_type)
      .set(Cudnn::tensor_sizes, Cudnn::integers, sizes.data(), shape.dims)
      .set(Cudnn::tensor_strides, Cudnn::integers, strides.data(), shape.dims)
      .set(Cudnn::tensor_id, Cudnn::integers, &ids[which])
      .set(Cudnn::tensor_alignment, Cudnn::integers, &shape.alignment[which]);
  return tensor;
}

/// A way to compute a convolution.
struct Way {
  Descriptor plan;
  std::int64_t scratch_bytes;
};

/// The ways to compute one, the fastest first, as far as they have been asked for.
class Ways {
 public:
  Ways(const Cudnn& of, Cudnn::Handle handle, const ConvolutionProblem& shape)
      : of_(of), handle_(handle) {
    const bool is_wide = shape.data_type == Cudnn::float64;
    const int sums = is_wide ? Cudnn::float64 : Cudnn::float32, mode = Cudnn::cross_correlation;
    const std::int64_t space = shape.dims - 2;
    Descriptor convolution(of, Cudnn::convolution);
    convolution.set(Cudnn::sums_type, Cudnn::data_types, &sums)
        .set(Cudnn::convolution_mode, Cudnn::modes, &mode)
        .set(Cudnn::space, Cudnn::integers, &space)
        .set(Cudnn::dilations, Cudnn::integers, shape.dilation.data(), space)
        .set(Cudnn::strides, Cudnn::integers, shape.stride.data(), space)
        .set(Cudnn::paddings_before, Cudnn::integers, shape.padding.data(), space)
        .set(Cudnn::paddings_behind, Cudnn::integers, shape.padding.data(), space);
    Descriptor tensors[] = {tensor_of(of, shape, 0), tensor_of(of, shape, 1),
                            tensor_of(of, shape, 2)};
    for (Descriptor& tensor : tensors)
      if (!tensor.finalize()) return;
    if (!convolution.finalize()) return;
    const float alpha = 1, beta = 0;
    const double wide_alpha = 1, wide_beta = 0;
    const Cudnn::Operation& names = Cudnn::operations[shape.part];
    Descriptor operation(of, names.kind);
    if (is_wide)
      operation.set(names.alpha, Cudnn::doubles, &wide_alpha)
          .set(names.beta, Cudnn::doubles, &wide_beta);
    else
      operation.set(names.alpha, Cudnn::floats, &alpha).set(names.beta, Cudnn::floats, &beta);
    operation.set(names.convolution, convolution)
        .set(names.x, tensors[0])
        .set(names.weight, tensors[1])
        .set(names.out, tensors[2]);
    if (!operation.finalize()) return;
    Descriptor graph(of, Cudnn::graph);
    graph.set(Cudnn::graph_operations, operation).set(Cudnn::graph_handle, Cudnn::handles, &handle);
    if (!graph.finalize()) return;
    for (const int heuristic : {Cudnn::decision_tree, Cudnn::fallback})
      add_configs(graph, heuristic, shape);
  }

  /// Null where there are no more.
  const Way* at(std::size_t i) {
    for (; i >= ways_.size() && next_ < configs_.size(); ++next_) {
      Descriptor plan(of_, Cudnn::execution_plan);
      plan.set(Cudnn::plan_handle, Cudnn::handles, &handle_)
          .set(Cudnn::plan_config, configs_[next_]);
      std::int64_t bytes = 0;
      if (plan.finalize() && plan.get(Cudnn::plan_scratch_bytes, Cudnn::integers, &bytes) == 1)
        ways_.push_back({std::move(plan), bytes});
    }
    return i < ways_.size() ? &ways_[i] : nullptr;
  }

 private:
  void add_configs(const Descriptor& graph, int heuristic, const ConvolutionProblem& shape) {
    constexpr int most = 128;  // those without tensor cores come late
    Descriptor asked(of_, Cudnn::heuristic);
    asked.set(Cudnn::heuristic_graph, graph)
        .set(Cudnn::heuristic_mode, Cudnn::heuristics, &heuristic);
    if (!asked.finalize()) return;
    std::vector<Descriptor> found;
    Cudnn::RawDescriptor raw[most];
    for (auto& each : raw) each = found.emplace_back(of_, Cudnn::engine_config).raw();
    const std::int64_t count = asked.get(Cudnn::heuristic_results, Cudnn::descriptors, raw, most);
    constexpr std::size_t enough = 8;  // of one heuristic
    const std::size_t before = configs_.size();
    for (std::int64_t i = 0; i < count && configs_.size() < before + enough; ++i) {
      Descriptor& config = found[static_cast<std::size_t>(i)];
      if (suits(config, shape)) configs_.push_back(std::move(config));
    }
  }

  /// Whether its sums are in one order, of wide numbers, and its factors what was given, as far as
  /// that is asked for.
  bool suits(const Descriptor& config, const ConvolutionProblem& shape) const {
    Descriptor engine(of_, Cudnn::engine);
    Cudnn::RawDescriptor raw = engine.raw();
    if (config.get(Cudnn::config_engine, Cudnn::descriptors, &raw) != 1) return false;
    int notes[Cudnn::most_notes];
    const std::int64_t count =
        engine.get(Cudnn::engine_notes, Cudnn::notes, notes, Cudnn::most_notes);
    return std::none_of(notes, notes + count, [&](int note) {
      return note == Cudnn::sums_narrowly ||
             (note == Cudnn::changes_by_run && !shape.may_change_by_run) ||
             (note == Cudnn::converts_down && !shape.may_convert_down) ||
             (note == Cudnn::uses_tensor_cores && !shape.may_use_tensor_cores);
    });
  }

  const Cudnn& of_;
  Cudnn::Handle handle_;
  std::vector<Descriptor> configs_;
  std::size_t next_ = 0;  // of the configs that no plan was made of yet
  std::deque<Way> ways_;
};

/// Of a stream: convolutions that overlap must not share what a handle has for itself. It is locked
/// while one is queued, which does not wait for the device.
struct StreamWays {
  static constexpr std::size_t most = 1024;  // problems: sizes of a program's may never end

  std::mutex mutex;
  Cudnn::Handle handle = nullptr;
  std::map<ConvolutionProblem, std::shared_ptr<Ways>> of_problem;

  /// The ways of a problem, which stay while they are used. The mutex is held.
  std::shared_ptr<Ways> ways(const Cudnn& of, const ConvolutionProblem& problem) {
    const auto found = of_problem.find(problem);
    if (found != of_problem.end()) return found->second;
    if (of_problem.size() >= most) of_problem.clear();
    return of_problem[problem] = std::make_shared<Ways>(of, handle, problem);
  }
};

StreamWays& ways_of(Stream stream) {
  struct LockedWays {
    std::mutex mutex;
    std::map<void*, StreamWays> of_stream;
  };
  static auto* const all = new LockedWays[max_cuda_devices];  // leaked: threads may use it at exit
  LockedWays& of_device = all[stream.device.number];
  const std::lock_guard lock(of_device.mutex);
  return of_device.of_stream[stream.handle];
}

/// Whether the way was gone.
bool run(const Cudnn& of, Cudnn::Handle handle, const Way& way, const Convolution& views,
         void* scratch) {
  void* const pointers[] = {views.x.data, views.weight.data, views.out.data};
  Descriptor pack(of, Cudnn::variant_pack);
  pack.set(Cudnn::pack_ids, Cudnn::integers, ids, 3)
      .set(Cudnn::pack_pointers, Cudnn::pointers, pointers, 3)
      .set(Cudnn::pack_scratch, Cudnn::pointers, &scratch);
  return pack.finalize() && of.execute(handle, way.plan.raw(), pack.raw()) == Cudnn::success;
}

}  // namespace

// Memory comes and goes without the lock: the allocator may have to wait, and let Python run.
bool convolve_by_cudnn(const Convolution& of, ConvolutionPart part, Stream stream) {
  if (std::min({of.x.count, of.weight.count, of.out.count}) == 0) return false;
  const Cudnn* const library = cudnn();
  if (!library) return false;
  ok(cudaSetDevice(stream.device.number));
  StreamWays& own = ways_of(stream);
  std::unique_lock lock(own.mutex);
  if (!own.handle) {
    library->ok(library->create_handle(&own.handle));
    library->ok(library->set_stream(own.handle, static_cast<cudaStream_t>(stream.handle)));
  }
  const std::shared_ptr<Ways> ways = own.ways(*library, problem_of(of, part));
  std::exception_ptr full;
  for (std::size_t i = 0; const Way* const way = ways->at(i); ++i) {
    lock.unlock();
    try {
      const Scratch scratch(static_cast<std::size_t>(way->scratch_bytes), stream);
      ok(cudaSetDevice(stream.device.number));  // what ran may have chosen another
      const std::lock_guard again(own.mutex);
      if (run(*library, own.handle, *way, of, scratch.as<void>())) return true;
    } catch (const OutOfMemoryError&) {
      full = std::current_exception();
    }
    lock.lock();
  }
  if (full) std::rethrow_exception(full);
  return false;
}

int cudnn_version() {
  const Cudnn* const library = cudnn();
  return library ? static_cast<int>(library->version()) : 0;
}

}  // namespace garboard::kernels::cuda
