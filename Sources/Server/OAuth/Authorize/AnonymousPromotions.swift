public import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
public import Model

/// What an authorization request said about the anonymous user who is to get an account. Part of the sealed transaction.
struct RequestedPromotion: Codable, Hashable, Sendable {
    let userID: String
    /// The key that signed the request; `nil`: a session asked for a promotion code.
    var keyID: String?
    var session: String?
    /// The mark that is spent when the code is redeemed, in base64url.
    let mark: String
    /// What the user chose about the account that they signed in to, and which account that was.
    var choice: String?
    var chosenBy: String?

    /// What is kept beside the code; `nil`: damaged.
    ///
    /// - Parameter user: who signed in. Without a choice of theirs, the account was made for this.
    func promotion(for user: UserID, startedAt: UnixTime) -> AnonymousPromotion? {
        let evidence =
            keyID.map(AnonymousPromotion.Evidence.key)
            ?? session.flatMap(GrantID.init(text:)).map(AnonymousPromotion.Evidence.session)
        guard let evidence, let digest = Base64URL.decode(mark), digest.count == 32 else { return nil }
        // Remembered until no transaction with this request can end any more.
        let end = startedAt + Limits.transactionSeconds + Limits.codeSeconds + Limits.spentMarginSeconds
        return AnonymousPromotion(
            userID: UserID(rawValue: userID), evidence: evidence, mark: ReplayMark(digest: digest, expiresAt: end),
            choice: chosen(by: user) ?? .adopt)
    }

    /// The choice of a user; `nil`: there was none, or another user's.
    func chosen(by user: UserID) -> AnonymousPromotion.Choice? {
        guard chosenBy == user.rawValue else { return nil }
        return choice.flatMap(AnonymousPromotion.Choice.init(rawValue:))
    }
}

/// Reads who the anonymous user is that an app wants an account for, and makes the codes that pages without keys show
/// (wire of Authgear).
public struct AnonymousPromotions: Sendable {
    private let stores: Stores
    private let challenges: ChallengeCodec
    private let seal: TransactionSeal
    private let ambient: Ambient
    private static let kind = "promotion-code"

    public init(stores: Stores, challenges: ChallengeCodec, secrets: ServerSecrets, ambient: Ambient) {
        self.stores = stores
        self.challenges = challenges
        seal = TransactionSeal(secrets, ambient: ambient)
        self.ambient = ambient
    }

    /// What a code says. It is sealed: there is no row for it.
    private struct Content: Codable {
        let clientID: String
        let grantID: String
        let userID: String
        let expiresAt: UnixTime
        /// Makes each code different.
        let id: String
    }

    /// A promotion code for the session of an anonymous user.
    public func makeCode(for session: Grant) -> (code: Secret, expiresAt: UnixTime) {
        let expiresAt = ambient.now() + Limits.promotionCodeSeconds
        let content = Content(
            clientID: session.clientID, grantID: session.id.text, userID: session.userID.rawValue,
            expiresAt: expiresAt, id: ambient.randomToken(byteCount: 16))
        return (Secret(seal.close(content, kind: Self.kind)), expiresAt)
    }

    /// The anonymous user of a `login_hint`.
    enum Reading {
        /// It names none: it is another hint.
        case none
        case requested(RequestedPromotion)
        case refused(OAuthProblem)
    }

    /// Reads a hint. Nothing is spent: the request counts when the code of the sign-in is redeemed.
    func read(_ hint: String?, from client: Client) async throws(StoreError) -> Reading {
        guard let parameters = hint.flatMap(AuthgearNames.parameters(ofLoginHint:)),
            parameters.values("type") == [AnonymousNames.hintType]
        else { return .none }
        guard client.allows(.anonymousRequest), client.isFirstParty else {
            return .refused(OAuthProblem(.unauthorizedClient, AnonymousNames.disallowed))
        }
        let requested =
            if let jwt = parameters.single(AnonymousNames.jwt) {
                try await read(request: jwt, from: client)
            } else if let code = parameters.single(AnonymousNames.promotionCode) {
                try await read(code: code, from: client)
            } else {
                nil as RequestedPromotion?
            }
        guard let requested else { return .refused(Self.notGood) }
        return .requested(requested)
    }

    /// The anonymous user of a transaction; `nil`: they are gone, or have an account.
    func account(_ requested: RequestedPromotion) async throws(StoreError) -> Account? {
        let account = try await stores.users.account(UserID(rawValue: requested.userID))
        return account.flatMap { $0.user.isAnonymous && $0.user.status == .active ? $0 : nil }
    }

    static let notGood = OAuthProblem(
        .invalidRequest, "login_hint names no anonymous user of this client, or it is too old")

    private func read(request jwt: String, from client: Client) async throws(StoreError) -> RequestedPromotion? {
        let now = ambient.now()
        guard let request = try? UnverifiedSignedRequest<AnonymousAction>(jwt), request.action == .promote,
            request.publicKey == nil, let (key, user) = try await stores.anonymous.key(request.keyID),
            key.clientID == client.id, user.isAnonymous, user.status == .active,
            let mark = request.mark(signedBy: key, challenges, at: now)
        else { return nil }
        return RequestedPromotion(
            userID: user.id.rawValue, keyID: key.id, session: nil, mark: Base64URL.encode(mark.digest))
    }

    private func read(code: String, from client: Client) async throws(StoreError) -> RequestedPromotion? {
        let now = ambient.now()
        guard let content = seal.open(code, as: Content.self, kind: Self.kind), now < content.expiresAt,
            content.clientID == client.id, let session = GrantID(text: content.grantID),
            let found = try await stores.grants.presented(session, at: now), found.account.user.isAnonymous
        else { return nil }
        let mark = ReplayMark(of: Array(content.id.utf8) + [0] + Array(Self.kind.utf8), expiresAt: content.expiresAt)
        return RequestedPromotion(
            userID: content.userID, keyID: nil, session: content.grantID, mark: Base64URL.encode(mark.digest))
    }
}

extension UnverifiedSignedRequest<AnonymousAction> {
    /// The replay mark of a request that a key has signed; `nil`: it has not, or the challenge is not good.
    fileprivate func mark(
        signedBy key: StoredAnonymousKey, _ challenges: ChallengeCodec, at now: UnixTime
    ) -> ReplayMark? {
        guard key.algorithm == algorithm.rawValue, let publicKey = try? JSONWebKey(key.publicKey),
            let verified = try? verify(with: publicKey, at: now)
        else { return nil }
        return challenges.mark(verified.challenge, for: .anonymousRequest, at: now)
    }
}
