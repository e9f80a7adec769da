// Aliases of results that are computed when somebody reads them: inside `gb.fuse`.
//
// Such an alias looks empty, as a disposed one does, so whoever asks it for its tensor comes here,
// and nobody pays for the question. Guarded by the GIL.
#pragma once

#include "csrc/ops/fuse/chain.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {

/// A new alias of what `step` computes, made and stamped as one of any op. Returns null with an
/// exception set.
PyObject* wrap_later(Counted<ChainStep> step);

/// Has a deferred alias hold what `step` makes.
void put_off(Alias& alias, Counted<ChainStep> step);
/// What a deferred alias is to hold.
const Counted<ChainStep>& step_of(const Alias& alias);

/// The share of a deferred alias that is disposed. Under the LifetimeLock.
Share deferred_share(const Alias& alias) noexcept;

enum class Threads : std::uint8_t { own, all };

/// Computes what was deferred and still has an alias, in order. Raises what the ops raise; what is
/// left stays deferred.
void settle_all(Threads threads);

/// What will be written is read first.
void settle_readers(const Storage& storage);

/// How many aliases are deferred, on all threads.
std::size_t deferred_count() noexcept;

}  // namespace garboard::python
