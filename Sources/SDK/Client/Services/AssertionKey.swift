public import KeyturnBase
public import KeyturnJose

/// A key that an application signs statements with, and the name under which its service knows the public half.
public struct AssertionKey: Sendable {
    /// The name of the key at the service (`kid`).
    public let keyID: String
    let signingKey: SigningKey

    /// Reads a key in PEM: PKCS#8, plain or encrypted with a passphrase, PKCS#1 for RSA, or SEC 1 for elliptic curves.
    ///
    /// - Parameters:
    ///   - keyID: The name of the key at the service.
    ///   - pem: The text with its `BEGIN` and `END` lines.
    ///   - passphrase: What it is encrypted with; `nil`: it is not.
    ///   - algorithm: What to sign with; `nil`: RS256 for an RSA key, ES256, ES384 or ES512 for the curve of another.
    /// - Throws: `configuration.invalid` if it is no such key, the passphrase is wrong, or the algorithm does not fit.
    public init(
        keyID: String, pem: String, passphrase: Secret? = nil, algorithm: SignatureAlgorithm? = nil
    ) throws(AuthError) {
        do throws(JoseProblem) {
            self.init(
                keyID: keyID,
                signingKey: try SigningKey(pem: pem, passphrase: passphrase?.exposed(), algorithm: algorithm))
        } catch {
            throw AuthError(.misconfigured, "the key cannot be used: \(error.detail)")
        }
    }

    /// A key that is in memory already.
    public init(keyID: String, signingKey: SigningKey) {
        self.keyID = keyID
        self.signingKey = signingKey
    }

    /// The public half under its name, to be registered at the service: an element of `jwks` (RFC 7517 §4). No secret.
    public var publicKey: JSONValue {
        var key = signingKey.publicKey
        key.keyID = keyID
        key.algorithm = signingKey.algorithm
        key.use = "sig"
        return key.json
    }
}

extension AssertionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the key alone.
    public var description: String { "AssertionKey(\(keyID))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
