#pragma once
#include <string>
#include <vector>

#include "ports/reader.h"

namespace fermata::postgres {

/// What a root is; the numbers are stored.
enum class RootKind : int { run = 0, job = 1, schedule = 2 };

/// The id of a schedule's root: its own is unique only in its account. No id holds a line break.
std::string root_id(const schedule::Key& key);
/// What the records of a root are sealed with.
uint64_t root_salt(RootKind kind, const std::string& id);

/// What runs are looked up by beside status and workflow; a run has its tags from its creation on.
/// A tag is stored as a hash of account, kind, key and value: what it leads to is looked at.
enum class TagKind : uint8_t { label = 0, label_key = 1, contact = 2, parent = 3 };
int64_t tag_of(const AccountId& account, TagKind kind, std::string_view key,
               std::string_view value = {});
std::vector<int64_t> tags_of(const RunSummary& run);

}  // namespace fermata::postgres
