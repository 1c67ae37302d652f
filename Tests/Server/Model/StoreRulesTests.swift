import KeyturnBase
import KeyturnWire
import Model
import Testing

@Suite("Rules that every store carries out")
struct StoreRulesTests {
    private let now = UnixTime(rawValue: 1_000_000)
    private let user = UserID(rawValue: "u")

    private func grant(key: String? = nil, counter: Int64 = 5) -> Grant {
        Grant(
            id: .make(.live), clientID: "web", userID: user, sessionID: nil, scope: Scope(names: ["openid"]),
            resources: [], authentication: .password(at: now), nonce: nil, claimsRequest: nil, keyThumbprint: key,
            counter: counter, createdAt: now, idleExpiresAt: now + 60, absoluteExpiresAt: now + 1_000)
    }

    @Test func `a revocation ends every part, and an epoch that is raised for less ends what waits`() {
        #expect(Set(RevocationScope(.logout, at: now).parts) == Set(RevocationScope.Part.allCases))
        let pending = RevocationScope.pendingOnly(.credentialChanged, at: now)
        #expect(Set(pending.parts) == [.recovery, .oneTimeCodes, .unconfirmedAuthenticators, .links, .approvals])
        #expect(RevocationScope(.logout, at: now).parts.last == .grants, "what names grants goes before them")
    }

    @Test(arguments: [true, false])
    func `a new password ends what its change says, and keeps what it keeps`(endsSessions: Bool) {
        let session = SessionID(rawValue: "s")
        let app = SignedInSession(clientID: "web", sessionID: session, since: UnixTime(rawValue: 0))
        let grant = GrantID.make(.live)
        let scope = RevocationScope(
            PasswordChange(
                hash: "h", origin: .strong, historyMax: 1, keeping: grant, keepingSession: session,
                keepingApp: app, endsSessions: endsSessions), at: now)
        #expect(scope.parts.contains(.grants) == endsSessions)
        #expect(scope.parts.contains(.browserSessions) == endsSessions)
        #expect(scope.reason == .credentialChanged)
        #expect(scope.keptGrant == grant && scope.keptSession == session && scope.keptApp == app)
    }

    @Test func `only a user who may not sign in any more loses sessions by a change of status`() {
        #expect(RevocationScope(becoming: .active, at: now) == nil)
        #expect(RevocationScope(becoming: .invited, at: now) == nil)
        #expect(RevocationScope(becoming: .disabled, at: now)?.reason == .userDisabled)
        #expect(RevocationScope(becoming: .expired, at: now)?.parts.contains(.grants) == true)
    }

    @Test func `a refresh that was not taken is judged in this order: client, end, expiry, key, counter`() {
        func decide(
            client: String = "web", key: String? = nil, counter: Int64 = 4, network: String? = "there",
            at moment: UnixTime? = nil, _ change: (Grant) -> RefreshRules.Found
        ) -> RefreshRules.Decision {
            RefreshRules.judge(
                RefreshRules.Presented(
                    counter: counter, clientID: client, keyThumbprint: key,
                    party: RefreshParty(network: network, client: nil)),
                change(self.grant(key: "k")), at: moment ?? now)
        }
        func found(
            _ grant: Grant, supersededAt: UnixTime? = nil, isRedeemed: Bool = true, isEnded: Bool = false,
            network: String? = "here"
        ) -> RefreshRules.Found {
            let rotations = supersededAt.map { [RefreshRules.Rotation(time: $0, counter: 4)] } ?? []
            return RefreshRules.Found(
                grant: grant, row: RefreshRules.Row(counter: 5, rotations: rotations), isRedeemed: isRedeemed,
                isEnded: isEnded, endReason: isEnded ? .logout : nil,
                shadow: ShadowRules.Row(
                    refreshedBy: RefreshParty(network: network, client: nil), run: nil, toldAt: nil))
        }
        #expect(decide(client: "other") { found($0, isEnded: true) } == .answer(.unknown))
        #expect(decide { found($0, isRedeemed: false) } == .answer(.unknown))
        #expect(decide(at: now + 60) { found($0, isEnded: true) } == .answer(.ended(.logout)))
        #expect(decide(at: now + 60) { found($0) } == .answer(.expired))
        let wrong = self.grant(key: "k")
        #expect(decide { _ in found(wrong) } == .answer(.wrongKey(wrong)))
        #expect(decide(key: "k") { _ in found(wrong, supersededAt: now) } == .answer(.repeated(wrong, .prompt)))
        #expect(decide(key: "k") { found($0) } == .replay, "nothing says when it was superseded")
        let long = now - RefreshRules.overlapSeconds - 1
        #expect(decide(key: "k") { found($0, supersededAt: long) } == .forgiveLate(isElsewhere: true))
        #expect(
            decide(key: "k", network: nil) { found($0, supersededAt: long) } == .forgiveLate(isElsewhere: false))
        #expect(
            decide(key: "k") { found($0, supersededAt: long, network: nil) } == .forgiveLate(isElsewhere: false))
    }

    @Test func `a code that is shown without its verifier is no replay`() {
        let digest = SecretDigest(of: Secret("code"))
        let grant = self.grant()
        func judge(
            client: String = "web", challenge: String? = "c", isRedeemed: Bool, isEnded: Bool = false,
            waited: Duration = .zero, late: Int64 = 0
        ) -> Redemption {
            let conditions = CodeConditions(digest: digest, redirectURI: nil, codeChallenge: "c", expiresAt: now)
            return CodeAttempt(digest: digest, clientID: client, redirectURI: nil, codeChallenge: challenge).judge(
                FoundCode(
                    grant: grant, conditions: conditions, redeemedAt: isRedeemed ? now : nil, isEnded: isEnded),
                at: now + late, waited: waited)
        }
        #expect(judge(client: "other", isRedeemed: true) == .unknown)
        #expect(judge(challenge: nil, isRedeemed: true) == .mismatched)
        #expect(judge(isRedeemed: true, isEnded: true) == .replayed(grant.id))
        #expect(judge(isRedeemed: true, waited: .seconds(2), late: -3) == .replayed(grant.id))
        #expect(judge(isRedeemed: true, waited: .seconds(3), late: -3) == .overtaken)
        #expect(judge(isRedeemed: true, waited: .seconds(3), late: 29) == .overtaken, "a clock that is ahead")
        #expect(judge(isRedeemed: true, waited: .seconds(3), late: 30) == .replayed(grant.id))
        #expect(judge(challenge: nil, isRedeemed: true, waited: .seconds(3)) == .mismatched)
        #expect(judge(isRedeemed: false, isEnded: true) == .ended)
        #expect(judge(isRedeemed: false) == .expired)
        let attempt = CodeAttempt(digest: digest, clientID: "web", redirectURI: nil, codeChallenge: nil)
        #expect(attempt.judge(nil, at: now, waited: .zero) == .unknown)
    }

    @Test func `accounts merge only for a user who may sign in, and an unproved password goes`() throws {
        func account(_ id: String, _ status: User.Status, verified: Bool, hash: String?) throws -> Account {
            let identifier = try #require(Identifier(loginID: "a@b.cd"))
            let user = User(id: UserID(rawValue: id), status: status, claims: [:], createdAt: now, updatedAt: now)
            return Account(
                user: user, identifiers: id == "old" ? [identifier: verified ? .verified : .unverified] : [:],
                passwordHash: hash)
        }
        func plan(
            _ asking: User.Status, _ existing: User.Status, verified: Bool = false, keeping kept: UserMerge.Kept
        ) throws -> UserMerge.Plan? {
            UserMerge.plan(
                asking: try account("new", asking, verified: false, hash: nil),
                existing: try account("old", existing, verified: verified, hash: "h"),
                proved: try #require(Identifier(loginID: "a@b.cd")), keeping: kept)
        }
        #expect(try plan(.disabled, .active, keeping: .existing) == nil)
        #expect(try plan(.active, .disabled, keeping: .existing) == nil)
        let kept = try #require(try plan(.active, .invited, keeping: .existing))
        #expect(kept.voidsPassword && kept.removed.rawValue == "new" && kept.account.user.id.rawValue == "old")
        #expect(try plan(.active, .active, verified: true, keeping: .existing)?.voidsPassword == false)
        let asking = try #require(try plan(.active, .active, keeping: .asking))
        #expect(!asking.voidsPassword && asking.removed.rawValue == "old" && asking.account.user.id.rawValue == "new")
    }
}
