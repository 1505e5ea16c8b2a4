#include "sim/model/never_parks.h"

#include "base/check.h"
#include "base/json.h"
#include "core/flow/compile_script.h"
#include "core/flow/durable/activate.h"

namespace fermata::sim::model {

namespace {

struct Helper {
  const char* name;
  const char* body;
};

// `T` stands for the options of tasks that succeed, `F` for those of tasks that fail.
constexpr Helper helpers[] = {
    {"same", "return await Task.run('same', { n }, T)"},
    {"child", "return await Workflow.run('inner', { n })"},
    {"graph_child", "return (await Workflow.run('graph', { n })).give.result"},
    {"started", "return [Workflow.start('inner', { n }), n][1]"},
    {"echo",
     "const name = Random.uuid(); Signal.send(Context.execution_id, name, n)\n"
     "  return await Signal.next(name)"},
    {"matched",
     "const name = Random.uuid(); const id = Context.execution_id\n"
     "  await Task.all([Signal.send(id, name, { k: 1 }), Signal.send(id, name, { k: 2, n })])\n"
     "  return (await Signal.next(name, { match: { k: 2 } })).n"},
    {"late", "return await Signal.next('never', { timeout: 1, otherwise: n })"},
    {"refused",
     "return (await Approval.request({ title: 'may I', timeout: 1, otherwise: { n } })).n"},
    {"winner",
     "const first = await Task.race({ job: Task.run('same', { n }, T), "
     "late: Task.delay('1000d') }, { cancel: true })\n"
     "  return first.key == 'job' ? first.result : -1"},
    {"loser",
     "const first = await Promise.race_kv({ nap: Task.delay(1), never: Signal.next('never'), "
     "slow: Task.delay('1000d') }, { cancel: true })\n"
     "  return first.key == 'nap' && first.value == null ? n : -1"},
    {"any_of", "return await Promise.any([Task.run('fails', {}, F), Task.run('same', { n }, T)])"},
    {"none_of",
     "try { return await Task.any([Task.run('fails', {}, F), Task.run('fails', {}, F)]) }\n"
     "  catch (e) { return e.code == 'AGGREGATE_ERROR' && e.errors.length == 2 ? n : -1 }"},
    {"settled",
     "const all = await Promise.allSettled([Task.run('fails', {}, F), child(n), late(1)])\n"
     "  return all[0].status == 'rejected' ? all[1].value : -1"},
    {"fan",
     "const all = await Task.all([1, 2, 3].map(async x =>\n"
     "    await Task.run('same', { n: await Task.run('same', { n: x }, T) }, T)))\n"
     "  return all.join() == '1,2,3' ? n : -1"},
    {"caught",
     "try { await Task.run('fails', {}, F); return -1 }\n"
     "  catch (e) { return e.code == 'TASK_FAILED' && e.task == 'fails' ? n : -1 }\n"
     "  finally { await Task.delay(0.5) }"},
    {"broken",
     "try { return await Workflow.run('broken', { n }) }\n"
     "  catch (e) { return e.code == 'CHILD_FAILED' && e.cause.code == 'BAD' ? n : -1 }"},
    {"in_places",
     "const o = { [await Task.run('same', { n: 'k' }, T)]: `${await late(1)}` + await late(2) }\n"
     "  const order = [3, 1, 2].sort((a, b) => await late(0) + a - b)\n"
     "  return o.k == '12' && order.join('') == '123' ? n : -1"},
};

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::vector<std::string> helper_names() {
  std::vector<std::string> names;
  for (const Helper& helper : helpers) names.emplace_back(helper.name);
  return names;
}

std::string patient_options() { return "{ retry: { max_attempts: 1000, backoff_ms: 100 } }"; }

std::string waiting_helpers() {
  std::string text =
      "const T = " + patient_options() + "\nconst F = { retry: { max_attempts: 1 } }\n";
  for (const Helper& helper : helpers)
    text += std::string("async function ") + helper.name + "(n) {\n  " + helper.body + "\n}\n";
  return text;
}

std::string immediate_helpers() {
  std::string text =
      "const T = null\n"
      "async function run_now(task, input) {\n"
      "  if (task == 'number') return input.n + 1\n"
      "  if (task == 'text') return JSON.stringify(input.n)\n"
      "  return [input.n, input.n]\n"
      "}\n"
      "async function nap_not(_time) {}\n";
  for (const Helper& helper : helpers)
    text += std::string("async function ") + helper.name + "(n) { return n }\n";
  return text;
}

std::string without_waits(std::string source) {
  replace_all(source, "Task.run(", "run_now(");
  replace_all(source, "Task.delay(", "nap_not(");
  return source;
}

std::optional<Value> answer_of(std::string_view task, const Value& input) {
  const Value& n = input.get("n");
  if (task == "fails") return std::nullopt;
  if (task == "same") return n;
  if (task == "text") return Value(to_json(n));
  if (task == "list") return Value::array({n, n});
  return Value(n.as_number() + 1);
}

flow::Execution run_at_once(const std::string& source, const Value& input) {
  flow::CompiledScript compiled = flow::compile_script(source);
  check(static_cast<bool>(compiled.script));
  flow::Execution execution = flow::begin_flow("reference", input, Value::object());
  std::vector<flow::Outgoing> asked;
  while (flow::wants_activation(execution))
    if (!flow::activate(execution, compiled.script, {}, asked)) break;
  return execution;
}

}  // namespace fermata::sim::model
