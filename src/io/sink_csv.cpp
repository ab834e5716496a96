// measures.csv: frame, time, and a column per measure. Rows are appended, each with one write; the file is rewritten
// whole when a measure appears that it has no column for, and when a run goes on after an interruption.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <utility>

#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

using Row = std::vector<std::string>;

/// RFC 4180: quoted where a comma, a quote or a line break would be misread.
std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string csv_line(const Row& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csv_cell(cells[i]);
    return line + "\n";
}

/// The complete rows; a last one without its line break was cut off and does not count.
std::vector<Row> csv_rows(std::string_view text) {
    std::vector<Row> rows;
    Row row;
    std::string cell;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"') {
                cell += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                cell += '"', ++i;
            } else {
                quoted = false;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '\n') {
            row.push_back(std::exchange(cell, {}));
            if (c == '\n') rows.push_back(std::exchange(row, {}));
        } else if (c != '\r') {
            cell += c;
        }
    }
    return rows;
}

class CsvSink : public FrameSink {
public:
    explicit CsvSink(const std::filesystem::path& directory) : path_(directory / "measures.csv") {}
    ~CsvSink() override { close(); }

    void begin(const RunInfo&) override { ensure_directory(path_.parent_path()); }

    void write(const Frame& frame) override {
        const bool fits = std::all_of(frame.measures.begin(), frame.measures.end(), [&](const auto& measure) {
            return std::find(columns_.begin(), columns_.end(), measure.first) != columns_.end();
        });
        if (first_ || !fits) {
            rewrite(frame);
        } else {
            append(csv_line(row(frame)));
        }
        first_ = false;
    }

    void finish() override { close(); }

private:
    Row row(const Frame& frame) const {
        Row cells = {std::to_string(frame.index), number_text(frame.time)};
        for (const std::string& column : columns_) {
            const auto found = frame.measures.find(column);
            cells.push_back(found == frame.measures.end() ? "" : number_text(found->second));
        }
        return cells;
    }

    /// The rows before this frame that are on disk, this frame's row, and columns for all of them.
    void rewrite(const Frame& frame) {
        close();
        columns_.clear();
        std::vector<Row> rows;
        if (frame.index > 0 && std::filesystem::exists(path_)) rows = csv_rows(read_file(path_));
        if (!rows.empty() && rows[0].size() >= 2) columns_.assign(rows[0].begin() + 2, rows[0].end());
        for (const auto& measure : frame.measures)
            if (std::find(columns_.begin(), columns_.end(), measure.first) == columns_.end())
                columns_.push_back(measure.first);
        Row header = {"frame", "time"};
        header.insert(header.end(), columns_.begin(), columns_.end());
        std::string text = csv_line(header);
        for (std::size_t r = 1; r < rows.size(); ++r) {
            int index = -1;
            const std::string& cell = rows[r][0];
            std::from_chars(cell.data(), cell.data() + cell.size(), index);
            if (index < 0 || index >= frame.index) continue;
            rows[r].resize(header.size());
            text += csv_line(rows[r]);
        }
        text += csv_line(row(frame));
        OutputFile file(path_);
        file.write(text);
        file.commit();
    }

    void append(const std::string& line) {
        if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        if (descriptor_ < 0) throw_write_error(path_, errno);
        const off_t before = ::lseek(descriptor_, 0, SEEK_END);
        const ssize_t done = ::write(descriptor_, line.data(), line.size());
        if (done == static_cast<ssize_t>(line.size())) return;
        const int code = done < 0 ? errno : ENOSPC;
        if (before >= 0 && ::ftruncate(descriptor_, before) != 0) throw_write_error(path_, errno);
        throw_write_error(path_, code);
    }

    void close() {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }

    std::filesystem::path path_;
    std::vector<std::string> columns_;
    int descriptor_ = -1;
    bool first_ = true;
};

}  // namespace

std::unique_ptr<FrameSink> make_csv_sink(const std::filesystem::path& directory) {
    return std::make_unique<CsvSink>(directory);
}

}  // namespace pliant
