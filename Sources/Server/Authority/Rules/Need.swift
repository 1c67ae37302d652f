internal import KeyturnWire

/// One condition of a rule.
public enum Need: Hashable, Sendable {
    /// The session is the user's own: no other user acts in it, and it was not opened by an approval alone, nor, if the
    /// user has a role in the console, by a provider alone.
    case ownSession
    /// The user signed in within `Limits.sensitiveSeconds`. `methods.old_sessions_change_sign_in` spares the methods'
    /// wire this.
    case recentSignIn
    /// If the account has a factor that is independent of password and mailbox, the session used it.
    case secondFactor
    /// If the account has an authenticator app, the session used it beside another factor, if there is another one. A
    /// passkey is not asked for: it stays what it is, whatever the password becomes.
    case severalFactors
    /// The address was proved, by a code or a link that was sent there.
    case addressProof
    /// The account has no factor that is independent of password and mailbox: nothing else is worth as much.
    case noStrongFactor
    /// The account has no password, and none of its sign-ins was disputed, by which a password or a factor may have gone: the
    /// mailbox does not stand for it.
    case noPassword
    /// No address of the account was ever proved: another person may have registered it.
    case noProvenAddress
    /// An address of the account was proved, and there is none that was not: another person may be meant.
    case everyAddressProved
    /// The user has no role in the console, and no role lets the user act as others.
    case noRoleOverOthers
    /// The operator has at least this role.
    case role(ConsoleRole)
    /// The operator signed in within `Limits.sensitiveSeconds`.
    case recentOperator
    /// The operator is an owner; or the user's role in the console is lower, and no role lets the user act as others.
    case lowerRole
    /// The user, or what is changed, is of the caller's own tenant.
    case ownTenant
    /// `project.sign_up` admits the new user.
    case signUp
    /// `methods.merge_into_existing` is on.
    case mergeSetting
    /// Dynamic registration lets the caller in, or the caller showed the client's registration access token.
    case registration
}

extension Need {
    /// What is missing or refused; `nil`: the condition is met.
    func denial(_ request: Rulebook.Request, _ policy: AuthorityPolicy) -> Denial? {
        switch self {
        case .ownSession, .recentSignIn, .secondFactor, .severalFactors:
            guard case .session(let session) = request.caller else { return .refused(.notAllowed) }
            return denial(session, request.subject.user, policy)
        case .addressProof: return request.evidence.addressIsProved ? nil : .missing(.addressProof)
        case .noStrongFactor: return request.subject.user?.hasStrongFactor == true ? .missing(.secondFactor) : nil
        case .noPassword:
            return request.subject.user.map { $0.hasPassword || $0.wasDisputed } == true ? .refused(.notOwner) : nil
        case .noProvenAddress: return request.subject.user?.hasProvenAddress == false ? nil : .refused(.notOwner)
        case .everyAddressProved:
            return request.subject.user.map { $0.hasProvenAddress && !$0.hasUnprovedAddress } ?? true
                ? nil : .missing(.addressProof)
        case .noRoleOverOthers: return request.subject.user?.reachesOthers == true ? .missing(.owner) : nil
        case .role, .recentOperator, .lowerRole:
            guard case .operator(let standing) = request.caller else { return .refused(.notAllowed) }
            return denial(standing, request.subject.user)
        case .ownTenant: return Self.isOwnTenant(request) ? nil : .refused(.foreignTenant)
        case .signUp: return SignUpRules(policy: policy.signUp).denial(request.caller, request.evidence)
        case .mergeSetting: return policy.mergeIntoExisting ? nil : .refused(.switchedOff)
        case .registration: return request.evidence.mayRegister ? nil : .refused(.notAllowed)
        }
    }

    private func denial(_ session: SessionStanding, _ user: UserStanding?, _ policy: AuthorityPolicy) -> Denial? {
        switch self {
        case .ownSession:
            if session.isImpersonated { return .refused(.notOwner) }
            // A provider would become an operator.
            if session.isOfProvider, user?.consoleRole != nil { return .missing(.recentSignIn) }
            return session.isOfApproval ? .missing(.recentSignIn) : nil
        case .recentSignIn:
            let isSpared = session.way == .wire && policy.oldSessionsChangeSignIn
            return session.isRecent || isSpared ? nil : .missing(.recentSignIn)
        case .secondFactor:
            return user?.hasStrongFactor == true && !session.usedStrongFactor ? .missing(.secondFactor) : nil
        case .severalFactors:
            guard let user, user.hasAuthenticator else { return nil }
            guard session.usedStrongFactor else { return .missing(.secondFactor) }
            return user.hasOtherFactor && !session.usedSeveralFactors ? .missing(.secondFactor) : nil
        default: return nil
        }
    }

    private func denial(_ standing: OperatorStanding, _ user: UserStanding?) -> Denial? {
        switch self {
        case .role(let role):
            guard standing.role < role else { return nil }
            return role == .owner ? .missing(.owner) : .refused(.role(role))
        case .recentOperator: return standing.isRecent ? nil : .missing(.recentSignIn)
        case .lowerRole:
            guard standing.role != .owner, let user else { return nil }
            let isLower = user.consoleRole.map { $0 < standing.role } ?? true
            return isLower && user.roles.isDisjoint(with: standing.actingRoles) ? nil : .missing(.owner)
        default: return nil
        }
    }

    private static func isOwnTenant(_ request: Rulebook.Request) -> Bool {
        let own: String?
        switch request.caller {
        case .directory(let tenant): own = tenant
        // A connection of the whole project vouches for users of the whole project.
        case .provider(let tenant):
            guard let tenant else { return true }
            own = tenant
        default: return false
        }
        guard let own else { return false }
        switch request.subject {
        case .user(let standing): return standing.tenants.contains(own)
        case .newUser: return true
        case .project(let tenant), .connection(_, let tenant): return tenant == own
        case .client: return false
        }
    }
}
