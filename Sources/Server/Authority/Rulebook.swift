/// Who may do what to whom, and what is missing. One place for every way in; pure.
public struct Rulebook: Hashable, Sendable {
    public let policy: AuthorityPolicy

    public init(_ policy: AuthorityPolicy) {
        self.policy = policy
    }

    /// One question.
    struct Request: Hashable, Sendable {
        let act: Act
        let caller: Caller
        let subject: Subject
        let evidence: Evidence
    }

    /// Permits an act.
    ///
    /// - Throws: the first thing that is missing, in the order of the rule; or the refusal.
    public func permit<A: SingleAct>(
        _ act: A.Type, to caller: Caller, on subject: Subject, showing evidence: Evidence = .none
    ) throws(Denial) -> Allowed<A> {
        try Allowed([Request(act: A.act, caller: caller, subject: subject, evidence: evidence)], self)
    }

    /// Permits a change of an account's row that consists of these acts.
    ///
    /// - Throws: as ``permit(_:to:on:showing:)``.
    public func permitChange(
        _ acts: [Act], to caller: Caller, on subject: Subject, showing evidence: Evidence = .none
    ) throws(Denial) -> Allowed<Acts.ChangeAccount> {
        try Allowed(
            acts.map { Request(act: $0, caller: caller, subject: subject, evidence: evidence) }, self)
    }

    /// Checks an act for which no store demands a permission.
    ///
    /// - Throws: as ``permit(_:to:on:showing:)``.
    public func require(
        _ act: Act, to caller: Caller, on subject: Subject, showing evidence: Evidence = .none
    ) throws(Denial) {
        try check(Request(act: act, caller: caller, subject: subject, evidence: evidence))
    }

    /// Whether an act is allowed, for pages that offer it.
    public func allows(_ act: Act, to caller: Caller, on subject: Subject, showing evidence: Evidence = .none) -> Bool {
        denial(Request(act: act, caller: caller, subject: subject, evidence: evidence)) == nil
    }

    func check(_ request: Request) throws(Denial) {
        if let denial = denial(request) { throw denial }
    }

    private func denial(_ request: Request) -> Denial? {
        guard let rule = RuleTable.rule(request.act, request.caller.kind) else { return .refused(.notAllowed) }
        for need in rule.needs {
            if let denial = need.denial(request, policy) { return denial }
        }
        return nil
    }
}
