// Which kind of session a device has.
#include "grader/judge/runners/session.h"

#include <memory>

#include "grader/judge/runners/claimed_session.h"
#include "grader/judge/runners/trusted_session.h"

namespace gridstride {

std::unique_ptr<Session> open_session(const SessionOptions& options) {
  if (options.gpu) return std::make_unique<ClaimedSession>(options);
  return std::make_unique<TrustedSession>(options);
}

}  // namespace gridstride
