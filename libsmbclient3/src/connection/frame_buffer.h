// The bytes of one received frame, shared by the replies in it.
#pragma once

#include "base/bytes.h"
#include "base/limits.h"
#include "reactor/buffer_pool.h"

#include <memory>
#include <utility>
#include <vector>

namespace smb3 {

class FrameBuffers;

// A counted reference, for one thread.
class FrameBuffer {
 public:
  FrameBuffer() = default;
  FrameBuffer(const FrameBuffer& other) noexcept : node_(other.node_) {
    if (node_) ++node_->references;
  }
  FrameBuffer(FrameBuffer&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  FrameBuffer& operator=(FrameBuffer other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~FrameBuffer() { release(); }

  MutableBytes bytes() const noexcept { return node_->bytes; }
  // Of the memory registered with the kernel, or -1.
  std::int16_t index() const noexcept { return node_->index; }
  explicit operator bool() const noexcept { return node_ != nullptr; }

 private:
  friend class FrameBuffers;
  struct Node {
    std::uint32_t references = 0;
    std::int16_t index = -1;
    MutableBytes bytes;
    std::optional<Buffer> pooled;
    std::unique_ptr<std::byte[]> own;
    std::shared_ptr<std::vector<std::unique_ptr<Node>>> home;  // where it waits for its next use
  };
  explicit FrameBuffer(Node* node) noexcept : node_(node) { ++node_->references; }
  void release() noexcept;

  Node* node_ = nullptr;
};

// Gives out buffers: small ones from a list that grows to what is in use at once, large ones from
// the pool, whose budget the requests have reserved.
class FrameBuffers {
 public:
  explicit FrameBuffers(BufferPool& large) : large_(large) {}

  FrameBuffer small();
  // Empty: more large frames came in than requests allow.
  FrameBuffer large();

 private:
  using Home = std::vector<std::unique_ptr<FrameBuffer::Node>>;
  FrameBuffer make(std::shared_ptr<Home>& home);

  BufferPool& large_;
  std::shared_ptr<Home> small_home_ = std::make_shared<Home>();
  std::shared_ptr<Home> large_home_ = std::make_shared<Home>();
};

}  // namespace smb3
