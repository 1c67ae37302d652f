public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Users without an account, who may get one later.
    public var anonymous: AnonymousMethods { AnonymousMethods(auth: self) }
}

/// Users without an account, at Keyturn and Authgear: a key on this device is all that they are known by. Reached as
/// ``Keyturn/anonymous``. A Keyturn server offers it to clients that are registered for the grant type
/// `urn:authgear:params:oauth:grant-type:anonymous-request`.
///
/// One key a container. It outlives a session that ends by itself, so that the same user signs in again, and goes with
/// ``Keyturn/logout(force:)``: what the user had is then out of reach.
public struct AnonymousMethods: Sendable {
    let auth: Keyturn

    /// Signs in the user whom this container's key stands for, or a new one, without a page.
    ///
    /// A new session begins, in the place of the one there was, and a key for fingerprint or face is removed, as with any
    /// sign-in. When this returns, the session is durable.
    ///
    /// - Throws: `anonymous.user_not_found` if the service does not know the key any more: it is then removed, and another
    ///   call makes a new user; `service.unsupported`; `server.refused`; `transport.unavailable`; a `token.*` code if the
    ///   ID token is not acceptable; `store.unavailable`.
    @discardableResult
    public func signIn() async throws(AuthError) -> SignInResult {
        let key = try anonymousKey()
        try await auth.keeper.checkStore()
        return try await auth.pendingSignIns.during { () async throws(AuthError) in
            let (grant, idToken, scope) = try await key.signIn()
            let record = try await auth.keeper.establish(grant, idToken: idToken, asked: scope)
            return try await auth.result(of: record, idToken: idToken, state: nil, begins: true)
        }
    }

    /// Whether there is a user to promote, or to sign in again. Asks no network.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now.
    public func hasUser() async throws(AuthError) -> Bool {
        guard auth.service.wire.hasAnonymousUsers else { return false }
        return try await anonymousKey().isKnown()
    }

    /// Gives the user an account: shows the sign-in page, on which they choose how they sign in from then on.
    ///
    /// What the user had stays theirs. A new session begins, and the key is removed. A user who signs up keeps their
    /// subject. One who signs in to an account that exists has that account's from then on, and a Keyturn server asks them
    /// on a page what becomes of what they had.
    ///
    /// - Parameter options: As for ``Keyturn/authorize(_:)``. `prompt` is `login`, and `loginHint` says who the user is:
    ///   what the caller sets there does not count.
    /// - Throws: `anonymous.user_not_found` if there is no such user in this container; `service.unsupported`; otherwise as
    ///   ``Keyturn/authorize(_:)``, and the user is what they were.
    @discardableResult
    public func promote(_ options: SignInOptions) async throws(AuthError) -> SignInResult {
        let key = try anonymousKey()
        try await auth.keeper.checkStore()
        var asked = options
        asked.prompt = [.login]
        asked.loginHint = AuthgearNames.loginHint([("type", "anonymous"), ("jwt", try await key.promotion())])
        let result = try await auth.authorizeInBrowser(asked, purpose: .signIn)
        // The service has forgotten the key; what stays here is of no use.
        try? await key.forget()
        return result
    }

    private func anonymousKey() throws(AuthError) -> AnonymousKey {
        guard auth.service.wire.hasAnonymousUsers else {
            throw AuthError(
                .unsupported, "the service \(auth.service.kind.rawValue) has no users without an account")
        }
        return AnonymousKey(
            provider: auth.provider, keys: auth.deviceKeys, store: auth.biometricMemory.store, container: auth.name)
    }
}

extension AuthError.Code {
    /// This container has no user without an account, or the service knows it no more.
    public static let anonymousUserNotFound = Self(rawValue: "anonymous.user_not_found")
}
