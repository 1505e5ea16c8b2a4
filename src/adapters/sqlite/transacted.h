#pragma once
#include "adapters/sqlite/writer.h"

namespace fermata::sqlite {

/// Runs `body` in a transaction of the writer and gives what it answers.
template <class Answer, class Make>
Outcome<Answer> transacted(Writer& writer, const AuditLine* line, Make body) {
  Answer answer{};
  FERMATA_TRY_VOID(writer.transact(line, [&]() -> Outcome<void> {
    FERMATA_TRY(made, body());
    answer = std::move(made);
    return {};
  }));
  return answer;
}

}  // namespace fermata::sqlite
