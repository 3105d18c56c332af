// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "corpus.hpp"

#include "text.hpp"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace fuzz {

namespace {

constexpr const char* suffix = ".seq";

std::vector<std::filesystem::path> files_of(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(directory)) {
        for (const auto& entry : std::filesystem::directory_iterator(directory)) {
            if (entry.path().extension() == suffix) {
                files.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

// FNV-1a: the same on every machine.
std::string name_of(const std::string& text) {
    std::uint32_t hash = 2166136261U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    std::ostringstream name;
    name << std::hex << std::setw(8) << std::setfill('0') << hash << suffix;
    return name.str();
}

} // namespace

std::vector<Sequence> load_corpus(const std::filesystem::path& directory) {
    std::vector<Sequence> corpus;
    for (const auto& file : files_of(directory)) {
        for (Sequence& sequence : read_sequences(file)) {
            corpus.push_back(std::move(sequence));
        }
    }
    return corpus;
}

void save_corpus(const std::filesystem::path& directory, const std::vector<Sequence>& corpus) {
    std::filesystem::create_directories(directory);
    for (const auto& file : files_of(directory)) {
        std::filesystem::remove(file);
    }
    for (const Sequence& sequence : corpus) {
        const std::string text = to_text(sequence);
        std::ofstream(directory / name_of(text)) << text;
    }
}

} // namespace fuzz
