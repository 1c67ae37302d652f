public import KeyturnBase
internal import KeyturnWire
public import Model

/// Tells clients about users: reads what ``ClaimRules`` needs, and takes out what no client may take for a user's name.
///
/// It judges each time by what the operator allows and the user agreed to now, not by what held when the user signed in.
public struct ClaimRelease: Sendable {
    private let stores: Stores

    public init(stores: Stores) {
        self.stores = stores
    }

    /// UserInfo's answer (OpenID Connect Core §5.3.2, §5.4): the subject, the claims of the token's scopes, and those
    /// that the client has by name. One statement more for each fact that is needed: the consent, the account, and
    /// whether a name is another user's login ID.
    ///
    /// - Parameters:
    ///   - client: which the token was issued to.
    ///   - token: as it counts now. One that was exchanged tells its scopes alone: it was made to allow less.
    ///   - more: claims beside those.
    public func userInfo(
        _ live: LiveGrant, to client: Client, by token: PresentedAccessToken, adding more: Set<String> = []
    ) async throws(StoreError) -> [String: JSONValue] {
        var names = StandardClaims.claims(forScopes: token.scope).union(more)
        if token.ancestors.isEmpty, token.clientID == live.grant.clientID {
            names.formUnion(try await named(of: live.grant, in: .userInfo, to: client, scope: token.scope))
        }
        var answer = try await told(names, of: live.user, to: client)
        answer["sub"] = .string(live.user.id.rawValue)
        return answer
    }

    /// Claims about the user inside an ID token. No statement if the client has none by name there.
    ///
    /// - Parameter scope: what the tokens allow now.
    func idToken(of grant: Grant, to client: Client, scope: Scope) async throws(StoreError) -> [String: JSONValue] {
        guard scope.contains(Scope.openID) else { return [:] }
        let names = try await named(of: grant, in: .idToken, to: client, scope: scope)
        guard !names.isEmpty, let account = try await stores.users.account(grant.userID) else { return [:] }
        return try await told(names, of: account.user, to: client, account)
    }

    private func named(
        of grant: Grant, in place: ClaimRules.Place, to client: Client, scope: Scope
    ) async throws(StoreError) -> Set<String> {
        let rules = ClaimRules(client: client)
        let names = rules.named(grant.claimsRequest.flatMap(ClaimsRequest.init(parsing:)), in: place)
        let covered = rules.covered(names, by: scope)
        let left = names.subtracting(covered)
        guard !left.isEmpty else { return covered }
        return covered.union(
            rules.covered(left, by: try await stores.consents.consent(of: grant.userID, to: client.id)))
    }

    /// - Parameter account: of the user, if it was read.
    private func told(
        _ names: Set<String>, of user: User, to client: Client, _ account: Account? = nil
    ) async throws(StoreError) -> [String: JSONValue] {
        var told = UserClaims.all(of: user, for: client).filter { names.contains($0.key) }
        let texts = Account.nameClaims.compactMap { name in told[name]?.stringValue.map { (name, $0) } }
        let mayBeAnothers = texts.contains { name, text in
            Account.loginClaims.contains(name) || Account.mayHoldAddress(text)
        }
        guard mayBeAnothers else { return told }
        let found: Account?
        if let account { found = account } else { found = try await stores.users.account(user.id) }
        guard let account = found else { return told.filter { !Account.nameClaims.contains($0.key) } }
        for (name, text) in texts where try await isAnothers(text, name, account) { told[name] = nil }
        return told
    }

    /// Whether a name is an address that the user has not proved, or another account's login ID.
    private func isAnothers(_ text: String, _ claim: String, _ account: Account) async throws(StoreError) -> Bool {
        if account.isUnprovenAddress(text) { return true }
        guard Account.loginClaims.contains(claim), let identifier = Identifier(loginID: text),
            account.identifiers[identifier] == nil
        else { return false }
        return try await stores.users.account(identifier) != nil
    }
}
