// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "process.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vm {

int try_run(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    std::transform(command.begin(), command.end(), std::back_inserter(arguments),
                   [](const std::string& word) { return const_cast<char*>(word.c_str()); });
    arguments.push_back(nullptr);
    pid_t pid = -1;
    must(Error{posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ)});
    int status = 0;
    must(waitpid(pid, &status, 0) == pid ? ok : last_error());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void run(const std::vector<std::string>& command) {
    std::string line;
    for (const std::string& word : command) {
        line += word + ' ';
    }
    must(try_run(command) == 0, line + "failed");
}

namespace {

// The child's part: what it writes is the reason of its failure, or "" and a zero byte.
[[noreturn]] void live(const std::function<void()>& body, int report) {
    std::string text;
    try {
        body();
    } catch (const std::exception& error) {
        text = error.what();
    }
    if (write(report, text.c_str(), text.size() + 1) < 0) {
        _exit(1);
    }
    for (;;) {
        pause();
    }
}

std::string read_report(int fd) {
    pollfd readable{fd, POLLIN, 0};
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(limit());
    char text[1024] = "the child said nothing";
    if (poll(&readable, 1, static_cast<int>(milliseconds.count())) == 1 &&
        read(fd, text, sizeof text - 1) <= 0) {
        return "the child died";
    }
    return text;
}

} // namespace

Child::Child(const std::function<void()>& body) {
    int ends[2];
    must(pipe(ends) == 0 ? ok : last_error());
    pid_ = fork();
    if (pid_ == 0) {
        live(body, ends[1]);
    }
    ::close(ends[1]);
    const std::string report = pid_ == -1 ? "no fork" : read_report(ends[0]);
    ::close(ends[0]);
    if (!report.empty()) {
        kill();
    }
    must(report.empty(), report);
}

void Child::kill() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
}

char thread_state(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')'); // the name may hold anything
    return name_end == std::string::npos ? '?' : text.at(name_end + 2);
}

void prepare_interrupts() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, nullptr);
}

pid_t this_thread() { return gettid(); }

} // namespace vm
