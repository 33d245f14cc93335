// Local files: real system calls on real files, at a virtual time, with the faults of a disk.
#pragma once

#include "reactor/operation.h"
#include "sim/chance.h"

namespace smb3::sim {

class SimReactor;
struct Flight;

struct DiskSettings {
  Duration delay_min{};
  Duration delay_max = std::chrono::microseconds(200);
  std::uint64_t short_one_in = 0;                // reads and writes that do only a part
  std::uint64_t error_one_in = 0;                // operations that fail with EIO
  std::uint64_t open_error_one_in = 0;           // opens that fail with EMFILE
  std::uint64_t free_bytes = ~std::uint64_t{0};  // that can be written until the disk is full
};

class Disk {
 public:
  Disk(SimReactor& reactor, Chance chance) : reactor_(reactor), chance_(chance) {}

  void set(const DiskSettings& settings) { settings_ = settings; }
  void start(Flight& flight);
  // Of one that waits: a disk may have begun with it.
  void cancel(Flight& flight);
  // Faults that were injected so far.
  std::uint64_t faults() const noexcept { return faults_; }

 private:
  void perform(std::uint64_t number);
  int result_of(Operation& operation);
  int fault_for(const Operation& operation);

  SimReactor& reactor_;
  Chance chance_;
  DiskSettings settings_;
  std::uint64_t faults_ = 0;
};

}  // namespace smb3::sim
