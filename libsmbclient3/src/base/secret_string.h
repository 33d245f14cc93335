// The public type, under the name that the layers use.
#pragma once

#include <smbclient3/secret_string.h>
