#include "wire/error_response.h"

namespace smb3::wire {

namespace {

Result<Bytes> name_in(const SymbolicLinkError& link, std::size_t offset, std::size_t length,
                      const char* why) {
  if (offset > link.path_buffer.size() || length > link.path_buffer.size() - offset) {
    return std::unexpected(Error(ErrorKind::protocol, why).during(SymbolicLinkError::wire_name));
  }
  return link.path_buffer.subspan(offset, length);
}

}  // namespace

Result<std::vector<ErrorContext>> error_contexts(const ErrorResponse& response) {
  std::vector<ErrorContext> contexts;
  if (response.error_context_count == 0) {
    if (!response.error_data.empty())
      contexts.push_back({ErrorId::default_id, response.error_data});
    return contexts;
  }
  const Bytes data = response.error_data;
  std::size_t at = 0;  // the data begins 8-aligned in the body, so it can stand for the body here
  for (unsigned i = 0; i < response.error_context_count; ++i) {
    at = align_up(at, 8);
    if (at > data.size()) {
      return std::unexpected(
          Error(ErrorKind::protocol, "the list is cut short").during(ErrorContext::wire_name));
    }
    Result<ErrorContext> context = decode<ErrorContext>(data.subspan(at));
    if (!context) return std::unexpected(std::move(context).error());
    at += fixed_size<ErrorContext>() + context->error_context_data.size();
    contexts.push_back(*context);
  }
  return contexts;
}

void encode_error_contexts(const std::vector<ErrorContext>& contexts, ByteBuffer& out) {
  const std::size_t start = out.size();
  for (const ErrorContext& context : contexts) {
    const std::size_t distance = out.size() - start;
    out.extend(align_up(distance, 8) - distance);
    encode(context, out);
  }
}

bool has_error_body(const PacketHeader& header, Bytes element) {
  const std::uint16_t size = structure_size_of(element);
  switch (header.nt_status()) {
    case NtStatus{0}: return false;
    case NtStatus::pending: return true;
    case NtStatus::more_processing_required: return header.command != Command::session_setup;
    case NtStatus::notify_enum_dir:
    case NtStatus::notify_cleanup: return header.command != Command::change_notify;
    case NtStatus::buffer_overflow:
      if (header.command == Command::query_info) return false;
      break;
    default: break;
  }
  // These two have sizes of their own; other commands answer a failure with an ERROR.
  if (header.command == Command::ioctl || header.command == Command::read) {
    return size == ErrorResponse::structure_size;
  }
  return is_error(header.nt_status()) || size == ErrorResponse::structure_size;
}

Result<Bytes> substitute_name(const SymbolicLinkError& link) {
  return name_in(link, link.substitute_name_offset, link.substitute_name_length,
                 "substitute_name runs past the end");
}

Result<Bytes> print_name(const SymbolicLinkError& link) {
  return name_in(link, link.print_name_offset, link.print_name_length,
                 "print_name runs past the end");
}

}  // namespace smb3::wire
