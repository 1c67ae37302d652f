internal import KeyturnBase

/// What a signed request of a device is made fresh with: asked for at `POST /oauth2/challenge` (Authgear's wire).
public struct ChallengeRequest: Hashable, Sendable {
    /// What the challenge is for. An open set.
    public struct Purpose: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A ``BiometricRequest``.
        public static let biometricRequest = Self(rawValue: "biometric_request")
        /// A request of the key that a user without an account is known by.
        public static let anonymousRequest = Self(rawValue: "anonymous_request")
    }

    /// What the challenge is for.
    public let purpose: Purpose

    /// A request for a challenge.
    public init(purpose: Purpose) {
        self.purpose = purpose
    }

    /// Reads a body; `nil` if it is none.
    public init?(parsing body: [UInt8]) {
        guard let purpose = (try? JSONValue(parsing: body))?["purpose"]?.stringValue else { return nil }
        self.init(purpose: Purpose(rawValue: purpose))
    }

    /// The body to send.
    public var body: [UInt8] { JSONWriter.object { $0.member("purpose", purpose.rawValue) } }
}

/// A challenge that counts once.
public struct Challenge: Hashable, Sendable {
    /// Goes into the signed request as it is.
    public let token: String
    /// From then on it counts no more, by the service's clock; RFC 3339 on the wire.
    public let expiresAt: String

    /// A challenge, and when it expires, as the service writes it.
    public init(token: String, expiresAt: String) {
        self.token = token
        self.expiresAt = expiresAt
    }

    /// Reads a body; `nil` if it is none.
    public init?(parsing body: [UInt8]) {
        guard let result = (try? JSONValue(parsing: body))?["result"], let token = result["token"]?.stringValue,
            !token.isEmpty
        else { return nil }
        self.init(token: token, expiresAt: result["expire_at"]?.stringValue ?? "")
    }

    /// The body to send.
    public var body: [UInt8] {
        JSONWriter.object { json in
            json.member("result", .object(["token": .string(token), "expire_at": .string(expiresAt)]))
        }
    }
}
