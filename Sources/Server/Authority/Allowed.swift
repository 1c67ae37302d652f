/// The permission for an act of one caller on one subject. Only the rulebook makes it, and it cannot be copied.
///
/// The store that writes the act reads from it whom it concerns, and asks once more, with what stands in its row, whether
/// it still holds: ``grounds``.
public struct Allowed<A: PermittedAct>: ~Copyable, Sendable {
    /// What the store's transaction checks, for closures that cannot hold the permission itself.
    public let grounds: Grounds

    init(_ requests: [Rulebook.Request], _ rulebook: Rulebook) throws(Denial) {
        precondition(!requests.isEmpty, "a permission is for something")
        for request in requests { try rulebook.check(request) }
        grounds = Grounds(requests: requests, rulebook: rulebook)
    }

    public var caller: Caller { grounds.requests[0].caller }
    public var subject: Subject { grounds.requests[0].subject }
}

/// What a permission rests on.
public struct Grounds: Hashable, Sendable {
    let requests: [Rulebook.Request]
    let rulebook: Rulebook

    /// The user's identifier; `nil`: the subject is no user that exists.
    public var userID: String? { requests[0].subject.user?.id }

    /// The user's epoch when it was allowed.
    public var epoch: Int64? { requests[0].subject.user?.epoch }

    /// The tenant whose something the permission concerns; `nil`: it concerns a user, or the whole project.
    public var tenant: String? {
        switch requests[0].subject {
        case .project(let tenant), .connection(_, let tenant): tenant
        case .user, .newUser, .client: nil
        }
    }

    /// Whether it concerns something of the project or of a tenant that is no client and no connection.
    public var isForProject: Bool { if case .project = requests[0].subject { true } else { false } }

    /// The client that the permission concerns.
    public var clientID: String? { if case .client(let id) = requests[0].subject { id } else { nil } }

    /// The connection that the permission concerns.
    public var connectionID: String? { if case .connection(let id, _) = requests[0].subject { id } else { nil } }

    /// Whether the subject is a user who has no account yet.
    public var isForNewUser: Bool { requests[0].subject == .newUser }

    /// Whether others than the user, who may become more by it, ask to set up a way to sign in: an operator who is no
    /// owner, or a session that nothing but a provider's word opened.
    public var isOfOthers: Bool {
        switch requests[0].caller {
        case .operator(let standing): standing.role < .owner
        case .session(let standing): standing.isOfProvider
        case .anonymous, .recovery, .managementKey, .directory, .provider, .machine: false
        }
    }

    /// Whether an operator asks.
    public var isOfOperator: Bool { requests[0].caller.kind == .operator }

    /// What the acts may change of an account.
    public var aspects: Set<AccountAspect> { requests.reduce(into: []) { $0.formUnion($1.act.aspects) } }

    /// Whether the same caller may do something else besides, to a user as the transaction reads it.
    public func allow(_ act: Act, on user: UserStanding) -> Bool { allow(act, on: .user(user)) }

    /// Whether the same caller may do something else besides to what the permission concerns.
    public func allow(_ act: Act) -> Bool { allow(act, on: requests[0].subject) }

    private func allow(_ act: Act, on subject: Subject) -> Bool {
        let (caller, evidence) = (requests[0].caller, requests[0].evidence)
        do throws(Denial) {
            try rulebook.check(
                Rulebook.Request(act: act, caller: caller, subject: subject, evidence: evidence))
            return true
        } catch {
            return false
        }
    }

    /// Whether the acts are still allowed, on the user as the transaction reads it: with the same epoch if it is the
    /// user's own session, and by the same rules.
    public func hold(for user: UserStanding) -> Bool {
        requests.allSatisfy { request in
            guard let before = request.subject.user, before.id == user.id else { return false }
            if case .session = request.caller, before.epoch != user.epoch { return false }
            let again = Rulebook.Request(
                act: request.act, caller: request.caller, subject: .user(user), evidence: request.evidence)
            do throws(Denial) {
                try rulebook.check(again)
                return true
            } catch {
                return false
            }
        }
    }
}
