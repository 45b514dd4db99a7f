// Ctrl-C where there is something to clean up first.
#pragma once

namespace gridstride {

/// SIGINT, SIGTERM and, where nobody ignores it (nohup), SIGHUP are remembered while one of these lives; what was
/// done with them before is done with them again afterwards. One at a time.
class RememberSignals {
 public:
  RememberSignals();
  ~RememberSignals();
  RememberSignals(const RememberSignals&) = delete;
  RememberSignals& operator=(const RememberSignals&) = delete;
  /// 0: none has come.
  int caught() const;
};

}  // namespace gridstride
