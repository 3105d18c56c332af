// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "executor.hpp"

#include "errors.hpp"

#include <cstring>
#include <fcntl.h>
#include <rdma/ucmad.h>
#include <unistd.h>

namespace fuzz {

namespace {

// Numbers that no other sequence has: the CM remembers those of connections that are over.
std::uint64_t own_number(Kind kind, std::uint64_t sequence, std::uint64_t number) {
    if (kind == Kind::service) {
        return 0x1000'0000'0000'0000 + sequence * 256 + number % 256;
    }
    return 0x100000 + (sequence * 16 + number % 16) % 0xe00000;
}

} // namespace

// Opened when it is first used, unless the sequence itself has closed it.
int Executor::fd_of(const Op& op) {
    std::atomic<int>& fd = fds_[op.file];
    const bool opens = op.what().action == Action::open;
    if (fd != -1 || (was_closed_[op.file] && !opens)) {
        return fd;
    }
    const bool nonblock = opens && !op.settings.empty() && op.settings[0].value.number & 1;
    const int opened = ::open(UCMAD_DEVICE_PATH, O_RDWR | O_CLOEXEC | (nonblock ? O_NONBLOCK : 0));
    int none = -1;
    if (!fd.compare_exchange_strong(none, opened)) {
        ::close(opened); // the other thread was first
    }
    return fd;
}

void Executor::close_file(Worker& worker, std::uint8_t file) {
    was_closed_[file] = true;
    if (const int fd = fds_[file].exchange(-1); fd != -1) {
        worker.trace([fd] { ::close(fd); });
    }
}

// References lead to what was there before the threads went their ways, or to the thread's own.
std::vector<Value> Executor::values_of(const Op& op, std::size_t at, std::size_t own_begin) const {
    std::vector<Value> values;
    for (const Field& field : op.what().fields) {
        values.push_back({Value::Form::number, field.usual});
    }
    if (op.what().size) {
        values[where_field].form = Value::Form::good;
    }
    for (const Setting& setting : op.settings) {
        const Kind kind = op.what().fields[setting.field].kind;
        Value& value = values[setting.field] = setting.value;
        if (value.form == Value::Form::own) {
            value = {Value::Form::number, own_number(kind, number_, value.number)};
        } else if (value.form == Value::Form::result) {
            const bool known =
                value.number < group_begin_ || (value.number >= own_begin && value.number < at);
            value = {Value::Form::number,
                     known ? results_[value.number].pick(kind, value.index) : 0};
        }
    }
    return values;
}

void Executor::note(Worker& worker, std::size_t at, const Worker::Answer& answer) {
    const Op& op = (*sequence_)[at];
    Results& results = results_[at];
    worker.coverage().add_error(op.call, answer.error);
    if (!answer.error) {
        collect(op.what(), answer.arg, worker.memory(), results);
    } else if (!is_documented(op.what(), answer.error) && answer.error != EBADF) {
        results.wrong = std::string("fails with ") + strerrorname_np(answer.error);
    }
    for (const std::uint32_t signal : results.signals) {
        worker.coverage().add_signal(signal);
    }
    if (!results.wrong.empty()) {
        wrong_[at] =
            "operation " + std::to_string(at) + ", " + op.what().name + ": " + results.wrong;
    }
}

void Executor::run_op(Worker& worker, std::size_t at, std::size_t own_begin) {
    const Op& op = (*sequence_)[at];
    const int fd = fd_of(op);
    if (op.what().action == Action::close) {
        close_file(worker, op.file);
    } else if (fd != -1) {
        note(worker, at, worker.make(op.what(), fd, values_of(op, at, own_begin)));
    }
}

void Executor::run_some(Worker& worker, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        run_op(worker, i, begin);
    }
}

// Those up to `beside_end` in the second thread, the others here, at the same time.
void Executor::run_group(std::size_t begin, std::size_t beside_end, std::size_t end) {
    group_begin_ = begin;
    if (beside_end > begin) {
        helper_.start([=, this](Worker& worker) { run_some(worker, begin, beside_end); });
    }
    run_some(main_, beside_end, end);
    helper_.wait();
}

std::string Executor::run(const Sequence& sequence) {
    sequence_ = &sequence;
    ++number_;
    results_.assign(sequence.size(), {});
    wrong_.assign(sequence.size(), {});
    coverage_.clear();
    main_.coverage().clear();
    for (std::size_t begin = 0; begin < sequence.size();) {
        std::size_t beside_end = begin;
        while (beside_end < sequence.size() && sequence[beside_end].beside) {
            ++beside_end;
        }
        // As many here as there; at least one.
        const std::size_t wanted = std::max<std::size_t>(beside_end - begin, 1);
        std::size_t end = beside_end;
        while (end < sequence.size() && end - beside_end < wanted && !sequence[end].beside) {
            ++end;
        }
        run_group(begin, beside_end, end);
        begin = end;
    }
    for (std::uint8_t file = 0; file < file_count; ++file) {
        close_file(main_, file);
        was_closed_[file] = false;
    }
    coverage_.add(main_.coverage());
    helper_.take_coverage(coverage_);
    for (const std::string& wrong : wrong_) {
        if (!wrong.empty()) {
            return wrong;
        }
    }
    return {};
}

} // namespace fuzz
