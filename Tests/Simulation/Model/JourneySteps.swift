import KeyturnBase
import Model
import SignIn

/// Every step of the model.
extension JourneyModel {
    static func next(_ model: JourneyModel) -> [ModelChecker<JourneyModel>.Transition] {
        var all: [ModelChecker<JourneyModel>.Transition] = []
        func add(_ label: String, _ change: (inout JourneyModel) -> Bool) {
            var state = model
            if change(&state), state != model { all.append(.init(label, state)) }
        }
        add("keep a copy") {
            $0.kept = $0.current
            return true
        }
        if let kept = model.kept {
            add("use the copy") {
                $0.current = kept
                return true
            }
        }
        // The request is answered.
        guard model.current.answered == nil else { return all }
        for name in model.people.keys.sorted() {
            for method in [AuthenticationMethod.password, .passkey, .email, .totp] {
                add("\(name) is verified by \(method)") { $0.verify(name, method, connection: nil) }
            }
            add("acme vouches for \(name)") { $0.verify(name, .federated, connection: "acme") }
            add("\(name) approves on another device") {
                $0.verify(name, .approval, connection: nil, ageSeconds: approvalAgeSeconds)
            }
        }
        for session in sessions {
            add("the session of \(session.user) is enough") { $0.complete(session) }
            add("\(session.user) goes on from the session") { $0.resume(session) }
        }
        guard let user = model.current.progress.proven?.userID else { return all }
        for report in [JourneyRecord.Report.collected, .accepted, .tenantChosen("a"), .linkDeclined, .linked] {
            add("\(user) sends the form \(report)") { $0.report(report, user) }
        }
        add("\(user) connects an account") { $0.link(user) }
        for step in model.journey.steps {
            guard case .call(let call) = step.kind, model.current.progress.step == .journey(step.name) else { continue }
            for outcome in call.outcomes.keys.sorted() + [""] {
                add("the service answers \(outcome)") { state in
                    state.current.truth.outcomes[step.name] = outcome
                    return state.report(.called(outcome.isEmpty ? nil : outcome), user)
                }
            }
            if model.fault == .outcomeFromForm {
                for outcome in call.outcomes.keys.sorted() {
                    add("\(user) sends the outcome \(outcome)") { $0.report(.called(outcome), user) }
                }
            }
        }
        return all
    }

    private mutating func verify(
        _ name: String, _ method: AuthenticationMethod, connection: String?, ageSeconds: Int64 = 0
    ) -> Bool {
        let earlier = current.progress.proven
        guard earlier == nil || earlier?.userID == name else { return false }
        // Nobody has a passkey beside an authenticator. Whatever else the page does not check, the state must refuse.
        guard earlier == nil || method != .passkey || current.progress.step == .ways else { return false }
        var state = current
        state.truth.connection = connection ?? state.truth.connection
        state.truth.methods.insert(method)
        state.truth.age = min(state.truth.age ?? ageSeconds, ageSeconds)
        if earlier == nil { state.truth.risks = people[name]?.risks ?? [] }
        guard
            var facts = try? SecondFactor.combine(
                fault == .anyMethodAccepted && earlier == nil ? .passkey : method,
                isOfTwoFactors: method == .passkey || fault == .factorFromForm, with: earlier?.facts,
                mustCombine: earlier != nil, at: Self.start + -(fault == .oldProofAccepted ? 0 : ageSeconds))
        else { return false }
        if fault == .factorFromForm { facts.methods.append(AuthenticationMethod.totp.word) }
        if method == .approval { state.progress.resumedAt = Self.start }
        return prove(name, facts, state)
    }

    private mutating func prove(_ name: String, _ facts: AuthenticationFacts, _ sealed: Sealed) -> Bool {
        var state = sealed
        let user = User(id: UserID(rawValue: name), createdAt: Self.start + -1, updatedAt: Self.start)
        guard (try? state.progress.apply(.proved(.init(user, facts), demands(name, state)))) != nil else {
            return false
        }
        current = seeing(state)
        return true
    }

    /// A session answers the request, as before any page: nothing of the journey is left to do.
    private mutating func complete(_ session: Session) -> Bool {
        var state = begun(from: session)
        var facts = facts(session.user, state)
        facts.add(authentication(of: session), since: Self.start)
        facts.isResumed = true
        var record = JourneyRecord(journey.name)
        guard current.progress.proven == nil, record.position(in: journey, facts) == .done else { return false }
        state.answered = session.user
        current = seeing(state)
        return true
    }

    /// The journey goes on from a session. The page looks first whether it can; here ``SignInProgress`` must find out.
    private mutating func resume(_ session: Session) -> Bool {
        var state = begun(from: session)
        state.progress.resumedAt = Self.start
        return current.progress.proven == nil && prove(session.user, authentication(of: session), state)
    }

    private func begun(from session: Session) -> Sealed {
        var state = current
        state.truth = Truth(methods: Set(session.methods))
        (state.truth.age, state.truth.risks) = (session.ageSeconds, session.risks)
        return state
    }

    private func authentication(of session: Session) -> AuthenticationFacts {
        let several = session.methods.count > 1
        return AuthenticationFacts(
            time: Self.start + -(fault == .sessionAgeForgotten ? 0 : session.ageSeconds),
            methods: session.methods.map(\.word) + (several ? [AuthenticationMethod.severalFactors] : []),
            contextClass: several
                ? AuthenticationFacts.severalFactorsClass : AuthenticationFacts.singleFactorClass)
    }

    /// What a form does to the account, and then to the sign-in.
    private mutating func report(_ report: JourneyRecord.Report, _ user: String) -> Bool {
        guard case .journey(let name) = current.progress.step, let step = journey.step(name) else { return false }
        switch (step.kind, report) {
        case (.collect(let form), .collected):
            people[user]?.attributes.formUnion(form.fields.filter(\.isRequired).map(\.name))
        case (.accept(let document), .accepted):
            if fault == .acceptanceNotStored {
                // Noted, and the store failed afterwards.
                people[user]?.accepted.insert(document.key)
                guard apply(.journeyReported(report, demands(user, current))) else { return false }
                people[user]?.accepted.remove(document.key)
                return true
            }
            people[user]?.accepted.insert(document.key)
        case (.chooseTenant, .tenantChosen(let id)): current.truth.tenant = id
        case (.link, .linkDeclined): current.truth.declined.insert(name)
        default: break
        }
        return apply(.journeyReported(report, demands(user, current)))
    }

    /// The provider vouched for an account, and the connection is stored.
    private mutating func link(_ user: String) -> Bool {
        guard case .journey(let name) = current.progress.step, case .link(let link)? = journey.step(name)?.kind
        else { return false }
        people[user]?.linked.insert(link.connections.min() ?? "acme")
        if let age = current.truth.age, age >= Limits.sensitiveSeconds { current.truth.hasStaleLink = true }
        return apply(.journeyReported(.linked, demands(user, current)))
    }

    private mutating func apply(_ event: SignInProgress.Event) -> Bool {
        var state = current
        guard (try? state.progress.apply(event)) != nil else { return false }
        current = seeing(state)
        return true
    }

    private func seeing(_ state: Sealed) -> Sealed {
        var state = state
        guard let user = state.answered ?? state.progress.proven?.userID, let person = people[user] else {
            // The user begins again.
            state.truth = Truth()
            return state
        }
        var facts = JourneyFacts()
        facts.domains = [person.domain]
        facts.tenants = person.tenants
        facts.attributes = person.attributes
        facts.methods = state.truth.methods
        if let second = person.second { facts.enrolled = [second] }
        facts.isNewUser = person.isNew
        facts.risks = state.truth.risks
        facts.ageSeconds = state.truth.age ?? 0
        state.truth.seen.insert(facts)
        return state
    }
}
