public import KeyturnBase
internal import KeyturnVerify
public import KeyturnWire

extension Keyturn {
    /// One sign-in for all apps of a vendor on this device, see ``Service/sharingSignIn(in:)``.
    public var nativeSSO: NativeSSO { NativeSSO(container: self) }
}

/// One sign-in for all apps of a vendor on a device (OpenID Connect Native SSO for Mobile Apps 1.0 §4).
public struct NativeSSO: Sendable {
    let container: Keyturn

    /// The user whom another app of the group has signed in, for a button that names them; `nil`: there is none.
    ///
    /// The token is as that app received it, and may have expired. Whether the session still stands, the server says at
    /// ``signIn(scope:)``.
    ///
    /// - Throws: `configuration.invalid` without ``Service/sharingSignIn(in:)``; `store.unavailable`.
    public func user() async throws(AuthError) -> IDToken? {
        try await place().read()?.idToken
    }

    /// Signs in the user whom another app of the group has signed in, without a page.
    ///
    /// The session is this app's own. It ends with that of the app that signed in first, and at the latest when that one
    /// would. If the server refuses because that session is over, it is taken out of the group.
    ///
    /// - Parameter scope: What to ask for; `nil`: the service's default.
    /// - Throws: `session.signed_out` if no app has signed a user in, its session is over, or this app has signed out
    ///   meanwhile; `server.refused` with
    ///   `interaction_required` if this app wants more proof than that sign-in had: call ``Keyturn/authorize(_:)``;
    ///   `session.device_key_lost` if the key of the group is gone; a `token.*` code; `transport.unavailable`;
    ///   `store.unavailable`; `configuration.invalid`.
    @discardableResult
    public func signIn(scope: Scope? = nil) async throws(AuthError) -> SignInResult {
        let place = try place()
        guard let shared = try await place.read() else { throw Self.nothingShared() }
        let before = await container.keeper.timesGivenUp
        try await container.keeper.checkStore()
        let provider = container.provider
        let asked = try PendingAuthorization.scope(scope, container.service, try await provider.metadata())
        let grant: TokenGrant
        let idToken: IDToken
        do throws(AuthError) {
            (grant, idToken) = try await provider.exchange(shared, scope: asked)
        } catch {
            guard error.server?.code == OAuthProblem.Code.invalidGrant.rawValue else { throw error }
            try? await place.remove(shared)
            throw Self.nothingShared(error)
        }
        let record = try await container.keeper.establish(
            grant, idToken: idToken, asked: asked, since: before)
        return try await container.result(of: record, idToken: idToken, state: nil, begins: true)
    }

    private func place() throws(AuthError) -> SharedSessionPlace {
        guard let place = container.service.sharedSessions(container.ambient) else {
            throw AuthError(.misconfigured, "name the place that the apps share: service.sharingSignIn(in:)")
        }
        return place
    }

    private static func nothingShared(_ cause: AuthError? = nil) -> AuthError {
        AuthError(
            .signedOut, "no app of the group has a sign-in to share: call authorize", cause: cause,
            server: cause?.server)
    }
}

extension Service {
    /// Where the keys lie that sessions are bound to: in the group's place if there is one, and in the container's own,
    /// where those of sessions are that began before.
    func keyPlaces(_ own: DPoPProofMaker.Place, _ ambient: Ambient) -> [DPoPProofMaker.Place] {
        guard let group = sharedSignIn else { return [own] }
        let store = group.storage.makeStore(ambient: ambient)
        let keys = group.deviceKeys ?? PlatformDeviceKeys.make(store: store, ambient: ambient)
        return [DPoPProofMaker.Place(keys: keys, name: group.name(issuer)), own]
    }
}
