internal import KeyturnBase
internal import KeyturnJose

/// A key that was made ready.
struct ReadyKey: Sendable {
    let key: VerificationKey
    /// Whose alone it is, by its member `issuer`; `nil`: it does not say.
    let issuer: String?
}

/// The keys that may have signed one token.
struct KeyCandidates: Sendable {
    /// At most ``VerifyLimits/keysTried``.
    let keys: [ReadyKey]
    /// Whether the token names them. Otherwise the right one may be missing, though there are some.
    let areNamed: Bool

    init(_ keys: [ReadyKey], areNamed: Bool) {
        self.keys = keys.count <= VerifyLimits.keysTried ? keys : Array(keys.prefix(VerifyLimits.keysTried))
        self.areNamed = areNamed
    }

    /// Those that are for an issuer; `nil`: all of them.
    func keys(for issuer: String?) -> [ReadyKey] {
        guard let issuer else { return keys }
        return keys.filter { ready in ready.issuer.map { IssuerTemplate.isKey(of: $0, for: issuer) } ?? true }
    }
}

/// An issuer's public keys, made ready once so that verifying a token makes none.
struct KeyTable: Sendable {
    private var keys: [SignatureAlgorithm: [ReadyKey]] = [:]
    private var readyCount = 0
    /// Keys of a large set that were not made ready, by their names, and whose alone they are.
    private var others: [String: [(key: JSONWebKey, issuer: String?)]] = [:]
    /// Why keys of the set verify nothing, by their names.
    private var flaws: [String: String] = [:]

    /// Leaves out keys that are too weak, or for no algorithm that is known.
    init(_ set: JSONWebKeySet) throws(AuthError) {
        guard set.keys.count <= VerifyLimits.keySetMembers else {
            throw AuthError(.protocolViolation, "the key set holds more than \(VerifyLimits.keySetMembers) keys")
        }
        for key in set.keys { add(key, issuer: nil) }
    }

    /// Reads a key set document (RFC 7517 §5). Keys that cannot be read are left out.
    init(parsing document: [UInt8]) throws(AuthError) {
        for entry in try Self.entries(of: document) {
            do throws(JoseProblem) {
                let issuer = entry["issuer"]?.stringValue
                guard issuer != nil || entry["issuer"] == nil || entry["issuer"] == .null else {
                    throw JoseProblem(.invalidKey, "its issuer is no text: whose key it is cannot be told")
                }
                add(try JSONWebKey(entry), issuer: issuer)
            } catch {
                note(error, of: entry["kid"]?.stringValue)
            }
        }
    }

    /// The keys that may have signed `jws`: for its algorithm, and of its name if it gives one.
    ///
    /// A key need not have a name (RFC 7517 §4.5). One without may have signed what names a key that is not here.
    func candidates(for jws: UnverifiedJWS) -> KeyCandidates {
        let algorithm = jws.header.algorithm
        let suitable = keys[algorithm] ?? []
        guard let name = jws.header.keyID else { return KeyCandidates(suitable, areNamed: false) }
        var named = suitable.filter { $0.key.keyID == name }
        if let others = others[name] { named += made(others, for: algorithm) }
        guard named.isEmpty else { return KeyCandidates(named, areNamed: true) }
        return KeyCandidates(suitable.filter { $0.key.keyID == nil }, areNamed: false)
    }

    /// Why `jws` is refused when there are no candidates.
    func refusal(of jws: UnverifiedJWS) -> AuthError {
        guard let name = jws.header.keyID, let flaw = flaws[name] else {
            return AuthError(.tokenSignature, "the issuer has no such key")
        }
        return AuthError(.tokenSignature, "the issuer's key of that name cannot be used: \(flaw)")
    }

    private static func entries(of document: [UInt8]) throws(AuthError) -> [JSONValue] {
        guard document.count <= VerifyLimits.keySetBytes else {
            throw AuthError(.protocolViolation, "the key set is larger than \(VerifyLimits.keySetBytes) bytes")
        }
        let limits = JSONValue.Limits(bytesMax: VerifyLimits.keySetBytes, membersMax: VerifyLimits.keySetMembers)
        let json: JSONValue
        do throws(JSONProblem) {
            json = try JSONValue(parsing: document, limits: limits)
        } catch {
            let reason =
                error.rule == .tooManyMembers
                ? "holds more than \(VerifyLimits.keySetMembers) keys"
                : "is not JSON as it should be: \(error.rule.rawValue)"
            throw AuthError(.protocolViolation, "the key set \(reason)", cause: error)
        }
        guard let entries = json["keys"]?.arrayValue else {
            throw AuthError(.protocolViolation, "the key set has no list of keys")
        }
        return entries
    }

    private mutating func add(_ key: JSONWebKey, issuer: String?) {
        guard readyCount < VerifyLimits.keys else {
            if let name = key.keyID { others[name, default: []].append((key, issuer)) }
            return
        }
        var flaw: JoseProblem?
        var isUsable = false
        for algorithm in key.algorithm.map({ [$0] }) ?? SignatureAlgorithm.allCases {
            do throws(JoseProblem) {
                let usable = try VerificationKey(key, algorithm: algorithm)
                keys[algorithm, default: []].append(ReadyKey(key: usable, issuer: issuer))
                isUsable = true
            } catch {
                // Every key misfits most algorithms: that says nothing about it.
                if flaw == nil || error.rule != .algorithmMismatch { flaw = error }
            }
        }
        if isUsable { readyCount += 1 } else if let flaw { note(flaw, of: key.keyID) }
    }

    private mutating func note(_ problem: JoseProblem, of name: String?) {
        if let name { flaws[name] = problem.detail }
    }

    private func made(
        _ keys: [(key: JSONWebKey, issuer: String?)], for algorithm: SignatureAlgorithm
    ) -> [ReadyKey] {
        keys.prefix(VerifyLimits.keysTried).compactMap { entry in
            guard let key = try? VerificationKey(entry.key, algorithm: algorithm) else { return nil }
            return ReadyKey(key: key, issuer: entry.issuer)
        }
    }
}

extension UnverifiedJWS {
    /// Checks the signature with each of `candidates` in turn.
    ///
    /// - Parameter issuer: Whom the token names, where keys may be one issuer's alone; `nil`: all of them count.
    /// - Throws: `token.signature` if none of them made it.
    func open(withAnyOf candidates: KeyCandidates, for issuer: String? = nil) throws(AuthError) -> VerifiedJWS {
        let keys = candidates.keys(for: issuer)
        guard !keys.isEmpty else {
            throw AuthError(.tokenSignature, "the keys that could have signed this are for tokens of other issuers")
        }
        var problem: JoseProblem?
        for ready in keys {
            do throws(JoseProblem) {
                return try verify(with: ready.key)
            } catch {
                problem = error
            }
        }
        throw AuthError(.tokenSignature, "no key of the issuer signed this", cause: problem)
    }
}
