#include "adapters/grpc_policy/kernel_address.h"

#include <fstream>
#include <sstream>
#include <string_view>

namespace fermata {

namespace {

constexpr std::string_view scheme = "grpc://";

Failure<Error> wrong(const KernelOptions& options, const std::string& what) {
  return fail(ErrorCode::invalid_setting,
              options.setting + " is `grpc://host:port`, not '" + options.url + "': " + what + ".");
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  if (!host.starts_with("127.")) return false;
  return host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  int port = std::stoi(std::string(text));
  return port > 0 && port <= 65'535;
}

Outcome<std::string> read_authorities(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file || text.str().find("-----BEGIN CERTIFICATE-----") == std::string::npos)
    return fail(ErrorCode::invalid_setting,
                "policy_kernel_tls_ca: '" + path + "' holds no certificate in PEM form.");
  return text.str();
}

}  // namespace

Outcome<KernelAddress> kernel_address(const KernelOptions& options) {
  const std::string& url = options.url;
  if (!url.starts_with(scheme)) return wrong(options, "it begins with another scheme");
  KernelAddress address;
  address.target = url.substr(scheme.size());
  size_t colon = address.target.rfind(':');
  if (colon == std::string::npos || !is_port(std::string_view(address.target).substr(colon + 1)))
    return wrong(options, "a port from 1 to 65535 is missing");
  std::string host = address.target.substr(0, colon);
  bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (host.empty() || (!bracketed && host.find_first_of(":/@[] ") != std::string::npos))
    return wrong(options, "its host cannot be read");
  address.tls = options.tls_required || !options.tls_ca.empty();
  if (!options.tls_ca.empty()) {
    FERMATA_TRY(authorities, read_authorities(options.tls_ca));
    address.authorities = std::move(authorities);
  }
  if (!address.tls && !options.insecure && !is_loopback(host))
    return fail(ErrorCode::invalid_setting,
                "The kernel of " + options.setting + " at " + address.target +
                    " is another machine, and nothing protects the way there: set "
                    "policy_kernel_tls_ca or policy_kernel_tls_required, or policy_kernel_insecure "
                    "where the network itself is trusted.");
  return address;
}

}  // namespace fermata
