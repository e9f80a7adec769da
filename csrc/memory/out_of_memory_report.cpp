#include "csrc/memory/out_of_memory_report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "csrc/core/bytes.h"
#include "csrc/core/text.h"
#include "csrc/memory/caching_allocator.h"

namespace garboard {
namespace {

// What segments and booked bytes may come to, whoever set it.
std::size_t ceiling_of(const OutOfMemoryFacts& facts) {
  return std::min(facts.limit.value_or(facts.capacity), facts.capacity);
}

std::string ceiling_name(const OutOfMemoryFacts& facts) {
  const bool is_limit = facts.limit && *facts.limit <= facts.capacity;
  return text(is_limit ? "the limit of " : "the device's ", human_bytes(ceiling_of(facts)));
}

// As one types it, rounded up: a limit set to this suffices.
std::string as_limit(std::size_t bytes) { return text((bytes + 1_MiB - 1) / 1_MiB, " MiB"); }

std::string advice_to_raise(const OutOfMemoryFacts& facts, std::size_t needed) {
  if (!facts.limit || needed > facts.capacity) return {};
  return text(", or raise the limit to at least ", as_limit(needed));
}

std::string situation(const OutOfMemoryFacts& facts, Verdict verdict) {
  switch (verdict) {
    case Verdict::absurd:
      return text("more than the ", human_bytes(CachingAllocator::largest_request_bytes),
                  " that can be asked for");
    case Verdict::fragmented:
      return text(human_bytes(facts.cached), " are free, ", human_bytes(facts.largest_free),
                  " in one piece, and ", ceiling_name(facts), " is reached");
    case Verdict::refused:
      return text("the device has no more, ", human_bytes(facts.reserved), " of ",
                  ceiling_name(facts), " are reserved");
    case Verdict::too_big:
    case Verdict::taken:
      break;
  }
  return text(human_bytes(facts.live), " of ", ceiling_name(facts), " are live");
}

// The smallest action that helps. The figures are those that make the same request pass.
std::string advice(const OutOfMemoryFacts& facts, Verdict verdict) {
  const std::size_t ceiling = ceiling_of(facts);
  const std::size_t needed = facts.reserved + facts.booked + facts.segment;
  switch (verdict) {
    case Verdict::absurd:
      return "check the sizes";
    case Verdict::too_big:
      return text("ask for less at once", advice_to_raise(facts, needed));
    case Verdict::taken:
      return text("release at least ", human_bytes(facts.live + facts.segment - ceiling),
                  advice_to_raise(facts, needed));
    case Verdict::fragmented:
      return text("release what lies between the free pieces", advice_to_raise(facts, needed));
    case Verdict::refused:
      break;
  }
  return "end what else uses the device";
}

std::string explanation(Verdict verdict) {
  switch (verdict) {
    case Verdict::absurd:
      return "absurd: no device holds so much";
    case Verdict::too_big:
      return "too big: it would not fit if nothing else were live";
    case Verdict::taken:
      return "taken: live tensors leave no room";
    case Verdict::fragmented:
      return "fragmented: enough is free, but not in one piece";
    case Verdict::refused:
      break;
  }
  return "refused: the device has no more, though the limit has room";
}

std::string line(std::string_view name, const std::string& value) {
  std::array<char, 32> label;
  std::snprintf(label.data(), label.size(), "  %-22.22s", std::string(name).c_str());
  return text(label.data(), value, '\n');
}

}  // namespace

Verdict verdict_of(const OutOfMemoryFacts& facts) {
  const std::size_t ceiling = ceiling_of(facts);
  if (facts.requested > CachingAllocator::largest_request_bytes) return Verdict::absurd;
  if (facts.segment > ceiling) return Verdict::too_big;
  if (facts.reserved + facts.booked + facts.segment <= ceiling) return Verdict::refused;
  if (facts.live + facts.segment > ceiling) return Verdict::taken;
  return Verdict::fragmented;
}

std::string message_of(const OutOfMemoryFacts& facts) {
  const Verdict verdict = verdict_of(facts);
  return text("allocate: ", human_bytes(facts.requested), " asked on ", facts.device, ", ",
              situation(facts, verdict), "; ", advice(facts, verdict));
}

std::string report_of(const OutOfMemoryFacts& facts) {
  std::string report = text(message_of(facts), '\n', explanation(verdict_of(facts)), '\n');
  report += line("requested", exact_bytes(facts.requested));
  report += line("limit", facts.limit ? exact_bytes(*facts.limit) : "none");
  report += line("device", exact_bytes(facts.capacity));
  report += line("live", exact_bytes(facts.live));
  report += line("reserved", exact_bytes(facts.reserved));
  report += line("cached", exact_bytes(facts.cached));
  report += line("largest free block", exact_bytes(facts.largest_free));
  report += line("foreign", exact_bytes(facts.foreign));
  if (facts.is_nested) report += "asked for by a callback or a finalizer, so nothing was freed\n";
  if (!facts.rungs.empty()) report += "what was tried:\n";
  for (const RungFacts& rung : facts.rungs) {
    std::array<char, 32> time;
    std::snprintf(time.data(), time.size(), " in %.1f ms", rung.ms);
    report += line(rung.name, text("freed ", human_bytes(rung.freed_bytes), time.data()));
  }
  if (!facts.holders.empty()) report += text("who holds it:\n", facts.holders);
  return report;
}

}  // namespace garboard
