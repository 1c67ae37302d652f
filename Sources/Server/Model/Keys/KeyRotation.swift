public import KeyturnBase
public import KeyturnJose

/// The schedule of keys: published ahead, signing for a month, kept until what they signed has expired.
public struct KeyRotation: Sendable {
    private let store: any KeyStore
    private let seal: Seal
    private let tokenSecondsMax: Int64
    private let provider: (any SigningKeyProvider)?
    private let ambient: Ambient

    /// - Parameters:
    ///   - tokenSecondsMax: the longest lifetime of anything that a key signs.
    ///   - provider: keeps the private keys that are made from now on; `nil`: the database does, sealed.
    public init(
        store: any KeyStore, secrets: ServerSecrets, tokenSecondsMax: Int64,
        provider: (any SigningKeyProvider)? = nil, ambient: Ambient
    ) {
        self.store = store
        self.provider = provider
        seal = Seal(secrets, purpose: .signingKey, ambient: ambient)
        self.tokenSecondsMax = tokenSecondsMax
        self.ambient = ambient
    }

    /// Every key that is still published, oldest first.
    public func current() async throws(StoreError) -> [StoredKey] {
        let now = ambient.now()
        return try await store.all().filter { now < $0.removedAt }
    }

    /// Adds the first key of an algorithm, or the next one when the current one has little time left.
    ///
    /// - Returns: the key, if this call added one; of several servers that try at once, one does.
    func addIfDue(_ algorithm: SignatureAlgorithm) async throws -> StoredKey? {
        let now = ambient.now()
        let newest = try await current().last { $0.algorithm == algorithm.rawValue && now < $0.retiresAt }
        guard let newest else { return try await add(algorithm, activatesAt: now) }
        guard newest.retiresAt <= now + Limits.keyLeadSeconds else { return nil }
        return try await add(algorithm, activatesAt: newest.retiresAt)
    }

    /// Publishes a new key now, which signs after the lead time, instead of waiting for the schedule.
    public func rotate(_ algorithm: SignatureAlgorithm) async throws -> StoredKey? {
        let now = ambient.now()
        let active = try await current().filter { $0.algorithm == algorithm.rawValue && now < $0.retiresAt }
        guard !active.isEmpty else { return try await add(algorithm, activatesAt: now) }
        let handover = now + Limits.keyLeadSeconds
        guard let added = try await add(algorithm, activatesAt: handover) else { return nil }
        for key in active where handover < key.retiresAt {
            try await store.schedule(key.keyID, retiresAt: handover, removedAt: handover + keepSeconds)
        }
        return added
    }

    /// ``rotate(_:)`` by the name of an algorithm.
    ///
    /// - Throws: ``JoseProblem`` if this release does not know it; ``StoreError``.
    public func rotate(named name: String) async throws -> StoredKey? {
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw JoseProblem(.unsupportedAlgorithm, "this release does not know the algorithm")
        }
        return try await rotate(algorithm)
    }

    /// Removes a key at once: what it signed is refused. A new one replaces it immediately.
    ///
    /// - Returns: the key that replaces it; `nil` if there was another one already.
    public func drop(_ keyID: String) async throws -> StoredKey? {
        let now = ambient.now()
        guard let key = try await current().first(where: { $0.keyID == keyID }) else { throw StoreError(.missing) }
        try await store.schedule(keyID, retiresAt: now, removedAt: now)
        guard let algorithm = SignatureAlgorithm(rawValue: key.algorithm) else { return nil }
        let others = try await current()
        if others.contains(where: { $0.algorithm == key.algorithm && $0.activatesAt <= now && now < $0.retiresAt }) {
            return nil
        }
        return try await add(algorithm, activatesAt: now)
    }

    /// The private key, opened.
    func open(_ stored: StoredKey) throws -> SigningKey {
        guard let algorithm = SignatureAlgorithm(rawValue: stored.algorithm),
            let bytes = stored.privateKey(opening: seal)
        else {
            throw JoseProblem(
                .invalidKey, "a signing key does not open: the server's secrets are not those that sealed it")
        }
        guard let reference = Self.reference(bytes) else {
            return try SigningKey(pkcs8DER: bytes, algorithm: algorithm)
        }
        guard let provider else {
            throw JoseProblem(.invalidKey, "a signing key is kept elsewhere, and the configuration does not say where")
        }
        let key = try provider.open(reference, algorithm)
        guard key.publicKey.keyID == stored.keyID else {
            throw JoseProblem(.invalidKey, "the key of a reference is another one")
        }
        return key
    }

    /// Opens every key that is kept elsewhere, so that a server does not start without one.
    ///
    /// - Throws: ``JoseProblem``, what the provider throws, ``StoreError``.
    public func checkKeysElsewhere() async throws {
        for stored in try await current() {
            guard let bytes = stored.privateKey(opening: seal), Self.reference(bytes) != nil else { continue }
            _ = try open(stored)
        }
    }

    /// Removes keys that are not published any longer, wherever they are kept.
    func removeExpired() async throws {
        let now = ambient.now()
        if let provider {
            for key in try await store.all() where key.removedAt <= now {
                if let reference = key.privateKey(opening: seal).flatMap(Self.reference) {
                    try provider.remove(reference)
                }
            }
        }
        try await store.removeExpired(at: now)
    }

    /// The reference to a key that is kept elsewhere; `nil`: the bytes are a key in DER, which begins otherwise.
    private static func reference(_ bytes: [UInt8]) -> String? {
        bytes.first == UInt8(ascii: "p") ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private var keepSeconds: Int64 { tokenSecondsMax + Limits.clockSkewSeconds }

    private func add(_ algorithm: SignatureAlgorithm, activatesAt: UnixTime) async throws -> StoredKey? {
        let provider = provider
        // On a thread of the default executor: an RSA key takes a tenth of a second and more.
        let (key, reference) = try await Task { () throws -> (SigningKey, String?) in
            guard let provider else { return (try SigningKey.generate(algorithm), nil) }
            return try provider.make(algorithm)
        }.value
        let keyID = key.publicKey.thumbprint()
        let retiresAt = activatesAt + Limits.keySigningSeconds
        let stored = StoredKey(
            keyID: keyID, algorithm: algorithm.rawValue,
            sealedPrivateKey: seal.seal(reference.map { Array($0.utf8) } ?? key.pkcs8DER, context: Array(keyID.utf8)),
            createdAt: ambient.now(),
            activatesAt: activatesAt, retiresAt: retiresAt, removedAt: retiresAt + keepSeconds)
        let isAdded = try await store.add(stored)
        // Another server was first: nothing refers to this key.
        if !isAdded, let reference { try? provider?.remove(reference) }
        return isAdded ? stored : nil
    }
}
