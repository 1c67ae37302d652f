internal import Foundation
public import KeyturnBase
internal import KeyturnWire
public import Model
public import OAuth

/// Sign-ins at providers in the flow of an app: its web view hands the provider's page to the system's browser, and
/// gets a code back, which goes on with that flow alone.
extension MethodFederation {
    /// Where the browser ends. The app that opened it takes the address; other apps get a code that they cannot use.
    static let flowRedirect = "descopewebauth://redirect"

    /// What the system's browser is opened with.
    ///
    /// - Parameters:
    ///   - loginHint: for the provider; too long a text is left out.
    ///   - allowsSignUp: whether new users may sign up in it.
    public func asked(inFlow flow: AppFlow, loginHint: String?, allowsSignUp: Bool) -> Asked {
        var asked = Asked(
            kind: .flow, redirectURL: Self.flowRedirect,
            loginHint: loginHint.flatMap { $0.utf8.count > Identifier.bytesMax ? nil : $0 },
            options: String(decoding: LoginOptions.none.json.serialized, as: UTF8.self), presented: nil)
        asked.flow = flow.id
        asked.browser = flow.browser
        asked.refusesNewUsers = allowsSignUp ? nil : true
        return asked
    }

    /// What a code stands for.
    public enum Brought: Sendable {
        case user(Vouched)
        /// The user must sign in another way first. The identity waits under this handle, for the flow's browser.
        case pending(handle: String, Connection)
    }

    /// Whom a provider vouched for.
    public struct Vouched: Sendable {
        public let account: Account
        public let connection: Connection
        public let key: FederatedIdentity.Key
        public let isOfTwoFactors: Bool
        /// When the user authenticated at the provider; `nil`: it does not say.
        public let authenticatedAt: UnixTime?
    }

    /// An identity that waits until the user has signed in another way.
    private struct Pending: Codable {
        let flow: String
        let handle: String
    }

    private static let pendingMark = "pending"

    /// The user must sign in another way first: a code for the flow, which goes on with its first page.
    ///
    /// - Parameters:
    ///   - asked: what the flow asked for.
    ///   - profile: what the provider said.
    ///   - connection: of the provider.
    /// - Returns: where the browser goes; `nil` outside of flows.
    public func finishAtRedirect(
        _ asked: Asked, asking profile: FederatedProfile, at connection: Connection
    ) async throws(StoreError) -> String? {
        guard asked.kind == .flow, let flow = asked.flow, let browser = asked.browser else { return nil }
        let handle = try await federation.keepPending(profile, at: connection, browser: browser)
        let code = states.makeHandle()
        try await states.keep(
            FederationState(
                connectionID: connection.id, purpose: .method(Self.text(Pending(flow: flow, handle: handle))),
                browser: "", protocolState: Self.pendingMark, startedAt: core.ambient.now()),
            under: code, seconds: Limits.exchangeCodeSeconds)
        return asked.redirection(code: code)
    }

    /// Redeems the code that the system's browser brought.
    ///
    /// - Throws: ``MethodProblem/wrongExchangeCode``, also if another flow began it: the code counts no more then;
    ///   ``StoreError``.
    public func redeem(
        _ code: Secret, inFlow flow: AppFlow, connection: @Sendable (String) -> Connection?
    ) async throws -> Brought {
        if let state = try await states.peek(code.exposed()), state.protocolState == Self.pendingMark {
            guard try await states.take(code.exposed()) != nil, case .method(let text) = state.purpose,
                let pending = try? JSONDecoder().decode(Pending.self, from: Data(text.utf8)),
                pending.flow == flow.id, let connection = connection(state.connectionID)
            else { throw MethodProblem.wrongExchangeCode }
            return .pending(handle: pending.handle, connection)
        }
        let (proof, account, connection) = try await taken(code, .flow, connection)
        guard proof.asked.flow == flow.id, let key = proof.key else { throw MethodProblem.wrongExchangeCode }
        return .user(
            Vouched(
                account: account, connection: connection, key: key, isOfTwoFactors: proof.isOfTwoFactors,
                authenticatedAt: proof.authenticatedAt))
    }
}
