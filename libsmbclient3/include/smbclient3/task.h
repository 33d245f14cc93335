// A coroutine that ends in a value or an Error, on the thread that runs it.
#pragma once

#include <smbclient3/error.h>

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace smb3 {

// Told once when the task that it waits for has ended.
struct Waiter {
  void (*wake)(Waiter&) noexcept = nullptr;
};

template <class T>
class Task;

namespace detail {

template <class T>
struct PromiseResult {
  std::optional<Result<T>> result;
  void return_value(T value) { result.emplace(std::move(value)); }
  void return_value(Result<T> value) { result.emplace(std::move(value)); }
  void return_value(Error error) { result.emplace(std::unexpected(std::move(error))); }
};

template <>
struct PromiseResult<void> {
  std::optional<Result<void>> result;
  void return_void() { result.emplace(); }
};

}  // namespace detail

// A lazily started coroutine. Inside another Task:
//   T v = co_await task();                     on error this coroutine ends with that error
//   Result<T> r = co_await attempt(task());    the caller looks at the error itself
//   T v = co_await result;                     the early end for a plain Result
//   co_await Error(...);                       ends with that error
// A Task must not be destroyed while it waits; whoever starts one waits for its end (TaskGroup).
// The callee runs inside await_ready, and only if it suspends does the caller: g++ 12 has no
// reliable tail call for symmetric transfer (docs/ARCHITECTURE.md).
template <class T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;
  using Value = T;

  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // Runs until the end or the first wait.
  void run() { handle_.resume(); }
  bool done() const { return handle_.promise().result.has_value(); }
  // Precondition: done().
  Result<T>& result() const { return *handle_.promise().result; }
  void notify(Waiter& waiter) { handle_.promise().waiter = &waiter; }

 private:
  Handle handle_;
};

template <class T>
struct Attempt {
  Task<T> task;
};

// Lets the caller of a task see its Result instead of leaving on an error.
template <class T>
Attempt<T> attempt(Task<T> task) {
  return Attempt<T>{std::move(task)};
}

namespace detail {

// Shared by the two ways to await a task: runs it, and resumes the caller when it ends.
template <class U>
struct Callee : Waiter {
  Task<U> callee;
  explicit Callee(Task<U> task) : callee(std::move(task)) {}
};

template <class U, class Promise>
struct Call : Callee<U> {
  using Callee<U>::Callee;
  std::coroutine_handle<Promise> caller{};

  bool await_ready() {
    this->callee.run();
    return this->callee.done() && this->callee.result().has_value();
  }
  void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    caller = handle;
    this->wake = [](Waiter& waiter) noexcept { static_cast<Call&>(waiter).ended(); };
    if (this->callee.done()) {
      ended();
    } else {
      this->callee.notify(*this);
    }
  }
  void ended() noexcept {
    if (this->callee.result()) {
      caller.resume();
    } else {
      caller.promise().fail(std::move(this->callee.result()).error());
    }
  }
  U await_resume() {
    if constexpr (!std::is_void_v<U>) return std::move(*this->callee.result());
  }
};

template <class U, class Promise>
struct Look : Callee<U> {
  using Callee<U>::Callee;
  std::coroutine_handle<Promise> caller{};

  bool await_ready() {
    this->callee.run();
    return this->callee.done();
  }
  void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    caller = handle;
    this->wake = [](Waiter& waiter) noexcept { static_cast<Look&>(waiter).caller.resume(); };
    this->callee.notify(*this);
  }
  Result<U> await_resume() { return std::move(this->callee.result()); }
};

template <class U, class Promise>
struct Try {
  Result<U> result;
  bool await_ready() const noexcept { return result.has_value(); }
  void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    handle.promise().fail(std::move(result).error());
  }
  U await_resume() {
    if constexpr (!std::is_void_v<U>) return std::move(*result);
  }
};

// An awaitable that somebody else keeps. g++ 12 copies an lvalue that it is given directly.
template <class A>
struct Borrowed {
  A* awaitable;
  bool await_ready() const { return awaitable->await_ready(); }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> handle) const {
    return awaitable->await_suspend(handle);
  }
  decltype(auto) await_resume() const { return awaitable->await_resume(); }
};

template <class Promise>
struct Leave {
  Error error;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    handle.promise().fail(std::move(error));
  }
  void await_resume() const noexcept {}
};

}  // namespace detail

template <class T>
struct Task<T>::promise_type : detail::PromiseResult<T> {
  Waiter* waiter = nullptr;  // set only while somebody really waits

  Task get_return_object() { return Task{Handle::from_promise(*this)}; }
  std::suspend_always initial_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { std::terminate(); }  // this library throws nothing

  // Ends this coroutine where it stands. Nothing of its frame may be touched afterwards: the
  // waiter is free to destroy it.
  void fail(Error error) noexcept {
    this->result.emplace(std::unexpected(std::move(error)));
    if (waiter) waiter->wake(*waiter);
  }

  struct Final {
    bool await_ready() const noexcept { return false; }
    void await_suspend(Handle handle) noexcept {
      if (auto* w = handle.promise().waiter) w->wake(*w);
    }
    void await_resume() const noexcept {}
  };
  Final final_suspend() noexcept { return {}; }

  template <class U>
  auto await_transform(Task<U> task) {
    return detail::Call<U, promise_type>(std::move(task));
  }
  template <class U>
  auto await_transform(Attempt<U> attempt) {
    return detail::Look<U, promise_type>(std::move(attempt.task));
  }
  template <class U>
  auto await_transform(std::expected<U, Error> result) {
    return detail::Try<U, promise_type>{std::move(result)};
  }
  auto await_transform(Error error) { return detail::Leave<promise_type>{std::move(error)}; }
  template <class A>
    requires requires(A& a) { a.await_ready(); }
  auto await_transform(A&& awaitable) noexcept {
    if constexpr (std::is_lvalue_reference_v<A>) {
      return detail::Borrowed<std::remove_reference_t<A>>{&awaitable};
    } else {
      return std::move(awaitable);
    }
  }
};

}  // namespace smb3
