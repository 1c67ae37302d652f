/// Lines of a file, one at a time; empty ones are passed over.
struct LineReader {
    private var window: ByteWindow
    private var line = 0

    init(_ window: ByteWindow) {
        self.window = window
    }

    /// The next line that is not empty; `nil` at the end. One that is too long is refused, and its rest passed over.
    mutating func next() throws -> RawRow<ArraySlice<UInt8>>? {
        while true {
            guard let end = try lineEnd() else { return nil }
            line += 1
            guard let end = end.whole else {
                return RawRow(line: line, content: .failure(.rowTooLong), byteCount: 0)
            }
            var content = window.bytes[window.start..<end]
            if content.last == UInt8(ascii: "\r") { content.removeLast() }
            window.advance(to: min(end + 1, window.bytes.count))
            guard content.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { continue }
            return RawRow(line: line, content: .success(content), byteCount: content.count)
        }
    }

    private struct End {
        /// Where the line ends; `nil` if it was too long and is gone.
        let whole: Int?
    }

    private mutating func lineEnd() throws -> End? {
        var searched = window.start
        while true {
            if let end = window.lineFeed(from: searched) {
                return end - window.start <= ImportLimits.rowBytesMax ? End(whole: end) : skip(to: end)
            }
            if window.isAtEnd {
                guard window.count > 0 else { return nil }
                let end = window.bytes.count
                return window.count <= ImportLimits.rowBytesMax ? End(whole: end) : skip(to: end)
            }
            guard window.count <= ImportLimits.rowBytesMax else { return try skipToLineFeed() }
            let offset = window.count
            try window.readMore()
            searched = window.start + (window.isAtEnd ? 0 : offset)
        }
    }

    private mutating func skip(to end: Int) -> End {
        window.advance(to: min(end + 1, window.bytes.count))
        return End(whole: nil)
    }

    private mutating func skipToLineFeed() throws -> End {
        while !window.isAtEnd {
            window.advance(to: window.bytes.count)
            try window.readMore()
            if let end = window.lineFeed(from: window.start) { return skip(to: end) }
        }
        return skip(to: window.bytes.count)
    }
}
