public import KeyturnBase
public import Model

/// A journey, and what is known of the user in it.
public struct JourneyDemand: Hashable, Sendable {
    public let journey: Journey
    /// What the account says, without how the user was verified.
    public let account: JourneyFacts
    /// The connection that vouched for the user; `nil`: none.
    public let connection: String?
    /// When the request came.
    public let startedAt: UnixTime
    /// When the user authenticated at the provider; `nil`: it does not say, or none vouched.
    public let authenticatedAt: UnixTime?

    public init(
        _ journey: Journey, _ account: JourneyFacts, connection: String?, startedAt: UnixTime,
        authenticatedAt: UnixTime? = nil
    ) {
        self.journey = journey
        self.account = account
        self.connection = connection
        self.startedAt = startedAt
        self.authenticatedAt = authenticatedAt
    }

    /// With how the user was verified. A provider's word alone is as old as its user's sign-in there.
    func facts(_ proven: SignInProgress.Proven) -> JourneyFacts {
        var facts = account
        let words = [AuthenticationMethod.federated.word, AuthenticationMethod.social.word]
        let isOfProvider = proven.methods.allSatisfy { words.contains($0) || $0 == AuthenticationMethod.severalFactors }
        facts.add(isOfProvider ? proven.facts.noLater(than: authenticatedAt) : proven.facts, since: startedAt)
        facts.connection = connection
        return facts
    }
}

/// The way on when nothing else is missing.
extension SignInProgress {
    /// To the first step of the journey that is not fulfilled; to the end if there is none.
    mutating func advance(_ proven: Proven, _ demands: Demands) {
        guard let demand = demands.journey else {
            step = .finished
            return
        }
        // A record of another journey says nothing about this one.
        let earlier = journey?.journey == demand.journey.name ? journey : nil
        var record = earlier ?? JourneyRecord(demand.journey.name)
        let position = record.position(in: demand.journey, demand.facts(proven))
        journey = record
        switch position {
        case .done: step = .finished
        case .refused(let refusal): step = .journey(refusal.name)
        case .at(let waiting): wait(at: waiting, proven, demands)
        // The journey was changed since, and leads nowhere from here.
        case nil: restart()
        }
    }

    private mutating func wait(at waiting: JourneyStep, _ proven: Proven, _ demands: Demands) {
        switch waiting.kind {
        case .identify, .prove: restart()
        case .stepUp(let proof): stepUp(waiting, proof, proven, demands)
        // A session that is not fresh opens no other way in.
        case .link where isOld(proven): restart()
        case .link where !demands.isStrongEnough(proven): askForStrongFactor(demands)
        default: step = .journey(waiting.name)
        }
    }

    /// To the page of a factor that the step accepts and the user has; to its set-up; or to a page that says that there
    /// is none.
    private mutating func stepUp(
        _ waiting: JourneyStep, _ proof: JourneyProof, _ proven: Proven, _ demands: Demands
    ) {
        func accepts(_ method: AuthenticationMethod) -> Bool {
            proof.methods.isEmpty || proof.methods.contains(method)
        }
        if let factor = demands.secondFactor, accepts(factor) {
            step = .secondFactor(factor)
        } else if demands.hasPasskey, accepts(.passkey) {
            (step, needsPasskey) = (.ways, true)
        } else if demands.secondFactor == nil, accepts(.totp) {
            enrol(proven, demands)
        } else {
            step = .journey(waiting.name)
        }
    }

    /// To the set-up of an authenticator, which stays when the session is over: by a verification of now that is the user's
    /// own. An approval alone may be of an attacker's request, and an operator's factor is no provider's to choose.
    mutating func enrol(_ proven: Proven, _ demands: Demands) {
        let isOwn = !proven.facts.isOfApproval && !(demands.isOperator && proven.facts.isOfProvider)
        if isOwn, !isOld(proven) { step = .enrolment } else { restart() }
    }

    /// Whether it goes on from a session whose verification is too old to change how the user signs in.
    private func isOld(_ proven: Proven) -> Bool {
        resumedAt.map { $0 >= proven.at + Limits.sensitiveSeconds } ?? false
    }

    /// The verification is not one that is accepted here: the user begins again.
    private mutating func restart() {
        (step, proven, sent, requiredFactor, needsPasskey) = (.identify, nil, nil, nil, nil)
        journey = nil
    }

    /// Notes what the page or the call of a step reported.
    mutating func note(_ report: JourneyRecord.Report, _ demands: Demands) throws(Misplaced) {
        guard case .journey(let name) = step, let proven, var record = journey, let demand = demands.journey,
            let waiting = demand.journey.step(name), record.note(report, at: waiting, demand.facts(proven))
        else { throw Misplaced() }
        journey = record
        // The account may want more by now than when the step was shown.
        settle(proven, demands)
    }
}
