// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "text.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace fuzz {

namespace {

std::string number_text(std::uint64_t number) {
    std::ostringstream out;
    if (number > 0xffff) {
        out << "0x" << std::hex;
    }
    out << number;
    return out.str();
}

std::string value_text(const Value& value) {
    const std::string number = number_text(value.number);
    switch (value.form) {
    case Value::Form::result:
        return '#' + number + (value.index ? '[' + std::to_string(value.index) + ']' : "");
    case Value::Form::own:
        return '$' + number;
    case Value::Form::good:
        return value.number ? "good:" + number : "good";
    case Value::Form::cut:
        return "cut:" + number;
    case Value::Form::fixed:
        return "fixed";
    case Value::Form::number:
        break;
    }
    return number;
}

std::uint64_t parse_number(const std::string& text) {
    std::size_t used = 0;
    const std::uint64_t number = std::stoull(text, &used, 0);
    if (used != text.size()) {
        throw std::runtime_error("no number: " + text);
    }
    return number;
}

Value parse_result(const std::string& text) {
    const std::size_t bracket = text.find('[');
    Value value{Value::Form::result, parse_number(text.substr(0, bracket))};
    if (bracket != std::string::npos) {
        value.index = static_cast<std::uint32_t>(
            parse_number(text.substr(bracket + 1, text.find(']') - bracket - 1)));
    }
    return value;
}

Value parse_value(const std::string& text) {
    if (text.starts_with('#')) {
        return parse_result(text.substr(1));
    }
    if (text.starts_with('$')) {
        return {Value::Form::own, parse_number(text.substr(1))};
    }
    if (text.starts_with("good:")) {
        return {Value::Form::good, parse_number(text.substr(5))};
    }
    if (text.starts_with("cut:")) {
        return {Value::Form::cut, parse_number(text.substr(4))};
    }
    if (text == "good" || text == "fixed") {
        return {text == "good" ? Value::Form::good : Value::Form::fixed};
    }
    return {Value::Form::number, parse_number(text)};
}

Op parse_op(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    Op op;
    words >> word;
    if (word == "&") {
        op.beside = true;
        words >> word;
    }
    const int call = find_call(word);
    std::string file;
    if (call < 0 || !(words >> file) || file.size() != 2 || file[0] != 'f' || file[1] < '0' ||
        file[1] >= '0' + file_count) {
        throw std::runtime_error("no operation: " + line);
    }
    op.call = static_cast<std::uint16_t>(call);
    op.file = static_cast<std::uint8_t>(file[1] - '0');
    while (words >> word) {
        const std::size_t equals = word.find('=');
        const int field = find_field(op.what(), word.substr(0, equals));
        if (field < 0 || equals == std::string::npos) {
            throw std::runtime_error("no member: " + word + " in " + line);
        }
        op.set(static_cast<std::size_t>(field), parse_value(word.substr(equals + 1)));
    }
    return op;
}

} // namespace

std::string to_text(const Sequence& sequence) {
    std::string text;
    for (const Op& op : sequence) {
        text += op.beside ? "& " : "";
        text += op.what().name + " f" + std::to_string(op.file);
        for (const Setting& setting : op.settings) {
            text += ' ' + op.what().fields[setting.field].name + '=' + value_text(setting.value);
        }
        text += '\n';
    }
    return text;
}

std::vector<Sequence> read_sequences(std::istream& in) {
    std::vector<Sequence> list(1);
    // A file that is written over again and again has old text behind the end.
    for (std::string line; std::getline(in, line) && line != "# end";) {
        if (line.empty()) {
            list.emplace_back();
        } else if (!line.starts_with('#')) {
            list.back().push_back(parse_op(line));
        }
    }
    std::erase_if(list, [](const Sequence& sequence) { return sequence.empty(); });
    return list;
}

std::vector<Sequence> read_sequences(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        throw std::runtime_error("cannot read " + file.string());
    }
    return read_sequences(in);
}

} // namespace fuzz
