#include "core/run/checkpoint.h"

#include "base/bytes.h"
#include "core/run/snapshot.h"

namespace fermata {

namespace {

/// Another one whenever a state gains something that older ones lack: the history has it.
constexpr uint8_t checkpoint_format = 3;

}  // namespace

std::string encode_checkpoint(const Run& run) {
  ByteWriter out;
  out.u8(checkpoint_format);
  out.text(run.definition->hash.text());
  return out.take() + encode_snapshot(run);
}

Outcome<Run> restore_checkpoint(const RunId& id, std::string_view bytes,
                                const DefinitionLookup& definitions) {
  ByteReader in(bytes);
  if (in.u8() != checkpoint_format)
    return fail(ErrorCode::data_damaged, "the checkpoint has a form this program does not know");
  DefinitionHash hash{std::string(in.text())};
  if (!in.ok()) return fail(ErrorCode::data_damaged, "the checkpoint cannot be read");
  graph::DefinitionRef definition = definitions(hash);
  if (!definition)
    return fail(ErrorCode::data_damaged, "definition " + hash.text() + " is missing");
  FERMATA_TRY(run, decode_snapshot(bytes.substr(bytes.size() - in.remaining()), definition));
  if (run.id != id) return fail(ErrorCode::data_damaged, "the checkpoint is of another run");
  return run;
}

}  // namespace fermata
