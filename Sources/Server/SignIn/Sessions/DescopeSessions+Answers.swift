internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The grants of sessions, and what apps hear of them.
extension DescopeSessions {
    /// The session that the new one continues. A session of another user is ignored.
    static func continued(
        _ presented: PresentedRefresh?, by account: Account, _ options: LoginOptions
    ) throws(MethodProblem) -> Grant? {
        guard options.needsSession else { return nil }
        guard let presented else {
            throw .invalidRequest.saying("Step-up and MFA need the refresh token of a session")
        }
        guard presented.account.user.id == account.user.id else {
            throw .invalidRequest.saying("The session presented is another user's")
        }
        return presented.grant
    }

    func makeGrant(
        for user: UserID, _ facts: AuthenticationFacts, claims: SessionClaims, tenant: String? = nil,
        superseding previous: GrantID? = nil, absoluteSeconds: Int64? = nil, at now: UnixTime
    ) -> Grant {
        let absolute = now + (absoluteSeconds ?? project.absoluteSeconds)
        return Grant(
            id: .make(ambient), clientID: project.id, userID: user, sessionID: nil, scope: .none, resources: [],
            authentication: facts, nonce: nil, claimsRequest: nil, tenantID: tenant, sessionClaims: claims,
            supersedes: previous, createdAt: now, idleExpiresAt: min(now + project.idleSeconds, absolute),
            absoluteExpiresAt: absolute)
    }

    /// The user as apps hear of them.
    func told(_ account: Account) -> UserAnswer {
        UserAnswer(telling: account, directory, project.authority)
    }

    func answer(
        _ grant: Grant, _ account: Account, isFirst: Bool, isSteppedUp: Bool, at now: UnixTime
    ) throws(MethodProblem) -> SessionAnswer {
        let end = min(grant.idleExpiresAt, grant.absoluteExpiresAt)
        return SessionAnswer(
            sessionJWT: try tokens.session(grant, of: account, isSteppedUp: isSteppedUp, at: now),
            refreshJWT: try tokens.refresh(grant, at: now), firstSeen: isFirst,
            user: told(account), cookieMaxAge: max(0, end.seconds(since: now)), cookieExpiration: end)
    }

    static func renewed(_ renewal: Renewal) throws(MethodProblem) -> Grant {
        switch renewal {
        case .renewed(let grant), .ahead(let grant), .repeated(let grant, _), .shadowed(let grant, _, isEnded: false):
            return grant
        case .shadowed:
            throw .tokenRevoked.saying("Two clients used the refresh tokens in turn; the session has been ended")
        case .replayed: throw .tokenRevoked.saying("The refresh token was used before; the session has been ended")
        case .expired: throw .tokenRevoked.saying("The session has expired")
        case .ended(let reason):
            throw .tokenRevoked.saying("The session has ended: \(reason?.rawValue ?? "unknown")")
        case .wrongKey, .unknown: throw .tokenRevoked
        }
    }
}
