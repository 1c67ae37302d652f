internal import KeyturnBase

/// What a container remembers of its key: a record of its own beside the session, because it outlives that.
struct BiometricRecord: Hashable, Sendable {
    /// A key that the service knows.
    struct Key: Hashable, Sendable {
        /// What the service knows it by.
        let id: String
        /// Where it was set up.
        let client: SessionRecord.Client
        /// Whose it is; `nil`: the session did not say.
        let subject: String?
    }

    var generation: Generation
    /// The key that signs in.
    var key: Key?
    /// Keys that are about to be set up, or to be removed: a program that finds them while no other is at work removes
    /// them.
    var leftovers: [String]

    /// Every key that may lie on the device.
    var keyIDs: [String] { (key.map { [$0.id] } ?? []) + leftovers }

    /// Tells such a record from a session that happens to have the same name.
    private static let kind = "biometric key"

    /// The record before the first one.
    static let none = BiometricRecord(generation: Generation(signIn: kind, number: 0), key: nil, leftovers: [])

    /// What must be stored for this record to be replaced.
    var condition: StoreCondition { self == .none ? .absent : .generation(generation) }

    /// The record that replaces this one.
    func next(key: Key?, leftovers: [String]) -> BiometricRecord {
        BiometricRecord(generation: generation.next, key: key, leftovers: leftovers)
    }
}

extension BiometricRecord {
    /// The version of the form below. Readers refuse later ones.
    private static let version: Int64 = 1

    /// The form for the store.
    var stored: StoredRecord {
        let contents = JSONWriter.object { writer in
            writer.member("version", Self.version)
            if let key {
                writer.member("key_id", key.id)
                writer.member("service", key.client.kind.rawValue)
                writer.member("issuer", key.client.issuer)
                writer.member("client_id", key.client.clientID)
                writer.member("subject", key.subject)
            }
            writer.member("leftovers", leftovers)
        }
        return StoredRecord(generation: generation, contents: contents)
    }

    /// Reads what ``stored`` wrote. Damage counts as no key: the way back is to set one up.
    ///
    /// - Throws: `store.unavailable` for a later version.
    init(_ record: StoredRecord) throws(AuthError) {
        generation = record.generation
        let json = try? JSONValue(parsing: record.contents)
        if let version = json?["version"]?.integerValue, version > Self.version {
            throw AuthError(.storeUnavailable, "a newer release wrote the biometric record")
        }
        leftovers = json?["leftovers"]?.stringArrayValue ?? []
        key = json.flatMap(Self.key)
    }

    private static func key(_ json: JSONValue) -> Key? {
        guard let id = json["key_id"]?.stringValue, let kind = json["service"]?.stringValue,
            let issuer = json["issuer"]?.stringValue, let clientID = json["client_id"]?.stringValue
        else { return nil }
        let client = SessionRecord.Client(kind: Service.Kind(rawValue: kind), issuer: issuer, clientID: clientID)
        return Key(id: id, client: client, subject: json["subject"]?.stringValue)
    }
}
