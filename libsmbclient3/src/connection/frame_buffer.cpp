#include "connection/frame_buffer.h"

namespace smb3 {

void FrameBuffer::release() noexcept {
  if (!node_ || --node_->references != 0) return;
  node_->pooled.reset();
  auto home = std::move(node_->home);
  home->emplace_back(node_);
  node_ = nullptr;
}

FrameBuffer FrameBuffers::make(std::shared_ptr<Home>& home) {
  std::unique_ptr<FrameBuffer::Node> node;
  if (home->empty()) {
    node = std::make_unique<FrameBuffer::Node>();
  } else {
    node = std::move(home->back());
    home->pop_back();
  }
  node->home = home;
  return FrameBuffer(node.release());
}

FrameBuffer FrameBuffers::small() {
  FrameBuffer buffer = make(small_home_);
  FrameBuffer::Node& node = *buffer.node_;
  if (!node.own) {
    node.own = std::make_unique_for_overwrite<std::byte[]>(limits::small_frame_bytes);
    node.bytes = {node.own.get(), limits::small_frame_bytes};
  }
  return buffer;
}

FrameBuffer FrameBuffers::large() {
  std::optional<Buffer> pooled = large_.take();
  if (!pooled) return {};
  FrameBuffer buffer = make(large_home_);
  FrameBuffer::Node& node = *buffer.node_;
  node.index = pooled->registered_index();
  node.bytes = pooled->bytes();
  node.pooled = std::move(pooled);
  return buffer;
}

}  // namespace smb3
