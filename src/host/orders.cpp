#include "host/orders.h"

#include "core/job/request_read.h"
#include "core/job/undo.h"

namespace fermata {

namespace {

/// Stands in for a request that nobody can read.
job::Request unreadable(const OrderJob& order) {
  job::Request request;
  const Value& topic = order.request.get("topic");
  request.topic = topic.is_string() ? job::full_topic(topic.as_string()) : "";
  if (!job::is_valid_topic(request.topic)) request.topic = "job.compensation";
  request.input = job::Payload::of(Value());
  request.actor.id = "execution " + order.run.text();
  request.idempotency_key = order.idempotency_key;
  request.step.run = order.run;
  request.step.workflow = order.workflow;
  request.step.definition = order.definition;
  request.step.step_id = order.step;
  request.parent_job = order.undoes;
  job::mark_undo(request);
  return request;
}

}  // namespace

Outcome<job::SubmitJob> submit_of(OrderJob& order, const job::RequestLimits& limits,
                                  const std::string& actor) {
  bool undoes = !order.undoes.empty();
  job::SubmitJob submit;
  submit.account = order.account;
  submit.source = undoes ? job::Source::compensation : job::Source::run;
  submit.submitter = actor;
  submit.problem = order.problem;
  if (submit.problem.empty()) {
    auto read = job::read_order(order, limits);
    if (!read && !undoes) return Failure{read.error()};
    if (read) {
      submit.request = std::move(read->request);
      return submit;
    }
    submit.problem = read.error().message;
  }
  submit.request = unreadable(order);
  return submit;
}

}  // namespace fermata
