// What the first and the second signal do.
#include "signals.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <semaphore>
#include <thread>

namespace smb3::cli {
namespace {

using namespace std::chrono_literals;

// What `body` makes of a process of its own: its exit code, or 1000 + the signal that killed it.
template <class Body>
int outcome(Body body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    body();
    _exit(77);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void wait_for_the_end() {
  while (true) pause();
}

TEST(Signals, TheFirstCallsWhatIsAttached) {
  EXPECT_EQ(outcome([] {
              Signals signals;
              std::binary_semaphore called{0};
              signals.attach([&] { called.release(); });
              kill(getpid(), SIGTERM);
              bool in_time = called.try_acquire_for(10s);
              _exit(in_time && signals.received() == SIGTERM ? 0 : 1);
            }),
            0);
}

TEST(Signals, TheSecondEndsTheProcess) {
  for (int number : {SIGINT, SIGTERM}) {
    EXPECT_EQ(outcome([number] {
                Signals signals;
                std::binary_semaphore called{0};
                signals.attach([&] { called.release(); });
                kill(getpid(), SIGINT);
                if (!called.try_acquire_for(10s)) _exit(1);
                kill(getpid(), number);
                wait_for_the_end();
              }),
              128 + number);
  }
}

TEST(Signals, WithNothingAttachedTheFirstEndsTheProcess) {
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(outcome([number] {
                Signals signals;
                kill(getpid(), number);
                wait_for_the_end();
              }),
              128 + number);
  }
}

TEST(Signals, WhatWasIgnoredStaysIgnored) {
  EXPECT_EQ(outcome([] {
              signal(SIGINT, SIG_IGN);
              Signals signals;
              std::binary_semaphore called{0};
              signals.attach([&] { called.release(); });
              kill(getpid(), SIGINT);
              kill(getpid(), SIGTERM);
              bool in_time = called.try_acquire_for(10s);
              _exit(in_time && signals.received() == SIGTERM ? 0 : 1);
            }),
            0);
}

TEST(Signals, ThreadsStartedLaterDoNotTakeThem) {
  EXPECT_EQ(outcome([] {
              Signals signals;
              std::binary_semaphore called{0};
              signals.attach([&] { called.release(); });
              std::atomic<bool> over = false;
              std::thread other([&] {
                while (!over) std::this_thread::yield();
              });
              kill(getpid(), SIGINT);
              bool in_time = called.try_acquire_for(10s);
              over = true;
              other.join();
              _exit(in_time ? 0 : 1);
            }),
            0);
}

TEST(Signals, AreLeftAsTheyWere) {
  EXPECT_EQ(outcome([] {
              {
                Signals signals;
              }
              kill(getpid(), SIGTERM);
              wait_for_the_end();
            }),
            1000 + SIGTERM);
}

}  // namespace
}  // namespace smb3::cli
