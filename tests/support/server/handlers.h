// What the server does with each command. A handler decodes, checks and answers; credits,
// signatures, faults and compounds are the connection's.
#pragma once

#include "support/server/request.h"

#include <smbclient3/task.h>

namespace smb3::server {

// negotiate.cpp, session_setup.cpp, tree_connect.cpp
Task<Answer> negotiate(Request& request);
Task<Answer> session_setup(Request& request);
Task<Answer> logoff(Request& request);
Task<Answer> tree_connect(Request& request);
Task<Answer> tree_disconnect(Request& request);
Task<Answer> echo(Request& request);

// create.cpp, close.cpp
Task<Answer> create(Request& request);
Task<Answer> close(Request& request);
// read_write.cpp
Task<Answer> read(Request& request);
Task<Answer> write(Request& request);
Task<Answer> flush(Request& request);
// lock.cpp
Task<Answer> lock(Request& request);
// ioctl.cpp
Task<Answer> ioctl(Request& request);
// query_directory.cpp
Task<Answer> query_directory(Request& request);
Task<Answer> change_notify(Request& request);
// information.cpp
Task<Answer> query_info(Request& request);
Task<Answer> set_info(Request& request);
// oplock.cpp: an acknowledgment
Task<Answer> oplock_break(Request& request);

// open.cpp: the opens of a session that ends (`tree` is null; those that are durable wait for their
// client), or of a tree that is disconnected (all of that tree are closed, [MS-SMB2] 3.3.5.8).
void end_opens(Session& session, const Tree* tree);

}  // namespace smb3::server
