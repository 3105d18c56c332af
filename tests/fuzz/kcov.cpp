// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "kcov.hpp"

#include "../vm/support/error.hpp"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <linux/kcov.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {

Kcov::Kcov() : fd_(open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC)) {
    vm::must_succeed(fd_ != -1, "kcov: it takes the debug kernel");
    vm::must_succeed(ioctl(fd_, KCOV_INIT_TRACE, words) == 0, "KCOV_INIT_TRACE");
    void* area = mmap(nullptr, words * sizeof *area_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    vm::must_succeed(area != MAP_FAILED, "mmap of kcov");
    area_ = static_cast<std::uint64_t*>(area);
    vm::must_succeed(ioctl(fd_, KCOV_ENABLE, KCOV_TRACE_PC) == 0, "KCOV_ENABLE");
}

Kcov::~Kcov() {
    ioctl(fd_, KCOV_DISABLE, 0);
    munmap(area_, words * sizeof *area_);
    close(fd_);
}

void Kcov::clear() { std::atomic_ref(area_[0]).store(0); }

std::span<const std::uint64_t> Kcov::places() const {
    const std::uint64_t count = std::atomic_ref(area_[0]).load();
    return {area_ + 1, std::min<std::size_t>(count, words - 1)};
}

} // namespace fuzz
