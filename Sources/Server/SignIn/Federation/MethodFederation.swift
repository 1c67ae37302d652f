internal import Foundation
public import KeyturnBase
public import KeyturnWire
public import Model

/// Sign-ins at providers that apps begin by the methods' wire: the app gets an address of ours, the user's browser goes
/// from there to the provider and back, and ends at the app's address with a code that counts once.
public struct MethodFederation: Sendable {
    let federation: FederatedSignIn
    let core: VerificationCore

    var states: FederationStates { federation.states }

    package init(_ federation: FederatedSignIn, core: VerificationCore) {
        self.federation = federation
        self.core = core
    }

    /// Which calls may redeem a code.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// `/v1/auth/oauth/…`
        case social
        /// `/v1/auth/sso/…` and `/v1/auth/saml/…`
        case sso
        /// The pages of an app's flow, which go on with it.
        case flow
    }

    /// What an app asked for, while the user is away.
    public struct Asked: Codable, Hashable, Sendable {
        public let kind: Kind
        /// Where the browser ends; approved when the app asked.
        public let redirectURL: String
        /// For the provider.
        public let loginHint: String?
        /// The login options as JSON.
        let options: String
        /// The session that a step-up continues.
        let presented: String?
        /// The run of a flow that it belongs to; `nil`: none.
        var flow: String?
        /// The digest of the mark of that flow's browser.
        var browser: String?
        /// Whether the flow lets no new user sign up; `nil`: it does.
        var refusesNewUsers: Bool?

        /// Whether an identity that is linked to no user may make one, if the connection makes any.
        public var allowsSignUp: Bool { refusesNewUsers != true }

        /// The app's address with the code in its query.
        public func redirection(code: String) -> String { redirection(FormParameters(["code": code])) }

        /// The app's address with a stable word of ours in its query, which says why there is no code.
        public func redirection(problem word: String) -> String { redirection(FormParameters(["err": word])) }

        private func redirection(_ parameters: FormParameters) -> String {
            let separator = redirectURL.contains("?") ? (redirectURL.hasSuffix("?") ? "" : "&") : "?"
            return redirectURL + separator + parameters.encoded
        }
    }

    /// Who the provider vouched for, until the app fetches its session.
    struct Proof: Codable {
        let asked: Asked
        let user: String
        let epoch: Int64
        let isFirst: Bool
        let isOfTwoFactors: Bool
        /// The identity at the provider.
        var key: FederatedIdentity.Key?
        /// When the user authenticated there; `nil`: it does not say.
        var authenticatedAt: UnixTime?
    }

    private static let codeMark = "code"
    private static let ticketMark = "ticket"

    /// Checks what an app asks for.
    ///
    /// - Parameters:
    ///   - kind: of the call.
    ///   - redirectURL: as the app named it; `nil`: the connection's default, or the project's.
    ///   - options: of the sign-in.
    ///   - presented: the session that step-up and MFA continue.
    ///   - loginHint: for the provider.
    /// - Throws: ``MethodProblem``; the address must be one that links may lead to.
    public func asked(
        _ kind: Kind, redirectURL: String?, options: LoginOptions, presented: PresentedRefresh?, loginHint: String?
    ) throws(MethodProblem) -> Asked {
        guard let wanted = redirectURL ?? core.targets.settings.defaultRedirect else { throw .missing("redirectURL") }
        let target = try target(wanted)
        try Self.check(options, presented)
        if let loginHint, loginHint.utf8.count > Identifier.bytesMax {
            throw .invalidArguments.saying("The login hint is too long")
        }
        return Asked(
            kind: kind, redirectURL: target, loginHint: loginHint,
            options: String(decoding: options.json.serialized, as: UTF8.self),
            presented: options.needsSession ? presented?.grant.id.text : nil)
    }

    static func check(_ options: LoginOptions, _ presented: PresentedRefresh?) throws(MethodProblem) {
        guard !options.needsSession || presented != nil else {
            throw .invalidRequest.saying("Step-up and MFA need the refresh token of a session")
        }
        try SessionClaims.requireSmall(options.customClaims)
    }

    /// The app's address, if links may lead there. This wire answers with `code` or `err`, and has no `state`: one in the
    /// address is the app's own.
    private func target(_ wanted: String) throws(MethodProblem) -> String {
        let base = String(wanted.prefix { $0 != "?" })
        guard !wanted.contains("#"), let query = try? FormParameters(parsing: wanted.dropFirst(base.count).dropFirst()),
            ["code", "err"].allSatisfy({ query.values($0).isEmpty }), query.values("state").count <= 1
        else { throw .invalidArguments.saying("The redirect address has a code, an err or a fragment") }
        var others = FormParameters()
        for parameter in query.all where parameter.name != "state" { others.append(parameter.name, parameter.value) }
        _ = try core.targets.target(others.isEmpty ? base : "\(base)?\(others.encoded)")
        return query.isEmpty ? base : "\(base)?\(query.encoded)"
    }

    /// What the address holds that the app shows to its user: sealed, so that nothing is kept before a browser comes.
    ///
    /// - Parameter isForced: whether the provider must ask the user again.
    public func ticket(_ asked: Asked, at connection: Connection, isForced: Bool) -> String {
        states.seal(
            FederationState(
                connectionID: connection.id, purpose: .method(Self.text(asked)), browser: "",
                protocolState: Self.ticketMark, startedAt: core.ambient.now(), isForced: isForced))
    }

    /// Reads a ticket; `nil` if it is not one, or too old.
    public func opened(_ ticket: String) -> (state: FederationState, asked: Asked)? {
        guard let state = states.open(ticket), state.protocolState == Self.ticketMark,
            case .method(let text) = state.purpose, let asked = Self.asked(in: text)
        else { return nil }
        return (state, asked)
    }

    /// What ``FederationState/Purpose/method(_:)`` holds.
    public static func asked(in text: String) -> Asked? {
        try? JSONDecoder().decode(Asked.self, from: Data(text.utf8))
    }

    /// The provider vouched for the user: a code for the app, 256 bits of which only the digest is kept.
    ///
    /// - Parameters:
    ///   - asked: what the app asked for.
    ///   - account: the user.
    ///   - connection: of the provider.
    ///   - isFirst: whether the user was made just now.
    ///   - profile: what the provider said.
    /// - Returns: where the browser goes.
    public func finishAtRedirect(
        _ asked: Asked, _ account: Account, at connection: Connection, isFirst: Bool, by profile: FederatedProfile
    ) async throws(StoreError) -> String {
        let proof = Proof(
            asked: asked, user: account.user.id.rawValue, epoch: account.user.epoch, isFirst: isFirst,
            isOfTwoFactors: connection.vouchesForTwoFactors(profile, of: account),
            key: profile.key(at: connection.id), authenticatedAt: profile.authenticatedAt)
        let code = states.makeHandle()
        try await states.keep(
            FederationState(
                connectionID: connection.id, purpose: .method(Self.text(proof)), browser: "",
                protocolState: Self.codeMark, startedAt: core.ambient.now()),
            under: code, seconds: Limits.exchangeCodeSeconds)
        return asked.redirection(code: code)
    }

    /// Redeems a code: of any number of concurrent calls one gets what it stands for.
    ///
    /// - Parameters:
    ///   - code: as it came.
    ///   - kind: of the call; a code of the other kind is used up, and refused.
    ///   - shown: the session that the call presented.
    ///   - connection: the enabled connection of an identifier.
    /// - Throws: ``MethodProblem/wrongExchangeCode``, also if the connection was turned off or the user was signed out
    ///   everywhere meanwhile; ``StoreError``.
    public func redeem(
        _ code: Secret, _ kind: Kind, shown: PresentedRefresh?, connection: @Sendable (String) -> Connection?
    ) async throws -> CompletedVerification {
        let (proof, account, connection) = try await taken(code, kind, connection)
        return try await completed(
            proof.asked, account, at: connection, shown: shown, isFirst: proof.isFirst,
            isOfTwoFactors: proof.isOfTwoFactors, by: proof.key, authenticatedAt: proof.authenticatedAt)
    }

    /// What a code stands for; it counts no more.
    func taken(
        _ code: Secret, _ kind: Kind, _ connection: @Sendable (String) -> Connection?
    ) async throws -> (Proof, Account, Connection) {
        guard let state = try await states.take(code.exposed()), state.protocolState == Self.codeMark,
            case .method(let text) = state.purpose,
            let proof = try? JSONDecoder().decode(Proof.self, from: Data(text.utf8)), proof.asked.kind == kind,
            let connection = connection(state.connectionID),
            let account = try await core.stores.users.account(UserID(rawValue: proof.user)),
            account.user.epoch == proof.epoch, account.user.status == .active,
            try await core.stores.identities.opens(
                account.user.id, by: proof.key, since: state.startedAt, at: connection)
        else { throw MethodProblem.wrongExchangeCode }
        return (proof, account, connection)
    }

    /// What the provider's word opens, with the session that a step-up continues.
    ///
    /// - Parameter key: of the identity at the provider.
    func completed(
        _ asked: Asked, _ account: Account, at connection: Connection, shown: PresentedRefresh?, isFirst: Bool,
        isOfTwoFactors: Bool, by key: FederatedIdentity.Key?, authenticatedAt: UnixTime?
    ) async throws -> CompletedVerification {
        var options = (try? LoginOptions(MethodBody(parsing: Array(asked.options.utf8)))) ?? .none
        var presented: PresentedRefresh?
        if let text = asked.presented {
            guard let id = GrantID(text: text),
                let live = try await core.stores.grants.live(id, at: core.ambient.now()),
                live.grant.userID == account.user.id
            else { throw MethodProblem.invalidRequest.saying("The session presented is over, or another user's") }
            presented = PresentedRefresh(account: account, grant: live.grant, isLate: false)
        }
        // Any program may ask for a sign-in at a provider, and says nothing about the user's sessions by that.
        if presented == nil, shown?.grant.userID != account.user.id { options.revokeOtherSessions = false }
        var identity = ProvenIdentity(
            account: account, method: connection.tenantID == nil ? .social : .federated, isFirst: isFirst,
            isOfTwoFactors: isOfTwoFactors, tenantID: connection.tenantID)
        (identity.federated, identity.authenticatedAt) = (key, authenticatedAt)
        return CompletedVerification(
            identity: identity,
            options: options, presented: presented,
            isElsewhere: presented.map { $0.grant.id != shown?.grant.id } ?? false)
    }

    static func text(_ value: some Encodable) -> String {
        guard let data = try? JSONEncoder().encode(value) else { preconditionFailure("plain values") }
        return String(decoding: data, as: UTF8.self)
    }
}
