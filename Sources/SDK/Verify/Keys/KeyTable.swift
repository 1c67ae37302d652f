internal import KeyturnBase
internal import KeyturnJose

/// An issuer's public keys, made ready once so that verifying a token makes none.
struct KeyTable: Sendable {
    private let keys: [SignatureAlgorithm: [VerificationKey]]

    /// Leaves out keys that are too weak, or for no algorithm that is known.
    init(_ set: JSONWebKeySet) throws(AuthError) {
        guard set.keys.count <= VerifyLimits.keys else {
            throw AuthError(.protocolViolation, "the key set holds more than \(VerifyLimits.keys) keys")
        }
        var keys: [SignatureAlgorithm: [VerificationKey]] = [:]
        for key in set.keys {
            for algorithm in key.algorithm.map({ [$0] }) ?? SignatureAlgorithm.allCases {
                guard let usable = try? VerificationKey(key, algorithm: algorithm) else { continue }
                keys[algorithm, default: []].append(usable)
            }
        }
        self.keys = keys
    }

    /// Reads a key set document (RFC 7517 §5).
    init(parsing document: [UInt8]) throws(AuthError) {
        guard document.count <= VerifyLimits.keySetBytes else {
            throw AuthError(.protocolViolation, "the key set is larger than \(VerifyLimits.keySetBytes) bytes")
        }
        let set: JSONWebKeySet
        do throws(JoseProblem) {
            set = try JSONWebKeySet(parsing: document)
        } catch {
            throw AuthError(.protocolViolation, "the key set cannot be read", cause: error)
        }
        try self.init(set)
    }

    /// The keys that may have signed `jws`: for its algorithm, and of its name if it gives one.
    func candidates(for jws: UnverifiedJWS) -> ArraySlice<VerificationKey> {
        let suitable = keys[jws.header.algorithm] ?? []
        guard let name = jws.header.keyID else { return suitable.prefix(VerifyLimits.keysTried) }
        return suitable.filter { $0.keyID == name }.prefix(VerifyLimits.keysTried)
    }
}

extension UnverifiedJWS {
    /// Checks the signature with each of `candidates` in turn.
    ///
    /// - Throws: `token.signature` if none of them made it.
    func open(withAnyOf candidates: ArraySlice<VerificationKey>) throws(AuthError) -> VerifiedJWS {
        var problem: JoseProblem?
        for key in candidates {
            do throws(JoseProblem) {
                return try verify(with: key)
            } catch {
                problem = error
            }
        }
        throw AuthError(.tokenSignature, "no key of the issuer signed this", cause: problem)
    }
}
