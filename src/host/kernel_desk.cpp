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
      settings_(settings) {
  if (!kernel_) return;
  check(counters != nullptr);
  breaker_.emplace(*counters, "cb:safety:");
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

void KernelDesk::look() {
  breaker::Counts counts = breaker_->look();
  state_ = state_of(counts);
  // Whoever probes may fall silent; then it opens again without anybody asking.
  silent_at_ = state_ == breaker::State::half_open ? changes_at(counts) : std::nullopt;
}

std::vector<JobItem> KernelDesk::gather(Instant now) {
  if (!on()) return {};
  for (const PolicyAnswer& answer : kernel_->harvest()) take(answer, now);
  time_out(now);
  look();
  return std::exchange(ready_, {});
}

void KernelDesk::take(const PolicyAnswer& answer, Instant now) {
  auto found = under_way_.find(answer.ticket);
  // Too late, or once more: what it was asked for has been decided without it.
  if (found == under_way_.end()) return;
  UnderWay call = std::move(found->second);
  under_way_.erase(found);
  if (answer.kind == PolicyAnswer::Kind::failed) {
    trusted_ = false;
    breaker_->failed(call.pass);
    return deliver(std::move(call.want), outage(answer.reason), call.revision);
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
    if (breaker_->succeeded(call.pass)) closed_ = true;
    // Answers overtake one another: what was asked last is the newest.
    if (answer.ticket > named_by_) {
      named_by_ = answer.ticket;
      named_ = named_ || newest_ != word.kernel_snapshot;
      newest_ = word.kernel_snapshot;
    }
  }
  Duration took = now - (call.until - Duration{settings_.kernel_timeout_ms});
  uint64_t micros = took.ms > 0 ? static_cast<uint64_t>(took.ms) * 1'000 : 0;
  deliver(std::move(call.want), std::move(word), call.revision, micros);
}

void KernelDesk::time_out(Instant now) {
  std::vector<uint64_t> late;
  Duration most{settings_.kernel_timeout_ms};
  for (const auto& [ticket, call] : under_way_)
    if (call.until <= now || call.until > now + most) late.push_back(ticket);
  PolicyAnswer none;
  none.reason = "safety kernel: no answer within " + std::to_string(most.ms) + " ms";
  for (uint64_t ticket : late) {
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
  breaker::Counts counts = breaker_->look();
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
  question.ticket = ++last_ticket_;
  question.job = job.id;
  question.account = job.account;
  question.request = job.request;
  question.content = std::move(content);
  question.timeout_ms = settings_.kernel_timeout_ms;
  if (pass.probe) {
    question.probe_of = pass.episode;
    ++probes_;
  }
  Instant until = now + Duration{settings_.kernel_timeout_ms};
  under_way_.emplace(question.ticket, UnderWay{std::move(want), job.revision, pass, until});
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
    auto pass = breaker_->admit();
    if (pass) {
      submit(std::move(want), **job, *std::move(content), *pass, now);
    } else {
      deliver(std::move(want), outage("safety kernel circuit open"), (*job)->revision);
    }
  }
  look();
}

std::optional<std::string> KernelDesk::take_named() {
  return std::exchange(named_, false) ? newest_ : std::nullopt;
}

std::optional<breaker::State> KernelDesk::take_change() {
  if (told_ == state_) return std::nullopt;
  told_ = state_;
  return state_;
}

BreakerView KernelDesk::view() {
  BreakerView view;
  if (!on()) return view;
  breaker::Counts counts = breaker_->look();
  view.name = breaker_name;
  view.state = state_of(counts);
  view.failures = counts.failures;
  view.episode = counts.episode;
  view.probes_used = counts.probes ? counts.probes->value : 0;
  view.changes_at = changes_at(counts);
  view.probes_sent = probes_;
  view.under_way = under_way_.size();
  view.waiting = waiting_.size();
  view.snapshot = newest_;
  return view;
}

bool KernelDesk::reset() {
  if (!on() || !breaker_->reset()) return false;
  closed_ = true;
  look();
  return true;
}

std::optional<Instant> KernelDesk::next_due() const {
  std::optional<Instant> due = retry_at_;
  if (silent_at_ && (!due || *silent_at_ < *due)) due = silent_at_;
  for (const auto& [ticket, call] : under_way_)
    if (!due || call.until < *due) due = call.until;
  return due;
}

void KernelDesk::stop() {
  Error error{ErrorCode::shutting_down, "the engine stops", {}};
  auto refuse = [&](Want& want) {
    if (want.item && want.item->reply) want.item->reply(Failure{error});
  };
  for (Want& want : waiting_) refuse(want);
  for (auto& [ticket, call] : under_way_) refuse(call.want);
  waiting_.clear();
  under_way_.clear();
}

}  // namespace fermata
