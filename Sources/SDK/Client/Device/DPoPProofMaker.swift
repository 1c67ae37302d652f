internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify
internal import KeyturnWire

/// Makes DPoP proofs with a container's device key (RFC 9449 §4).
///
/// Remembers the nonce that each server handed out last, and dates its proofs by the service's clock.
final class DPoPProofMaker: Sendable {
    /// Where keys are, in the order in which they are looked for; new ones are made in the first.
    private let places: [Place]
    private let clock: ServiceClock
    private let ambient: Ambient
    private let nonces = Locked<[String: String]>([:])

    /// Where a key lies, and under which name.
    struct Place: Sendable {
        let keys: any DeviceKeys
        let name: String
    }

    /// - Parameter places: Where keys are, in the order in which they are looked for; at least one.
    init(places: [Place], clock: ServiceClock, ambient: Ambient) {
        precondition(!places.isEmpty, "a key lies somewhere")
        self.places = places
        self.clock = clock
        self.ambient = ambient
    }

    /// A key and its RFC 7638 thumbprint.
    struct Key: Sendable {
        let key: any DeviceKey
        let publicKey: JSONWebKey
        var thumbprint: String { publicKey.thumbprint() }
    }

    /// How often a request may be sent again because its proof was not taken: once with the server's nonce (RFC 9449 §8),
    /// and once with another proof, because its clock may be another than ours, or the network sent the request twice
    /// and it has seen the proof already (§11.1).
    struct Retries {
        static let requestsMax = 3
        private var hasSentNonce = false
        private var hasSentAgain = false

        /// Whether the request may be sent again.
        ///
        /// - Parameter isNewNonce: What ``DPoPProofMaker/note(_:from:)`` said of the answer.
        mutating func allow(_ error: AuthError, isNewNonce: Bool) -> Bool {
            switch error.server?.code {
            case OAuthProblem.Code.useDPoPNonce.rawValue where isNewNonce && !hasSentNonce:
                hasSentNonce = true
                return true
            case OAuthProblem.Code.invalidDPoPProof.rawValue where !hasSentAgain:
                hasSentAgain = true
                return true
            default: return false
            }
        }
    }

    /// The container's key; made if there is none that can be used.
    ///
    /// - Throws: `store.unavailable` if it cannot be read or made now.
    func makeKey() async throws(AuthError) -> Key {
        try Self.named(try await places[0].keys.makeKey(places[0].name))
    }

    /// The very key that a session is bound to.
    ///
    /// - Throws: `session.device_key_lost` if it is gone or can never be read again, or another one stands in its place;
    ///   `store.unavailable` if it cannot be known now.
    func key(_ thumbprint: String) async throws(AuthError) -> Key {
        var unavailable: AuthError?
        for place in places {
            switch await place.keys.key(place.name) {
            case .unavailable(let error) where error.code == .storeKeyLost: continue
            case .unavailable(let error): unavailable = unavailable ?? error
            case .absent: continue
            case .found(let found):
                let key = try Self.named(found)
                if key.thumbprint == thumbprint { return key }
            }
        }
        throw unavailable ?? Self.lost
    }

    /// The value of the `DPoP` header for one request.
    func proof(
        _ key: Key, method: String, url: String, accessToken: String? = nil
    ) async throws(AuthError) -> String {
        let nonce = URLText.origin(url).flatMap { origin in nonces.withLock { $0[origin] } }
        let draft: DPoPProofDraft
        do {
            draft = try DPoPProofDraft(
                publicKey: key.publicKey, method: method, url: url, accessToken: accessToken, nonce: nonce,
                id: ambient.randomToken(byteCount: 16), issuedAt: clock.now())
        } catch {
            throw AuthError(.storeUnavailable, "the device key is not on P-256", cause: error)
        }
        return draft.proof(signature: try await key.key.signature(of: draft.signingInput))
    }

    /// Remembers the nonce that an answer brings (RFC 9449 §8.2).
    ///
    /// - Returns: whether it is another than the last one of that server.
    @discardableResult
    func note(_ response: HTTPResponse, from url: String) -> Bool {
        guard let nonce = response.header("DPoP-Nonce"), !nonce.isEmpty, nonce.utf8.count <= Limits.nonceMaxBytes,
            nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let origin = URLText.origin(url)
        else { return false }
        return nonces.withLock { nonces in
            if nonces.count >= Limits.noncesMax, nonces[origin] == nil { nonces = [:] }
            return nonces.updateValue(nonce, forKey: origin) != nonce
        }
    }

    private static let lost = AuthError(
        .deviceKeyLost, "the key that this session is bound to is gone from this device: sign in again")

    /// The key with its public half in the form of the wire.
    static func named(_ key: any DeviceKey) throws(AuthError) -> Key {
        let point = key.publicKey
        guard point.count == 64 else { throw AuthError(.storeUnavailable, "the device key is not on P-256") }
        do {
            let json: JSONValue = [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
                "y": .string(Base64URL.encode(point[32...])),
            ]
            return Key(key: key, publicKey: try JSONWebKey(json))
        } catch {
            throw AuthError(.storeUnavailable, "the device key is damaged", cause: error)
        }
    }
}
