internal import NIOCore

/// Finds where one request ends and the next may begin, without parsing either: after an empty line, or after as many
/// bytes as the head announced.
///
/// A part never reaches into the next request (RFC 9112 §2.1, §6): a head ends with an empty line, and so does a body
/// in chunks, after its trailers. A part may well be less than a request.
struct RequestSplit {
    private var bodyBytes = 0
    /// The last byte, but for a carriage return, ended a line.
    private var isAtLineStart = false

    /// The head has been read, and a body of so many bytes follows.
    mutating func expectBody(of bytes: Int) {
        bodyBytes = bytes
    }

    /// Takes the next part off the front of `bytes`; `nil` if there are none.
    mutating func next(of bytes: inout ByteBuffer) -> ByteBuffer? {
        guard bytes.readableBytes > 0 else { return nil }
        guard bodyBytes == 0 else {
            let count = min(bodyBytes, bytes.readableBytes)
            bodyBytes -= count
            isAtLineStart = false
            return bytes.readSlice(length: count)
        }
        return bytes.readSlice(length: endOfEmptyLine(in: bytes) ?? bytes.readableBytes)
    }

    private mutating func endOfEmptyLine(in bytes: ByteBuffer) -> Int? {
        var count = 0
        for byte in bytes.readableBytesView {
            count += 1
            switch byte {
            case UInt8(ascii: "\n"):
                guard !isAtLineStart else {
                    isAtLineStart = false
                    return count
                }
                isAtLineStart = true
            case UInt8(ascii: "\r"): break
            default: isAtLineStart = false
            }
        }
        return nil
    }
}
