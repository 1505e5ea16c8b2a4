#include "adapters/nats/streams.h"

#include <algorithm>

namespace fermata::nats {
namespace {

/// The next token of a subject; takes it off.
std::string_view take_token(std::string_view& rest) {
  std::string_view token = rest.substr(0, rest.find('.'));
  rest.remove_prefix(std::min(token.size() + 1, rest.size()));
  return token;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

Outcome<std::vector<std::string>> judge(const jsStreamConfig& found, const StreamWanted& wanted) {
  std::string ways_out =
      " Fermata alters no stream that is there: change it with your own tools, "
      "or name another by " +
      wanted.setting + ".";
  if (found.Retention == js_WorkQueuePolicy)
    return fail(ErrorCode::invalid_setting,
                "NATS: stream " + wanted.name +
                    " has work-queue retention, limits are needed: what one reader has "
                    "acknowledged would be gone for all others." +
                    ways_out);
  std::vector<std::string> has(found.Subjects, found.Subjects + found.SubjectsLen);
  std::vector<std::string> missing;
  for (const std::string& subject : wanted.subjects) {
    bool there = std::any_of(has.begin(), has.end(),
                             [&](const std::string& one) { return covers(one, subject); });
    if (!there) missing.push_back(subject);
  }
  if (!missing.empty())
    return fail(ErrorCode::invalid_setting, "NATS: stream " + wanted.name + " holds " +
                                                joined(has) + " and lacks " + joined(missing) +
                                                "." + ways_out);
  std::vector<std::string> warnings;
  if (found.Replicas < 2)
    warnings.push_back("NATS: stream " + wanted.name +
                       " has one replica: a lost node takes its messages along");
  return warnings;
}

Outcome<StreamInfo> add_stream(jsCtx* js, const StreamWanted& wanted) {
  std::vector<const char*> subjects;
  for (const std::string& subject : wanted.subjects) subjects.push_back(subject.c_str());
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  config.Name = wanted.name.c_str();
  config.Subjects = subjects.data();
  config.SubjectsLen = static_cast<int>(subjects.size());
  config.Retention = js_LimitsPolicy;
  config.Storage = js_FileStorage;
  config.MaxAge = stream_age_ms * nanoseconds_per_ms;
  config.Duplicates = duplicate_window_ms * nanoseconds_per_ms;
  natsStatus status = NATS_ERR;
  jsErrCode code{};
  // A server by itself, or two, cannot keep three copies.
  for (int64_t replicas : {3, 1}) {
    config.Replicas = replicas;
    jsStreamInfo* made = nullptr;
    status = js_AddStream(&made, js, &config, nullptr, &code);
    if (status == NATS_OK) return StreamInfo(made);
    if (code != JSStreamReplicasNotSupportedErr && code != JSClusterNoPeersErr &&
        code != JSInsufficientResourcesErr)
      break;
  }
  if (code == JSStreamSubjectOverlapErr)
    return fail(ErrorCode::invalid_setting, "NATS: there is no stream " + wanted.name +
                                                ", and another one holds some of " +
                                                joined(wanted.subjects) + ". Name that one by " +
                                                wanted.setting + ", or free its subjects.");
  return fail(ErrorCode::io_failed,
              "NATS: stream " + wanted.name + " cannot be made: " + text_of(status, code) + ".");
}

}  // namespace

std::vector<StreamWanted> streams_wanted(const std::string& sys, const std::string& jobs,
                                         const std::string& prefix) {
  std::vector<StreamWanted> streams = {{sys,
                                        "nats_stream_sys",
                                        {"sys.job.submit", "sys.job.result", "sys.job.cancel",
                                         "sys.job.dlq", "sys.job.accepted", "sys.audit.>"}},
                                       {jobs, "nats_stream_jobs", {"job.>", "worker.*.jobs"}}};
  for (StreamWanted& stream : streams)
    for (std::string& subject : stream.subjects) subject.insert(0, prefix);
  return streams;
}

std::vector<ConsumerWanted> consumers_wanted(const std::string& prefix) {
  return {{"fermata_submit", prefix + "sys.job.submit"},
          {"fermata_result", prefix + "sys.job.result"},
          {"fermata_cancel", prefix + "sys.job.cancel"}};
}

bool covers(std::string_view pattern, std::string_view subject) {
  while (!pattern.empty() && !subject.empty()) {
    std::string_view wide = take_token(pattern);
    std::string_view narrow = take_token(subject);
    if (wide == ">") return true;
    if (narrow == ">" || (wide != "*" && wide != narrow)) return false;
  }
  return pattern.empty() && subject.empty();
}

Outcome<std::vector<std::string>> prepare_stream(jsCtx* js, const StreamWanted& wanted) {
  jsStreamInfo* found = nullptr;
  jsErrCode code{};
  natsStatus status = js_GetStreamInfo(&found, js, wanted.name.c_str(), nullptr, &code);
  StreamInfo info(found);
  if (status == NATS_OK) return judge(*info->Config, wanted);
  if (status != NATS_NOT_FOUND)
    return fail(ErrorCode::io_failed, "NATS: stream " + wanted.name +
                                          " cannot be looked at: " + text_of(status, code) + ".");
  FERMATA_TRY(made, add_stream(js, wanted));
  return judge(*made->Config, wanted);
}

Outcome<void> prepare_consumer(jsCtx* js, const std::string& stream, const ConsumerWanted& wanted) {
  jsConsumerInfo* found = nullptr;
  jsErrCode code{};
  natsStatus status =
      js_GetConsumerInfo(&found, js, stream.c_str(), wanted.name.c_str(), nullptr, &code);
  ConsumerInfo info(found);
  if (status == NATS_OK) {
    const jsConsumerConfig& has = *info->Config;
    std::string filter = has.FilterSubject ? has.FilterSubject : "";
    if (has.AckPolicy == js_AckExplicit && filter == wanted.subject && !has.DeliverSubject)
      return {};
    return fail(ErrorCode::invalid_setting,
                "NATS: consumer " + wanted.name + " of stream " + stream + " reads " +
                    (filter.empty() ? "everything" : filter) + "; a pull consumer of " +
                    wanted.subject +
                    " with explicit acknowledgement is needed. Delete it, Fermata makes it anew.");
  }
  if (status != NATS_NOT_FOUND)
    return fail(ErrorCode::io_failed, "NATS: consumer " + wanted.name +
                                          " cannot be looked at: " + text_of(status, code) + ".");
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.Durable = wanted.name.c_str();
  config.FilterSubject = wanted.subject.c_str();
  config.DeliverPolicy = js_DeliverAll;
  config.AckPolicy = js_AckExplicit;
  config.AckWait = ack_wait_ms * nanoseconds_per_ms;
  config.MaxDeliver = deliveries_max;
  config.MaxAckPending = ack_pending_max;
  jsConsumerInfo* made = nullptr;
  status = js_AddConsumer(&made, js, stream.c_str(), &config, nullptr, &code);
  ConsumerInfo owned(made);
  if (status == NATS_OK) return {};
  return fail(ErrorCode::io_failed,
              "NATS: consumer " + wanted.name + " cannot be made: " + text_of(status, code) + ".");
}

}  // namespace fermata::nats
