// Where each field of a message lies, from the wire layer's own declarations: so that every length
// and every offset can be made a lie.
#pragma once

#include "base/bytes.h"
#include "wire/command.h"

#include <smbclient3/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smb3::server {

enum class FieldKind : std::uint8_t {
  value,
  constant,  // written as it must be, or reserved
  offset,
  length,
  count,
  next  // the distance to the next entry of a chain
};

std::string_view name_of(FieldKind kind) noexcept;

struct FieldPlace {
  FieldKind kind{};
  // As the wire layer calls it, after the lists and structures that it lies in:
  // "contexts[1].data_offset", "output_buffer[0].next".
  std::string name;
  std::size_t position = 0;  // from the SMB2 header
  std::size_t width = 0;
};

// All fields behind the header, in wire order, as far as the message can be read; also those of
// contexts, chains and structures in buffers. `information` helps to tell what a buffer holds: the
// class of QUERY_INFO, SET_INFO and QUERY_DIRECTORY; without it that is guessed from the layout.
// An answer that carries an error has the fields of ERROR.
std::vector<FieldPlace> field_map(wire::Command command, bool response, Bytes element,
                                  std::uint32_t information = 0);

// Of the fields of an answer: the `index`-th of all of that name; with no name the `index`-th of
// the offsets, lengths, counts and next distances. Cut to the field's width. An error if there is
// none.
Result<void> set_field(MutableBytes element, wire::Command command, std::string_view name,
                       std::uint32_t index, std::uint64_t value, std::uint32_t information = 0);

// The same for a field of the SMB2 header, by the wire layer's name: "credits", "message_id", ...
Result<void> set_header_field(MutableBytes element, std::string_view name, std::uint64_t value);

// Every field of every answer, one a line: what it is an answer to, the field's name, its kind and
// width, and with how many bytes. Separated by tabs.
std::string list_fields();

}  // namespace smb3::server
