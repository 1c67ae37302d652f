import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import Testing

/// Users, and what they are signed in with.
extension Bench {
    /// A user who is not stored yet.
    func account(
        _ names: String..., verification: Account.IdentifierState = .verified, hash: String? = nil
    ) throws -> Account {
        let user = User(id: .make(.live), claims: ["name": .string(names[0])], createdAt: now, updatedAt: now)
        let identifiers = try names.map { (try identifier($0), verification) }
        return Account(
            user: user, identifiers: Dictionary(identifiers) { first, _ in first }, passwordHash: hash)
    }

    func identifier(_ loginID: String) throws -> Identifier { try #require(Identifier(loginID: loginID)) }

    /// A user with a password.
    func user(_ name: String = "andy@example.com") async throws -> Account {
        let account = try account(name, hash: "$argon2id$old")
        try await stores.users.create(account, authenticator: nil)
        return account
    }

    /// A user with a password and an authenticator app.
    func userWithAuthenticator(_ name: String = "andy@example.com") async throws -> Account {
        let account = try account(name, hash: "$argon2id$old")
        try await stores.users.create(account, authenticator: authenticator("first", isConfirmed: true))
        return account
    }

    func epoch(of account: Account) async throws -> Int64 {
        try #require(try await stores.users.account(account.user.id)).user.epoch
    }

    func authenticator(
        _ name: String, isConfirmed: Bool = false, begunIn: StoredTOTP.Session? = nil
    ) -> StoredTOTP {
        StoredTOTP(
            id: Array(digest(name).bytes.prefix(16)), sealed: [1, 2], isConfirmed: isConfirmed, usedStep: -1,
            begunIn: begunIn)
    }

    func session(of account: Account, _ name: String = "session", at time: UnixTime? = nil) -> BrowserSession {
        let time = time ?? now
        return BrowserSession(
            id: SessionID(rawValue: name), userID: account.user.id, authentication: .password(at: time),
            createdAt: time,
            expiresAt: time + 10_000, origin: SessionOrigin(address: "192.0.2.1", device: "Firefox on Linux"))
    }

    /// A browser session whose cookie is `cookie` and its name.
    @discardableResult
    func openSession(of account: Account, _ name: String = "session", at time: UnixTime? = nil) async throws
        -> BrowserSession
    {
        let session = session(of: account, name, at: time)
        let isOpen = try await stores.sessions.create(
            session, epoch: try await epoch(of: account), digest: digest("cookie \(name)"), replacing: nil,
            at: session.createdAt)
        try #require(isOpen)
        return session
    }

    func isAlive(session name: String = "session") async throws -> Bool {
        try await stores.sessions.session(digest("cookie \(name)"), at: now) != nil
    }

    func client(_ id: String, logoutURI: String? = nil, token: String? = nil) -> Client {
        var metadata = ClientMetadata()
        metadata.backchannelLogoutURI = logoutURI
        return Client(
            id: id, metadata: metadata, secretDigests: [digest("secret of \(id)")],
            registration: token.map { ClientRegistration(tokenDigest: digest($0), registeredAt: now) })
    }

    func facts(
        of account: Account, _ purpose: VerificationFacts.Purpose = .signIn, message: String? = nil,
        details: JSONValue = .null
    ) throws -> VerificationFacts {
        let loginID = try identifier("andy@example.com")
        var facts = VerificationFacts(
            purpose, userID: account.user.id, loginID: loginID, address: loginID, method: .email, details: details)
        facts.messageID = message
        return facts
    }

    func passkey(_ name: String, count: UInt32 = 0, at relyingParty: String = "example.com") -> StoredPasskey {
        StoredPasskey(
            id: PasskeyID(rawValue: "ctl_\(name)_\(relyingParty)"), relyingParty: relyingParty,
            record: CredentialRecord(
                id: Array(name.utf8), userHandle: [1, 2], publicKey: [3], signCount: count, uvInitialized: true,
                transports: ["internal", "hybrid"], backupEligible: true, backupState: false, aaguid: .zero),
            name: name, attestationFormat: "none", createdAt: now)
    }

    /// Adds a passkey of a user in their present epoch.
    @discardableResult
    func addPasskey(_ name: String, to account: Account, spending text: String? = nil) async throws -> PasskeyAddition {
        try await stores.passkeys.add(
            passkey(name), to: account.user.id, epoch: try await epoch(of: account), beside: true, max: 100,
            spending: mark(text ?? "challenge of \(name)"), at: now)
    }

    func message(_ name: String, isDecoy: Bool = false, sealed: [UInt8] = [1], at time: UnixTime? = nil)
        -> WaitingMessage
    {
        WaitingMessage(
            id: MessageID(idempotencyKey: name), kind: .code, channel: .email, sealed: sealed, isDecoy: isDecoy,
            createdAt: time ?? now, expiresAt: (time ?? now) + 86_400)
    }
}

extension SignInWays {
    /// Of a server that offers passkeys alone.
    static let passkeys = SignInWays(passwords: false, passkeys: true, reached: [], connections: [])
    /// Of a server that offers messages alone.
    static let messages = SignInWays(passwords: false, passkeys: false, reached: [.email, .phone], connections: [])
    /// Of a server that offers passwords alone.
    static let passwords = SignInWays(passwords: true, passkeys: false, reached: [], connections: [])

    /// Of a server that offers these connections alone.
    static func connections(_ names: Set<String>) -> SignInWays {
        SignInWays(passwords: false, passkeys: false, reached: [], connections: names)
    }
}
