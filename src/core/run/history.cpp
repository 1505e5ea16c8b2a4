#include "core/run/history.h"

#include "base/fields.h"
#include "core/model/chunk_codec.h"
#include "core/run/decide.h"
#include "core/run/script_events.h"

namespace fermata {

namespace {

constexpr uint8_t history_format = 1;

Failure<Error> damaged(const HistoryChunk& chunk) { return damaged_chunk("", chunk); }

}  // namespace

std::string_view type_name(const EventBody& body) {
  static constexpr std::string_view names[] = {
      "RunStarted",        "RunPaused",          "RunUnpaused",     "NodeStarted",
      "CallRequested",     "NodeSucceeded",      "NodeFailed",      "NodeRetryScheduled",
      "WaitOpened",        "WaitResumed",        "SplitOpened",     "SlotResolved",
      "SplitClosed",       "MergeArrived",       "MergeRecounted",  "MergeOpened",
      "MergeTimedOut",     "ArrivalIgnored",     "TokenEnded",      "NodesSkipped",
      "TokensCancelled",   "SignalReceived",     "RunMigrated",     "RunCompleted",
      "RunFailed",         "RunCancelled",       "RunTimedOut",     "JobRequested",
      "ChildRequested",    "SignalSent",         "FlowResumed",     "FlowSettled",
      "TimerFired",        "FlowEnding",         "FlowNoted",       "WaitCancelled",
      "WaitChanged",       "WaitHeld",           "WaitReleased",    "FlowFaulted",
      "FlowMigrated",      "ApprovalRequested",  "ApprovalDecided", "WaitRegistered",
      "WaitEnded",         "SignalMatched",      "GoalAchieved",    "SagaRecorded",
      "RollbackRequested", "RollbackStarted",    "StopAnswered",    "UndoSubmitted",
      "UndoEnded",         "UndoResumed",        "RollbackEnded",   "SagaJoined",
      "ResumeFailed",      "JobOutputWithdrawn", "TimerHeld",       "RunKeyed",
      "EntryVacated",      "TokensArrived",      "TokenSent",       "TokenTaken"};
  static_assert(std::size(names) == std::variant_size_v<EventBody>);
  if (const auto* note = std::get_if<FlowNoted>(&body)) return script_event_name(*note);
  if (const auto* settled = std::get_if<FlowSettled>(&body)) return script_event_name(*settled);
  if (const auto* failed = std::get_if<MergeFailed>(&body);
      failed && failed->error.get("code") != Value("merge_timeout"))
    return "NodeFailed";
  return names[body.index()];
}

HistoryChunk encode_history(const std::vector<Event>& events) {
  return write_chunk(history_format, events, [](ByteWriter& out, const auto& body) {
    FieldWriter writer(out);
    // `each` visits fields by reference; writing does not change them.
    fields_of(const_cast<std::remove_cvref_t<decltype(body)>&>(body)).each(writer);
  });
}

Outcome<std::vector<Event>> decode_history(const HistoryChunk& chunk) {
  return read_chunk<Event>("", history_format, chunk, [](ByteReader& in, auto& body) {
    FieldReader reader(in);
    fields_of(body).each(reader);
  });
}

Outcome<std::vector<std::set<NodeIndex>>> places_of(const std::vector<HistoryChunk>& history,
                                                    NodeIndex node) {
  std::vector<std::vector<NodeIndex>> moves;
  for (const HistoryChunk& chunk : history) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events)
      if (const auto* migrated = std::get_if<RunMigrated>(&event.body))
        moves.push_back(migrated->node_map);
  }
  std::vector<std::set<NodeIndex>> places(moves.size() + 1);
  places.back() = {node};
  // Found backwards from the version the run has now.
  for (size_t phase = moves.size(); phase-- > 0;)
    for (NodeIndex old = 0; old < moves[phase].size(); ++old)
      if (places[phase + 1].contains(moves[phase][old])) places[phase].insert(old);
  return places;
}

namespace {

Outcome<Run> fold_to(Run run, const std::vector<HistoryChunk>& history,
                     const DefinitionLookup& definitions, uint64_t last_sequence) {
  for (const HistoryChunk& chunk : history) {
    if (chunk.first_sequence != run.last_sequence + 1) return damaged(chunk);
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (event.sequence > last_sequence) return run;
      const DefinitionHash* needs = nullptr;
      if (const auto* started = start_in(event.body)) needs = &started->hash;
      if (const auto* migrated = std::get_if<RunMigrated>(&event.body)) needs = &migrated->hash;
      if (const auto* migrated = std::get_if<FlowMigrated>(&event.body)) needs = &migrated->hash;
      if (needs) {
        run.definition = definitions(*needs);
        if (!run.definition)
          return fail(ErrorCode::data_damaged, "definition " + needs->text() + " is missing");
      }
      if (!run.definition) return damaged(chunk);
      evolve(run, event);
    }
    run.wait_changes.clear();
    run.approval_changes.clear();
  }
  return run;
}

}  // namespace

Outcome<Run> fold(const RunId& id, const std::vector<HistoryChunk>& history,
                  const DefinitionLookup& definitions) {
  return fold_until(id, history, definitions, UINT64_MAX);
}

Outcome<Run> fold_on(Run run, const std::vector<HistoryChunk>& history,
                     const DefinitionLookup& definitions) {
  return fold_to(std::move(run), history, definitions, UINT64_MAX);
}

Outcome<Run> fold_until(const RunId& id, const std::vector<HistoryChunk>& history,
                        const DefinitionLookup& definitions, uint64_t last_sequence) {
  Run run;
  run.id = id;
  return fold_to(std::move(run), history, definitions, last_sequence);
}

}  // namespace fermata
