#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json.h"
#include "core/job/request_hash.h"
#include "front/job_request.h"

namespace fermata {
namespace {

Value golden() {
  std::ifstream file("test/golden/job_request_hash.json");
  std::stringstream text;
  text << file.rdbuf();
  auto vectors = parse_json(text.str());
  return vectors ? *vectors : Value();
}

std::string text_of(const Value& object, std::string_view name) {
  const Value& text = object.get(name);
  return text.is_string() ? std::string(text.as_string()) : std::string();
}

job::Request request_of(const Value& vector) {
  front::JobSubmitter who{AccountId(text_of(vector, "account_id")),
                          "key",
                          {text_of(vector.get("owner"), "id"), job::ActorType::human}};
  auto submission = front::read_job(vector.get("body"), who, "", {});
  EXPECT_TRUE(submission) << submission.error().message;
  if (!submission) return {};
  job::Request request = submission->submit.request;
  const Value& step = vector.get("step");
  request.step.run = RunId(text_of(step, "run_id"));
  request.step.workflow = WorkflowId(text_of(step, "workflow_id"));
  request.step.definition = DefinitionHash(text_of(step, "definition_hash"));
  request.step.step_id = text_of(step, "step_id");
  return request;
}

// J-3, J-4: made by another implementation (job_request_hash.py); released hashes never change.
TEST(Golden, requests_of_jobs_have_the_hashes_they_always_had) {
  Value vectors = golden();
  ASSERT_EQ(vectors.size(), 20u);
  for (const Value& vector : vectors.items()) {
    SCOPED_TRACE(text_of(vector, "name"));
    AccountId account(text_of(vector, "account_id"));
    job::Request request = request_of(vector);
    EXPECT_EQ(to_canonical_json(job::canonical_request(account, request)),
              text_of(vector, "canonical"));
    EXPECT_EQ(job::request_hash(account, request), text_of(vector, "hash"));
  }
}

}  // namespace
}  // namespace fermata
