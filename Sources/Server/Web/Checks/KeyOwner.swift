internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// A person who shows an access token of a sign-in of theirs, as the key service knows owners.
struct KeyOwner: Sendable {
    let owner: KeyService.Owner

    fileprivate init(_ owner: KeyService.Owner) {
        self.owner = owner
    }
}

extension Checks {
    /// Whose token is shown. One that was made from another one, or that a client acts with, was made to allow less. Keys of
    /// other apps are shown to the operator's own apps after a recent sign-in alone.
    ///
    /// - Parameter removes: what is removed is lost for good, so that a token that was made for less is not enough.
    func keyOwner(_ request: Request, removes: Bool = false) async throws -> KeyOwner {
        guard let shown = shownToken(request),
            let holder = try await personalHolder(shown, request, at: request.uri.path)
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
        let isRecent = services.ambient.now() < live.grant.authentication.time + Limits.sensitiveSeconds
        return KeyOwner(
            KeyService.Owner(
                userID: live.grant.userID, clientID: token.clientID,
                seesAll: isRecent && isWhole && services.clients.client(token.clientID)?.isFirstParty == true))
    }

    /// The same where the header may be left out.
    func keyOwnerIfShown(_ request: Request) async throws -> KeyOwner? {
        request.headers[.authorization] == nil ? nil : try await keyOwner(request)
    }
}
