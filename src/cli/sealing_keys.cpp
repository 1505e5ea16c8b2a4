#include "cli/sealing_keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/command.h"

namespace fermata::cli {
namespace {

using Tell = std::function<void(LogLevel, const std::string&)>;

Failure<Error> file_failure(const std::string& path, std::string_view doing) {
  return fail(ErrorCode::io_failed, path + ": " + std::generic_category().message(errno) +
                                        " while " + std::string(doing));
}

Outcome<SealingKeys> read_keys(const std::string& text, const std::string& where) {
  auto keys = SealingKeys::read(text);
  if (!keys) return fail(ErrorCode::invalid_setting, where + ": " + keys.error().message);
  return keys;
}

/// Nothing when there is no such file.
Outcome<std::optional<SealingKeys>> read_key_file(const std::string& path, const Tell& tell) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT) return std::optional<SealingKeys>{};
    return file_failure(path, "looking for the sealing key");
  }
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    tell(LogLevel::warn, "The sealing key in " + path + " can be used by others: chmod 600 it");
  auto text = read_file(path);
  if (!text) return fail(ErrorCode::io_failed, text.error().message);
  FERMATA_TRY(keys, read_keys(*text, path));
  return std::optional(std::move(keys));
}

bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return fsync(file) == 0;
}

Outcome<void> sync_directory(const std::filesystem::path& directory) {
  int file = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return file_failure(directory, "opening it to synchronise");
  bool synced = fsync(file) == 0;
  close(file);
  if (!synced) return file_failure(directory, "synchronising");
  return {};
}

/// The key survives a power cut before the first value is sealed under it: a value whose key is
/// lost is lost. The file gets its name when it is whole.
Outcome<SealingKeys> make_key_file(const std::string& path, const Tell& tell) {
  SealingKeys keys = SealingKeys::fresh();
  std::string unfinished = path + ".new";
  unlink(unfinished.c_str());
  int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return file_failure(unfinished, "making the sealing key");
  std::string text =
      "# Seals the credentials of this server. Keep a copy, and keep it apart from backups.\n" +
      keys.first_text() + "\n";
  bool written = write_whole(file, text);
  int error = errno;
  close(file);
  errno = error;
  // A link fails where a file of that name exists: a key is never written over.
  if (!written || link(unfinished.c_str(), path.c_str()) != 0) {
    auto failure = file_failure(path, "making the sealing key");
    unlink(unfinished.c_str());
    return failure;
  }
  unlink(unfinished.c_str());
  FERMATA_TRY_VOID(sync_directory(std::filesystem::absolute(path).parent_path()));
  tell(LogLevel::info, "Made the key that seals credentials, " + path +
                           ". Keep a copy of it: without it no backup opens them");
  return keys;
}

front::KeySource from_setting(const std::string& text) {
  return {[text]() -> Outcome<std::optional<SealingKeys>> {
            FERMATA_TRY(keys, read_keys(text, "secrets_key"));
            return std::optional(std::move(keys));
          },
          {},
          "secrets_key"};
}

/// Whoever names a file wants that one: it is not made for them.
front::KeySource from_named_file(const std::string& path, const Tell& tell) {
  return {[path, tell]() -> Outcome<std::optional<SealingKeys>> {
            FERMATA_TRY(keys, read_key_file(path, tell));
            if (!keys)
              return fail(ErrorCode::invalid_setting,
                          "secrets_key_file: there is no file " + path + ".");
            return keys;
          },
          {},
          path};
}

front::KeySource from_data_directory(const std::string& directory, const Tell& tell) {
  std::string path = (std::filesystem::path(directory) / "secrets.key").string();
  return {[path, tell] { return read_key_file(path, tell); },
          [path, tell] { return make_key_file(path, tell); }, path};
}

}  // namespace

front::KeySource sealing_keys(const Settings& settings, Tell tell) {
  if (!settings.secrets_key.text.empty() && !settings.secrets_key_file.empty())
    return {[]() -> Outcome<std::optional<SealingKeys>> {
              return fail(ErrorCode::invalid_setting,
                          "Give secrets_key or secrets_key_file, not both.");
            },
            {},
            ""};
  if (!settings.secrets_key.text.empty()) return from_setting(settings.secrets_key.text);
  if (!settings.secrets_key_file.empty()) return from_named_file(settings.secrets_key_file, tell);
  if (settings.store == "memory") return front::given_keys(SealingKeys::fresh());
  // A key that one machine has made for itself would be of no use to the next that leads.
  if (is_shared_store(settings))
    return {[]() -> Outcome<std::optional<SealingKeys>> { return std::optional<SealingKeys>(); },
            {},
            "secrets_key or secrets_key_file"};
  return from_data_directory(settings.data, tell);
}

}  // namespace fermata::cli
