public import KeyturnBase
public import Model

/// Passwords that are checked at directories, for the people who are there.
public struct DirectoryPasswords: Sendable {
    private let stores: Stores
    private let connections: ConnectionDirectory
    private let federation: FederatedSignIn
    private let directory: (any PasswordDirectory)?
    private let audit: any AuditLog
    private let ambient: Ambient

    /// - Parameter directory: asks the directories; `nil`: no password is checked at one.
    public init(
        stores: Stores, connections: ConnectionDirectory, federation: FederatedSignIn,
        directory: (any PasswordDirectory)?, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.connections = connections
        self.federation = federation
        self.directory = directory
        self.audit = audit
        self.ambient = ambient
    }

    /// What came of a password.
    public enum Outcome: Sendable {
        /// The user signs in.
        case user(Account, DirectoryPerson, isNew: Bool)
        /// The password is right, and the user must sign in another way first; then the identity is linked.
        case ask(DirectoryPerson)
        /// The password is right, and there is no way in.
        case refused(FederationRefusal, DirectoryPerson)
        /// Wrong name or wrong password: both have the same answer.
        case wrong
        case throttled(retryAfterSeconds: Int64)
        /// The directory did not answer, or its connection is set up wrongly.
        case failed(ConnectionProblem, Connection)
    }

    /// Whether there is any directory to ask.
    private var isUsed: Bool { directory != nil && connections.all.contains(where: Self.isUsable) }

    /// Whether the account's password is at a directory: then one that is kept here counts for nothing. A tenant's directory
    /// does not decide about an account that its owner connected, or about a user who was taken out of the tenant.
    package func owns(_ account: Account?) async throws(StoreError) -> Bool {
        guard let account, isUsed else { return false }
        for identity in try await stores.identities.identities(of: account.user.id) {
            guard let connection = connections.connection(identity.key.connectionID), Self.isUsable(connection) else {
                continue
            }
            guard let tenant = connection.tenantID else { return true }
            guard !identity.isByOwner else { continue }
            if try await !stores.identities.formerTenants(of: account.user.id).contains(tenant) { return true }
        }
        return false
    }

    /// The directory of a name: that of the address's domain, or else the project's own. It depends on the name alone,
    /// so that it does not say who has an account.
    public func connection(for name: Identifier) async throws(StoreError) -> Connection? {
        guard isUsed else { return nil }
        let usable = connections.all.filter(Self.isUsable)
        if name.kind == .email, let domain = EmailDomain(ofAddress: name.value) {
            for connection in usable {
                guard let tenant = connection.tenantID, connection.domains.contains(domain.name),
                    try await federation.domains.isProven(domain, of: tenant, for: connection)
                else { continue }
                return connection
            }
        }
        return usable.first { $0.tenantID == nil }
    }

    /// Checks a password at the directory of a name, and finds the account of its user.
    ///
    /// - Parameters:
    ///   - name: as the user typed it; its guesses are counted already.
    ///   - password: never kept, and not sent at all if it is empty (RFC 4513 §5.1.2).
    ///   - address: the client's network address, for the audit log.
    ///   - admitsNewUsers: whether the sign-in lets new users sign up: ``Connection/admitting(newUsers:)``.
    /// - Returns: `nil` if no directory is asked about such names.
    public func check(
        _ name: Identifier, _ password: Secret, from address: NetworkAddress?, admitsNewUsers: Bool = true
    ) async throws(StoreError) -> Outcome? {
        guard let directory, let connection = try await connection(for: name) else { return nil }
        let text = password.exposed()
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count <= Limits.passwordBytesMax else { return .wrong }
        do {
            let entry = try await directory.find(name.value, at: connection)
            let charge = Self.charge(entry, name, connection, from: address)
            if let openAt = try await stores.rateLimits.spend([charge], at: ambient.now()) {
                return .throttled(retryAfterSeconds: max(1, openAt.seconds(since: ambient.now())))
            }
            switch try await directory.check(password, of: entry, at: connection) {
            case .wrong(let reason):
                record(reason, connection, address)
                return .wrong
            case .right:
                guard let entry, !entry.isDisabled else { return .wrong }
                try await stores.rateLimits.clear([charge.key])
                return try await arrived(entry.profile, connection, address, admitsNewUsers: admitsNewUsers)
            }
        } catch let problem as ConnectionProblem {
            record(problem.code, connection, address)
            return .failed(problem, connection)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("no other error is thrown above")
        }
    }

    /// Asks one directory about a user, for an operator who tries it: what the entry says, and no sign-in.
    ///
    /// - Throws: ``ConnectionProblem``, `denied` for a wrong name or password.
    public static func tried(
        _ name: String, _ password: Secret, at connection: Connection, _ directory: any PasswordDirectory
    ) async throws(ConnectionProblem) -> FederatedProfile {
        guard !password.exposed().isEmpty, let entry = try await directory.find(name, at: connection),
            case .right = try await directory.check(password, of: entry, at: connection)
        else { throw ConnectionProblem(.denied, code: "wrong_name_or_password") }
        guard !entry.isDisabled else { throw ConnectionProblem(.denied, code: "disabled") }
        return entry.profile
    }

    /// As ``tried(_:_:at:_:)``, of the server's own.
    public func tried(_ name: String, _ password: Secret, at connection: Connection) async throws(ConnectionProblem)
        -> FederatedProfile
    {
        guard let directory else { throw ConnectionProblem(.misconfigured, code: "kind") }
        return try await Self.tried(name, password, at: connection, directory)
    }

    private func arrived(
        _ profile: FederatedProfile, _ connection: Connection, _ address: NetworkAddress?, admitsNewUsers: Bool
    ) async throws(StoreError) -> Outcome {
        let person = DirectoryPerson(profile: profile, connection: connection)
        let admitting = connection.admitting(newUsers: admitsNewUsers)
        switch try await federation.admit(profile, at: admitting, from: address) {
        case .user(let account, let isNew):
            guard account.user.status == .active else { return .refused(.disabled, person) }
            return .user(account, person, isNew: isNew)
        case .ask: return .ask(person)
        case .refused(let refusal): return .refused(refusal, person)
        }
    }

    /// Counts guesses at an entry under whichever of its names, before the directory counts them and locks it. For a
    /// name without an entry the same is counted, so that the answers are alike.
    private static func charge(
        _ entry: DirectoryEntry?, _ name: Identifier, _ connection: Connection, from address: NetworkAddress?
    ) -> RateLimitCharge {
        let what = entry.map { "entry:\($0.profile.subject)" } ?? "name:\(name.kind.rawValue):\(name.value)"
        let digest = SecretDigest(of: Secret(what))
        return RateLimitCharge(
            "directory:\(connection.id):\(Base64URL.encode(digest.bytes))", max: Limits.directoryGuessesMax,
            windowSeconds: Limits.directoryGuessSeconds,
            // The network from which the user came before is not locked out by others.
            unlessKnown: GuessingRules.Keys(identifier: name, address: address).accountAndNetwork)
    }

    private func record(_ reason: String, _ connection: Connection, _ address: NetworkAddress?) {
        audit.recordOnce(
            AuditEvent(
                .identityRefused, at: ambient.now(), address: address?.text, reason: reason, target: connection.id))
    }

    private static func isUsable(_ connection: Connection) -> Bool {
        guard connection.isEnabled, case .ldap = connection.settings else { return false }
        return true
    }
}

/// A user whose password a directory accepted.
public struct DirectoryPerson: Sendable {
    public let profile: FederatedProfile
    public let connection: Connection
}
