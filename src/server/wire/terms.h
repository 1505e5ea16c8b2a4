#pragma once
#include <functional>

#include "core/job/decide.h"
#include "host/job_intake.h"
#include "ports/cap.h"
#include "ports/clock.h"
#include "ports/dead_letters.h"
#include "ports/job_files.h"
#include "ports/poison.h"
#include "ports/reader.h"
#include "ports/wire.h"
#include "ports/wire_memory.h"

namespace fermata::server {

/// What the gateway to the wire stands on. All must outlive it.
struct GatewayParts {
  Wire& wire;
  const cap::Codec& codec;
  JobIntake& jobs;
  Reader& reader;
  JobFiles& files;
  DeadLetters& dead_letters;
  PoisonLetters& poison;
  Clock& clock;
  WireMemory* memory = nullptr;  ///< none: bodies are fetched here, and no guards are kept
};

struct GatewayOptions {
  AccountId account;
  std::string sender = "fermata:default";  ///< whose packets are our own
  std::string base_url;                    ///< of this server, for pointers to bodies
  bool bodies_beside = false;              ///< inputs lie in `memory`, setting `payloads`
  job::Limits limits;
  std::function<std::string()> new_id;  ///< of a registration; safe from any thread
  std::function<void(const std::string& message, const std::string& detail)> warn;
};

/// How often a message that cannot be used is delivered before it becomes a dead letter (C-71).
constexpr uint32_t refusals_before_death = 4;
constexpr Duration refusal_pause{5'000};
constexpr Duration busy_pause{500};
/// A body that is not there is looked for so often, within a second (C-38).
constexpr uint32_t body_tries = 6;
constexpr Duration body_pause{200};
/// How long an input lies beside the store: beyond its deadline, and a day at least (C-31).
constexpr Duration body_life_beyond{3'600'000};
constexpr Duration body_life_least{24 * 3'600'000};
/// Of the hash of a message, in its guard.
constexpr size_t guard_print_digits = 32;
constexpr Duration store_pause_first{1'000};
constexpr Duration store_pause_max{30'000};
/// Of a message that cannot be used, kept with its dead letter (J-83).
constexpr size_t poison_bytes_max = 64 << 10;

}  // namespace fermata::server
