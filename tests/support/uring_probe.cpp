// Tries to make a reactor: exit status 0, or 2 and the error on standard output.
#include "reactor/reactor_thread.h"

#include <cstdio>

int main() {
  auto thread = smb3::ReactorThread::start();
  if (thread) return 0;
  std::puts(smb3::describe(thread.error()).c_str());
  return 2;
}
