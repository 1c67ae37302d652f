/// Records of a CSV file (RFC 4180), one at a time; empty lines are passed over.
///
/// A field that is opened with a quotation mark and never closed costs its own line, not the rest of the file.
struct CSVReader {
    private var window: ByteWindow
    private let separator: UInt8
    private var line = 1
    /// The rest of a line that was refused, up to the next line feed.
    private var isSkipping = false

    /// - Parameter separator: stands between the fields.
    init(_ window: ByteWindow, separator: UInt8) {
        self.window = window
        self.separator = separator
    }

    private enum Step {
        /// A record, and where the next one begins.
        case record([String], next: Int)
        case refused(Refusal, next: Int)
        /// It goes on beyond what was read.
        case more
    }

    /// The next record; `nil` at the end.
    mutating func next() throws -> RawRow<[String]>? {
        while true {
            if window.count == 0 {
                guard !window.isAtEnd else { return nil }
                try window.readMore()
                continue
            }
            guard !isSkipping else {
                skip()
                continue
            }
            let step = window.count > ImportLimits.rowBytesMax || window.isAtEnd ? parse(isWhole: true) : parse()
            switch step {
            case .more: try window.readMore()
            case .record(let fields, let next):
                let row = RawRow(line: line, content: .success(fields), byteCount: next - window.start)
                finish(next)
                if fields != [""] { return row }
            case .refused(let refusal, let next):
                let row = RawRow<[String]>(line: line, content: .failure(refusal), byteCount: 0)
                finish(next)
                return row
            }
        }
    }

    private mutating func finish(_ next: Int) {
        for byte in window.bytes[window.start..<next] where byte == UInt8(ascii: "\n") { line += 1 }
        window.advance(to: next)
    }

    private mutating func skip() {
        let end = window.lineFeed(from: window.start)
        isSkipping = end == nil
        finish(end.map { $0 + 1 } ?? window.bytes.count)
    }

    /// - Parameter isWhole: whether a record must end in what was read, because more of it would be too much.
    private mutating func parse(isWhole: Bool = false) -> Step {
        let bytes = window.bytes
        let limit = min(bytes.count, window.start + ImportLimits.rowBytesMax)
        var position = window.start
        var fields: [String] = []
        while true {
            guard fields.count < ImportLimits.columnsMax else { return refuse(.tooManyColumns) }
            var field: [UInt8] = []
            if position < limit, bytes[position] == UInt8(ascii: "\"") {
                guard let end = quoted(from: position + 1, limit, into: &field) else {
                    return isWhole ? refuse(.openQuote) : .more
                }
                position = end
                guard position == bytes.count || isEnd(bytes[position]) else { return refuse(.strayQuote) }
            } else {
                let begin = position
                while position < limit, !isEnd(bytes[position]) { position += 1 }
                field = Array(bytes[begin..<position])
            }
            if position >= limit, !window.isAtEnd || position < bytes.count {
                return isWhole ? refuse(.rowTooLong) : .more
            }
            guard let text = String(validating: field, as: UTF8.self) else { return refuse(.notUTF8) }
            fields.append(text)
            guard position < bytes.count else { return .record(fields, next: position) }
            let byte = bytes[position]
            position += 1
            if byte == separator { continue }
            if byte == UInt8(ascii: "\r") {
                if position == bytes.count, !window.isAtEnd { return .more }
                if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
            }
            return .record(fields, next: position)
        }
    }

    /// The inside of a quoted field; returns where it ends, `nil` if nothing closes it.
    private func quoted(from begin: Int, _ limit: Int, into field: inout [UInt8]) -> Int? {
        let bytes = window.bytes
        var position = begin
        while position < limit {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\"") else {
                field.append(byte)
                continue
            }
            if position == bytes.count, !window.isAtEnd { return nil }
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return position }
            field.append(byte)
            position += 1
        }
        return nil
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// The line is refused, and the next one begins a new record.
    private mutating func refuse(_ refusal: Refusal) -> Step {
        if let end = window.lineFeed(from: window.start) { return .refused(refusal, next: end + 1) }
        isSkipping = !window.isAtEnd
        return .refused(refusal, next: window.bytes.count)
    }
}

extension Refusal {
    static let openQuote = Refusal(
        "a quotation mark opens a field and nothing closes it", "Close it; write a quotation mark inside a field twice."
    )
    static let strayQuote = Refusal(
        "text follows a closing quotation mark", "Write a quotation mark inside a field twice.")
    static let tooManyColumns = Refusal(
        "it has more than \(ImportLimits.columnsMax) columns", "Leave out what Keyturn does not know.")
}
