#include "csrc/core/interruption.h"

#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"

namespace garboard {

void interruption_point() {
  OuterLock::look_up();
  if (is_in_vain()) throw InVain();
}

}  // namespace garboard
