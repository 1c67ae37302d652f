/// What a device without a keyboard shows, and what it asks with (RFC 8628 §3.2).
public struct DeviceAuthorizationResponse: Codable, Hashable, Sendable {
    /// What the device asks the token endpoint with. Secret: not shown.
    public var deviceCode: String
    /// What the person types.
    public var userCode: String
    /// Where they type it.
    public var verificationURI: String
    /// The address with the code in it, for a picture or a link.
    public var verificationURIComplete: String?
    /// For so long both codes are good, in seconds.
    public var expiresInSeconds: Int64
    /// The device waits so long between two questions, in seconds; `nil`: 5 (§3.2).
    public var intervalSeconds: Int64?

    /// An answer; times in seconds.
    public init(
        deviceCode: String, userCode: String, verificationURI: String, verificationURIComplete: String? = nil,
        expiresInSeconds: Int64, intervalSeconds: Int64? = nil
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresInSeconds = expiresInSeconds
        self.intervalSeconds = intervalSeconds
    }

    public enum CodingKeys: String, CodingKey {
        case deviceCode = "device_code"
        case userCode = "user_code"
        case verificationURI = "verification_uri"
        case verificationURIComplete = "verification_uri_complete"
        case expiresInSeconds = "expires_in"
        case intervalSeconds = "interval"
    }
}
