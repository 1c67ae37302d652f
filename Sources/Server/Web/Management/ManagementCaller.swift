internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Who calls the management interface: the holder of one of the project's keys, or an operator.
struct ManagementCaller: Sendable {
    /// By an operator's identifier, or the beginning of the key's digest.
    let actor: Actor
    /// An operator's token; `nil`: the caller has a key.
    fileprivate let shown: ShownAccessToken?

    fileprivate init(key: Secret) {
        actor = Actor("management:\(Base16.encode(SecretDigest(of: key).bytes.prefix(4)))", .managementKey)
        shown = nil
    }

    fileprivate init(_ standing: OperatorStanding, _ shown: ShownAccessToken) {
        actor = Actor(standing.user, .operator(standing))
        self.shown = shown
    }
}

extension Demand {
    static let managementKey = Demand(.managementKey, .error(401, MethodProblem.managementKeyRefused.code.rawValue))
    static let managementCaller = Demand(
        .managementCaller, .error(401, MethodProblem.managementKeyRefused.code.rawValue))
}

extension MethodProblem {
    /// The same answer for a missing and for a wrong key.
    fileprivate static let managementKeyRefused = MethodProblem(
        code: "E011003", description: "The request is invalid",
        message: "The bearer must end with a management key of this project", status: 401)

    fileprivate static func operatorRefused(_ message: String) -> MethodProblem {
        MethodProblem(
            code: .init(rawValue: OAuthProblem.Code.insufficientScope.rawValue),
            description: "The operation is not allowed", message: message, status: 403)
    }
}

extension Checks {
    /// Rows without an act accept only a key, never a user's token.
    func managementKey(_ bearer: ProjectBearerHolder) throws(MethodProblem) -> ManagementCaller {
        guard let shown = bearer.managementKey, isManagementKey(shown) else { throw .managementKeyRefused }
        return ManagementCaller(key: shown)
    }

    /// The operator whose access token the request shows. Only a client of one's own that is registered for the scope
    /// opens anything here, and no token that was exchanged or is held in another's name.
    ///
    /// - Throws: ``Refused`` for a sign-in that does not suffice (RFC 9470 §3), with what would; ``OAuthProblem`` for
    ///   the token's proof; ``MethodProblem``; ``StoreError``.
    func managingOperator(
        _ shown: ShownAccessToken, _ request: Request, _ act: Act
    ) async throws -> ManagementCaller {
        guard let holder = try await personalHolder(shown, request, at: request.target.path) else {
            throw MethodProblem.managementKeyRefused.saying("The access token is not good, or no longer")
        }
        try gate.requireUnrestricted(holder.token)
        guard holder.token.scope.contains(Scope.management), holder.token.actor == nil, holder.token.ancestors.isEmpty,
            let client = services.clients.client(holder.token.clientID), client.isFirstParty,
            client.scope?.contains(Scope.management) == true
        else {
            throw MethodProblem.operatorRefused(
                "The access token is not for the management interface: sign in with the scope \(Scope.management)")
        }
        let demand = RuleTable.demand(onOperatorsFor: act)
        let user = holder.live.user.id
        guard let role = try await services.stores.consoleOperators.role(of: user), role >= demand.role else {
            throw MethodProblem(demand.role == .owner ? .missing(.owner) : .refused(.role(demand.role)))
        }
        let facts = holder.live.grant.authentication
        guard isStrong(facts, within: demand.isRecent ? Limits.sensitiveSeconds : Limits.consoleSeconds) else {
            throw challenge(shown, isRecent: demand.isRecent)
        }
        let standing = OperatorStanding(
            user: user.rawValue, role: role, isRecent: isStrong(facts, within: Limits.sensitiveSeconds),
            actingRoles: ActingPermissions.roles(services.directory))
        return ManagementCaller(standing, shown)
    }

    /// The answer to what the rulebook misses: a sign-in that is too old is asked for again (RFC 9470 §3).
    func refusal(_ denial: Denial, to caller: ManagementCaller) -> any Error {
        if denial == .missing(.recentSignIn), let shown = caller.shown { return challenge(shown, isRecent: true) }
        return MethodProblem(denial)
    }

    /// Several factors or a passkey, as the console demands it; no provider's word for them.
    private func isStrong(_ facts: AuthenticationFacts, within seconds: Int64) -> Bool {
        facts.areStrong && !facts.isOfProvider && !facts.isOfApproval
            && services.ambient.now() < facts.time + seconds
    }

    /// - Parameter isRecent: whether the sign-in must be one of the last minutes, not only of the last hours.
    private func challenge(_ shown: ShownAccessToken, isRecent: Bool) -> Refused {
        let seconds = isRecent ? Limits.sensitiveSeconds : Limits.consoleSeconds
        let text = "This needs a sign-in with a second factor or a passkey, at most \(seconds / 60) minutes ago"
        let code = OAuthProblem.Code.insufficientUserAuthentication
        var response = Response.problem(
            MethodProblem(code: .init(rawValue: code.rawValue), description: text, message: text, status: 401))
        let challenge = gate.challenge(OAuthProblem(code, text), shown)[.wwwAuthenticate] ?? ""
        response.headers[.wwwAuthenticate] =
            "\(challenge), acr_values=\"\(AuthenticationFacts.severalFactorsClass)\", max_age=\"\(seconds)\""
        return Refused(response)
    }
}
