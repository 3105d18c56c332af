// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "stalling.hpp"

#include "file.hpp"

#include <algorithm>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace vm {

namespace {

int open_userfaultfd() {
    return static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
}

} // namespace

bool StallingPage::is_possible() {
    const int fd = open_userfaultfd();
    if (fd == -1) {
        return false;
    }
    close(fd);
    return true;
}

StallingPage::StallingPage()
    : fd_(open_userfaultfd()),
      page_(static_cast<std::uint8_t*>(
          mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    uffdio_api api{};
    api.api = UFFD_API;
    must(ioctl(fd_, UFFDIO_API, &api) == 0 ? ok : last_error());
    uffdio_register range{};
    range.range = {address(page_), size};
    range.mode = UFFDIO_REGISTER_MODE_MISSING;
    must(ioctl(fd_, UFFDIO_REGISTER, &range) == 0 ? ok : last_error());
}

StallingPage::~StallingPage() {
    close(fd_); // whoever still waits goes on
    munmap(page_, size);
}

void StallingPage::wait_for_access() const {
    pollfd readable{fd_, POLLIN, 0};
    must(poll(&readable, 1, static_cast<int>(limit() / 1ms)) == 1, "nobody looks at the page");
    uffd_msg message{};
    must(read(fd_, &message, sizeof message) == sizeof message &&
             message.event == UFFD_EVENT_PAGEFAULT,
         "no page fault");
}

void StallingPage::release() const {
    uffdio_zeropage zero{};
    zero.range = {address(page_), size};
    must(ioctl(fd_, UFFDIO_ZEROPAGE, &zero) == 0 ? ok : last_error());
}

void StallingPage::release(std::span<const std::uint8_t> content) const {
    std::vector<std::uint8_t> page(size);
    std::ranges::copy(content, page.begin());
    uffdio_copy copy{};
    copy.dst = address(page_);
    copy.src = address(page.data());
    copy.len = size;
    must(ioctl(fd_, UFFDIO_COPY, &copy) == 0 ? ok : last_error());
}

void StallingPage::fail() const {
    // The page becomes unmapped before the writer looks again.
    must(mprotect(page_, size, PROT_NONE) == 0 ? ok : last_error());
    uffdio_range range{address(page_), size};
    must(ioctl(fd_, UFFDIO_WAKE, &range) == 0 ? ok : last_error());
}

} // namespace vm
