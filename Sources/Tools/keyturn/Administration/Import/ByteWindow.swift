/// A piece of a long file: what was read and not yet used. Memory holds one row and one chunk at most.
struct ByteWindow {
    private let read: () throws -> [UInt8]
    /// What was read; what comes before ``start`` is used up.
    private(set) var bytes: [UInt8] = []
    private(set) var start = 0
    private(set) var isAtEnd = false

    /// - Parameter read: the next bytes, none at the end.
    init(_ read: @escaping () throws -> [UInt8]) {
        self.read = read
    }

    /// How many bytes are there to be used.
    var count: Int { bytes.count - start }

    /// Uses up everything before `end`.
    mutating func advance(to end: Int) {
        start = end
    }

    /// Reads on; indices into ``bytes`` change.
    mutating func readMore() throws {
        let more = try read()
        guard !more.isEmpty else { return isAtEnd = true }
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// The first line feed from `position` on.
    func lineFeed(from position: Int) -> Int? {
        bytes[position...].firstIndex(of: UInt8(ascii: "\n"))
    }
}

/// A row of a file, before it is parsed.
struct RawRow<Content> {
    /// Where it begins, from 1.
    let line: Int
    let content: Result<Content, Refusal>
    /// How long it is, in bytes.
    let byteCount: Int
}

extension Refusal {
    static let rowTooLong = Refusal(
        "it is longer than \(ImportLimits.rowBytesMax) bytes", "Leave out what does not belong to the user.")
    static let notUTF8 = Refusal("it holds bytes that are not UTF-8", "Save the file as UTF-8.")
}
