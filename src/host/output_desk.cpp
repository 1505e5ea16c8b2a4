#include "host/output_desk.h"

#include "base/check.h"
#include "base/json.h"

namespace fermata {

namespace {

using job::OutputDecision;

constexpr const char* output_breaker_name = "safety-output";
constexpr Duration output_store_retry{1'000};

bool refuses(OutputDecision decision) {
  return decision == OutputDecision::quarantine || decision == OutputDecision::deny;
}

/// The kernel's word over what was found here.
void join(const job::OutputVerdict& word, job::OutputVerdict& verdict) {
  verdict.decision = word.decision;
  verdict.rule_id = word.rule_id;
  verdict.reason = word.reason;
  verdict.severity = word.severity;
  verdict.found += word.found;
  for (const job::OutputFinding& finding : word.findings)
    if (verdict.findings.size() < job::findings_kept_max) verdict.findings.push_back(finding);
}

void quarantine(job::OutputVerdict& verdict, std::string reason) {
  verdict.decision = OutputDecision::quarantine;
  verdict.reason = std::move(reason);
}

}  // namespace

OutputDesk::OutputDesk(OutputKernel* kernel, Counters* counters, JobFiles* files,
                       const PolicySettings& settings)
    : kernel_(kernel),
      files_(files),
      settings_(settings),
      under_way_(Duration{settings.kernel_timeout_ms}) {
  if (!kernel_) return;
  check(counters != nullptr);
  way_.emplace(output_breaker_name, *counters, "cb:safety:output:");
}

bool OutputDesk::wants(const job::JudgeOutput& judged) const {
  return on() && judged.problem.empty() && !judged.verdict.unscanned &&
         !refuses(judged.verdict.decision);
}

void OutputDesk::ask(ScanTicket ticket, job::JudgeOutput judged) {
  if (!held_.insert(ticket).second) return;
  waiting_.push_back({std::move(ticket), std::move(judged)});
}

std::vector<OutputDesk::Judged> OutputDesk::gather(Instant now) {
  if (!on()) return {};
  for (const OutputAnswer& answer : kernel_->harvest()) take(answer);
  time_out(now);
  way_->look();
  return std::exchange(ready_, {});
}

void OutputDesk::deliver(Want want) {
  held_.erase(want.ticket);
  ready_.push_back({want.ticket.job, std::move(want.judged)});
}

void OutputDesk::fail(Want want, std::string why) {
  want.judged.problem = std::move(why);
  deliver(std::move(want));
}

void OutputDesk::take(const OutputAnswer& answer) {
  auto call = under_way_.take(answer.ticket);
  // That scan has failed without it.
  if (!call) return;
  Want& want = call->asked.want;
  if (answer.kind == OutputAnswer::Kind::failed) {
    way_->breaker().failed(call->pass);
    return fail(std::move(want), answer.reason);
  }
  job::JudgeOutput& judged = want.judged;
  if (answer.kind == OutputAnswer::Kind::unknown) {
    // An answer that says nothing tells nothing of the kernel's health, and lets nothing pass.
    quarantine(judged.verdict, answer.reason);
    return deliver(std::move(want));
  }
  way_->breaker().succeeded(call->pass);
  snapshot_ = answer.kernel_snapshot;
  if (answer.verdict.decision != OutputDecision::allow) join(answer.verdict, judged.verdict);
  if (answer.verdict.decision == OutputDecision::redact)
    redact(call->asked.account, answer, judged);
  deliver(std::move(want));
}

/// The kernel leaves what may be read as a blob of the account (J-50).
void OutputDesk::redact(const AccountId& account, const OutputAnswer& answer,
                        job::JudgeOutput& judged) {
  const std::string& name = answer.redacted_sha256;
  if (name.empty() || !files_)
    return quarantine(judged.verdict, "the kernel redacts, and names nothing to be read instead");
  auto text = files_->blob(account, name);
  if (!text) {
    judged.problem = "what the kernel has left cannot be read: " + text.error().message;
    return;
  }
  auto value = *text ? parse_json(**text) : Outcome<Value>(Value());
  if (!*text || !value)
    return quarantine(judged.verdict, "the kernel redacts, and what it names is no JSON blob");
  judged.output = job::Payload::of(*std::move(value));
}

void OutputDesk::time_out(Instant now) {
  OutputAnswer none;
  none.reason =
      "output kernel: no answer within " + std::to_string(settings_.kernel_timeout_ms) + " ms";
  for (uint64_t ticket : under_way_.late(now)) {
    none.ticket = ticket;
    take(none);
  }
}

Outcome<std::string> OutputDesk::content_of(const job::Job& job, const job::JudgeOutput& judged) {
  const job::Payload& output = judged.output;
  if (output.bytes > output_content_bytes_max) return std::string();
  if (!output.in_blob) return to_canonical_json(output.value);
  if (!files_) return std::string();
  FERMATA_TRY(text, files_->blob(job.account, output.sha256));
  return std::move(text).value_or("");
}

void OutputDesk::submit(Want want, const job::Job& job, std::string content,
                        const breaker::Pass& pass, Instant now) {
  OutputQuestion question;
  question.job = job.id;
  question.account = job.account;
  question.request = job.request;
  if (const job::Attempt* attempt = job.find_attempt(want.judged.fence)) {
    question.worker = attempt->worker;
    question.execution_ms = attempt->execution_ms;
  }
  question.bytes = want.judged.output.bytes;
  question.sha256 = want.judged.output.sha256;
  question.content = std::move(content);
  question.artifacts = want.judged.artifacts;
  under_way_.begin(question, {std::move(want), job.account}, pass, *way_, now);
  kernel_->submit(std::move(question));
}

void OutputDesk::send(Instant now, const KernelDesk::Find& find) {
  if (!on()) return;
  retry_at_.reset();
  for (size_t n = waiting_.size(); n > 0 && under_way_.size() < settings_.kernel_calls_max; --n) {
    Want want = std::move(waiting_.front());
    waiting_.pop_front();
    auto job = find(want.ticket.job);
    auto content = job && *job ? content_of(**job, want.judged) : Outcome<std::string>("");
    if (!job || !content) {
      waiting_.push_back(std::move(want));
      retry_at_ = now + output_store_retry;
      continue;
    }
    bool held = *job && (*job)->held && (*job)->held->fence == want.ticket.fence;
    if (!held) {
      // It was cancelled or discarded meanwhile: nobody wants to know any more.
      held_.erase(want.ticket);
      continue;
    }
    if (auto pass = way_->breaker().admit()) {
      submit(std::move(want), **job, *std::move(content), *pass, now);
    } else {
      fail(std::move(want), "output kernel circuit open");
    }
  }
  way_->look();
}

BreakerView OutputDesk::view() {
  if (!on()) return {};
  BreakerView view = way_->view();
  view.under_way = under_way_.size();
  view.waiting = waiting_.size();
  view.snapshot = snapshot_;
  return view;
}

std::optional<Instant> OutputDesk::next_due() const {
  if (!on()) return std::nullopt;
  return earliest({retry_at_, way_->silent_at(), under_way_.next_due()});
}

}  // namespace fermata
