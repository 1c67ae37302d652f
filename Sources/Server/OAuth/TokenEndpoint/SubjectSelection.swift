internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The subject of a client's token, if the request names it: the client must be allowed to act for it.
struct SubjectSelection: Sendable {
    let stores: Stores
    let directory: AccessDirectory

    /// - Throws: `invalid_grant`, the same for a user who does not exist and one the client may not act for;
    ///   ``StoreError``.
    func subject(_ selected: BoxSubject?, client: Client) async throws -> ServiceSubject {
        guard let selected else { return .client(tenant: nil) }
        let refusal = OAuthProblem(
            .invalidGrant, "the client may not act for that subject: see may_impersonate in its registration")
        switch selected.type {
        case .enterprise:
            guard client.mayActIn(tenant: selected.id), directory.tenant(selected.id) != nil else { throw refusal }
            return .client(tenant: selected.id)
        case .user:
            guard !client.mayImpersonate.isEmpty,
                let account = try await stores.users.account(UserID(rawValue: selected.id)),
                account.user.status == .active, client.mayActFor(account)
            else { throw refusal }
            return .user(account.user.id, epoch: account.user.epoch)
        }
    }

    /// Reads `box_subject_type` and `box_subject_id`.
    ///
    /// - Throws: `invalid_request` for one without the other, or a type that does not exist.
    static func selected(_ form: FormParameters) throws(OAuthProblem) -> BoxSubject? {
        let type = form.single("box_subject_type")
        let id = form.single("box_subject_id")
        guard type != nil || id != nil else { return nil }
        guard let kind = type.flatMap(BoxSubject.Kind.init(rawValue:)), let id else {
            throw OAuthProblem(
                .invalidRequest, "box_subject_type is enterprise or user, and box_subject_id says which one")
        }
        return BoxSubject(type: kind, id: id)
    }
}

extension TokenEndpoint {
    /// The response to a client that asks in its own name, however it authenticated.
    func serviceTokens(
        _ form: FormParameters, for subject: ServiceSubject, client: Client, binding: TokenBinding, at now: UnixTime
    ) throws(OAuthProblem) -> TokenResponse {
        let scope = try serviceScope(form.single("scope"), for: subject, client: client)
        let resources = try issuer.project.checkedResources(form.values("resource"))
        let key = binding.accessTokenKey(wantsBearer: binding.declines)
        let accessToken = try issuer.accessToken(
            subject, clientID: client.id, scope: scope, resources: resources, keyThumbprint: key, at: now)
        return TokenResponse(
            accessToken: accessToken, tokenType: key == nil ? TokenType.bearer : TokenType.dpop,
            expiresInSeconds: issuer.project.accessTokenSeconds, scope: scope.text)
    }

    /// The requested scope out of the registered one. Scopes about a user mean nothing in a client's own token, since
    /// no user signed in.
    private func serviceScope(
        _ asked: String?, for subject: ServiceSubject, client: Client
    ) throws(OAuthProblem) -> Scope {
        let meaningless: [String]
        let registered: Scope
        switch subject {
        case .client:
            meaningless = Scope.standard
            registered = client.scope ?? .none
        case .user:
            meaningless = [Scope.openID, Scope.offlineAccess]
            registered = client.permittedScope
        }
        let usable = registered.without(meaningless)
        guard let asked else { return usable }
        let wanted = try Scope(asked: asked).without(meaningless)
        guard wanted.isSubset(of: usable) else {
            throw OAuthProblem(.invalidScope, "the client is not registered for every scope that it asked for")
        }
        return wanted
    }
}

extension Scope {
    fileprivate func without(_ left: [String]) -> Scope {
        names.contains(where: left.contains) ? Scope(names: names.filter { !left.contains($0) }) : self
    }
}
