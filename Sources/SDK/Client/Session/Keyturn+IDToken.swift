public import KeyturnBase

extension Keyturn {
    /// When the signed-in person last proved who they are, if the service says. Restored at start.
    public var authTime: UnixTime? {
        get async { await idToken?.authTime }
    }

    /// The verified ID token of the session. Restored at start; `nil` when no user is signed in.
    public var idToken: IDToken? {
        get async { await keeper.idToken }
    }

    /// What is kept with the session about the signed-in person, such as `sub`, `name` and `email`: what the ID token or
    /// the sign-in's answer said. Empty if the service said nothing; `nil` when no user is signed in.
    public var userClaims: [String: JSONValue]? {
        get async { await keeper.userClaims }
    }

    /// The ID token as it was issued, to be sent along with a sensitive request; the backend verifies it.
    public var idTokenHint: String? {
        get async { await idToken?.compact }
    }

    /// Has the ID token issued anew, with claims as they are now.
    ///
    /// - Throws: `service.unsupported` if the service issues none at refresh; a `token.*` code if the new one is not
    ///   acceptable (the session stays as it is); otherwise as ``accessToken(minimumSeconds:)``.
    @discardableResult
    public func refreshIDToken() async throws(AuthError) -> IDToken {
        try await keeper.refreshIDToken()
    }
}

extension SessionKeeper {
    var idToken: IDToken? { machine.record?.idToken }
    var userClaims: [String: JSONValue]? { machine.record.map { ManagedSession($0).userClaims } }

    /// The ID token of the session, loading it if need be.
    ///
    /// - Throws: `session.signed_out`; `sign_in.cannot_reauthenticate` for a session of a code, a password or another
    ///   method, which has none.
    func requireIDToken() async throws(AuthError) -> IDToken {
        if machine.phase == .unknown { try await load() }
        guard let record = machine.record else { throw AuthError(.signedOut, "nobody is signed in") }
        guard let token = record.idToken else {
            throw AuthError(
                .cannotReauthenticate,
                "a method made this session: have the user sign in with it again, or call reauthenticate first")
        }
        return token
    }
}
