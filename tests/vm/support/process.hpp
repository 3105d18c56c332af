// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Programs to run, children to kill, and calls that block on a thread of their own.
#pragma once

#include "wait.hpp"

#include <atomic>
#include <csignal>
#include <functional>
#include <future>
#include <sys/types.h>
#include <vector>

namespace vm {

// Runs a program and returns its exit status; run() throws unless it is 0.
int try_run(const std::vector<std::string>& command);
void run(const std::vector<std::string>& command);

// A child process that does something and then does nothing until it is killed.
class Child {
public:
    // Returns once `body` has; throws if it threw, with what it said.
    explicit Child(const std::function<void()>& body);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { kill(); }

    // SIGKILL, and waits until the process is gone.
    void kill();

private:
    pid_t pid_ = -1;
};

// The state letter of a thread, as in /proc/PID/stat.
char thread_state(pid_t thread);

// A call that is expected to block, on a thread of its own.
template <class Result>
class Blocking {
public:
    explicit Blocking(std::function<Result()> call);
    Blocking(const Blocking&) = delete;
    Blocking& operator=(const Blocking&) = delete;
    ~Blocking();

    // Returns once the thread sleeps in its call.
    void wait_until_asleep() const;
    bool done() const { return result_.wait_for(0s) == std::future_status::ready; }
    // What the call returned; throws if it does not in time.
    Result result();
    // Sends the thread a signal whose handler does nothing: a call that waits ends with EINTR.
    void interrupt();

private:
    std::atomic<pid_t> thread_id_{0};
    std::future<Result> result_;
    std::thread thread_;
};

// Used by Blocking: installs the handler that does nothing, without SA_RESTART.
void prepare_interrupts();
pid_t this_thread();

template <class Result>
Blocking<Result>::Blocking(std::function<Result()> call) {
    prepare_interrupts();
    std::packaged_task<Result()> task([this, call = std::move(call)] {
        thread_id_ = this_thread();
        return call();
    });
    result_ = task.get_future();
    thread_ = std::thread(std::move(task));
}

template <class Result>
Blocking<Result>::~Blocking() {
    if (result_.valid()) {
        eventually([this] {
            if (!done()) {
                interrupt();
            }
            return done();
        });
    }
    thread_.join();
}

template <class Result>
void Blocking<Result>::wait_until_asleep() const {
    // Between noting its thread ID and its call the thread has nothing else to sleep in.
    wait_until([this] { return thread_id_ && thread_state(thread_id_) == 'S'; },
               "a thread asleep in its call");
}

template <class Result>
Result Blocking<Result>::result() {
    must(result_.wait_for(limit()) == std::future_status::ready, "a call does not return");
    return result_.get();
}

template <class Result>
void Blocking<Result>::interrupt() {
    pthread_kill(thread_.native_handle(), SIGUSR1);
}

} // namespace vm
