// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Every ioctl is given structs of the wrong size, at bad addresses, with bits that mean nothing,
// and for objects that are not there. It refuses them, and then still does the right thing.
#include "specimens.hpp"
#include "support/fixture.hpp"
#include "support/memory.hpp"

#include <algorithm>
#include <unistd.h>

namespace vm {
namespace {

class BadStruct : public testing::Test {
protected:
    // Runs `check` for each ioctl; afterwards the ioctl must work as if nothing had been tried.
    template <class Check>
    void for_each(Check check) {
        for (const Specimen& specimen : specimens) {
            SCOPED_TRACE(specimen.name);
            check(specimen);
            EXPECT_EQ(specimen.send(file), specimen.good) << "after all the bad ones";
        }
    }

    const File file;
    const std::vector<Specimen> specimens = all_specimens(file, ipv4_gid);
};

TEST_F(BadStruct, BAD_INPUT_EveryIoctlHasASpecimen) {
    EXPECT_EQ(specimens.size(), 24U);
    for_each([](const Specimen&) {});
}

TEST_F(BadStruct, BAD_INPUT_Address) {
    for_each([&](const Specimen& s) {
        EXPECT_EQ(file.call(s.request, static_cast<char*>(nullptr)), Error{EFAULT});
        EXPECT_EQ(file.call(s.request, reinterpret_cast<char*>(unmapped)), Error{EFAULT});
        EXPECT_EQ(file.call(s.request, reinterpret_cast<char*>(~0ULL - 2)), Error{EFAULT});
        // The size can be read, or half of it, but not the whole struct.
        for (const std::size_t readable : {2UL, 4UL, s.valid.size() - 1}) {
            const Guarded memory(readable);
            std::copy_n(s.valid.begin(), readable, memory.data());
            EXPECT_EQ(file.call(s.request, memory.data()), Error{EFAULT}) << readable;
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_StructThatCannotBeWritten) {
    // Those that answer by writing into the struct.
    const std::vector<std::string> answering = {"QUERY",      "DEVICES",  "CM_QUERY",
                                                "CM_QP_ATTR", "MAD_POST", "MAD_QUERY"};
    for_each([&](const Specimen& s) {
        if (std::ranges::count(answering, s.name)) {
            const Guarded memory(s.valid.size());
            std::copy(s.valid.begin(), s.valid.end(), memory.data());
            memory.make_readonly();
            EXPECT_EQ(file.call(s.request, memory.data()), Error{EFAULT});
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_CreateThatCannotSayItsHandleMakesNothing) {
    const unsigned long before = statistic("objects");
    for (const Specimen& s : specimens) {
        if (s.name == "CM_CREATE" || s.name == "MAD_REGISTER") {
            const Guarded memory(s.valid.size());
            std::copy(s.valid.begin(), s.valid.end(), memory.data());
            memory.make_readonly();
            EXPECT_EQ(file.call(s.request, memory.data()), Error{EFAULT});
        }
    }
    EXPECT_TRUE(eventually([&] { return statistic("objects") == before; }));
}

TEST_F(BadStruct, BAD_INPUT_SizeTooSmall) {
    for_each([&](const Specimen& s) {
        for (const std::uint32_t size :
             {0U, 1U, 4U, 7U, static_cast<std::uint32_t>(s.valid.size() - 1)}) {
            EXPECT_EQ(s.send(file, s.resized(s.valid.size(), size)), Error{EINVAL}) << size;
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_LongerStructWithZerosIsFine) {
    for (const Specimen& s : specimens) {
        SCOPED_TRACE(s.name);
        EXPECT_EQ(s.send(file, s.resized(s.valid.size() + 64)), s.good);
    }
}

TEST_F(BadStruct, BAD_INPUT_LongerStructWithMeaningIsTooBig) {
    for_each([&](const Specimen& s) {
        for (const std::size_t dirty : {s.valid.size(), s.valid.size() + 63}) {
            Bytes longer = s.resized(s.valid.size() + 64);
            longer[dirty] = 1;
            EXPECT_EQ(s.send(file, longer), Error{E2BIG}) << dirty;
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_HugeSize) {
    for_each([&](const Specimen& s) {
        for (const std::uint32_t size : {1U << 20, 1U << 31, ~0U}) {
            EXPECT_EQ(s.send(file, s.resized(s.valid.size(), size)), Error{E2BIG}) << size;
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_ReservedMembersAreNotZero) {
    for_each([&](const Specimen& s) {
        for (const auto& [offset, size] : s.zero) {
            for (std::size_t i = offset; i < offset + size; ++i) {
                Bytes dirty = s.valid;
                dirty[i] ^= 1;
                EXPECT_EQ(s.send(file, dirty), Error{EINVAL}) << "byte " << i;
            }
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_UnknownFlags) {
    for_each([&](const Specimen& s) {
        for (const auto& [offset, known] : s.flags) {
            for (unsigned bit = 0; bit < 32; ++bit) {
                if ((known >> bit & 1) != 0) {
                    continue;
                }
                Bytes dirty = s.valid;
                dirty[offset + bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
                EXPECT_EQ(s.send(file, dirty), Error{EINVAL}) << "bit " << bit;
            }
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_Handle) {
    const Id stale = create(file);
    must(stale.destroy());
    const File other;
    for_each([&](const Specimen& s) {
        if (s.has_object) {
            for (const std::uint32_t handle : {0U, stale.handle(), 0x7fff'fff0U, ~0U}) {
                EXPECT_EQ(s.send(file, s.for_handle(handle)), Error{ENOENT}) << handle;
            }
            EXPECT_EQ(s.send(other), Error{ENOENT}) << "a handle of another file";
        }
    });
}

TEST_F(BadStruct, BAD_INPUT_UnknownIoctl) {
    Bytes buffer(256);
    for (unsigned nr = 0; nr < 256; ++nr) {
        const bool known = nr <= 0x04 || (nr >= 0x20 && nr <= 0x2d) || (nr >= 0x40 && nr <= 0x44);
        if (!known) {
            EXPECT_EQ(file.call(_IO(UCMAD_IOCTL_TYPE, nr), buffer.data()), Error{ENOTTY}) << nr;
        }
    }
    // A known number with a direction or size, or of another type, is another ioctl.
    EXPECT_EQ(file.call(_IOR(UCMAD_IOCTL_TYPE, 0, ucmad_query), buffer.data()), Error{ENOTTY});
    EXPECT_EQ(file.call(_IO('f', 0), buffer.data()), Error{ENOTTY});
}

TEST_F(BadStruct, BAD_INPUT_OtherSystemCalls) {
    char byte = 0;
    EXPECT_EQ(::read(file.fd(), &byte, 1), -1);
    EXPECT_EQ(::write(file.fd(), &byte, 1), -1);
    EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file.fd(), 0), MAP_FAILED);
    EXPECT_EQ(::lseek(file.fd(), 0, SEEK_SET), -1);
    EXPECT_EQ(::pread(file.fd(), &byte, 1, 0), -1);
}

// The same from several threads at a time, on one file, while other threads do the right thing.
TEST_F(BadStruct, BAD_INPUT_FromManyThreadsAtOnce) {
    std::atomic<int> wrong{0};
    const auto misbehave = [&](unsigned seed) {
        for (int round = 0; round < 200; ++round) {
            const Specimen& s = specimens[(seed + static_cast<unsigned>(round)) % specimens.size()];
            wrong +=
                file.call(s.request, reinterpret_cast<char*>(unmapped)) == Error{EFAULT} ? 0 : 1;
            wrong += s.send(file, s.resized(s.valid.size(), 3)) == Error{EINVAL} ? 0 : 1;
            if (s.has_object) {
                wrong += s.send(file, s.for_handle(0)) == Error{ENOENT} ? 0 : 1;
            }
        }
    };
    const auto behave = [&] {
        for (int round = 0; round < 100; ++round) {
            const Id id = create(file);
            must(id.listen(listening(new_service_id())));
            must(id.destroy());
        }
    };
    std::vector<std::future<void>> threads;
    for (unsigned i = 0; i < 3; ++i) {
        threads.push_back(std::async(std::launch::async, misbehave, i * 7));
    }
    threads.push_back(std::async(std::launch::async, behave));
    for (std::future<void>& thread : threads) {
        EXPECT_NO_THROW(thread.get());
    }
    EXPECT_EQ(wrong, 0);
    for_each([](const Specimen&) {});
}

} // namespace
} // namespace vm
