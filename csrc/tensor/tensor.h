// The tensor: sizes and strides over a storage, and what autograd knows of it.
#pragma once

#include <memory>

#include "csrc/core/counted.h"
#include "csrc/core/pool.h"
#include "csrc/core/view.h"
#include "csrc/tensor/storage.h"

namespace garboard {

class GradNode;
class Tensor;
class TensorBody;
struct GradState;

void destroy(TensorBody* body) noexcept;
void destroy(GradNode* node) noexcept;

/// A share of a tensor: copying it copies a pointer. An empty one stands for "no tensor".
///
/// One tensor is used by one thread at a time (in Python: under the GIL); different tensors, views
/// of one storage among them, may be read on any threads.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Counted<TensorBody> body) : body_(std::move(body)) {}

  /// A tensor in row-major order with a storage of its own, uninitialised; no size is negative.
  /// Raises OutOfMemoryError, ScopeLimitError, and ShapeError, which names `op`, where the sizes
  /// need 2^63 bytes or more: so an op need not check what it makes of its inputs' sizes.
  static Tensor fresh(const Dims& sizes, DType dtype, Device device, const char* op = "empty");
  /// The same, of the sizes and the device of `like`, which is contiguous.
  static Tensor fresh(const Tensor& like, DType dtype, const char* op = "empty");
  /// A tensor that shares `storage`; `offset` and strides are in elements, and stay inside it.
  static Tensor over(Counted<Storage> storage, DType dtype, const Dims& sizes, const Dims& strides,
                     std::int64_t offset);

  explicit operator bool() const noexcept { return static_cast<bool>(body_); }
  TensorBody* body() const noexcept { return body_.get(); }
  const Counted<TensorBody>& share() const noexcept { return body_; }
  [[nodiscard]] TensorBody* release() noexcept { return body_.release(); }
  friend bool operator==(const Tensor&,
                         const Tensor&) = default;  // the same tensor, not its values
  /// As `a.sizes() == b.sizes()`, and that of the strides too, without copies.
  friend inline bool have_same_sizes(const Tensor& a, const Tensor& b) noexcept;
  friend inline bool have_same_layout(const Tensor& a, const Tensor& b) noexcept;

  inline View view() const noexcept;
  /// Of what is contiguous: all elements in one dim, whatever the sizes.
  inline View flat_view() const noexcept;
  inline DType dtype() const noexcept;
  inline Device device() const noexcept;
  inline Dims sizes() const noexcept;
  inline Dims strides() const noexcept;
  /// Of one dim, from 0 on.
  inline std::int64_t size(int dim) const noexcept;
  inline std::int64_t stride(int dim) const noexcept;
  /// Of the last dim, which is there.
  inline std::int64_t last_size() const noexcept;
  inline bool has_sizes(const Dims& sizes) const noexcept;
  inline std::int64_t offset() const noexcept;
  inline std::int64_t count() const noexcept;
  inline int ndim() const noexcept;
  inline bool is_contiguous() const noexcept;
  inline void* data() const noexcept;
  inline const Counted<Storage>& storage() const noexcept;
  std::int64_t nbytes() const noexcept {
    return count() * static_cast<std::int64_t>(item_size(dtype()));
  }

  /// A tensor over the same storage, without history; not a view in autograd's sense.
  Tensor alias_of_storage(const Dims& sizes, const Dims& strides, std::int64_t offset) const;

  /// True for a leaf that asks for a gradient and for whatever was computed from one.
  inline bool requires_grad() const noexcept;
  inline bool is_leaf() const noexcept;
  /// Raises GradientError for what is not floating, or is not a leaf.
  void set_requires_grad(bool required) const;
  /// The gradient a leaf has accumulated; empty before.
  Tensor grad() const;
  void set_grad(Tensor grad) const;

 private:
  Counted<TensorBody> body_;
};

/// What one tensor is; reached through Tensor. Its sizes and strides lie behind it, in the room
/// that they need: a tensor that is kept is no larger than it must be.
class TensorBody final : public RefCounted {
  const std::uint8_t room_;  // for so many dims, behind the body
  std::uint8_t ndim_;
  bool is_in_small_tensor_ = false;  // where its memory is, and that of its storage

 public:
  DType dtype = DType::float32;

 private:
  std::int64_t* numbers_;  // the sizes and then the strides: there, or in a block of their own

 public:
  void* data = nullptr;    // as in a View
  std::int64_t count = 1;  // likewise
  std::int64_t offset = 0;
  Counted<Storage> storage;  // the same from birth to end, or until set_data
  Device device;
  bool contiguous = true;      // as in a View
  bool requires_grad = false;  // of a leaf
  bool was_required = false;   // of a leaf whose flag was cleared: graphs may lead to it still
  /// An output of a custom op over memory of its input, or of another output: to write it would
  /// leave their histories behind.
  bool is_shared_output = false;
  /// What `.data` gave, and what looks into that: what other tensors over the storage have saved is
  /// not spoiled by a write into it. The program answers for that.
  bool is_unwatched = false;
  /// A base's count of rebased histories, and, in a view, the base's count its node was made at.
  std::uint32_t history = 0;
  std::uint32_t base_history = 0;
  Counted<GradNode> grad_node;            // null in a leaf
  Counted<TensorBody> base;               // of a view: the tensor it looks into, itself no view
  std::unique_ptr<GradState> grad_state;  // what few tensors have

  int ndim() const noexcept { return ndim_; }
  const std::int64_t* sizes() const noexcept { return numbers_; }
  const std::int64_t* strides() const noexcept { return numbers_ + ndim_; }
  /// For whoever makes a body to write into.
  std::int64_t* sizes() noexcept { return numbers_; }
  std::int64_t* strides() noexcept { return numbers_ + ndim_; }
  /// Sees to it that `lay_out` can take so many dims. Throws std::bad_alloc, changing nothing.
  void make_room(int ndim);
  /// Writes sizes, strides and what follows from them; storage and dtype are there.
  void lay_out(const Dims& sizes, const Dims& strides, std::int64_t offset) noexcept;

  /// With one share, which is the caller's, and sizes and strides yet to be written.
  static inline TensorBody* make(int ndim, Counted<Storage> storage);
  /// What a body of so many dims takes.
  static constexpr std::size_t bytes_of(int ndim) noexcept;

 private:
  friend struct SmallTensor;
  friend void destroy(TensorBody* body) noexcept;
  inline TensorBody(int ndim, Counted<Storage> storage) noexcept;
  ~TensorBody();
  /// Anything that its destructor would end.
  bool has_more() noexcept {
    return storage || grad_node || base || grad_state || numbers_ != own_numbers();
  }
  std::int64_t* own_numbers() noexcept { return reinterpret_cast<std::int64_t*>(this + 1); }
};

constexpr std::size_t TensorBody::bytes_of(int ndim) noexcept {
  return sizeof(TensorBody) + 2 * sizeof(std::int64_t) * static_cast<std::size_t>(ndim);
}

/// The count of writes that spoil what is kept of `tensor`.
inline std::uint32_t version_of(const Tensor& tensor) noexcept;
/// Counts a write into `tensor`.
inline void note_write(const Tensor& tensor) noexcept;

/// Called with each gradient of a tensor; may return another to take its place.
class GradientHooks : public RefCounted {
 public:
  virtual ~GradientHooks() = default;
  virtual Tensor call(Tensor gradient) = 0;
  /// Called once a pass when the `.grad` of the leaf has been added to.
  virtual void call_after(const Tensor& leaf) = 0;
  /// True while at least one hook is registered.
  virtual bool any() const noexcept = 0;
};

struct GradState {
  Tensor grad;
  Counted<GradientHooks> hooks;
  /// The alias that `.grad` last gave, if it lives; belongs to whoever reads `.grad`.
  void* grad_alias = nullptr;
  /// The history of a tensor that retains its gradient, which leads back to the tensor.
  Counted<GradNode> retaining;

  GradState() = default;
  GradState(const GradState&) = delete;
  GradState& operator=(const GradState&) = delete;
  ~GradState();
};

/// True when a computation leads to this tensor; sees through a base whose history was rebased.
inline bool has_history(const TensorBody& body) noexcept {
  if (body.base && body.base->history != body.base_history)
    return static_cast<bool>(body.base->grad_node);
  return static_cast<bool>(body.grad_node);
}

/// Has the backward pass add the gradient of what is no leaf to its `.grad`, too; where the tensor
/// is written in place later, the gradient of what was written.
void retain_grad(const Tensor& tensor);
bool retains_grad(const Tensor& tensor) noexcept;
/// After the history of `body` was replaced.
void move_retention(TensorBody& body);

/// Creates the state on first use.
GradState& grad_state_of(const Tensor& tensor);
/// Whether a `.grad` was ever given that is itself recorded, since it was forgotten: only such a
/// gradient can hold the tensor that it is of.
void note_recorded_gradient() noexcept;
bool were_gradients_recorded() noexcept;
void forget_recorded_gradients() noexcept;

bool Tensor::is_leaf() const noexcept { return !has_history(*body_); }
bool Tensor::requires_grad() const noexcept { return body_->requires_grad || has_history(*body_); }
View Tensor::view() const noexcept {
  return {body_->data, body_->dtype, body_->contiguous, body_->count, sizes(), strides()};
}
View Tensor::flat_view() const noexcept {
  constexpr std::int64_t next = 1;
  const std::int64_t count = this->count();
  return {data(), dtype(), true, count, Dims::of(&count, 1), Dims::of(&next, 1)};
}
DType Tensor::dtype() const noexcept { return body_->dtype; }
Device Tensor::device() const noexcept { return body_->device; }
Dims Tensor::sizes() const noexcept { return Dims::of(std::as_const(*body_).sizes(), ndim()); }
Dims Tensor::strides() const noexcept { return Dims::of(std::as_const(*body_).strides(), ndim()); }
std::int64_t Tensor::size(int dim) const noexcept { return body_->sizes()[dim]; }
std::int64_t Tensor::stride(int dim) const noexcept { return body_->strides()[dim]; }
std::int64_t Tensor::last_size() const noexcept { return size(ndim() - 1); }
std::int64_t Tensor::offset() const noexcept { return body_->offset; }
std::int64_t Tensor::count() const noexcept { return body_->count; }
int Tensor::ndim() const noexcept { return body_->ndim(); }
bool Tensor::is_contiguous() const noexcept { return body_->contiguous; }
void* Tensor::data() const noexcept { return body_->data; }
namespace detail {
inline bool are_equal(const std::int64_t* a, const std::int64_t* b, int count) noexcept {
  for (int i = 0; i < count; ++i) {  // few: a call of memcmp costs more
    if (a[i] != b[i]) return false;
  }
  return true;
}
}  // namespace detail
bool Tensor::has_sizes(const Dims& sizes) const noexcept {
  return ndim() == sizes.size() && detail::are_equal(body_->sizes(), sizes.data(), sizes.size());
}
bool have_same_sizes(const Tensor& a, const Tensor& b) noexcept {
  const int ndim = a.ndim();
  return ndim == b.ndim() && detail::are_equal(a.body()->sizes(), b.body()->sizes(), ndim);
}
bool have_same_layout(const Tensor& a, const Tensor& b) noexcept {
  const int ndim = a.ndim();  // the strides lie behind the sizes
  return ndim == b.ndim() && detail::are_equal(a.body()->sizes(), b.body()->sizes(), 2 * ndim);
}
const Counted<Storage>& Tensor::storage() const noexcept { return body_->storage; }

/// Nobody else can see these bytes, so they may be written: they are our own, of a tensor with one
/// share, or of a view with one share of such a tensor.
inline bool is_sole_owner(const Tensor& tensor) {
  const TensorBody& body = *tensor.body();
  if (body.share_count() != 1 || tensor.storage()->is_foreign) return false;
  if (!body.base) return tensor.storage()->share_count() == 1;
  return body.base->share_count() == 1 && tensor.storage()->share_count() == 2;
}

std::uint32_t version_of(const Tensor& tensor) noexcept {
  const TensorBody& body = *tensor.body();
  return body.is_unwatched ? body.storage->writes() : body.storage->version();
}

void note_write(const Tensor& tensor) noexcept {
  const TensorBody& body = *tensor.body();
  if (body.is_unwatched) [[unlikely]]
    return body.storage->note_unwatched_write();
  body.storage->bump_version();
}

}  // namespace garboard
