internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// Who calls the management interface: the holder of one of the project's keys, or an operator.
struct ManagementCaller: Sendable {
    /// As audit events name them: an operator's identifier, or the beginning of the key's digest.
    let actor: String

    fileprivate init(key: Secret) {
        actor = "management:\(Base16.encode(SecretDigest(of: key).bytes.prefix(4)))"
    }

    fileprivate init(_ user: UserID) {
        actor = user.rawValue
    }
}

/// Which operators may call a row of the management interface with their own access token: as the console's page that
/// does the same.
struct OperatorAccess: Hashable, Sendable {
    /// The lowest role.
    let role: ConsoleRole
    /// Whether the sign-in must be one of the last ``Limits/sensitiveSeconds``.
    let isRecent: Bool
    /// Whether the row changes the user in its body, who must not have as much to say as the operator.
    var changesUser = false

    static let viewer = OperatorAccess(role: .viewer, isRecent: false)
    static let support = OperatorAccess(role: .support, isRecent: false)

    static func recent(_ role: ConsoleRole) -> OperatorAccess { OperatorAccess(role: role, isRecent: true) }

    /// The same for a row that changes a user.
    var changingUser: OperatorAccess { OperatorAccess(role: role, isRecent: isRecent, changesUser: true) }
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
    /// Rows without ``OperatorAccess`` accept only a key, never a user's token.
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
        _ shown: ShownAccessToken, _ request: Request, _ body: MethodBody, _ access: OperatorAccess
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
        let user = holder.live.user.id
        guard let role = try await services.stores.consoleOperators.role(of: user), role >= access.role else {
            throw MethodProblem.operatorRefused("This needs the role \(access.role.rawValue)")
        }
        try requireSignIn(holder.live.grant.authentication, shown, isRecent: access.isRecent)
        if access.changesUser { try await requireLower(body, than: role) }
        return ManagementCaller(user)
    }

    /// Several factors or a passkey within the last hours, as the console demands it; within the last minutes for what
    /// hurts.
    private func requireSignIn(_ facts: AuthenticationFacts, _ shown: ShownAccessToken, isRecent: Bool) throws {
        let seconds = isRecent ? Limits.sensitiveSeconds : Limits.consoleSeconds
        guard facts.areStrong, !facts.isOfApproval, services.ambient.now() < facts.time + seconds else {
            let text = "This needs a sign-in with a second factor or a passkey, at most \(seconds / 60) minutes ago"
            let code = OAuthProblem.Code.insufficientUserAuthentication
            var response = Response.problem(
                MethodProblem(code: .init(rawValue: code.rawValue), description: text, message: text, status: 401))
            let challenge = gate.challenge(OAuthProblem(code, text), shown)[.wwwAuthenticate] ?? ""
            response.headers[.wwwAuthenticate] =
                "\(challenge), acr_values=\"\(AuthenticationFacts.severalFactorsClass)\", max_age=\"\(seconds)\""
            throw Refused(response)
        }
    }

    /// Every user that the body names has less to say than `role`, so that a helper cannot take over an owner's account.
    /// Each name counts: which of them a row reads is its own affair.
    private func requireLower(_ body: MethodBody, than role: ConsoleRole) async throws {
        for id in ["userId", "otherUserId"] {
            guard let id = try body.text(id) else { continue }
            try await requireLower(try await services.managedUsers.find(userID: id, loginID: nil), than: role)
        }
        for name in ["loginId", "otherLoginId"] {
            guard let name = try body.text(name) else { continue }
            try await requireLower(try await services.managedUsers.find(name), than: role)
        }
    }

    private func requireLower(_ account: Account, than role: ConsoleRole) async throws {
        guard try await services.managedOperators.mayChange(account.user.id, with: role) else {
            throw MethodProblem.operatorRefused("The user is an operator with as much to say as you")
        }
    }
}
