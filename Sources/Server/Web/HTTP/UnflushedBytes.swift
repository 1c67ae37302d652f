internal import NIOCore

/// What was written since the last flush, as one piece: head and body of an answer leave in one system call.
struct UnflushedBytes {
    private var bytes: ByteBuffer?

    var isEmpty: Bool { bytes == nil }

    /// More is not copied.
    private static let partBytesMax = 16_384

    /// - Returns: `false` if the part has to leave alone.
    mutating func join(_ part: IOData) -> Bool {
        guard case .byteBuffer(var added) = part, added.readableBytes <= Self.partBytesMax else { return false }
        if bytes == nil { bytes = added } else { bytes?.writeBuffer(&added) }
        return true
    }

    mutating func take() -> ByteBuffer? {
        defer { bytes = nil }
        return bytes
    }
}
