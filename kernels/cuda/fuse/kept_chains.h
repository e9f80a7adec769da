// The chains that have been compiled for a device.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kernels/cuda/fuse/compiled_chain.h"

namespace garboard::kernels::cuda {

/// Kernels by what they were compiled for; of more than `most` the one goes that has not run for
/// longest. What did not compile is kept as null, and not tried again. Thread-safe.
class KeptChains {
 public:
  explicit KeptChains(std::size_t most = 256) : most_(most) {}

  /// Calls `use` with the kernel, if it is there; meanwhile it stays.
  template <class Use>
  bool with(const std::string& key, Use use) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return false;
    chains_.splice(chains_.begin(), chains_, found->second);
    use(found->second->chain);
    return true;
  }

  /// Returns what has to be discarded, or null: nothing waits for a device under the lock.
  CompiledChain add(const std::string& key, CompiledChain chain) {
    const std::lock_guard lock(mutex_);
    if (places_.contains(key)) return chain;  // another thread was first
    chains_.push_front({key, chain});
    places_.emplace(chains_.front().key, chains_.begin());
    if (chains_.size() <= most_) return nullptr;
    const CompiledChain oldest = chains_.back().chain;
    places_.erase(chains_.back().key);
    chains_.pop_back();
    return oldest;
  }

 private:
  struct Kept {
    std::string key;
    CompiledChain chain;
  };

  const std::size_t most_;
  std::mutex mutex_;
  std::list<Kept> chains_;  // what ran last comes first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> places_;
};

}  // namespace garboard::kernels::cuda
