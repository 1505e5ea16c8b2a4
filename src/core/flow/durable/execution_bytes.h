#pragma once
#include "base/bytes.h"
#include "core/flow/durable/execution.h"
#include "core/flow/durable/outgoing.h"

namespace fermata::flow {

/// The whole state of a script as bytes: its records, and the machine as its snapshot has it. Equal
/// states give equal bytes.
void encode_execution(const Execution& execution, ByteWriter& out);
/// Fails the reader when the bytes are not what `encode_execution` writes.
void decode_execution(ByteReader& in, Execution& execution);

/// Tasks, children, signals and approvals that are to be asked for; nothing else may be among them.
void encode_orders(const std::vector<Outgoing>& orders, ByteWriter& out);
void decode_orders(ByteReader& in, std::vector<Outgoing>& orders);

}  // namespace fermata::flow
