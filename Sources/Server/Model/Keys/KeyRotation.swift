public import KeyturnBase
public import KeyturnJose

/// The schedule of keys: published ahead, signing for a month, kept until what they signed has expired.
public struct KeyRotation: Sendable {
    private let store: any KeyStore
    private let seal: Seal
    private let tokenSecondsMax: Int64
    private let ambient: Ambient

    /// - Parameter tokenSecondsMax: the longest lifetime of anything that a key signs.
    public init(store: any KeyStore, secrets: ServerSecrets, tokenSecondsMax: Int64, ambient: Ambient) {
        self.store = store
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

    /// Whether the server's secrets can open a key.
    public func canOpen(_ stored: StoredKey) -> Bool {
        (try? open(stored)) != nil
    }

    /// The private key, opened.
    func open(_ stored: StoredKey) throws(JoseProblem) -> SigningKey {
        guard let algorithm = SignatureAlgorithm(rawValue: stored.algorithm),
            let der = stored.privateKey(opening: seal)
        else {
            throw JoseProblem(
                .invalidKey, "a signing key does not open: the server's secrets are not those that sealed it")
        }
        return try SigningKey(pkcs8DER: der, algorithm: algorithm)
    }

    private var keepSeconds: Int64 { tokenSecondsMax + Limits.clockSkewSeconds }

    private func add(_ algorithm: SignatureAlgorithm, activatesAt: UnixTime) async throws -> StoredKey? {
        // On a thread of the default executor: an RSA key takes a tenth of a second and more.
        let key = try await Task { try SigningKey.generate(algorithm) }.value
        let keyID = key.publicKey.thumbprint()
        let retiresAt = activatesAt + Limits.keySigningSeconds
        let stored = StoredKey(
            keyID: keyID, algorithm: algorithm.rawValue,
            sealedPrivateKey: seal.seal(key.pkcs8DER, context: Array(keyID.utf8)), createdAt: ambient.now(),
            activatesAt: activatesAt, retiresAt: retiresAt, removedAt: retiresAt + keepSeconds)
        return try await store.add(stored) ? stored : nil
    }
}
