#include "core/job/history.h"

#include <array>

#include "base/fields.h"
#include "core/job/decide.h"
#include "core/model/chunk_codec.h"

namespace fermata::job {

namespace {

constexpr uint8_t history_format = 1;
constexpr std::string_view whose = "job ";

}  // namespace

std::string_view name_of(CountsAs counts) {
  switch (counts) {
    case CountsAs::nothing: return "";
    case CountsAs::a_try: return "try";
    case CountsAs::a_loss: return "loss";
  }
  return "";
}

std::string_view type_name(const EventBody& body) {
  static constexpr std::array<std::string_view, std::variant_size_v<EventBody>> names = {
      "JobSubmitted",    "JobAllowed",        "JobPostponed",    "JobApprovalRequired",
      "JobDenied",       "JobAmended",        "JobDispatched",   "JobStarted",
      "JobAttemptEnded", "JobRetryScheduled", "JobRequeued",     "JobSucceeded",
      "JobFailed",       "JobTimedOut",       "JobCancelled",    "LateSuccessNoted",
      "JobVoted",        "JobApproved",       "LeaseReturned",   "GiveUpMoved",
      "JobOutputHeld",   "OutputScanFailed",  "OutputScanBegun", "OutputJudged",
      "OutputCleared",   "JobQuarantined",    "OutputReleased",  "OutputDiscarded",
      "ReviewEnded",     "JobContentChecked"};
  return names[body.index()];
}

HistoryChunk encode_history(const std::vector<Event>& events) {
  return write_chunk(history_format, events, [](ByteWriter& out, const auto& body) {
    ByteWriter fields;
    FieldWriter(fields).put(body);
    out.text(fields.bytes());
  });
}

Outcome<std::vector<Event>> decode_history(const HistoryChunk& chunk) {
  return read_chunk<Event>(whose, history_format, chunk, [](ByteReader& in, auto& body) {
    FieldReader(in).take_extensible(body);
  });
}

Outcome<Job> fold(const JobId& id, const std::vector<HistoryChunk>& history) {
  Job job;
  job.id = id;
  for (const HistoryChunk& chunk : history) {
    if (chunk.first_sequence != job.last_sequence + 1) return damaged_chunk(whose, chunk);
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) evolve(job, event);
  }
  return job;
}

}  // namespace fermata::job
