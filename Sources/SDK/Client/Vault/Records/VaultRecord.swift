internal import KeyturnBase

/// What a vault keeps for one user, in one record: replaced in one step, it is never half of anything.
struct VaultRecord: Sendable {
    let user: String
    /// Which key opens it, at the key service.
    let keyID: String
    /// What it was sealed with.
    let algorithm: String
    /// The session, if there is one.
    var session: SealedSession?
    /// What the app keeps under the same key, by name.
    var items: [String: [UInt8]] = [:]

    struct SealedSession: Sendable {
        let generation: Generation
        let sealed: [UInt8]
    }

    init(user: String, keyID: String, algorithm: String) {
        self.user = user
        self.keyID = keyID
        self.algorithm = algorithm
    }
}

/// What the key opens.
extension VaultRecord {
    /// Puts a session in the place of the one that is there.
    mutating func seal(_ record: StoredRecord, _ key: DataKey, ambient: Ambient) throws(AuthError) {
        let sealed = try key.seal(record.contents, label(.session(record.generation)), ambient: ambient)
        session = SealedSession(generation: record.generation, sealed: sealed)
    }

    /// The session; `nil` if there is none.
    ///
    /// - Throws: `vault.damaged`.
    func openSession(_ key: DataKey) throws(AuthError) -> StoredRecord? {
        guard let session else { return nil }
        let contents = try key.open(session.sealed, label(.session(session.generation)))
        return StoredRecord(generation: session.generation, contents: contents)
    }

    mutating func seal(_ data: [UInt8], named name: String, _ key: DataKey, ambient: Ambient) throws(AuthError) {
        items[name] = try key.seal(data, label(.item(name)), ambient: ambient)
    }

    /// - Throws: `vault.damaged`.
    func openItem(_ name: String, _ key: DataKey) throws(AuthError) -> [UInt8]? {
        guard let sealed = items[name] else { return nil }
        return try key.open(sealed, label(.item(name)))
    }

    /// Everything, sealed anew.
    ///
    /// - Throws: `vault.damaged` if anything does not open.
    func resealed(_ old: DataKey, keyID: String, _ new: DataKey, ambient: Ambient) throws(AuthError) -> VaultRecord {
        var next = VaultRecord(user: user, keyID: keyID, algorithm: new.algorithm)
        if let session = try openSession(old) { try next.seal(session, new, ambient: ambient) }
        for name in items.keys {
            if let data = try openItem(name, old) { try next.seal(data, named: name, new, ambient: ambient) }
        }
        return next
    }

    private func label(_ kind: VaultLabel.Kind) -> VaultLabel {
        VaultLabel(user: user, keyID: keyID, kind: kind)
    }
}

extension VaultRecord {
    /// The version of the form below. Readers refuse later ones.
    private static let version: Int64 = 1

    /// The form for the store: JSON. What is secret in it is sealed.
    var serialized: [UInt8] {
        JSONWriter.object(capacity: 4_096) { writer in
            writer.member("version", Self.version)
            writer.member("user", user)
            writer.member("key_id", keyID)
            writer.member("alg", algorithm)
            if let session {
                let members: [String: JSONValue] = [
                    "sign_in": .string(session.generation.signIn),
                    "number": .integer(Int64(clamping: session.generation.number)),
                    "sealed": .string(Base64URL.encode(session.sealed)),
                ]
                writer.member("session", .object(members))
            }
            writer.member("items", .object(items.mapValues { .string(Base64URL.encode($0)) }))
        }
    }

    /// Reads what ``serialized`` wrote.
    ///
    /// - Throws: `store.unavailable` for anything else: what it holds is unknown, which is not nothing.
    init(_ bytes: [UInt8], of expected: String) throws(AuthError) {
        let limits = JSONValue.Limits(bytesMax: Limits.recordMaxBytes, depthMax: 8, membersMax: 2_048)
        guard let json = try? JSONValue(parsing: bytes, limits: limits), let version = json["version"]?.integerValue
        else { throw Self.damaged }
        guard version == Self.version else {
            throw AuthError(.storeUnavailable, "the vault was written by another release")
        }
        guard let user = json["user"]?.stringValue, let keyID = json["key_id"]?.stringValue,
            let algorithm = json["alg"]?.stringValue, let items = json["items"]?.objectValue, user == expected
        else { throw Self.damaged }
        self.init(user: user, keyID: keyID, algorithm: algorithm)
        for (name, value) in items {
            guard let sealed = value.stringValue.flatMap({ Base64URL.decode($0) }) else { throw Self.damaged }
            self.items[name] = sealed
        }
        guard let session = json["session"] else { return }
        guard let signIn = session["sign_in"]?.stringValue,
            let number = session["number"]?.integerValue.flatMap({ UInt64(exactly: $0) }),
            let sealed = session["sealed"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { throw Self.damaged }
        self.session = SealedSession(generation: Generation(signIn: signIn, number: number), sealed: sealed)
    }

    private static let damaged = AuthError(.storeUnavailable, "the stored vault is damaged")
}
