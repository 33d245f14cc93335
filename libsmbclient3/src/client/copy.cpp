#include <smbclient3/copy.h>

#include "client/handles.h"
#include "transfer/copy_file.h"

namespace smb3 {
namespace {

const Interruption& interruption_of(const Share& share) {
  return share.impl().node->engine().interruption();
}

}  // namespace

Task<CopyReport> copy(Remote from, Local to, CopyOptions options) {
  co_return co_await download(*from.share().impl().tree, from.path(), std::move(to),
                              interruption_of(from.share()), options);
}

Task<CopyReport> copy(Local from, Remote to, CopyOptions options) {
  co_return co_await upload(std::move(from), *to.share().impl().tree, to.path(),
                            interruption_of(to.share()), options);
}

Task<CopyReport> copy(Remote from, Remote to, CopyOptions options) {
  if (&from.share().impl().node->engine() != &to.share().impl().node->engine()) {
    co_return Error(ErrorKind::local, "both shares must belong to one Client");
  }
  co_return co_await relay(*from.share().impl().tree, from.path(), *to.share().impl().tree,
                           to.path(), interruption_of(from.share()), options);
}

}  // namespace smb3
