/// A request of this server to another.
public struct OutgoingRequest: Hashable, Sendable {
    /// What is done.
    public enum Method: String, Hashable, Sendable {
        case get = "GET", post = "POST", delete = "DELETE"
    }

    public var method: Method
    public var uri: String
    public var headers: [String: String]
    public var body: [UInt8]
    /// Whether the address may lie in a private network: the operator's word.
    public var allowsPrivateAddress: Bool

    public init(
        _ method: Method, _ uri: String, headers: [String: String] = [:], body: [UInt8] = [],
        allowsPrivateAddress: Bool
    ) {
        self.method = method
        self.uri = uri
        self.headers = headers
        self.body = body
        self.allowsPrivateAddress = allowsPrivateAddress
    }
}

/// Another server's answer, collected.
public struct OutgoingAnswer: Hashable, Sendable {
    public let status: Int
    /// The value of `Content-Type`, without parameters, in lower case.
    public let contentType: String
    public let body: [UInt8]

    /// The header `ETag`, for the next conditional request (RFC 9110 §8.8.3).
    public var entityTag: String?
    /// The header `Last-Modified`, as it came (RFC 9110 §8.8.2).
    public var lastModified: String?

    public init(status: Int, contentType: String, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}

/// Why another server gave no answer that can be read.
public enum OutgoingProblem: String, Error, Hashable, Sendable {
    /// The address is no http or https address with a host.
    case address
    /// The host's address is private, and may not be.
    case privateAddress = "private_address"
    /// It cannot be reached, or does not answer in time.
    case unreachable
    /// The answer is too large.
    case tooLarge = "too_large"
}

/// Sends requests to other servers: no redirects, a few seconds, at most a mebibyte.
public protocol OutgoingHTTP: Sendable {
    /// - Throws: ``OutgoingProblem``.
    func send(_ request: OutgoingRequest) async throws(OutgoingProblem) -> OutgoingAnswer
}
