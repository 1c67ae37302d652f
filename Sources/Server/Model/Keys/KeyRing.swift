internal import Synchronization
public import KeyturnBase
public import KeyturnJose
internal import KeyturnWire

/// The signing keys, in memory: signing and publishing cost no query and wait for no lock.
///
/// Each algorithm has a key that signs, the next one already published, and old ones until the last token they signed
/// has expired.
public final class KeyRing: Sendable {
    /// A key, ready to sign each kind of token.
    package struct Signer: Sendable {
        package let accessToken: JWSSigner
        package let idToken: JWSSigner
        package let logoutToken: JWSSigner
        package let refreshToken: JWSSigner
        package let securityEventToken: JWSSigner
    }

    private final class Entry: Sendable {
        let stored: StoredKey
        let algorithm: SignatureAlgorithm
        let publicKey: JSONWebKey
        let verificationKey: VerificationKey
        let key: SigningKey
        let signer: Signer

        init(_ stored: StoredKey, _ algorithm: SignatureAlgorithm, _ key: SigningKey) throws(JoseProblem) {
            (self.stored, self.algorithm, publicKey) = (stored, algorithm, key.publicKey)
            verificationKey = try VerificationKey(publicKey, algorithm: algorithm)
            self.key = key
            let signer = { (type: String) in JWSSigner(key: key, keyID: stored.keyID, type: type) }
            self.signer = Signer(
                accessToken: signer("at+jwt"), idToken: signer("JWT"), logoutToken: signer("logout+jwt"),
                refreshToken: signer(TokenKind.refreshToken),
                securityEventToken: signer(TokenKind.securityEventToken))
        }
    }

    private struct Reading: Sendable {
        var number = 0
        var entries: [Entry] = []
    }

    private let reading = Mutex(Reading())
    private let readings = Mutex(0)
    private let rotation: KeyRotation

    public init(
        store: any KeyStore, secrets: ServerSecrets, tokenSecondsMax: Int64,
        provider: (any SigningKeyProvider)? = nil, ambient: Ambient
    ) {
        rotation = KeyRotation(
            store: store, secrets: secrets, tokenSecondsMax: tokenSecondsMax, provider: provider, ambient: ambient)
    }

    /// Removes keys that are not published any longer.
    public func removeExpired() async throws {
        try await rotation.removeExpired()
    }

    /// Ensures that every algorithm has its key and, when due, the next one. Called at start and every minute after.
    ///
    /// - Returns: the identifiers of keys that this call added.
    public func maintain(_ algorithms: [SignatureAlgorithm]) async throws -> [String] {
        var added: [String] = []
        for algorithm in algorithms {
            if let key = try await rotation.addIfDue(algorithm) { added.append(key.keyID) }
        }
        try await reload()
        return added
    }

    /// Reads the keys anew.
    public func reload() async throws {
        // A reading that began later is newer: an earlier one that ends later must not bring back a dropped key.
        let number = readings.withLock { count in
            count += 1
            return count
        }
        let known = reading.withLock { $0.entries }
        var fresh: [Entry] = []
        for stored in try await rotation.current() {
            if let entry = known.first(where: { $0.stored == stored }) {
                fresh.append(entry)
            } else {
                fresh.append(try entry(for: stored))
            }
        }
        reading.withLock { if $0.number < number { $0 = Reading(number: number, entries: fresh) } }
    }

    /// The public keys, for `jwks_uri`: every key that may have signed a token that is still good, and the next.
    public func publicKeys(at now: UnixTime) -> [JSONWebKey] {
        reading.withLock { $0.entries.filter { now < $0.stored.removedAt }.map(\.publicKey) }
    }

    /// The key that signs with `algorithm` now; `nil` if there is none (yet), or it is kept elsewhere and away.
    ///
    /// If every key is in the future, the clock was set back: then the first of them goes on signing.
    package func signer(_ algorithm: SignatureAlgorithm, at now: UnixTime) -> Signer? {
        let entry = reading.withLock { reading in
            var first: Entry?
            var current: Entry?
            for entry in reading.entries where entry.algorithm == algorithm && now < entry.stored.retiresAt {
                if first == nil { first = entry }
                if entry.stored.activatesAt <= now { current = entry }
            }
            return current ?? first
        }
        guard let entry, entry.key.isReady else { return nil }
        return entry.signer
    }

    /// Waits, for a few seconds at most, until every one of `algorithms` has a key that signs: the first start makes an
    /// RSA key while the server already answers.
    public func waitUntilReady(_ algorithms: [SignatureAlgorithm], at now: UnixTime) async {
        for _ in 0..<Self.readinessChecksMax {
            if algorithms.allSatisfy({ signer($0, at: now) != nil }) { return }
            try? await Task.sleep(for: .milliseconds(Self.readinessIntervalMilliseconds))
        }
    }

    /// The key of each algorithm that signs now: since when, and until when.
    public func signingPeriods(at now: UnixTime) -> [SigningPeriod] {
        let entries = reading.withLock { $0.entries }
        var periods: [String: SigningPeriod] = [:]
        for entry in entries where entry.stored.activatesAt <= now && now < entry.stored.retiresAt {
            let waiting = entries.count { $0.algorithm == entry.algorithm && now < $0.stored.activatesAt }
            periods[entry.stored.algorithm] = SigningPeriod(
                algorithm: entry.stored.algorithm, begins: entry.stored.activatesAt, ends: entry.stored.retiresAt,
                waitingKeys: waiting)
        }
        return periods.values.sorted { $0.algorithm < $1.algorithm }
    }

    private static let readinessChecksMax = 250
    private static let readinessIntervalMilliseconds: Int64 = 20

    /// The key of this `kid`, for a token that is presented to the server.
    package func verificationKey(_ keyID: String, at now: UnixTime) -> VerificationKey? {
        reading.withLock { reading in
            reading.entries.first { $0.stored.keyID == keyID && now < $0.stored.removedAt }?.verificationKey
        }
    }

    private func entry(for stored: StoredKey) throws -> Entry {
        guard let algorithm = SignatureAlgorithm(rawValue: stored.algorithm) else {
            throw JoseProblem(.unsupportedAlgorithm, "a stored key has an algorithm that this server does not know")
        }
        return try Entry(stored, algorithm, rotation.open(stored))
    }
}

/// How long a key signs.
public struct SigningPeriod: Hashable, Sendable {
    /// The JWS algorithm, such as `ES256`.
    public let algorithm: String
    public let begins: UnixTime
    /// The next key signs from then on.
    public let ends: UnixTime
    /// Published keys of the algorithm that do not sign yet.
    public let waitingKeys: Int
}
