internal import KeyturnBase
internal import KeyturnVerify

extension ServiceClient {
    /// Fetches a file of any length in parts (RFC 9110 §14), and hands them over in order. One part at a time is in
    /// memory; a part that fails is asked for again as ``RetryPolicy`` says, without the parts before it.
    ///
    /// ```swift
    /// let file = try FileHandle(forWritingTo: url)
    /// try await client.download("/2.0/files/123/content") { try file.write(contentsOf: $0) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: Below ``ServiceConfiguration/apiURL``; begins with a slash.
    ///   - partBytes: How much to ask for at a time, in bytes: 65 536…33 554 432.
    ///   - write: Takes a part, which is not empty. What it throws ends the download, and is thrown.
    /// - Returns: How many bytes were handed over.
    /// - Throws: as ``call(_:_:body:)``; `transport.unavailable` if the file changed meanwhile, so that what was handed
    ///   over is of no use; `protocol.violation` for an answer that is not the part asked for, also a server without
    ///   parts and a file of more than 64 MiB; as `write`.
    @discardableResult
    public func download(
        _ path: String, partBytes: Int = 8_388_608, write: ([UInt8]) async throws -> Void
    ) async throws -> Int64 {
        guard path.hasPrefix("/") else { throw AuthError(.misconfigured, "a path begins with a slash") }
        guard Limits.downloadPartBytes.contains(partBytes) else {
            throw AuthError(.misconfigured, "a part has \(Limits.downloadPartBytes) bytes")
        }
        var progress = DownloadProgress(partBytes: Int64(partBytes))
        while true {
            guard !Task.isCancelled else { throw AuthError.taskCancelled }
            let request = HTTPRequest(
                method: "GET", url: configuration.apiURL + path, headers: progress.headers,
                timeoutSeconds: configuration.timeoutSeconds)
            let part = try progress.take(try await send(request))
            if !part.isEmpty { try await write(part) }
            if progress.isWhole { return progress.received }
        }
    }
}

/// A file that arrives in parts: what to ask for next, and whether an answer is that.
struct DownloadProgress: Sendable {
    let partBytes: Int64
    private(set) var received: Int64 = 0
    private(set) var isWhole = false
    /// The file's length, once a server said it.
    private var total: Int64?
    /// What says that it is the same file still.
    private var version: String?

    init(partBytes: Int64) {
        self.partBytes = partBytes
    }

    var headers: [(name: String, value: String)] {
        let range = ("Range", "bytes=\(received)-\(received + partBytes - 1)")
        // A strong validator alone may be sent (RFC 9110 §13.1.5).
        guard let version, !version.hasPrefix("W/") else { return [range] }
        return [range, ("If-Range", version)]
    }

    /// - Returns: the bytes that follow those that were taken before.
    mutating func take(_ response: HTTPResponse) throws(AuthError) -> [UInt8] {
        switch response.status {
        case 206: return try takePart(response)
        case 200 where received == 0:
            isWhole = true
            received = Int64(response.body.count)
            return response.body
        case 200: throw Self.changed
        // Of an empty file there is no part.
        case 416 where received == 0 && Self.total(response) == 0:
            isWhole = true
            return []
        default:
            _ = try APIAnswer.read(response)
            throw AuthError(
                .protocolViolation, "the answer is no part of a file", server: .init(status: response.status))
        }
    }

    private mutating func takePart(_ response: HTTPResponse) throws(AuthError) -> [UInt8] {
        guard let range = Self.range(response), range.first == received, !response.body.isEmpty,
            range.last - range.first + 1 == Int64(response.body.count), Int64(response.body.count) <= partBytes
        else { throw AuthError(.protocolViolation, "the answer is another part than was asked for") }
        let version = response.header("ETag") ?? response.header("Last-Modified")
        let total = Self.total(response)
        if received > 0 {
            guard version == self.version, total == self.total else { throw Self.changed }
        }
        (self.version, self.total) = (version, total)
        received = range.last + 1
        if let total {
            guard received <= total else { throw AuthError(.protocolViolation, "the part is behind the file's end") }
            isWhole = received == total
        } else {
            isWhole = Int64(response.body.count) < partBytes
        }
        return response.body
    }

    private static let changed = AuthError(.unavailable, "the file changed while it was fetched: begin again")

    /// `bytes 0-99/1234` (RFC 9110 §14.4).
    private static func range(_ response: HTTPResponse) -> (first: Int64, last: Int64)? {
        guard let text = response.header("Content-Range"),
            let match = text.wholeMatch(of: #/bytes (\d{1,18})-(\d{1,18})/(?:\d{1,18}|\*)/#),
            let first = Int64(match.1), let last = Int64(match.2), first <= last
        else { return nil }
        return (first, last)
    }

    /// The length after the slash; `nil`: it is not known.
    private static func total(_ response: HTTPResponse) -> Int64? {
        response.header("Content-Range").flatMap { $0.split(separator: "/").last }.flatMap { Int64($0) }
    }
}
