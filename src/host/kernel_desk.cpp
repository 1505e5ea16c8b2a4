#include "host/kernel_desk.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"

namespace fermata {

namespace {

constexpr const char* breaker_name = "safety";
constexpr Duration store_retry{1'000};

job::Verdict outage(std::string reason) {
  job::Verdict word;
  word.kind = job::VerdictKind::unavailable;
  word.source = "kernel";
  word.reason = std::move(reason);
  return word;
}

}  // namespace

std::string_view name_of(PolicyMode mode) {
  switch (mode) {
    case PolicyMode::rules: return "rules";
    case PolicyMode::kernel: return "kernel";
    case PolicyMode::both: return "both";
  }
  return "";
}

KernelDesk::KernelDesk(PolicyKernel* kernel, Counters* counters, JobFiles* files,
                       const PolicySettings& settings)
    : kernel_(settings.mode == PolicyMode::rules ? nullptr : kernel),
      files_(files),
      settings_(settings),
      under_way_(Duration{settings.kernel_timeout_ms}) {
  if (!kernel_) return;
  check(counters != nullptr);
  way_.emplace(breaker_name, *counters, "cb:safety:");
}

void KernelDesk::ask(const JobId& job, uint32_t revision, bool first) {
  if (!on()) return;
  auto [asked, fresh] = asked_.try_emplace(job, revision);
  asked->second = std::max(asked->second, revision);
  if (!fresh) return;
  if (first) {
    waiting_.push_front({job});
  } else {
    waiting_.push_back({job});
  }
}

void KernelDesk::consult(JobItem item) {
  JobId job = item.command.job;
  waiting_.push_back({std::move(job), std::move(item)});
}

std::vector<JobItem> KernelDesk::gather(Instant now) {
  if (!on()) return {};
  for (const PolicyAnswer& answer : kernel_->harvest()) take(answer, now);
  time_out(now);
  way_->look();
  return std::exchange(ready_, {});
}

void KernelDesk::take(const PolicyAnswer& answer, Instant now) {
  auto call = under_way_.take(answer.ticket);
  // What it was asked for has been decided without it.
  if (!call) return;
  Asked& asked = call->asked;
  if (answer.kind == PolicyAnswer::Kind::failed) {
    trusted_ = false;
    way_->breaker().failed(call->pass);
    return deliver(std::move(asked.want), outage(answer.reason), asked.revision);
  }
  job::Verdict word = answer.verdict;
  word.source = "kernel";
  if (answer.kind == PolicyAnswer::Kind::unknown) {
    // An answer that says nothing tells nothing of the kernel's health either (J-30).
    word.kind = job::VerdictKind::deny;
    word.reason_code = "safety_unknown";
    word.reason = answer.reason;
  } else {
    trusted_ = true;
    if (way_->breaker().succeeded(call->pass)) closed_ = true;
    // Answers overtake one another: what was asked last is the newest.
    if (answer.ticket > named_by_) {
      named_by_ = answer.ticket;
      named_ = named_ || newest_ != word.kernel_snapshot;
      newest_ = word.kernel_snapshot;
    }
  }
  Duration took = now - under_way_.begun_at(*call);
  uint64_t micros = took.ms > 0 ? static_cast<uint64_t>(took.ms) * 1'000 : 0;
  deliver(std::move(asked.want), std::move(word), asked.revision, micros);
}

void KernelDesk::time_out(Instant now) {
  PolicyAnswer none;
  none.reason =
      "safety kernel: no answer within " + std::to_string(settings_.kernel_timeout_ms) + " ms";
  for (uint64_t ticket : under_way_.late(now)) {
    none.ticket = ticket;
    take(none, now);
  }
}

void KernelDesk::deliver(Want want, job::Verdict word, uint32_t revision, uint64_t micros) {
  job::JudgeJob judge{std::move(word), revision, micros};
  if (!want.item) {
    auto asked = asked_.find(want.job);
    // It was amended meanwhile.
    if (asked != asked_.end() && asked->second > revision)
      return waiting_.push_back(std::move(want));
    asked_.erase(want.job);
    ready_.push_back({.command = {want.job, std::move(judge)}});
    return;
  }
  job::CommandBody& body = want.item->command.body;
  if (auto* approve = std::get_if<job::ApproveJob>(&body)) approve->kernel = std::move(judge);
  if (auto* review = std::get_if<job::ReviewJob>(&body)) review->kernel = std::move(judge);
  ready_.push_back(*std::move(want.item));
}

bool KernelDesk::has_room() {
  if (trusted_) return under_way_.size() < settings_.kernel_calls_max;
  breaker::Counts counts = way_->breaker().look();
  // Half open its tickets are the limit; open, nothing is sent.
  if (state_of(counts) != breaker::State::closed) return true;
  auto under_way = static_cast<int64_t>(under_way_.size());
  // One at least: failures that somebody else has counted must not silence everybody.
  return under_way == 0 || counts.failures + under_way < breaker::failures_to_open;
}

bool KernelDesk::is_wanted(const Want& want, const job::Job& job) const {
  if (want.item) return job.state == job::State::approval_required;
  bool unjudged = job.phase == job::Phase::policy || job.phase == job::Phase::policy_unavailable;
  return job.state == job::State::pending && unjudged;
}

Outcome<std::string> KernelDesk::content_of(const job::Job& job) {
  const job::Payload& input = job.request.input;
  if (input.bytes > question_content_bytes_max) return std::string();
  if (!input.in_blob) return to_canonical_json(input.value);
  if (!files_) return std::string();
  FERMATA_TRY(text, files_->blob(job.account, input.sha256));
  return std::move(text).value_or("");
}

void KernelDesk::submit(Want want, const job::Job& job, std::string content,
                        const breaker::Pass& pass, Instant now) {
  PolicyQuestion question;
  question.job = job.id;
  question.account = job.account;
  question.request = job.request;
  question.content = std::move(content);
  under_way_.begin(question, {std::move(want), job.revision}, pass, *way_, now);
  kernel_->submit(std::move(question));
}

void KernelDesk::send(Instant now, const Find& find) {
  if (!on()) return;
  retry_at_.reset();
  for (size_t n = waiting_.size(); n > 0 && has_room(); --n) {
    Want want = std::move(waiting_.front());
    waiting_.pop_front();
    auto job = find(want.job);
    auto content = job && *job ? content_of(**job) : Outcome<std::string>(std::string());
    if (!job || !content) {
      waiting_.push_back(std::move(want));
      retry_at_ = now + store_retry;
      continue;
    }
    if (*job == nullptr || !is_wanted(want, **job)) {
      // A command is refused for what the job is, whatever the kernel would have said.
      if (want.item) {
        deliver(std::move(want), outage("the job awaits no approval"), 0);
      } else {
        asked_.erase(want.job);
      }
      continue;
    }
    auto pass = way_->breaker().admit();
    if (pass) {
      submit(std::move(want), **job, *std::move(content), *pass, now);
    } else {
      deliver(std::move(want), outage("safety kernel circuit open"), (*job)->revision);
    }
  }
  way_->look();
}

std::optional<std::string> KernelDesk::take_named() {
  return std::exchange(named_, false) ? newest_ : std::nullopt;
}

BreakerView KernelDesk::view() {
  if (!on()) return {};
  BreakerView view = way_->view();
  view.under_way = under_way_.size();
  view.waiting = waiting_.size();
  view.snapshot = newest_;
  return view;
}

bool KernelDesk::reset() {
  if (!on() || !way_->reset()) return false;
  closed_ = true;
  return true;
}

std::optional<Instant> KernelDesk::next_due() const {
  if (!on()) return std::nullopt;
  return earliest({retry_at_, way_->silent_at(), under_way_.next_due()});
}

void KernelDesk::stop() {
  Error error{ErrorCode::shutting_down, "the engine stops", {}};
  auto refuse = [&](Want& want) {
    if (want.item && want.item->reply) want.item->reply(Failure{error});
  };
  for (Want& want : waiting_) refuse(want);
  for (Asked& asked : under_way_.drop()) refuse(asked.want);
  waiting_.clear();
}

}  // namespace fermata
