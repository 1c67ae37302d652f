import Crypto
import KeyturnBase

/// An issuer with one P-256 key that signs whatever it is told, well-formed or not. Shares no code with what it tests.
struct TestIssuer: Sendable {
    static let url = "https://id.example.com"
    static let now = UnixTime(rawValue: 1_800_000_000)

    let keyID: String
    private let key = P256.Signing.PrivateKey()

    init(keyID: String = "k1") {
        self.keyID = keyID
    }

    /// The public key in the form of RFC 7517.
    var publicKey: JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "use": "sig", "kid": .string(keyID), "alg": "ES256",
            "x": .string(Base64URL.encode(point[..<32])), "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    /// A key set document with the keys of `issuers`.
    static func document(_ issuers: TestIssuer...) -> [UInt8] {
        JSONValue.object(["keys": .array(issuers.map(\.publicKey))]).serialized
    }

    func token(_ claims: [String: JSONValue], type: String? = "at+jwt") -> String {
        var header: [String: JSONValue] = ["alg": "ES256", "kid": .string(keyID)]
        if let type { header["typ"] = .string(type) }
        return token(claims, header: header)
    }

    func token(_ claims: [String: JSONValue], header: [String: JSONValue]) -> String {
        token(payload: JSONValue.object(claims).serialized, header: JSONValue.object(header).serialized)
    }

    func token(payload: [UInt8], header: [UInt8]) -> String {
        let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        guard let signature = try? key.signature(for: Array(signed.utf8)) else { return signed }
        return signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }

    static func header(_ extra: [String: JSONValue] = [:], keyID: String = "k1") -> [String: JSONValue] {
        ["alg": "ES256", "kid": .string(keyID), "typ": "at+jwt"].merging(extra) { _, new in new }
    }

    /// Claims of an access token that is good at ``now``.
    static func accessClaims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        apply(
            changes,
            to: [
                "iss": .string(url), "sub": "user-1", "aud": "api", "client_id": "app", "jti": "t-1",
                "iat": .integer(now.rawValue), "exp": .integer(now.rawValue + 600), "scope": "read write",
                "auth_time": .integer(now.rawValue - 100), "acr": "mfa", "amr": ["pwd", "otp"], "sid": "s-1",
                "gid": "g-1",
            ])
    }

    /// Claims of an ID token that is good at ``now``.
    static func idClaims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        apply(
            changes,
            to: [
                "iss": .string(url), "sub": "user-1", "aud": "app", "nonce": "n-1", "sid": "s-1",
                "iat": .integer(now.rawValue), "exp": .integer(now.rawValue + 300),
                "auth_time": .integer(now.rawValue - 100),
                "https://authgear.com/claims/user/can_reauthenticate": true,
            ])
    }

    /// Claims of a logout token that is good at ``now``.
    static func logoutClaims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        apply(
            changes,
            to: [
                "iss": .string(url), "sub": "user-1", "aud": "app", "sid": "s-1", "jti": "l-1",
                "iat": .integer(now.rawValue), "exp": .integer(now.rawValue + 120),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ])
    }

    /// `nil` removes a claim.
    private static func apply(
        _ changes: [String: JSONValue?], to claims: [String: JSONValue]
    ) -> [String: JSONValue] {
        var claims = claims
        for (name, value) in changes { claims[name] = value }
        return claims
    }
}
