// A class graded by a real Slurm: its controller and two node daemons, all on this machine.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/batch/class_test_fixture.h"
#include "grader/gradebook/gradebook.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

/// A cluster in a folder: no file of the system's is touched. Needs root, as the daemons do.
class SlurmTest : public ClassTest {
 protected:
  void SetUp() override {
    ClassTest::SetUp();
    if (IsSkipped()) return;
    if (::geteuid() != 0) GTEST_SKIP() << "Slurm's daemons want root";
    for (const char* program : {"slurmctld", "slurmd", "sbatch", "munged"})
      if (find_program(program).empty())
        GTEST_SKIP() << "needs Slurm and munge (apt-get install slurm-wlm munge)";
    ASSERT_TRUE(shell(R"sh(
set -e
cd "$CLUSTER"
mkdir state log munge
chmod 700 munge
head -c 1024 /dev/urandom > munge/key
chmod 400 munge/key
munged --force --key-file="$PWD/munge/key" --socket="$PWD/munge/socket" --pid-file="$PWD/munge/pid" \
  --log-file="$PWD/munge/log" --seed-file="$PWD/munge/seed"
host=$(uname -n)
cat > slurm.conf <<END
ClusterName=test
SlurmctldHost=${host%%.*}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$PWD/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort=$PORT
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool-%n
SlurmctldPidFile=$PWD/controller.pid
SlurmdPidFile=$PWD/%n.pid
SlurmctldLogFile=$PWD/log/controller
SlurmdLogFile=$PWD/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdTimeout=10
KillWait=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=${host%%.*} Port=$((PORT + 1)) CPUs=1 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname=${host%%.*} Port=$((PORT + 2)) CPUs=1 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
# A container may have no control groups, and Slurm needs none here. Slurm 22.05 does not know "disabled".
echo CgroupPlugin=disabled > cgroup.conf
slurmctld -c
slurmd -N n1 || { echo CgroupPlugin=cgroup/v1 > cgroup.conf; slurmd -N n1; }
slurmd -N n2
for i in $(seq 100); do [ "$(sinfo -h -o %T 2>&1)" = idle ] && exit; sleep 0.2; done
sinfo
tail -n 20 log/*
exit 1
)sh"));
  }
  void TearDown() override {
    shell(R"sh(cd "$CLUSTER" && scancel -u root
for file in *.pid munge/pid; do [ -e "$file" ] && kill -9 $(cat "$file"); done)sh");
    ::unsetenv("SLURM_CONF");
    ClassTest::TearDown();
  }

  /// A script that knows the cluster by $CLUSTER.
  bool shell(const std::string& script) {
    fs::create_directories(cluster_);
    ::setenv("SLURM_CONF", (cluster_ / "slurm.conf").c_str(), 1);
    Subprocess process;
    process.command = {"sh", "-c", script};
    process.environment = {{"CLUSTER", cluster_.string()},
                           {"PORT", std::to_string(20'000 + ::getpid() % 20'000)}};
    return run_process(process).succeeded();
  }

  fs::path cluster_ = folder_.path() / "cluster";
};

TEST_F(SlurmTest, ANodeThatIsLostIsTakenUpAgain) {
  lab_ = small_lab;
  make_class(5, 3);
  ASSERT_EQ(run(grading("whole")).exit_code, 0);
  const auto undisturbed = exports("whole");

  std::vector<std::string> words = grading("cluster_results");
  words.insert(words.end(),
               {"--executor", "slurm", "--workers", "2", "--sbatch=--partition=nosuch"});
  const Ran refused = run(words);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.output.find("invalid partition"), std::string::npos) << refused.output;

  words.back() = "--sbatch=--partition=main";
  // When both nodes grade, the second goes away: its daemon, and all that it has started.
  std::thread lose([this] {
    shell(R"sh(
for i in $(seq 300); do
  for pid in $(pgrep -f "gridstride-class worker .*cluster_results"); do
    if tr '\0' '\n' < /proc/$pid/environ | grep -q '^SLURMD_NODENAME=n2$' 2>/dev/null; then
      sleep 2
      kill -9 $(cat "$CLUSTER/n2.pid") $(ps -o ppid= -p $pid) $pid
      touch "$CLUSTER/lost"
      exit
    fi
  done
  sleep 0.1
done)sh");
  });
  Ran graded;
  {
    // Not run(): two threads must not use run_process() at once, which passes signals on to one child.
    const fs::path log = folder_.path() / "log";
    std::string line = "exec >'" + log.string() + "' 2>&1;";
    for (const std::string& word : command(words)) line += " '" + word + "'";
    graded.exit_code = std::system(line.c_str());
    graded.output = read_file(log);
  }
  lose.join();
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
  EXPECT_TRUE(fs::exists(cluster_ / "lost"));
  EXPECT_EQ(exports("cluster_results"), undisturbed) << graded.output;
}

}  // namespace
}  // namespace gridstride
