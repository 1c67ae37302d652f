public import Authority
public import KeyturnBase
internal import KeyturnWire
public import Model
package import OAuth

/// Management of clients. This server uses a change at once, another one on the same database within a second.
public struct ManagedClients: Sendable {
    /// The project's own sessions are kept under its identifier: no client may pass for it.
    let projectID: String
    let stores: Stores
    let clients: ClientDirectory
    let rulebook: Rulebook
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        projectID: String, stores: Stores, clients: ClientDirectory, rulebook: Rulebook, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.projectID = projectID
        self.stores = stores
        self.clients = clients
        self.rulebook = rulebook
        self.audit = audit
        self.ambient = ambient
    }

    /// Every client, ordered by identifier.
    public func all() -> [Client] { clients.all }

    /// A client as it was registered.
    ///
    /// - Throws: ``MethodProblem`` if there is none; ``StoreError``.
    public func find(_ id: String) async throws -> Client {
        guard let client = try await stores.clients.find(id) else { throw Self.unknown }
        return client
    }

    /// How many grants end with a client, counted up to ``Limits/grantsCountedMax``.
    public func liveGrants(of client: Client) async throws(StoreError) -> Int {
        try await stores.grants.count(ofClient: client.id, upTo: Limits.grantsCountedMax, at: ambient.now())
    }

    /// Registers a client.
    ///
    /// - Returns: the client, and its secret, which is not shown again; a public client has none.
    /// - Throws: ``ClientRefusal``; the rulebook's `Denial`; ``StoreError``.
    public func create(_ draft: ClientDraft, by actor: Actor) async throws -> (client: Client, secret: Secret?) {
        try require(draft.client(nil).needsOwner(over: nil), actor)
        let mistakes = draft.mistakes
        guard mistakes.isEmpty else { throw ClientRefusal(mistakes) }
        guard draft.id != projectID else { throw ClientRefusal([.identifierTaken]) }
        // Tokens name services by their addresses, and clients by their identifiers.
        guard RedirectURI.flaw(in: draft.id) != nil, !clients.isResource(draft.id) else {
            throw ClientRefusal([.identifierIsAddress])
        }
        let secret = draft.isPublic ? nil : Secret.ofClient(ambient)
        let client = draft.client(secret)
        guard try await stores.clients.add(client, by: permission(client.id, actor), at: ambient.now()) else {
            throw ClientRefusal([.identifierTaken])
        }
        try await finish(.clientRegistered, client.id, .between(nil, client, ambient), by: actor)
        return (client, secret)
    }

    /// Changes name, addresses, grant types and scope of a client.
    ///
    /// - Parameter edit: changes what is registered. The identifier, the authentication and the rest stay.
    /// - Throws: ``ClientRefusal``; the rulebook's `Denial`; ``MethodProblem`` if there is no such client, or the
    ///   configuration file decides about it; ``StoreError``.
    public func change(
        _ id: String, by actor: Actor, _ edit: (inout ClientDraft) throws -> Void
    ) async throws -> Client {
        try require(false, actor)
        let present = try await changeable(id)
        var draft = ClientDraft(present)
        try edit(&draft)
        var after = present
        draft.apply(to: &after.metadata)
        try require(after.needsOwner(over: present), actor)
        let mistakes = draft.mistakes
        guard mistakes.isEmpty else { throw ClientRefusal(mistakes) }
        let checked = draft
        let note = ChangeNote(ambient)
        let client = try await changing(id, note, by: actor) { client in
            var metadata = client.metadata
            checked.apply(to: &metadata)
            client.metadata = metadata
        }
        if let changes = note.changes { try await finish(.clientChanged, id, changes, by: actor) }
        return client
    }

    /// Gives a client a new secret.
    ///
    /// - Parameter keepsOld: whether the present one stays good until the next rotation.
    /// - Throws: ``MethodProblem`` if there is no such client, it has no secret, or the configuration file decides about
    ///   it; ``StoreError``.
    public func rotateSecret(of id: String, keepsOld: Bool, by actor: Actor) async throws -> Secret {
        try require(false, actor)
        let present = try await changeable(id)
        try require(present.opensManagement, actor)
        guard present.hasSharedSecret else {
            throw MethodProblem.invalidRequest.saying("The client has no secret")
        }
        let secret = Secret.ofClient(ambient)
        let note = ChangeNote(ambient)
        _ = try await changing(id, note, by: actor) { $0.rotateSecret(to: secret, keepsOld: keepsOld) }
        try await finish(.clientSecretChanged, id, note.changes, by: actor)
        return secret
    }

    /// Removes a client, and ends its grants.
    ///
    /// - Throws: ``MethodProblem`` if there is no such client, or the configuration file decides about it;
    ///   ``StoreError``.
    public func remove(_ id: String, by actor: Actor) async throws {
        let permission = try rulebook.permit(Acts.RemoveClient.self, to: actor.caller, on: .client(id))
        let client = try await changeable(id)
        try require(client.isOwn, actor)
        guard try await stores.clients.remove(by: permission, at: ambient.now()) else { throw Self.unknown }
        try await finish(.clientRemoved, id, .between(client, nil, ambient), by: actor)
    }

    private func require(_ needsOwner: Bool, _ actor: Actor) throws(Denial) {
        try rulebook.require(
            needsOwner ? .registerManagementClient : .changeClient, to: actor.caller, on: .project(tenant: nil))
    }

    private func permission(_ id: String, _ actor: Actor) throws(Denial) -> Allowed<Acts.ChangeClient> {
        try rulebook.permit(Acts.ChangeClient.self, to: actor.caller, on: .client(id))
    }

    private func changeable(_ id: String) async throws -> Client {
        let client = try await find(id)
        guard !client.isFromConfiguration else {
            throw MethodProblem.invalidRequest.saying("The client stands in the configuration file: change it there")
        }
        return client
    }

    private func changing(
        _ id: String, _ note: ChangeNote, by actor: Actor, _ rule: @escaping @Sendable (inout Client) -> Void
    ) async throws -> Client {
        let permission = try permission(id, actor)
        do throws(StoreError) {
            return try await stores.clients.change(by: permission, at: ambient.now(), note.noting(rule))
        } catch {
            throw error.code == .missing ? Self.unknown : error
        }
    }

    private func finish(
        _ kind: AuditEvent.Kind, _ id: String, _ changes: AuditChanges?, by actor: Actor
    ) async throws(StoreError) {
        audit.record(AuditEvent(kind, at: ambient.now(), clientID: id, actor: actor.name, changes: changes))
        try await clients.reload()
    }

    private static let unknown = MethodProblem.invalidRequest.saying("There is no such client")
}

extension Secret {
    /// A new secret of a client: 256 bits cannot be guessed, so a plain digest is enough to keep.
    public static func ofClient(_ ambient: Ambient) -> Secret { Secret(ambient.randomToken(byteCount: 32)) }
}

extension Client {
    /// Whether it authenticates with a secret that this server makes.
    public var hasSharedSecret: Bool {
        authenticationMethod == .clientSecretBasic || authenticationMethod == .clientSecretPost
    }

    /// Replaces the secret.
    ///
    /// - Parameter keepsOld: whether the present one stays good until the next rotation.
    public mutating func rotateSecret(to secret: Secret, keepsOld: Bool) {
        secretDigests = [SecretDigest(of: secret)] + (keepsOld ? secretDigests.prefix(1) : [])
    }
}
