#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

TEST(CreateContexts, GoOutAndComeBackTyped) {
  ByteBuffer durable, lease;
  const DurableHandleRequestV2 wanted{.timeout = 1000, .flags = DurableHandleFlags::persistent};
  const CreateRequest request{
      .contexts = {make_create_context(wanted, durable),
                   make_create_context(LeaseV2{.lease_state = LeaseState::read_caching, .epoch = 3},
                                       lease)}};
  ByteBuffer out;
  out.extend(header_bytes);
  encode(request, out);
  const auto read = decode<CreateRequest>(out.bytes());
  ASSERT_TRUE(read) << explain(read.error());
  ASSERT_EQ(read->contexts.size(), 2u);
  const auto found = find_context<DurableHandleRequestV2>(read->contexts);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->timeout, 1000u);
  const auto found_lease = find_lease(read->contexts);
  ASSERT_TRUE(found_lease && *found_lease);
  EXPECT_EQ((*found_lease)->epoch, 3);
  EXPECT_FALSE(*find_context<AllocationSize>(read->contexts));
}

TEST(CreateContexts, TakeALeaseOfVersion1) {
  ByteBuffer storage;
  const std::vector<CreateContext> contexts{
      make_create_context(LeaseV1{.lease_state = LeaseState::handle_caching,
                                  .lease_flags = LeaseFlags::break_in_progress},
                          storage)};
  const auto lease = find_lease(contexts);
  ASSERT_TRUE(lease && *lease);
  EXPECT_EQ((*lease)->lease_state, LeaseState::handle_caching);
  EXPECT_EQ((*lease)->flags, LeaseFlags::break_in_progress);
  EXPECT_EQ((*lease)->epoch, 0);
  EXPECT_FALSE(*find_lease({}));
}

TEST(CreateContexts, RefuseDataThatIsTooShort) {
  const auto data = from_hex("0000000000000000");
  const std::vector<CreateContext> contexts{{create_context::bytes_of("RqLs"), data},
                                            {create_context::bytes_of("DH2Q"), data}};
  EXPECT_FALSE(find_lease(contexts));
  EXPECT_FALSE(find_context<DurableHandleRequestV2>(contexts));
  EXPECT_TRUE(find_context<DurableHandleResponseV2>(contexts));
}

TEST(CreateContexts, NamesOfGuidsAreWhole) {
  EXPECT_EQ(create_context::app_instance_id.size(), 16u);
  EXPECT_EQ(create_context::app_instance_version.size(), 16u);
  EXPECT_EQ(to_hex(create_context::bytes_of(create_context::app_instance_id)),
            "45bca66aefa7f74a9008fa462e144d74");
  EXPECT_EQ(to_hex(create_context::bytes_of(create_context::app_instance_version)),
            "b982d0b73b56074fa07b524a8116a010");
}

}  // namespace smb3::wire::testing
