import Crypto
import KeyturnBase
import KeyturnJose
import Model
import OAuth
import ServerTesting
import SignIn

/// Another service with one P-256 key, which signs whatever it is told.
struct ForeignIssuer: Sendable {
    static let issuer = "https://old.example.com"
    static let audience = "app"

    let keyID: String
    private let key = P256.Signing.PrivateKey()

    init(keyID: String = "old-1") {
        self.keyID = keyID
    }

    var set: JSONWebKeySet {
        get throws {
            let point = Array(key.publicKey.rawRepresentation)
            return JSONWebKeySet(keys: [
                try JSONWebKey([
                    "kty": "EC", "crv": "P-256", "kid": .string(keyID), "alg": "ES256", "use": "sig",
                    "x": .string(Base64URL.encode(point[..<32])), "y": .string(Base64URL.encode(point[32...])),
                ])
            ])
        }
    }

    /// As an operator would configure it.
    func source(_ subject: MigrationSource.Subject = .email, keys: (any RemoteJWKS)? = nil) throws -> MigrationSource {
        MigrationSource(
            issuer: Self.issuer, audience: Self.audience, subject: subject, keys: try keys ?? StaticJWKS(set))
    }

    /// Claims of a token that is good at `now`; `nil` removes one.
    static func claims(_ now: UnixTime, _ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(audience), "sub": .string(TestServer.subject.rawValue),
            "email": .string(TestServer.username), "email_verified": true, "iat": .integer(now.rawValue),
            "exp": .integer(now.rawValue + 3_600),
        ]
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }

    func token(_ claims: JSONValue, type: String? = "JWT", header changes: [String: JSONValue] = [:]) -> String {
        var header: [String: JSONValue] = ["alg": "ES256", "kid": .string(keyID)]
        if let type { header["typ"] = .string(type) }
        header.merge(changes) { _, new in new }
        let signed =
            Base64URL.encode(JSONValue.object(header).serialized) + "." + Base64URL.encode(claims.serialized)
        guard let signature = try? key.signature(for: Array(signed.utf8)) else { return signed }
        return signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }
}
