// A file on a share that is being written: under a temporary name until it is whole, or in place.
#pragma once

#include "session/open.h"
#include "transfer/interruption.h"

#include <smbclient3/copy.h>

#include <memory>
#include <string>

namespace smb3 {

class RemoteTarget {
 public:
  static Task<RemoteTarget> open(TreeConnect& tree, std::string path, CopyOptions options);

  Open& file() noexcept { return *open_; }

  // Checks the size, sets times and attributes, gives the file its name and closes it.
  Task<void> finish(std::uint64_t size, BasicInformation information);
  // After a failure: removes the temporary, and adds its name to the failure if that does not work.
  // Never what bears the target's name already.
  Task<void> discard(Error& failure);

 private:
  // What comes after the name.
  Task<void> end(std::uint64_t size, BasicInformation information);
  Task<void> remove_by_handle();
  Task<void> remove_by_name();
  RemoteTarget(std::unique_ptr<Open> open, std::string path, CopyOptions options)
      : open_(std::move(open)), path_(std::move(path)), options_(options) {}

  std::unique_ptr<Open> open_;
  std::string path_;
  CopyOptions options_;
  std::uint32_t kept_attributes_ = 0;  // of the file that is replaced
  bool renaming_ = false;              // the server was asked to give the file its name
};

}  // namespace smb3
