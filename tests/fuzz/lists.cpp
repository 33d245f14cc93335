// Lists whose entries name the distance to the next: directories, streams, changes, interfaces.
#include "fuzz/round_trip.h"

#include "base/utf16.h"

namespace smb3::fuzz {

template <wire::Structure T>
void check_chain(Bytes bytes, std::size_t alignment) {
  auto list = wire::decode_chain<T>(bytes, alignment);
  if (!list) return;
  ByteBuffer out;
  wire::encode_chain(*list, out, alignment);
  const Exact exact(out.bytes());
  auto again = wire::decode_chain<T>(exact.bytes(), alignment);
  require(again && again->size() == list->size(), "a list does not survive a round trip");
  for (std::size_t i = 0; i < list->size(); ++i) {
    require(wire::print((*list)[i], in_full) == wire::print((*again)[i], in_full),
            "a round trip changes an entry");
  }
}

template <wire::Structure T>
void check_directory(Bytes bytes) {
  check_chain<T>(bytes, 8);
  wire::DirectoryCursor<T> cursor(bytes);
  std::size_t entries = 0;
  while (auto entry = cursor.next()) {
    require(++entries <= bytes.size(), "a listing has more entries than bytes");
    if (cursor.broken()) require(!*entry, "an entry behind a broken link");
    if (!*entry) continue;
    const Bytes name = (*entry)->file_name;
    require(!name.empty() && name.size() % 2 == 0, "a name that is none");
    const auto text = from_utf16le(name);
    if (text) {
      require(text->find_first_of(std::string_view("/\\\0", 3)) == text->npos,
              "a name leads out of its folder");
      const auto back = to_utf16le(*text);
      require(back && std::ranges::equal(*back, name), "a name does not survive a round trip");
    }
    static_cast<void>((*entry)->file_index);
  }
}

void check_interfaces(Bytes bytes) {
  check_chain<wire::NetworkInterfaceInfo>(bytes, 8);
  auto list = wire::decode_chain<wire::NetworkInterfaceInfo>(bytes);
  if (!list) return;
  for (const wire::NetworkInterfaceInfo& interface : *list) {
    const auto address = wire::address_of(interface);
    if (!address) continue;
    wire::NetworkInterfaceInfo again;
    wire::set_address(again, *address);
    const auto second = wire::address_of(again);
    require(second && second->bytes == address->bytes && second->v6 == address->v6 &&
                second->scope_id == address->scope_id,
            "an address does not survive a round trip");
  }
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3;
  using namespace smb3::fuzz;
  Input input(input_of(data, size));
  const std::uint8_t which = input.byte();
  const Exact exact(input.rest());
  const Bytes bytes = exact.bytes();
  switch (which) {
    case 0: check_directory<wire::FileIdBothDirectoryInformation>(bytes); return 0;
    case 1: check_directory<wire::FileIdExtdDirectoryInformation>(bytes); return 0;
    case 2: check_directory<wire::FileNamesInformation>(bytes); return 0;
    case 3: check_chain<wire::FileStreamInformation>(bytes, 8); return 0;
    case 4: check_chain<wire::FileNotifyInformation>(bytes, wire::file_notify_alignment); return 0;
    case 5: check_interfaces(bytes); return 0;
    default: return -1;
  }
}
