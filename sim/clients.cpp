#include "sim/clients.h"

namespace fermata::sim {

namespace {

constexpr Duration patience{20'000};

bool is_passing(const Error& error, bool waits_for_run) {
  if (error.code == ErrorCode::execution_not_found) return waits_for_run;
  return error.code == ErrorCode::store_unavailable || error.code == ErrorCode::outcome_unknown ||
         error.code == ErrorCode::queue_full;
}

}  // namespace

void Clients::send(Request request) {
  Instant at = clock_.true_now() + request.after;
  if (chaos_.strikes(Fault::command_delayed)) at = at + Duration{chaos_.between(1, 30'000)};
  auto open = std::make_shared<Open>();
  open->request = std::move(request);
  open->at = at;
  open_.push_back(std::move(open));
}

void Clients::deliver(Intake& intake, MessageIntake& messages) {
  for (const auto& open : open_) {
    if (open->at > clock_.true_now()) continue;
    open->at = clock_.true_now() + patience;
    open->sent = true;
    submit(intake, messages, open);
    if (chaos_.strikes(Fault::command_repeated)) submit(intake, messages, open);
  }
}

void Clients::submit(Intake& intake, MessageIntake& messages, const std::shared_ptr<Open>& open) {
  const Request& request = open->request;
  auto reply = [this, open](Outcome<RunSummary> answer) {
    audit_(open->request.command, answer);
    take(open, answer);
  };
  bool taken = request.mark.empty() ? intake.submit(request.command, reply)
                                    : messages.submit_message(request.command, request.mark, reply);
  if (!taken) throw Violation{"the queue of a small world is full"};
}

void Clients::take(const std::shared_ptr<Open>& open, const Outcome<RunSummary>& answer) {
  if (open->done) return;
  if (!answer && is_passing(answer.error(), open->request.waits_for_run)) {
    open->at = clock_.true_now() + Duration{chaos_.between(100, 3'000)};
    return;
  }
  open->done = true;
  open_.remove(open);
  if (open->request.answered) open->request.answered(answer);
}

void Clients::crashed() {
  // Connections broke: callers come back soon.
  for (const auto& open : open_) {
    if (!open->sent) continue;
    Instant soon = clock_.true_now() + Duration{chaos_.between(0, 2'000)};
    if (open->at > soon) open->at = soon;
  }
}

std::optional<Instant> Clients::next() const {
  std::optional<Instant> next;
  for (const auto& open : open_)
    if (!next || open->at < *next) next = open->at;
  return next;
}

}  // namespace fermata::sim
