/// The permission for one act of one caller on one subject. Only the rulebook makes it, and it cannot be copied.
///
/// The store that writes the act reads the subject here, and asks once more, with what stands in its row, whether the
/// permission still holds.
public struct Allowed<A: PermittedAct>: ~Copyable, Sendable {
    private let request: Rulebook.Request
    private let rulebook: Rulebook

    init(_ request: Rulebook.Request, _ rulebook: Rulebook) throws(Denial) {
        try rulebook.check(request)
        self.request = request
        self.rulebook = rulebook
    }

    public var caller: Caller { request.caller }
    public var subject: Subject { request.subject }

    /// What the store's transaction checks, for closures that cannot hold the permission itself.
    public var grounds: Grounds { Grounds(request: request, rulebook: rulebook) }
}

/// What a permission rests on.
public struct Grounds: Hashable, Sendable {
    let request: Rulebook.Request
    let rulebook: Rulebook

    /// The user's identifier; `nil`: the subject is no user that exists.
    public var userID: String? { request.subject.user?.id }

    /// Whether the act is still allowed, on the user as the transaction reads it: with the same epoch if it is the user's
    /// own session, and by the same rule.
    public func hold(for user: UserStanding) -> Bool {
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
