public import Authority
package import KeyturnBase
internal import KeyturnWire
public import Model

/// Management of the keys that sign tokens. This server uses a change at once, another one on the same database within a
/// second.
public struct ManagedSigningKeys: Sendable {
    let store: any KeyStore
    let ring: KeyRing
    let rulebook: Rulebook
    let audit: any AuditLog
    let ambient: Ambient
    /// The algorithms to choose from, such as `ES256`.
    public let algorithms: [String]
    private let rotation: @Sendable (any KeyStore) -> KeyRotation

    /// - Parameter rotation: of the server, on a store that records changes.
    package init(
        store: any KeyStore, ring: KeyRing, algorithms: [String], rulebook: Rulebook, audit: any AuditLog,
        ambient: Ambient,
        rotation: @escaping @Sendable (any KeyStore) -> KeyRotation
    ) {
        self.store = store
        self.ring = ring
        self.rulebook = rulebook
        self.algorithms = algorithms
        self.audit = audit
        self.ambient = ambient
        self.rotation = rotation
    }

    /// Every published key, the oldest first.
    public func all() async throws(StoreError) -> [StoredKey] {
        try await rotation(store).current()
    }

    /// Publishes a new key, which takes over when all verifiers know it.
    ///
    /// - Returns: the key; `nil` if a newer one is on its way already.
    /// - Throws: ``MethodProblem`` for an algorithm that the server does not sign with; ``StoreError``.
    public func rotate(_ algorithm: String, by actor: Actor) async throws -> StoredKey? {
        try rulebook.require(.changeKeys, to: actor.caller, on: .project(tenant: nil))
        guard algorithms.contains(algorithm) else {
            let names = algorithms.joined(separator: ", ")
            throw MethodProblem.invalidArguments.saying("The server signs with \(names)")
        }
        let added = try await rotation(recording(actor)).rotate(named: algorithm)
        try await ring.reload()
        return added
    }

    /// Takes a key out at once: everything that it signed is refused.
    ///
    /// - Returns: the key that replaces it; `nil` if another one signs already.
    /// - Throws: ``MethodProblem`` if there is no such key; ``StoreError``.
    public func drop(_ keyID: String, by actor: Actor) async throws -> StoredKey? {
        try rulebook.require(.changeKeys, to: actor.caller, on: .project(tenant: nil))
        let added: StoredKey?
        do {
            added = try await rotation(recording(actor)).drop(keyID)
        } catch let error as StoreError where error.code == .missing {
            throw MethodProblem.invalidRequest.saying("There is no such key")
        }
        try await ring.reload()
        return added
    }

    private func recording(_ actor: Actor) -> AuditedKeyStore {
        AuditedKeyStore(store, audit: audit, actor: actor.name, ambient: ambient)
    }
}
