// The whole client at a server that the fuzzer plays from the first byte: each of the client's
// frames lets one of the fuzzer's pass. An anonymous logon, so that it needs no keys.
#include "fuzz/client_visit.h"

namespace smb3::fuzz {

class RawServer final : public MemoryReactor::Peer {
 public:
  RawServer(MemoryReactor& reactor, Bytes input) : reactor_(reactor), left_(input) {}

  void sent(int socket, Bytes bytes) override {
    incoming_.insert(incoming_.end(), bytes.begin(), bytes.end());
    while (take_frame(incoming_)) {
      if (left_.empty()) return reactor_.end_stream(socket);
      const std::size_t length =
          left_.size() < 4 ? left_.size() : 4 + load_be<std::uint32_t>(left_.data());
      const Bytes frame = left_.first(std::min(length, left_.size()));
      left_ = left_.subspan(frame.size());
      reactor_.feed(socket, frame);
    }
  }

 private:
  MemoryReactor& reactor_;
  Bytes left_;
  Octets incoming_;
};

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  MemoryReactor reactor;
  RawServer server(reactor, input_of(data, size));
  reactor.set_peer(server);
  run_visit(reactor, {.anonymous = true});
  return 0;
}
