internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify
internal import KeyturnWire

/// The key that a user without an account is known by (Authgear's anonymous request).
///
/// The key comes first and the mark that the service knows it afterwards. A program that ends in between leaves a key
/// without a mark: it is shown to the service as a new one once more, which then knows it.
struct AnonymousKey: Sendable {
    let provider: OpenIDProvider
    let keys: any DeviceKeys
    let store: any SessionStore
    let container: String

    private var client: SessionRecord.Client { SessionRecord.Client(provider.service) }
    /// What the device knows the key by.
    private var name: String { container + "/anonymous" }
    /// Where the mark lies.
    private var place: String { container + "/anonymous-user" }

    private static let generation = Generation(signIn: "anonymous user", number: 1)

    /// The mark: whose user it is.
    private var mark: StoredRecord {
        let contents = JSONWriter.object { json in
            json.member("version", Int64(1))
            json.member("issuer", client.issuer)
            json.member("client_id", client.clientID)
        }
        return StoredRecord(generation: Self.generation, contents: contents)
    }

    /// Whether the service knows the container's key.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now.
    func isKnown() async throws(AuthError) -> Bool {
        switch await store.read(place) {
        case .unavailable(let error): throw error
        case .absent: return false
        case .found(let record): guard record.contents == mark.contents else { return false }
        }
        switch await keys.key(name) {
        case .found: return true
        case .absent: return false
        case .unavailable(let error): throw error
        }
    }

    /// The tokens of the key's user, who is made if the service does not know the key, and what they are good for.
    func signIn() async throws(AuthError) -> (TokenGrant, IDToken, Scope) {
        let isKnown = try await isKnown()
        let scope = AuthgearWire.anonymousScope
        for isLast in [false, true] {
            let request = try await signed(.authenticate, isNew: !isKnown)
            var form = FormParameters(["grant_type": GrantType.anonymousRequest.rawValue])
            form.append(BiometricNames.jwt, request.jwt)
            do throws(AuthError) {
                let grant = try await provider.tokens(
                    form, key: try await provider.bindingKey(), bindsAccessToken: provider.service.binding == .allTokens
                )
                guard let compact = grant.idToken else {
                    throw AuthError(.protocolViolation, "the token answer has no ID token (Core §3.1.3.3)")
                }
                let verified = try await provider.idTokenVerifier().verify(
                    compact, nonce: nil, accessToken: grant.accessToken, maxAgeSeconds: nil, at: provider.clock.now())
                // Without it the key is shown as a new one the next time, which does no harm.
                _ = try? await store.write(mark, for: place, when: .always)
                return (grant, IDToken(compact: compact, verified: verified), scope)
            } catch {
                guard error.saysInvalidCredentials else { throw error }
                guard request.wasInTime(by: provider.clock, provider.ambient) else {
                    guard provider.clock.isKnown, !isLast else { throw error }
                    continue
                }
                guard isKnown else { throw error }
                try await forget()
                throw AuthError(
                    .anonymousUserNotFound, "the service does not know the user any more", cause: error,
                    server: error.server)
            }
        }
        throw AuthError(.protocolViolation, "the service never took a request that was in time")
    }

    /// A request to give the key's user an account.
    ///
    /// - Throws: `anonymous.user_not_found` if there is none.
    func promotion() async throws(AuthError) -> String {
        guard try await isKnown() else {
            throw AuthError(.anonymousUserNotFound, "this container has no user without an account")
        }
        return try await signed(.promote, isNew: false).jwt
    }

    /// Removes mark and key if there is a mark: nothing is kept of a user who signs out.
    func forgetIfAny() async {
        if case .absent = await store.read(place) { return }
        try? await forget()
    }

    /// Removes the mark, and then the key.
    ///
    /// - Throws: `store.unavailable`; there may be something left.
    func forget() async throws(AuthError) {
        _ = try await store.remove(place, when: .always)
        try await keys.removeKey(name)
    }

    private func signed(_ action: AnonymousAction, isNew: Bool) async throws(AuthError) -> SignedKeyRequest {
        let key = isNew ? try await keys.makeKey(name) : try await existing()
        return try await SignedKeyRequest(action, DPoPProofMaker.named(key), isNew: isNew, at: provider)
    }

    private func existing() async throws(AuthError) -> any DeviceKey {
        switch await keys.key(name) {
        case .found(let key): return key
        case .absent: throw AuthError(.anonymousUserNotFound, "the key of the user is gone from this device")
        case .unavailable(let error): throw error
        }
    }
}
