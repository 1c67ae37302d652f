internal import KeyturnBase
public import KeyturnWire
public import Model

/// Sign-in with a provider's own sheet or library: the app gets a nonce, and brings the provider's ID token with it.
extension MethodFederation {
    private static let nativeMark = "native:"

    /// A sign-in with a sheet or library that is under way.
    public struct Native: Sendable {
        let handle: String
        let asked: Asked
        /// What the ID token must carry.
        public let nonce: String
        let startedAt: UnixTime

        /// What the provider said, with its time. The token carries the nonce, so it is no older than this sign-in,
        /// although the provider's clock may be slow.
        public func dated(_ profile: FederatedProfile) -> FederatedProfile {
            var profile = profile
            profile.issuedAt = max(profile.issuedAt ?? startedAt, startedAt)
            return profile
        }
    }

    /// Begins one.
    ///
    /// - Parameter flow: the run of a flow that it belongs to; `nil`: the methods' calls finish it.
    /// - Returns: the handle to finish with, and the nonce; both count once, for ``Limits/federationSeconds``.
    /// - Throws: ``MethodProblem``; ``StoreError``.
    public func startNative(
        _ options: LoginOptions, presented: PresentedRefresh?, at connection: Connection, inFlow flow: String? = nil
    ) async throws -> (stateID: String, nonce: String) {
        try Self.check(options, presented)
        let asked = Asked(
            kind: flow == nil ? .social : .flow, redirectURL: "", loginHint: nil,
            options: String(decoding: options.json.serialized, as: UTF8.self),
            presented: options.needsSession ? presented?.grant.id.text : nil, flow: flow)
        let (handle, nonce) = (states.makeHandle(), states.makeHandle())
        try await states.keep(
            FederationState(
                connectionID: connection.id, purpose: .method(Self.text(asked)), browser: "",
                protocolState: Self.nativeMark + nonce, startedAt: core.ambient.now()),
            under: handle)
        return (handle, nonce)
    }

    /// The sign-in of a handle; it stays, so that the app can try again when the provider's keys did not come.
    ///
    /// - Parameter flow: the run of a flow that it belongs to; `nil`: none.
    /// - Throws: ``MethodProblem/wrongExchangeCode`` if it is over, or was begun elsewhere.
    public func native(
        _ stateID: String, at connection: Connection, inFlow flow: String? = nil
    ) async throws -> Native {
        guard let state = try await states.peek(stateID), state.connectionID == connection.id,
            state.protocolState.hasPrefix(Self.nativeMark), case .method(let text) = state.purpose,
            let asked = Self.asked(in: text), asked.flow == flow
        else { throw MethodProblem.wrongExchangeCode }
        return Native(
            handle: stateID, asked: asked, nonce: String(state.protocolState.dropFirst(Self.nativeMark.count)),
            startedAt: state.startedAt)
    }

    /// Ends a sign-in, whatever came of it: of any number of concurrent calls one goes on.
    ///
    /// - Throws: ``MethodProblem/wrongExchangeCode``; ``StoreError``.
    public func spend(_ native: Native) async throws {
        guard try await states.take(native.handle) != nil else { throw MethodProblem.wrongExchangeCode }
    }

    /// What the provider's word opens.
    public func finish(
        _ native: Native, _ account: Account, at connection: Connection, shown: PresentedRefresh?, isFirst: Bool,
        by profile: FederatedProfile
    ) async throws -> CompletedVerification {
        try await completed(
            native.asked, account, at: connection, shown: shown, isFirst: isFirst,
            isOfTwoFactors: connection.vouchesForTwoFactors(profile, of: account),
            by: profile.key(at: connection.id), authenticatedAt: profile.authenticatedAt)
    }
}
