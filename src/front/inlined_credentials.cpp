#include "front/inlined_credentials.h"

#include <algorithm>

#include "front/credential_types.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

std::string text_at(const Value& object, std::string_view key) {
  const Value& value = object.get(key);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

Finding conflict(const InlinedValues& inlined, std::string message) {
  return {"credential_conflict", inlined.path, std::move(message), {}};
}

/// One credential of a document against what the account has.
class OneInlining {
 public:
  OneInlining(Vault& vault, Catalog& catalog, const InliningContext& context, Inlining& out)
      : vault_(vault), catalog_(catalog), context_(context), out_(out) {}

  Outcome<void> take(const InlinedValues& inlined) {
    if (!is_valid_id(inlined.id)) {
      out_.errors.push_back({"invalid_field",
                             inlined.path,
                             "Values are stored under an id of 1 to 100 printable ASCII characters "
                             "without space / ? # %.",
                             {}});
      return {};
    }
    FERMATA_TRY(known, catalog_.credential(context_.account, inlined.id));
    const CredentialType* type = type_of(inlined, known);
    if (type == nullptr) return {};
    CredentialValues read =
        read_credential_values(*type, inlined.values, inlined.path, context_.bytes_max);
    if (known) return compare(inlined, *known, *type, read);
    if (!read.findings.empty()) {
      for (Finding& finding : read.findings) out_.errors.push_back(std::move(finding));
      return {};
    }
    return add(inlined, *type, read.values);
  }

 private:
  /// What was written, else what is stored, else what the values look like.
  const CredentialType* type_of(const InlinedValues& inlined,
                                const std::optional<CredentialRecord>& known) {
    if (inlined.type.empty())
      return known ? credential_type(known->type) : &guessed_type(inlined.values);
    const CredentialType* type = credential_type(inlined.type);
    if (type == nullptr)
      out_.errors.push_back({"invalid_field",
                             inlined.path,
                             "The credential's type is not one of " + credential_type_names() + ".",
                             {}});
    return type;
  }

  Outcome<void> compare(const InlinedValues& inlined, const CredentialRecord& known,
                        const CredentialType& type, const CredentialValues& read) {
    if (known.revoked_at) {
      out_.errors.push_back(conflict(inlined,
                                     "The credential is revoked; give it values with PUT "
                                     "/api/v1/credentials/{id} first."));
      return {};
    }
    FERMATA_TRY(stored, vault_.open(known));
    if (known.type != type.name || !read.findings.empty() || read.values != stored)
      out_.errors.push_back(conflict(inlined,
                                     "The credential exists with other values; change it with PUT "
                                     "/api/v1/credentials/{id} or use another id."));
    return {};
  }

  Outcome<void> add(const InlinedValues& inlined, const CredentialType& type, const Value& values) {
    bool repeats = std::any_of(out_.puts.begin(), out_.puts.end(),
                               [&](const CredentialPut& other) { return other.id == inlined.id; });
    if (repeats) {
      out_.errors.push_back(conflict(inlined, "The credential has another type elsewhere."));
      return {};
    }
    CredentialPut put;
    put.account = context_.account;
    put.id = inlined.id;
    put.type = type.name;
    put.at = context_.at;
    put.is_new = true;
    // The name is for people; one that is taken must not keep a definition from being stored.
    FERMATA_TRY(named, catalog_.credential_named(context_.account, inlined.name));
    put.name = inlined.name.empty() || named || is_used(inlined.name) ? inlined.id : inlined.name;
    FERMATA_TRY(sealed, vault_.seal(put.account, put.id, put.type, values));
    put.sealed = std::move(sealed);
    out_.puts.push_back(std::move(put));
    return {};
  }

  bool is_used(const std::string& name) const {
    return std::any_of(out_.puts.begin(), out_.puts.end(),
                       [&](const CredentialPut& put) { return put.name == name; });
  }

  Vault& vault_;
  Catalog& catalog_;
  const InliningContext& context_;
  Inlining& out_;
};

}  // namespace

std::vector<InlinedValues> inlined_values(const Value& document) {
  std::vector<InlinedValues> out;
  const Value& nodes = document.get("nodes");
  for (size_t i = 0; nodes.is_array() && i < nodes.size(); ++i) {
    const Value& written = nodes.items()[i].get("credentials");
    const Value& values = written.get("values");
    std::string id = text_at(written, "id");
    if (values.is_null() || id.empty()) continue;
    std::string type = text_at(written, "type");
    // Other values under the same id were found by the check.
    bool repeats = std::any_of(out.begin(), out.end(), [&](const InlinedValues& other) {
      return other.id == id && (type.empty() || other.type == type);
    });
    if (repeats) continue;
    out.push_back({"/nodes/" + std::to_string(i) + "/credentials/values", std::move(id),
                   text_at(written, "name"), std::move(type), values});
  }
  return out;
}

Outcome<Inlining> inline_credentials(Vault& vault, Catalog& catalog, const Value& document,
                                     const InliningContext& context) {
  Inlining out;
  OneInlining one(vault, catalog, context, out);
  for (const InlinedValues& inlined : inlined_values(document)) FERMATA_TRY_VOID(one.take(inlined));
  return out;
}

}  // namespace fermata::front
