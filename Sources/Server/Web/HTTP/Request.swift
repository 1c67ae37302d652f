internal import HTTPTypes
internal import KeyturnBase
internal import NIOCore
internal import NIOHTTP1

/// A request, as its route gets it.
struct Request: Sendable {
    let method: HTTPRequest.Method
    let target: RequestTarget
    let headers: RequestFields
    let body: RequestBody
    /// Whether it came by HTTP/1.0.
    let isOldVersion: Bool

    init(_ head: HTTPRequestHead, body: RequestBody) {
        isOldVersion = head.version.minor == 0
        method = HTTPRequest.Method(head.method)
        target = RequestTarget(head.uri)
        headers = RequestFields(head.headers)
        self.body = body
    }
}

/// What a request is for, in origin-form or absolute-form (RFC 9112 §3.2).
struct RequestTarget: Hashable, Sendable {
    /// As it was sent: nothing is decoded.
    let path: String
    /// What follows the first `?`; `nil`: there is none.
    let query: String?
    /// Whether it is a path alone: then the `Host` field says where it was sent.
    let isOrigin: Bool
    /// The host of a target that is no path alone; `nil`: it has none, or none that can be read.
    let host: URIHost?

    init(_ text: String) {
        isOrigin = text.utf8.first == UInt8(ascii: "/")
        if text.utf8.first != UInt8(ascii: "/"), let parts = URIParts(text, bytesMax: text.utf8.count) {
            path = parts.path.isEmpty ? "/" : parts.path
            query = parts.query
            host = parts.host
            return
        }
        host = nil
        // No client sends a fragment (RFC 9110 §4.2.5); one that does gets the page without it.
        let rest = text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
        let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = String(rest[..<mark])
        query = mark == rest.endIndex ? nil : String(rest[rest.utf8.index(after: mark)...])
    }
}

/// The header fields of a request. Their names are compared without regard to case (RFC 9110 §5.1).
struct RequestFields: Sendable {
    private let fields: HTTPHeaders

    init(_ fields: HTTPHeaders) {
        self.fields = fields
    }

    /// The value of a field; those of several joined by commas (RFC 9110 §5.3).
    subscript(name: HTTPField.Name) -> String? {
        guard let first = fields.first(name: name.canonicalName) else { return nil }
        // Asked only of a field that is there: most are not.
        let all = self[values: name]
        return all.count > 1 ? all.joined(separator: ", ") : first
    }

    /// The server that the client means, perhaps with a port (RFC 9110 §7.2).
    var host: String? { fields.first(name: "host") }

    /// The names of all fields, as they were sent.
    var names: some Sequence<String> { fields.lazy.map(\.name) }

    /// One value for each field of a name.
    subscript(values name: HTTPField.Name) -> [String] {
        fields[name.canonicalName]
    }
}

/// The bytes that follow a request's head.
enum RequestBody: Sendable {
    case whole(ByteBuffer)
    /// It still arrives, and is read once.
    case arriving(StreamedBody.Producer)

    /// - Throws: `NIOTooManyBytesError` if there are more than `max` bytes, ``StreamedBody/Incomplete`` if the client
    ///   sends no more.
    func collect(upTo max: Int) async throws -> ByteBuffer {
        switch self {
        case .arriving(let parts): return try await parts.collect(upTo: max)
        case .whole(let bytes):
            guard bytes.readableBytes <= max else { throw NIOTooManyBytesError(maxBytes: max) }
            return bytes
        }
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: HTTPMethod) {
        self =
            switch method {
            case .GET: .get
            case .POST: .post
            case .HEAD: .head
            // The decoder takes no other names than those that it knows, which are all well-formed.
            default: HTTPRequest.Method(method.rawValue) ?? .trace
            }
    }
}
