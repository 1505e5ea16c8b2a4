#pragma once
#include "ports/record/job_record.h"
#include "ports/record/record.h"
#include "ports/record/schedule_record.h"

namespace fermata::sqlite {

/// The stored forms are those of every store; here they are sealed with the row's number.
using namespace record;

}  // namespace fermata::sqlite
