// Everything of libsmbclient3.
#pragma once

#include <smbclient3/client.h>
#include <smbclient3/copy.h>
#include <smbclient3/credentials.h>
#include <smbclient3/directory.h>
#include <smbclient3/error.h>
#include <smbclient3/file.h>
#include <smbclient3/share.h>
#include <smbclient3/share_path.h>
#include <smbclient3/task.h>
#include <smbclient3/task_group.h>
