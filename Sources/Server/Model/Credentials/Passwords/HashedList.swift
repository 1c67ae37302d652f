internal import Crypto
internal import Foundation

/// A file of lines that begin with 40 hexadecimal digits in ascending order, searched by halving it.
///
/// Opened for each search, so that it may be replaced by renaming another over it.
struct HashedList: Sendable {
    private let path: String
    /// Its size at the start, for the checks of its form.
    private let byteCount: UInt64

    /// - Returns: `nil` if the file cannot be read or is empty.
    init?(path: String) {
        guard let handle = FileHandle(forReadingAtPath: path), let end = try? handle.seekToEnd(), end > 0 else {
            return nil
        }
        self.path = path
        byteCount = end
    }

    /// Whether the first line is one of such a file.
    var beginsWithHash: Bool {
        FileHandle(forReadingAtPath: path).flatMap { line(at: 0, in: $0) } != nil
    }

    /// Whether hashes ascend through the file, as far as a few samples show. A list ordered by count does not pass.
    var isOrdered: Bool {
        guard let handle = FileHandle(forReadingAtPath: path) else { return false }
        var previous: [UInt8] = []
        for sample in 0..<Self.samples {
            let offset = byteCount / Self.samples * sample
            guard let line = line(at: offset, in: handle) else {
                // The last two lines may have no line after them.
                if offset + 2 * UInt64(Limits.breachedLineBytesMax) > byteCount { continue }
                return false
            }
            guard !line.hash.lexicographicallyPrecedes(previous) else { return false }
            previous = line.hash
        }
        return true
    }

    /// Whether `hash`, 40 upper-case hexadecimal digits, begins a line.
    func contains(_ hash: [UInt8]) -> Bool {
        guard let handle = FileHandle(forReadingAtPath: path), let end = try? handle.seekToEnd() else { return false }
        // The hash begins in low..<high, or nowhere. Each read halves that, so 64 suffice for any file.
        var low: UInt64 = 0
        var high = end
        for _ in 0..<64 where low < high {
            let middle = low + (high - low) / 2
            guard let line = line(at: middle, in: handle), line.start < high else {
                // No line begins in the upper half.
                high = middle
                continue
            }
            if line.hash == hash { return true }
            if line.hash.lexicographicallyPrecedes(hash) { low = line.start + 1 } else { high = middle }
        }
        return false
    }

    /// The hash of `bytes` in the spelling of such a file.
    static func hexadecimalSHA1(_ bytes: [UInt8]) -> [UInt8] {
        Insecure.SHA1.hash(data: bytes).flatMap { byte in
            [byte >> 4, byte & 0x0F].map { $0 + ($0 < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10) }
        }
    }

    private static let samples: UInt64 = 64
    private static let hashLength = 40

    /// The first line that begins at `offset` or later.
    private func line(at offset: UInt64, in handle: FileHandle) -> (start: UInt64, hash: [UInt8])? {
        // One byte earlier: a line begins at `offset` if a line ends right before it.
        let from = offset == 0 ? 0 : offset - 1
        guard (try? handle.seek(toOffset: from)) != nil,
            let data = try? handle.read(upToCount: 2 * Limits.breachedLineBytesMax)
        else { return nil }
        let bytes = Array(data)
        var index = 0
        if offset > 0 {
            guard let newline = bytes.firstIndex(of: 0x0A) else { return nil }
            index = newline + 1
        }
        let rest = bytes[index...]
        let hash = rest.prefix(Self.hashLength).map { (0x61...0x66).contains($0) ? $0 - 32 : $0 }
        guard hash.count == Self.hashLength, hash.allSatisfy(Self.isHexadecimal),
            [nil, UInt8(ascii: ":"), 0x0A, 0x0D].contains(rest.dropFirst(Self.hashLength).first)
        else { return nil }
        return (from + UInt64(index), hash)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
    }
}
