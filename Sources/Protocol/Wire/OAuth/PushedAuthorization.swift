/// What a client gets for a request that it handed in beforehand (RFC 9126 §2.2).
public struct PushedAuthorizationResponse: Codable, Hashable, Sendable {
    /// Stands for the request, for this client alone, until one answer came of it.
    public var requestURI: String
    /// For so long a browser may come with it, in seconds.
    public var expiresInSeconds: Int64

    /// An answer; the address is good for so many seconds.
    public init(requestURI: String, expiresInSeconds: Int64) {
        self.requestURI = requestURI
        self.expiresInSeconds = expiresInSeconds
    }

    public enum CodingKeys: String, CodingKey {
        case requestURI = "request_uri"
        case expiresInSeconds = "expires_in"
    }

    /// What every `request_uri` of a pushed request begins with.
    public static let prefix = "urn:ietf:params:oauth:request_uri:"
}
