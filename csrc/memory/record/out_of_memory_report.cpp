#include "csrc/memory/record/out_of_memory_report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "csrc/core/bytes.h"
#include "csrc/core/text.h"
#include "csrc/memory/heap/block.h"

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

std::string_view origin_name(LimitOrigin origin) {
  switch (origin) {
    case LimitOrigin::program:
      break;
    case LimitOrigin::machine:
      return "four fifths of the machine's memory";
    case LimitOrigin::control_group:
      return "four fifths of what the control group may use";
  }
  return "set by the program";
}

// What cannot be returned.
std::size_t held_of(const OutOfMemoryFacts& facts) {
  return facts.stats.live_bytes + facts.stats.scratch_bytes;
}

// What the source would have to have given for the request to pass, with nothing returned.
std::size_t needed_of(const OutOfMemoryFacts& facts) {
  return facts.stats.reserved_bytes + facts.stats.booked_bytes + facts.stats.scratch_bytes +
         facts.segment;
}

std::size_t elsewhere_of(const OutOfMemoryFacts& facts) {
  const std::size_t known = facts.stats.reserved_bytes + facts.device_free.value_or(0);
  return known < facts.capacity ? facts.capacity - known : 0;
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
      return text("more than the ", human_bytes(largest_request_bytes), " that can be asked for");
    case Verdict::fragmented:
      return text(human_bytes(facts.stats.cached_bytes), " are free, ",
                  human_bytes(facts.stats.largest_free_block), " in one piece, and ",
                  ceiling_name(facts), " is reached");
    case Verdict::pending:
      return text(human_bytes(facts.stats.pending_bytes),
                  " are released, but streams still use them, and ", ceiling_name(facts),
                  " is reached");
    case Verdict::foreign:
      return text("the device has no more, ", human_bytes(facts.stats.reserved_bytes), " of ",
                  ceiling_name(facts), " are reserved, ", human_bytes(elsewhere_of(facts)),
                  " are others'");
    case Verdict::refused:
      return text("the device gives no more, ", human_bytes(facts.stats.reserved_bytes), " of ",
                  ceiling_name(facts), " are reserved");
    case Verdict::host_cap:
      return text(human_bytes(facts.stats.live_bytes), " of ", ceiling_name(facts), ", ",
                  origin_name(facts.limit_origin), ", are live");
    case Verdict::cycles:
      return text(human_bytes(facts.stats.live_bytes), " of ", ceiling_name(facts), " are live, ",
                  human_bytes(facts.garbage), " of garbage in cycles gone already");
    case Verdict::too_big:
    case Verdict::taken:
      break;
  }
  return text(human_bytes(facts.stats.live_bytes), " of ", ceiling_name(facts), " are live");
}

// Of those who hold enough the smallest, and the largest: what is needed least, and what is most
// likely held by mistake.
std::string advice_to_dispose(const std::vector<Holder>& holders, std::size_t needed) {
  std::vector<Holder> enough;
  for (const Holder& it : holders) {
    if (it.bytes >= needed) enough.push_back(it);
  }
  std::ranges::sort(enough, {}, &Holder::bytes);
  if (enough.size() > 2) enough.erase(enough.begin() + 1, enough.end() - 1);
  std::string advice;
  for (const Holder& it : enough) {
    advice +=
        text(advice.empty() ? ": dispose " : " or ", it.name, " (", human_bytes(it.bytes), ')');
  }
  return advice;
}

std::string advice_to_release(const OutOfMemoryFacts& facts) {
  const std::size_t needed = held_of(facts) + facts.segment - ceiling_of(facts);
  return text("release at least ", human_bytes(needed),
              advice_to_dispose(facts.holders.each, needed));
}

// The smallest action that helps. The figures are those that make the same request pass.
std::string advice(const OutOfMemoryFacts& facts, Verdict verdict) {
  const std::string raise = advice_to_raise(facts, needed_of(facts));
  switch (verdict) {
    case Verdict::absurd:
      return "check the sizes";
    case Verdict::too_big:
      return text("ask for less at once", raise);
    case Verdict::host_cap:
      if (facts.segment > ceiling_of(facts)) return text("ask for less at once", raise);
      return text(advice_to_release(facts), raise);
    case Verdict::cycles:
    case Verdict::taken:
      return text(advice_to_release(facts), raise);
    case Verdict::pending:
      return text("synchronize the device, and ask again", raise);
    case Verdict::fragmented:
      return text("release what lies between the free pieces", raise);
    case Verdict::foreign:
      return "end what else uses the device";
    case Verdict::refused:
      break;
  }
  return "look for a limit of the system or the driver, such as ulimit -v";
}

std::string_view explanation(Verdict verdict) {
  switch (verdict) {
    case Verdict::absurd:
      return "absurd: no device holds so much";
    case Verdict::too_big:
      return "too big: it would not fit if nothing else were live";
    case Verdict::host_cap:
      return "host cap: the default limit, which keeps the system from ending the process";
    case Verdict::pending:
      return "pending: enough is released, but streams still use it";
    case Verdict::cycles:
      return "cycles: live tensors leave no room, and reference cycles had taken more of it";
    case Verdict::taken:
      return "taken: live tensors leave no room";
    case Verdict::fragmented:
      return "fragmented: enough is free, but not in one piece";
    case Verdict::foreign:
      return "foreign: others have the device's memory, though the limit has room";
    case Verdict::refused:
      break;
  }
  return "refused: the device does not give what it has, though the limit has room";
}

std::string line(std::string_view name, const std::string& value) {
  std::array<char, 32> label;
  std::snprintf(label.data(), label.size(), "  %-22.22s", std::string(name).c_str());
  return text(label.data(), value, '\n');
}

}  // namespace

Verdict verdict_of(const OutOfMemoryFacts& facts) {
  const std::size_t ceiling = ceiling_of(facts);
  const std::size_t needed = needed_of(facts);
  const bool is_default = facts.limit && facts.limit_origin != LimitOrigin::program;
  const bool leaves_no_room = held_of(facts) + facts.segment > ceiling;
  if (facts.requested > largest_request_bytes) return Verdict::absurd;
  if (leaves_no_room && is_default && needed <= facts.capacity) return Verdict::host_cap;
  if (facts.segment > ceiling) return Verdict::too_big;
  if (!leaves_no_room && facts.stats.pending_bytes > 0) return Verdict::pending;
  if (needed <= ceiling) {
    const bool has_it = !facts.device_free || *facts.device_free >= facts.segment;
    return has_it ? Verdict::refused : Verdict::foreign;
  }
  if (leaves_no_room) return facts.garbage > 0 ? Verdict::cycles : Verdict::taken;
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
  report += line(
      "limit", facts.limit ? text(exact_bytes(*facts.limit), ", ", origin_name(facts.limit_origin))
                           : "none");
  report += line("device", exact_bytes(facts.capacity));
  if (facts.device_free) {
    report += line("free on the device", exact_bytes(*facts.device_free));
    report += line("others'", exact_bytes(elsewhere_of(facts)));
  }
  report += line("live", exact_bytes(facts.stats.live_bytes));
  report += line("reserved", exact_bytes(facts.stats.reserved_bytes));
  report += line("pending", exact_bytes(facts.stats.pending_bytes));
  report += line("cached", exact_bytes(facts.stats.cached_bytes));
  report += line("largest free block",
                 text(exact_bytes(facts.stats.largest_free_block), " after all steps, ",
                      human_bytes(facts.largest_free_before), " before"));
  report += line("foreign", exact_bytes(facts.stats.foreign_bytes));
  report += line("scratch", exact_bytes(facts.stats.scratch_bytes));
  if (facts.is_nested) report += "asked for by a callback or a finalizer, so nothing was freed\n";
  if (!facts.rungs.empty()) report += "what was tried:\n";
  for (const RungFacts& rung : facts.rungs) {
    std::array<char, 32> time;
    std::snprintf(time.data(), time.size(), " in %.1f ms", rung.ms);
    report += line(rung.name, text("freed ", human_bytes(rung.freed_bytes), time.data()));
  }
  if (!facts.holders.lines.empty()) report += text("who holds it:\n", facts.holders.lines);
  return report;
}

std::string message_of(const ScratchRefusal& facts) {
  return text("scratch: ", human_bytes(facts.requested), " asked by a kernel while it runs, ",
              human_bytes(facts.live), " of the limit of ", human_bytes(facts.limit),
              " are live and ", human_bytes(facts.scratch), " are other scratch; release at least ",
              human_bytes(facts.excess()), ", or raise the limit to at least ",
              as_limit(facts.limit + facts.excess()));
}

std::string report_of(const ScratchRefusal& facts) {
  return text(message_of(facts), '\n', line("requested", exact_bytes(facts.requested)),
              line("limit", exact_bytes(facts.limit)), line("live", exact_bytes(facts.live)),
              line("scratch", exact_bytes(facts.scratch)));
}

}  // namespace garboard
