internal import Crypto
internal import KeyturnBase

/// The vault's records of one container: one for each user, and an index that lists them.
///
/// The index is written before a record and after its removal, so that it lists too many at worst, and they are looked
/// up one by one. Whatever is replaced is replaced under the condition that it is what was read.
struct VaultRecords: Sendable {
    let store: any SessionStore
    let container: String
    let ambient: Ambient

    /// A record, and which one it is.
    struct Found: Sendable {
        var record: VaultRecord
        let generation: Generation
    }

    /// Where a user's record lies.
    func place(_ user: String) -> String {
        container + "/vault/" + Base64URL.encode(Array(SHA256.hash(data: Array(user.utf8))))
    }

    private var indexPlace: String { container + "/vault" }

    /// What is kept for `user`; `nil` only if there certainly is nothing.
    ///
    /// - Throws: `store.unavailable`.
    func find(_ user: String) async throws(AuthError) -> Found? {
        switch await store.read(place(user)) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let stored):
            return Found(record: try VaultRecord(stored.contents, of: user), generation: stored.generation)
        }
    }

    /// Changes what is kept for `user`, however often another process is first.
    ///
    /// - Parameter change: Told what is there; says what is to be there, or `nil`: it may stay as it is.
    /// - Returns: what is there now.
    @discardableResult
    func update(
        _ user: String, _ change: (VaultRecord?) throws(AuthError) -> VaultRecord?
    ) async throws(AuthError) -> VaultRecord? {
        for _ in 0..<Limits.vaultRetries {
            let found = try await find(user)
            guard let next = try change(found?.record) else { return found?.record }
            let serialized = next.serialized
            guard serialized.count <= Limits.recordMaxBytes else {
                throw AuthError(.misconfigured, "the vault is full: less data, or shorter")
            }
            let generation =
                found?.generation.next ?? Generation(signIn: ambient.randomToken(byteCount: 16), number: 1)
            let outcome = try await store.write(
                StoredRecord(generation: generation, contents: serialized), for: place(user),
                when: found.map { .generation($0.generation) } ?? .absent)
            if outcome == .done { return next }
        }
        throw AuthError(.storeUnavailable, "the vault changes all the time")
    }

    /// Removes what is kept for `user`, also where it cannot be read.
    func remove(_ user: String) async throws(AuthError) {
        _ = try await store.remove(place(user), when: .always)
        try await updateIndex { $0.users.removeAll { $0 == user } }
    }
}

/// Who is in the vault, and which client's it is, so that a program can find its service again.
struct VaultIndex: Hashable, Sendable {
    var users: [String] = []
    var kind: Service.Kind?
    var issuer = ""
    var clientID = ""
    var projectID: String?
    var keyServiceURL: String?

    /// The service; `nil` if this release does not know its kind.
    var service: Service? {
        guard let kind else { return nil }
        guard kind != .tim else {
            return keyServiceURL.map { .tim(issuer: issuer, keyServiceURL: $0, clientID: clientID) }
        }
        return .remembered(kind: kind, issuer: issuer, clientID: clientID, projectID: projectID)
    }
}

extension VaultRecords {
    /// Makes sure that the index lists `user`.
    func list(_ user: String, _ service: Service) async throws(AuthError) {
        try await updateIndex { index in
            if !index.users.contains(user) { index.users.append(user) }
            index.kind = service.kind
            index.issuer = service.issuer
            index.clientID = service.clientID
            index.projectID = service.projectID
            index.keyServiceURL = service.keyServiceURL
        }
    }

    /// Those for whom something is kept, in the order in which they came.
    func users() async throws(AuthError) -> [String] {
        var users: [String] = []
        for user in try await index()?.index.users ?? [] where try await find(user) != nil { users.append(user) }
        return users
    }

    /// The index; `nil` if no user was ever in the vault.
    func index() async throws(AuthError) -> (index: VaultIndex, generation: Generation)? {
        switch await store.read(indexPlace) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let stored):
            let limits = JSONValue.Limits(bytesMax: Limits.recordMaxBytes, depthMax: 4, membersMax: 2_048)
            guard let json = try? JSONValue(parsing: stored.contents, limits: limits),
                json["version"]?.integerValue == 1, let users = json["users"]?.stringArrayValue
            else { throw AuthError(.storeUnavailable, "the vault's list of users is damaged") }
            let index = VaultIndex(
                users: users, kind: json["service"]?.stringValue.map { .init(rawValue: $0) },
                issuer: json["issuer"]?.stringValue ?? "", clientID: json["client_id"]?.stringValue ?? "",
                projectID: json["project_id"]?.stringValue, keyServiceURL: json["key_service"]?.stringValue)
            return (index, stored.generation)
        }
    }

    private func updateIndex(_ change: (inout VaultIndex) -> Void) async throws(AuthError) {
        for _ in 0..<Limits.vaultRetries {
            let found = try await index()
            var next = found?.index ?? VaultIndex()
            change(&next)
            guard next != found?.index else { return }
            guard next.users.count <= Limits.vaultUsersMax else {
                throw AuthError(.misconfigured, "the vault holds as many users as it may")
            }
            let generation =
                found?.generation.next ?? Generation(signIn: ambient.randomToken(byteCount: 16), number: 1)
            let outcome = try await store.write(
                StoredRecord(generation: generation, contents: next.serialized), for: indexPlace,
                when: found.map { .generation($0.generation) } ?? .absent)
            if outcome == .done { return }
        }
        throw AuthError(.storeUnavailable, "the vault changes all the time")
    }
}

extension VaultIndex {
    fileprivate var serialized: [UInt8] {
        JSONWriter.object { writer in
            writer.member("version", Int64(1))
            writer.member("users", users)
            writer.member("service", kind?.rawValue)
            writer.member("issuer", issuer)
            writer.member("client_id", clientID)
            writer.member("project_id", projectID)
            writer.member("key_service", keyServiceURL)
        }
    }
}
