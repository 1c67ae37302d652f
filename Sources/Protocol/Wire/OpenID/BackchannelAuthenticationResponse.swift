/// What a client gets when it asks for a sign-in on another device (OpenID Connect CIBA Core §7.3).
public struct BackchannelAuthenticationResponse: Codable, Hashable, Sendable {
    /// What the client asks the token endpoint with. Secret: not shown.
    public var authReqID: String
    /// How long it is valid, in seconds.
    public var expiresInSeconds: Int64
    /// The interval between two polls, in seconds; `nil`: 5 (§7.3).
    public var intervalSeconds: Int64?
    /// Two digits that the client shows, and that the user types to allow the request. Not in the standard; `nil` from
    /// other servers.
    public var number: Int64?

    /// An answer; times in seconds.
    public init(authReqID: String, expiresInSeconds: Int64, intervalSeconds: Int64? = nil, number: Int64? = nil) {
        self.authReqID = authReqID
        self.expiresInSeconds = expiresInSeconds
        self.intervalSeconds = intervalSeconds
        self.number = number
    }

    public enum CodingKeys: String, CodingKey {
        case authReqID = "auth_req_id"
        case expiresInSeconds = "expires_in"
        case intervalSeconds = "interval"
        case number
    }
}
