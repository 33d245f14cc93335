// Marks what the shared library exports; everything else stays hidden.
#pragma once

#if defined(__GNUC__)
#define SMB3_API [[gnu::visibility("default")]]
#else
#define SMB3_API
#endif
