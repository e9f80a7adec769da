#include "csrc/device/simulated_timeline.h"

#include <algorithm>

namespace garboard {

Ticket SimulatedTimeline::submit(Stream stream) {
  const std::lock_guard guard(lock_);
  return ++lines_[stream.handle].submitted;
}

void SimulatedTimeline::advance(Stream stream, Ticket ticket) {
  const std::lock_guard guard(lock_);
  Line& line = lines_[stream.handle];
  Ticket reached = std::min(ticket, line.submitted);
  for (const Wait& wait : line.waits) {
    if (lines_[wait.stream].passed < wait.ticket) reached = std::min(reached, wait.from);
  }
  pass(line, std::max(line.passed, reached));
}

void SimulatedTimeline::finish() {
  const std::lock_guard guard(lock_);
  for (auto& [stream, line] : lines_) pass(line, line.submitted);
}

Ticket SimulatedTimeline::submitted(Stream stream) const {
  const std::lock_guard guard(lock_);
  const auto found = lines_.find(stream.handle);
  return found == lines_.end() ? 0 : found->second.submitted;
}

Ticket SimulatedTimeline::passed(Stream stream) const {
  const std::lock_guard guard(lock_);
  const auto found = lines_.find(stream.handle);
  return found == lines_.end() ? 0 : found->second.passed;
}

bool SimulatedTimeline::is_before(Stream stream, Ticket ticket, Stream later) const {
  const std::lock_guard guard(lock_);
  const auto found = lines_.find(stream.handle);
  if (found == lines_.end() || found->second.passed >= ticket) return true;
  return orders(stream.handle, ticket, later.handle, ~Ticket{0});
}

// Whether the work of `later` behind `from` has been told to wait for it, itself or through what
// others were told. Nothing can be told to wait for work that comes later, so this ends.
bool SimulatedTimeline::orders(Handle stream, Ticket ticket, Handle later, Ticket from) const {
  if (stream == later) return from >= ticket;
  const auto found = lines_.find(later);
  if (found == lines_.end()) return false;
  return std::any_of(found->second.waits.begin(), found->second.waits.end(), [&](const Wait& wait) {
    return wait.from < from && orders(stream, ticket, wait.stream, wait.ticket);
  });
}

Ticket SimulatedTimeline::ticket(Stream stream) noexcept {
  const std::lock_guard guard(lock_);
  ++event_count_;
  return lines_[stream.handle].submitted;
}

bool SimulatedTimeline::is_passed(Stream stream, Ticket ticket) noexcept {
  const std::lock_guard guard(lock_);
  ++query_count_;
  return lines_[stream.handle].passed >= ticket;
}

void SimulatedTimeline::await(Stream stream, Ticket ticket) noexcept {
  const std::lock_guard guard(lock_);
  ++host_wait_count_;
  work(stream.handle, ticket);
}

void SimulatedTimeline::let_wait(Stream waiter, Stream stream, Ticket ticket) noexcept {
  const std::lock_guard guard(lock_);
  Line& line = lines_[waiter.handle];
  line.waits.push_back({line.submitted++, stream.handle, ticket});
}

void SimulatedTimeline::work(Handle stream, Ticket ticket) {
  Line& line = lines_[stream];
  if (line.passed >= ticket) return;
  const std::vector<Wait> waits = line.waits;  // passing drops them
  for (const Wait& wait : waits) {
    if (wait.from < ticket) work(wait.stream, wait.ticket);
  }
  pass(line, ticket);
}

// What was waited for is passed too, so nobody has to hear of it again.
void SimulatedTimeline::pass(Line& line, Ticket ticket) {
  line.passed = ticket;
  std::erase_if(line.waits, [&](const Wait& wait) { return wait.from < ticket; });
}

std::size_t SimulatedTimeline::event_count() const {
  const std::lock_guard guard(lock_);
  return event_count_;
}

std::size_t SimulatedTimeline::query_count() const {
  const std::lock_guard guard(lock_);
  return query_count_;
}

std::size_t SimulatedTimeline::host_wait_count() const {
  const std::lock_guard guard(lock_);
  return host_wait_count_;
}

}  // namespace garboard
