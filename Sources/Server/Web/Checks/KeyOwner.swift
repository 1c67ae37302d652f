internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// A user who shows an access token from their own sign-in, as the key service knows owners.
struct KeyOwner: Sendable {
    let owner: KeyService.Owner

    fileprivate init(_ owner: KeyService.Owner) {
        self.owner = owner
    }
}

extension Checks {
    /// The user whose token is shown. Tokens made by an exchange, and tokens that a client acts with, are refused: they
    /// have fewer rights. Only the operator's own apps, after a recent sign-in, see keys of other apps.
    ///
    /// - Parameter removes: whether something is deleted for good, which a token with fewer rights must not do.
    func keyOwner(_ request: Request, removes: Bool = false) async throws -> KeyOwner {
        guard let shown = shownToken(request),
            let holder = try await personalHolder(shown, request, at: request.target.path)
        else { throw OAuthProblem(.invalidToken, "the access token is missing, or not good any more") }
        let (token, live) = (holder.token, holder.live)
        try gate.requireUnrestricted(token)
        guard token.ancestors.isEmpty, token.actor == nil else {
            throw OAuthProblem(.insufficientScope, "only the sign-in's own access token opens this")
        }
        let isWhole = token.scope.contains(Scope.openID) && live.grant.scope.isSubset(of: token.scope)
        guard isWhole || !removes else {
            throw OAuthProblem(.insufficientScope, "removing wants openid, and everything that was granted")
        }
        guard !removes || !live.grant.authentication.isOfApproval else {
            throw OAuthProblem(.insufficientScope, "a session that another device let in removes nothing")
        }
        let isRecent = live.grant.authentication.mayChangeSignIn(at: services.ambient.now())
        return KeyOwner(
            KeyService.Owner(
                userID: live.grant.userID, clientID: token.clientID,
                seesAll: isRecent && isWhole && services.clients.client(token.clientID)?.isFirstParty == true))
    }

    /// ``keyOwner(_:removes:)`` where the header may be missing.
    func keyOwnerIfShown(_ request: Request) async throws -> KeyOwner? {
        request.headers[.authorization] == nil ? nil : try await keyOwner(request)
    }
}
