#pragma once
#include <string>

#include "base/error.h"

namespace fermata {

/// Where a policy kernel is and how it is spoken to; settings `policy_kernel…`.
struct KernelOptions {
  std::string url{};          ///< grpc://host:port
  std::string tls_ca{};       ///< PEM file of authorities; with it the kernel is spoken to by TLS
  bool tls_required = false;  ///< TLS also without one, by the machine's authorities
  bool insecure = false;      ///< without TLS beyond loopback, for those who know why
  std::string setting = "policy_kernel";  ///< that says where it is
};

struct KernelAddress {
  std::string target;  ///< host:port
  bool tls = false;
  std::string authorities;  ///< text of `tls_ca`
};

/// Fails with invalid_setting, also where nothing would protect the way to the kernel (J-30).
Outcome<KernelAddress> kernel_address(const KernelOptions& options);

}  // namespace fermata
