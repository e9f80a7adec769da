#include "python/bindings/tensor/deferred.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/outer_lock.h"
#include "csrc/ops/op/before_write.h"
#include "python/bindings/context/scope_stack.h"

namespace garboard::python {
namespace {

using Step = Counted<ChainStep>;

// Leaked: aliases may end after static destruction.
std::unordered_map<const Alias*, Step>& deferred() {
  static auto* const it = new std::unordered_map<const Alias*, Step>;
  return *it;
}

Step taken(const Alias& alias) noexcept {
  const auto found = deferred().find(&alias);
  if (found == deferred().end()) return nullptr;
  Step step = std::move(found->second);
  deferred().erase(found);
  step->alias = nullptr;
  return step;
}

/// The step as one of its readers sees it: `visit` gets each step that has yet to run, once.
template <class Visit>
void for_each_behind(const Step& step, std::vector<const ChainStep*>& seen, Visit visit) {
  if (std::ranges::find(seen, step.get()) != seen.end()) return;
  seen.push_back(step.get());
  for (const ChainOperand& operand : step->all())
    if (operand.step && !operand.step->made) for_each_behind(operand.step, seen, visit);
  visit(step);
}

void in_order(std::vector<Step>& steps) {
  std::ranges::sort(steps, {}, [](const Step& it) { return it->number; });
}

std::uint64_t this_thread() { return PyThread_get_thread_ident(); }

/// Another thread computes it, without the GIL.
void wait_for(const ChainStep& step) {
  while (step.running_on) {
    if (step.running_on == this_thread())
      throw Error(text(step.op->name(),
                       ": a result that fuse is computing was read meanwhile, by what runs between "
                       "its pieces; read it later"));
    const OuterLock::Away away(1e9);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

/// While it exists, what is born looks as if the op had run when it was called.
class AsWhenCalled {
 public:
  AsWhenCalled(const ChainStep& step, const Alias& alias) : scope_(alias.scope()) {
    birth.site = alias.site;
    birth.scope = scope_.get();
    grad_mode = step.mode;
  }

 private:
  const BirthStamp stamp_;  // puts back what was there
  Counted<DisposeScope> scope_;
};

void compute(const Step& step) {
  wait_for(*step);
  if (step->made || !step->alias) return;
  struct Running {
    ChainStep& step;
    explicit Running(ChainStep& step) : step(step) { step.running_on = this_thread(); }
    ~Running() { step.running_on = 0; }
  };
  std::array<ChainOperand, 3> read;
  {
    const Running running(*step);
    const AsWhenCalled then(*step, *static_cast<const Alias*>(step->alias));
    step->made = run_chain(*step);
    step->made_version = step->made.storage()->writes();
    std::swap(read, step->operands);
  }
  if (!step->alias) return;
  auto& alias = *static_cast<Alias*>(step->alias);
  const Step last = taken(alias);
  alias.settle(Tensor(step->made));
}

void settle(const Step& step) {
  std::vector<const ChainStep*> seen;
  std::vector<Step> wanted;
  for_each_behind(step, seen, [&](const Step& it) {
    if (it->alias) wanted.push_back(it);
  });
  in_order(wanted);
  for (const Step& it : wanted) compute(it);
}

}  // namespace

void put_off(Alias& alias, Counted<ChainStep> step) {
  set_before_write(settle_readers);
  step->alias = &alias;
  deferred().emplace(&alias, std::move(step));
}

const Counted<ChainStep>& step_of(const Alias& alias) { return deferred().at(&alias); }

void forget_deferred(const Alias& alias) noexcept { taken(alias); }

Share deferred_share(const Alias& alias) noexcept {
  return {taken(alias).release(),
          [](void* step) noexcept { Step::adopt(static_cast<ChainStep*>(step)).reset(); }};
}

const Tensor& tensor_of_empty(Alias& alias, const char* op, const char* argument) {
  if (alias.is_deferred()) settle(Step(step_of(alias)));
  if (alias.is_empty()) throw_disposed(alias, op, argument);
  return alias.tensor();
}

void settle_all(Threads threads) {
  if (deferred().empty()) return;
  const std::uint32_t own = thread_number();
  std::vector<Step> steps;
  for (const auto& [alias, step] : deferred())
    if (threads == Threads::all || alias->thread == own) steps.push_back(step);
  in_order(steps);
  for (const Step& step : steps) settle(step);
}

void settle_readers(const Storage& storage) {
  if (deferred().empty()) return;
  std::vector<Step> readers;
  for (const auto& [alias, step] : deferred()) {
    std::vector<const ChainStep*> seen;
    bool reads = false;
    for_each_behind(step, seen, [&](const Step& it) {
      for (const ChainOperand& operand : it->all()) {
        const Tensor& tensor = operand.step ? operand.step->made : operand.tensor;
        reads |= tensor && tensor.storage().get() == &storage;
      }
    });
    if (reads) readers.push_back(step);
  }
  in_order(readers);
  for (const Step& step : readers) settle(step);
}

std::size_t deferred_count() noexcept { return deferred().size(); }

}  // namespace garboard::python
