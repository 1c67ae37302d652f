internal import KeyturnBase

/// What a request to a protected resource presents (RFC 6750 §2.1, RFC 9449 §7.1). Nothing about it is known to be
/// true: give it to ``TokenVerifier/verify(_:dpop:at:)``.
public struct ResourceRequest: Sendable {
    /// How the token is presented.
    enum Scheme: Sendable {
        case bearer, dpop
        /// Another one, or none.
        case other
    }

    let scheme: Scheme
    let proofs: [String]
    let method: String
    let url: String
    private let authorization: String?

    /// - Parameters:
    ///   - authorization: The value of the `Authorization` header, `nil` if there is none.
    ///   - proofs: The value of every `DPoP` header, none left out.
    ///   - method: The request's method.
    ///   - url: The whole URL as the client knows it, with its query: behind a proxy, the public one. Never build it
    ///     from a `Host` header that any sender may set.
    public init(authorization: String?, proofs: [String], method: String, url: String) {
        self.authorization = authorization
        self.proofs = proofs
        self.method = method
        self.url = url
        scheme =
            switch authorization?.prefix(while: { $0 != " " }).lowercased() {
            case "bearer": .bearer
            case "dpop": .dpop
            default: .other
            }
    }

    /// The token, under either scheme.
    ///
    /// - Throws: as ``UnverifiedToken/bearer(authorization:query:)``.
    func token() throws(AuthError) -> UnverifiedToken {
        let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        // The syntax is that of Bearer, under another name (RFC 9449 §7.1).
        let credentials = scheme == .dpop ? authorization.map { "Bearer" + $0.dropFirst("DPoP".count) } : authorization
        return try .bearer(authorization: credentials, query: query.isEmpty ? nil : String(query))
    }
}

extension ResourceRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the token, the proofs or the URL.
    public var description: String { "ResourceRequest" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
