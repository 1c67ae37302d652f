public import KeyturnBase
public import KeyturnVerify
public import KeyturnWire

/// The backend's half of passkeys with tokens: redeems what apps bring home, and looks after credentials.
///
/// For servers alone: it holds the secret key. One value serves all requests.
///
/// ```swift
/// let passkeys = try PasskeyBackend(secretKey: "secret_…")
/// // A user who is signed in already has made a passkey in the app:
/// let credential = try await passkeys.attachRegistration(token, userID: "42", username: "andy@example.com")
/// // A user wants to sign in:
/// let user = try await passkeys.verifyAuthToken(token)
/// startSession(of: user.userID)
/// ```
public struct PasskeyBackend: Sendable {
    private let endpoint: PasskeyEndpoint
    private let onWarning: (@Sendable (PasskeyServiceError) -> Void)?

    /// - Parameters:
    ///   - secretKey: `secret_…`.
    ///   - host: Where the service is; `nil`: the vendor's. Plain `http` only for loopback addresses.
    ///   - transport: Carries the requests; `nil`: a URL session of its own. Servers bring their own HTTP client: one
    ///     that keeps connections open.
    ///   - ambient: Clock.
    ///   - onWarning: Gets what the service says although a call succeeded, such as that the key is being replaced. For
    ///     your log.
    /// - Throws: `configuration.invalid` if the key is none.
    public init(
        secretKey: String, host: String? = nil, transport: (any HTTPTransport)? = nil, ambient: Ambient = .live,
        onWarning: (@Sendable (PasskeyServiceError) -> Void)? = nil
    ) throws(AuthError) {
        self.onWarning = onWarning
        let key = PasskeyKey.secret(Secret(secretKey))
        guard key.isWellFormed else {
            throw AuthError(.misconfigured, "a secret key begins with \(PasskeyKey.secretPrefix) and has no spaces")
        }
        endpoint = PasskeyEndpoint(
            baseURL: host ?? Service.snapAuthHost, key: key, transport: transport ?? URLSessionTransport(),
            ambient: ambient)
    }

    /// With the key that the environment variable `SNAPAUTH_SECRET_KEY` holds.
    ///
    /// - Parameters:
    ///   - environment: The process's, such as `ProcessInfo.processInfo.environment`.
    ///   - host: Where the service is; `nil`: the vendor's.
    ///   - transport: Carries the requests; `nil`: a URL session of its own.
    ///   - ambient: Clock and randomness.
    ///   - onWarning: Told what the service warns of, although all went well.
    /// - Throws: `configuration.invalid` if the variable is missing or holds no key.
    public init(
        environment: [String: String], host: String? = nil, transport: (any HTTPTransport)? = nil,
        ambient: Ambient = .live, onWarning: (@Sendable (PasskeyServiceError) -> Void)? = nil
    ) throws(AuthError) {
        guard let key = environment["SNAPAUTH_SECRET_KEY"], !key.isEmpty else {
            throw AuthError(.misconfigured, "pass a secret key, or set SNAPAUTH_SECRET_KEY")
        }
        try self.init(secretKey: key, host: host, transport: transport, ambient: ambient, onWarning: onWarning)
    }

    /// Binds the credential of a registration to a user, whom the service makes on first use. From then on it can be
    /// used.
    ///
    /// Make sure first who is there: the holder of a credential that is attached to an account can sign in to it.
    ///
    /// - Parameters:
    ///   - token: What ``PasskeyMethods/startRegister(username:displayName:authenticators:)`` gave the app.
    ///   - userID: Your own, stable identifier; 1 to 255 characters. Comes back from ``verifyAuthToken(_:)``.
    ///   - username: What the person types to sign in; the service keeps a digest of it. 1 to 255 characters.
    /// - Throws: `argument.invalid`; `server.refused` with `TokenExpired`, `TokenNotFound`, `UsernameCannotChange`,
    ///   `UsernameInUseByDifferentAccount` and others, see ``KeyturnBase/AuthError/passkey``; `transport.unavailable`;
    ///   `protocol.violation`.
    public func attachRegistration(
        _ token: String, userID: String, username: String? = nil
    ) async throws(AuthError) -> PasskeyCredential {
        try Self.check(PasskeyUser.id(userID))
        if let username { try Self.check(PasskeyUser.username(username)) }
        let request = CredentialCreateRequest(token: try Self.token(token), userID: userID, username: username)
        return try await post(.credentialCreate, request)
    }

    /// Who authenticated. Works once for each token.
    ///
    /// - Parameter token: What ``PasskeyMethods/startAuth(_:authenticators:)`` gave the app.
    /// - Throws: as ``attachRegistration(_:userID:username:)``.
    public func verifyAuthToken(_ token: String) async throws(AuthError) -> VerifiedPasskeyUser {
        try await post(.authVerify, AuthVerifyRequest(token: try Self.token(token)))
    }

    /// A user's credentials, the newest first. A Keyturn server has this and what follows; other services may not.
    ///
    /// - Throws: as ``attachRegistration(_:userID:username:)``.
    public func credentials(of user: PasskeyUser) async throws(AuthError) -> [PasskeyCredential] {
        try await credentialList(of: user).credentials
    }

    /// A user's credentials, the newest first, and what to tell the user's devices about them: pass
    /// `signals` on to the page or the app after a removal or a rename.
    ///
    /// - Throws: as ``attachRegistration(_:userID:username:)``.
    public func credentialList(of user: PasskeyUser) async throws(AuthError) -> PasskeyCredentialList {
        try Self.check(user)
        return try await post(.credentialList, CredentialListRequest(user: user), as: PasskeyCredentialList.self)
    }

    /// Gives a credential the name that people see in a list.
    ///
    /// - Parameters:
    ///   - id: The service's identifier, such as `ctl_…`.
    ///   - name: 1 to 255 characters.
    /// - Throws: as ``attachRegistration(_:userID:username:)``.
    @discardableResult
    public func rename(credential id: String, to name: String) async throws(AuthError) -> PasskeyCredential {
        guard PasskeyLimits.nameCharacters.contains(name.unicodeScalars.count) else {
            throw PasskeyMethods.invalid("a name has 1 to 255 characters")
        }
        return try await post(.credentialUpdate, CredentialUpdateRequest(id: try Self.identifier(id), name: name))
    }

    /// Keeps a credential from being used, until ``activate(credential:)``.
    ///
    /// - Throws: as ``attachRegistration(_:userID:username:)``.
    @discardableResult
    public func deactivate(credential id: String) async throws(AuthError) -> PasskeyCredential {
        try await post(.credentialUpdate, CredentialUpdateRequest(id: try Self.identifier(id), isActive: false))
    }

    /// Lets a credential be used again.
    ///
    /// - Throws: as ``attachRegistration(_:userID:username:)``.
    @discardableResult
    public func activate(credential id: String) async throws(AuthError) -> PasskeyCredential {
        try await post(.credentialUpdate, CredentialUpdateRequest(id: try Self.identifier(id), isActive: true))
    }

    /// Deletes a credential. The person's device keeps its half, and should be told to forget it.
    ///
    /// - Throws: as ``attachRegistration(_:userID:username:)``.
    public func delete(credential id: String) async throws(AuthError) {
        _ = try await post(
            .credentialDelete, CredentialDeleteRequest(id: try Self.identifier(id)), as: Nothing.self)
    }

    /// Brings credentials along that were registered with another service, for the same domain: all of them, or none.
    /// Those who have them sign in from then on, without noticing.
    ///
    /// - Parameter credentials: 1 to 100.
    /// - Returns: The credentials as the service keeps them, in the same order.
    /// - Throws: as ``attachRegistration(_:userID:username:)``; `server.refused` with `CredentialAlreadyRegistered` for
    ///   one that is there already. The message names the first that is wrong by its place.
    @discardableResult
    public func importCredentials(_ credentials: [ImportedPasskey]) async throws(AuthError) -> [PasskeyCredential] {
        guard PasskeyLimits.importedCredentials.contains(credentials.count) else {
            throw PasskeyMethods.invalid("1 to 100 credentials come in one call")
        }
        for each in credentials {
            try Self.check(PasskeyUser.id(each.userID))
            if let username = each.username { try Self.check(PasskeyUser.username(username)) }
        }
        return try await post(
            .credentialImport, CredentialImportRequest(credentials: credentials), as: PasskeyCredentialList.self
        ).credentials
    }

    private func post<Message: PasskeyMessage>(
        _ route: PasskeyRoute, _ request: some PasskeyMessage, as type: Message.Type = Message.self
    ) async throws(AuthError) -> Message {
        let reply = try await endpoint.post(route, request, as: type)
        if let onWarning { reply.warnings.forEach(onWarning) }
        return reply.message
    }

    /// A result that is not looked into.
    private struct Nothing: PasskeyMessage {
        init(json: JSONValue) throws(PasskeyMessageProblem) {}
        var json: JSONValue { [:] }
    }

    private static func check(_ user: PasskeyUser) throws(AuthError) {
        guard user.isWithinBounds else { throw PasskeyMethods.invalid("an id or username has 1 to 255 characters") }
    }

    private static func token(_ text: String) throws(AuthError) -> Secret {
        guard PasskeyLimits.tokenCharacters.contains(text.unicodeScalars.count) else {
            throw PasskeyMethods.invalid("a token is missing or too long")
        }
        return Secret(text)
    }

    private static func identifier(_ text: String) throws(AuthError) -> String {
        guard PasskeyLimits.tokenCharacters.contains(text.unicodeScalars.count) else {
            throw PasskeyMethods.invalid("a credential's identifier is missing or too long")
        }
        return text
    }
}

extension PasskeyBackend: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the key.
    public var description: String { "PasskeyBackend" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
