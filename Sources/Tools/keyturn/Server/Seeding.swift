internal import Authority
internal import Foundation
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import SignIn

/// Brings clients and users of the configuration file into the database: created where they are missing, updated
/// where they differ.
enum Seeding {
    /// The file, at a start: it has the rights of an owner.
    static let actor = Actor("configuration", .machine(.configuration))

    /// - Returns: passwords that are still to be compared with what the database has: see ``SeedingService``.
    static func apply(
        _ configuration: ServerConfiguration, to services: IdentityServices, logger: Logger
    ) async throws -> [ConfiguredPassword] {
        let now = services.ambient.now()
        try await settled { try await AccessSeeding.apply(configuration, to: services) }
        for client in configuration.clients {
            // The project's own sessions are kept under its identifier: no client may pass for it.
            guard client.clientID != services.project.id else {
                throw CommandFailure.refused("clients: \(client.clientID) is the identifier of the project itself.")
            }
            let permission = try services.project.rulebook.permit(
                Acts.ChangeClient.self, to: actor.caller, on: .client(client.clientID))
            try await services.stores.clients.put(client.client, by: permission, at: now)
        }
        try await warnOfClients(notIn: configuration, services, logger: logger)
        var waiting: [ConfiguredPassword] = []
        for user in configuration.users {
            do {
                if let password = try await settled({ try await apply(user, to: services, logger) }) {
                    waiting.append(password)
                }
            } catch let error as StoreError where error.code == .conflict {
                let name = user.loginIDs.first ?? user.sub ?? "?"
                throw CommandFailure.refused("users: \(name) has a sub or a login ID that belongs to another user.")
            }
            try await setConsoleRole(of: user, services, logger)
        }
        logger.debug(
            "configuration applied",
            metadata: ["clients": "\(configuration.clients.count)", "users": "\(configuration.users.count)"])
        return waiting
    }

    /// Runs it again after a conflict: another server of the same database may be applying the same file, and what it
    /// added is found the next time.
    private static func settled<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as StoreError where error.code == .conflict {
            return try await work()
        }
    }

    /// The file adds and changes; what left it stays, and may do what it might.
    private static func warnOfClients(
        notIn configuration: ServerConfiguration, _ services: IdentityServices, logger: Logger
    ) async throws {
        let names = Set(configuration.clients.map(\.clientID))
        for client in try await services.stores.clients.all(limit: Limits.clientsMax)
        where client.isFromConfiguration && !names.contains(client.id) {
            logger.warning(
                "a client is not in the configuration any more, and still works",
                metadata: ["client": "\(client.id)", "remove": "keyturn client remove \(client.id)"])
        }
    }

    /// - Returns: the password of a user who was there, if it does not decide whose account that is.
    private static func apply(
        _ user: UserConfiguration, to services: IdentityServices, _ logger: Logger
    ) async throws -> ConfiguredPassword? {
        let now = services.ambient.now()
        let existing = try await find(user, services)
        var identifiers = try await available(try verified(user), to: existing, user, services, logger)
        // What was proved since stays proved.
        for (identifier, state) in existing?.identifiers ?? [:]
        where state == .verified && identifiers[identifier] != nil {
            identifiers[identifier] = .verified
        }
        // A stranger who claims a login ID of the file must not keep the server from starting.
        let claims = UnprovedClaims(
            stores: services.stores, rulebook: services.project.rulebook, notices: services.notices,
            audit: services.auditLog, ambient: services.ambient)
        for identifier in identifiers.keys where existing?.identifiers[identifier] == nil {
            try await claims.release(identifier, for: existing?.user.id, by: .machine(.configuration))
        }
        let password = user.password
        let tenants = AccessSeeding.memberships(of: user, services)
        guard var account = existing else {
            var hash: String?
            if let password { hash = try await services.passwords.hash(password) }
            let id =
                user.sub.map(UserID.init(rawValue:)) ?? ownID(of: identifiers, services)
                ?? UserID.make(services.ambient)
            let created = User(id: id, claims: user.claims, createdAt: now, updatedAt: now)
            try await services.stores.users.create(
                Account(
                    user: created, identifiers: identifiers, passwordHash: hash,
                    memberships: Memberships(tenants: tenants)),
                by: try services.project.rulebook.permit(
                    Acts.CreateAccount.self, to: actor.caller, on: .newUser))
            return nil
        }
        // A stranger may have signed up with the name before the file had it: nothing that they put there stays. A
        // password that the file knows was set by it.
        let isKnown =
            user.sub != nil || UserImport.isSamePerson(account, named: identifiers.keys)
            || identifiers.keys.contains { account.user.id == ownID(of: $0, services) }
            || isOperator(account, user, identifiers)
        var isSame = isKnown
        if !isKnown, let password {
            isSame = try await services.passwords.check(password, against: account.passwordHash) != .wrong
        }
        if !isSame {
            try await services.stores.passwords.void(
                by: try services.project.rulebook.permit(
                    Acts.VoidCredentials.self, to: .machine(.configuration), on: account.subject),
                keeping: nil, at: now)
        }
        let belongs = account.memberships.tenants.merging(tenants) { _, new in new }
        if !isSame || account.user.claims != user.claims || account.identifiers != identifiers
            || account.memberships.tenants != belongs
        {
            let (names, isStranger) = (identifiers, !isSame)
            account = try await services.stores.users.change(
                by: try services.project.rulebook.machinePermission(.configuration, on: account), at: now
            ) { account in
                account.user.claims = user.claims
                account.memberships.tenants = belongs
                account.identifiers = names
                if isStranger { account.user.attributes = [:] }
            }
        }
        guard let password else { return nil }
        if isKnown { return ConfiguredPassword(user: account.user.id, password: password) }
        if !isSame {
            try await set(password, of: account, services)
        }
        return nil
    }

    /// The identifier of a user whom the file knows by user names alone: nothing else tells at the next start that the
    /// account is not a stranger's. `nil`: an address tells.
    private static func ownID(of identifiers: [Identifier: Account.IdentifierState], _ services: IdentityServices)
        -> UserID?
    {
        guard identifiers.keys.allSatisfy({ $0.kind == .username }) else { return nil }
        return identifiers.keys.min { $0.value < $1.value }.map { ownID(of: $0, services) }
    }

    /// An operator who has the file's role, and each of its addresses: the user name alone could be another user's.
    private static func isOperator(
        _ account: Account, _ user: UserConfiguration, _ identifiers: [Identifier: Account.IdentifierState]
    ) -> Bool {
        user.consoleRole != nil && account.consoleRole == user.consoleRole
            && identifiers.keys.allSatisfy { $0.kind == .username || account.identifiers[$0] != nil }
    }

    private static func ownID(of name: Identifier, _ services: IdentityServices) -> UserID {
        let digest = SecretDigest(of: Secret("configuration:\(services.project.id):\(name.value)"))
        return UserID(rawValue: "f-" + Base64URL.encode(Array(digest.bytes.prefix(16))))
    }

    /// Sets a password of the file, and signs the user out everywhere.
    static func set(_ password: Secret, of account: Account, _ services: IdentityServices) async throws {
        let change = PasswordChange(
            hash: try await services.passwords.hash(password), origin: .strong,
            historyMax: services.methodSettings.passwords.reuseMax)
        let now = services.ambient.now()
        let isSet = try await services.stores.passwords.set(
            change,
            by: try services.project.rulebook.permit(Acts.SetPassword.self, to: actor.caller, on: account.subject),
            at: now)
        guard isSet else { return }
        services.auditLog.record(AuditEvent(.passwordChanged, at: now, userID: account.user.id, actor: actor.name))
    }

    /// A proved address tells whom the file means. A user name could be taken by any person before the file had it.
    static func find(_ user: UserConfiguration, _ services: IdentityServices) async throws -> Account? {
        if let sub = user.sub { return try await services.stores.users.account(UserID(rawValue: sub)) }
        var found: Account?
        for loginID in user.loginIDs {
            guard let identifier = Identifier(loginID: loginID),
                let account = try await services.stores.users.account(identifier)
            else { continue }
            if UserImport.isSamePerson(account, named: [identifier]) { return account }
            found = found ?? account
        }
        return found
    }

    /// The login IDs without user names that another account has by now: a stranger who took one must not keep the server
    /// from starting. A user without any other one is refused later.
    private static func available(
        _ identifiers: [Identifier: Account.IdentifierState], to existing: Account?, _ user: UserConfiguration,
        _ services: IdentityServices, _ logger: Logger
    ) async throws -> [Identifier: Account.IdentifierState] {
        var left = identifiers
        for name in identifiers.keys where name.kind == .username && existing?.identifiers[name] == nil {
            guard let holder = try await services.stores.users.account(name), holder.user.id != existing?.user.id else {
                continue
            }
            left[name] = nil
            logger.warning(
                "a user name of the configuration belongs to another account: its user has the other login IDs",
                metadata: [
                    "user": "\(existing?.user.id.rawValue ?? user.sub ?? "new")",
                    "account": "\(holder.user.id.rawValue)",
                    "remove": "keyturn user delete \(holder.user.id.rawValue)",
                ])
        }
        return left.isEmpty ? identifiers : left
    }

    private static func verified(_ user: UserConfiguration) throws -> [Identifier: Account.IdentifierState] {
        var identifiers: [Identifier: Account.IdentifierState] = [:]
        for loginID in user.loginIDs {
            guard let identifier = Identifier(loginID: loginID) else {
                throw CommandFailure.refused("users: \(loginID) cannot be a login ID.")
            }
            let isVerified =
                switch identifier.kind {
                case .email: user.isEmailVerified && user.email.flatMap(Identifier.init(loginID:)) == identifier
                case .phone:
                    user.isPhoneNumberVerified && user.phoneNumber.flatMap(Identifier.init(loginID:)) == identifier
                case .username: true
                }
            identifiers[identifier] = isVerified ? .verified : .unverified
        }
        return identifiers
    }
}

extension ProjectConfiguration {
    /// The project that the rules work with.
    ///
    /// - Parameter id: the project's identifier, which the database keeps.
    func project(
        issuer: String, id: String, journeys: [Journey] = [], risk: RiskSettings = RiskSettings(),
        hasPushService: Bool = false, auditRetentionDays: Int = Limits.auditRetentionDays
    ) -> Project {
        Project(
            id: id, name: name, issuer: issuer, accessTokenSeconds: Int64(accessTokenSeconds),
            idleSeconds: Int64(refreshTokenIdleSeconds), absoluteSeconds: Int64(refreshTokenAbsoluteSeconds),
            anonymousPurgeDays: anonymousPurgeDays, auditRetentionDays: auditRetentionDays,
            passwordPolicy: passwordPolicy.policy,
            breachedPasswords: breachedPasswords,
            signingAlgorithms: signingAlgorithms,
            resources: resources.map(Set.init), authorizationDetailTypes: authorizationDetailTypes,
            journeys: journeys, risk: risk, hasPushService: hasPushService, authority: authority,
            shadowedSessions: shadowedSessions)
    }
}

extension PasswordPolicyConfiguration {
    /// The policy that the rules work with.
    var policy: PasswordPolicy {
        PasswordPolicy(
            minLength: minLength, requiresLowercase: lowercase, requiresUppercase: uppercase, requiresNumber: number,
            requiresNonAlphanumeric: nonAlphanumeric)
    }
}

extension ClientConfiguration {
    /// The client that the rules work with.
    var client: Client {
        var metadata = metadata
        metadata.tokenEndpointAuthMethod = authenticationMethod.rawValue
        return Client(
            id: clientID, metadata: metadata, secretDigests: clientSecret.map { [SecretDigest(of: $0)] } ?? [],
            isFirstParty: firstParty, resources: resources, assertionAudiences: assertionAudiences,
            assertionSeconds: assertionSeconds.map(Int64.init), mayImpersonate: mayImpersonate, profile: profile,
            strictAssertions: strictAssertions, allowsPrivateLogoutAddress: allowsPrivateLogoutAddress,
            isFromConfiguration: true)
    }
}
