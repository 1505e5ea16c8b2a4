#pragma once
#include <string_view>
#include <vector>

namespace fermata::server {

/// One file of the console in the three forms in which it may be sent.
struct ConsoleFile {
  std::string_view path;  ///< begins with `/`
  std::string_view media_type;
  std::string_view etag;  ///< with its quotes
  std::string_view plain;
  std::string_view gzip;
  std::string_view brotli;
};

/// The console's files, by path. A bundle is a line `FCONSOLE1`, one with the number of files, for
/// each a line of path, media type, entity tag and the sizes of its forms, separated by tabs, and
/// then the forms of all in that order.
class ConsoleFiles {
 public:
  /// Those that the program carries; none in one that was built without Node.
  static const ConsoleFiles& bundled();
  /// The bytes must outlive it. A damaged bundle holds no files.
  explicit ConsoleFiles(std::string_view bundle);

  const ConsoleFile* find(std::string_view path) const;
  bool empty() const { return files_.empty(); }
  const std::vector<ConsoleFile>& all() const { return files_; }

 private:
  std::vector<ConsoleFile> files_;  ///< sorted by path
};

}  // namespace fermata::server
