import KeyturnBase
import Model
import SignIn
import Testing

/// A user's way through a journey, with every form in every order, and sealed states that are used again.
///
/// ``SignInProgress`` decides, as on the server. Beside each sealed state stands what really happened on the way to it,
/// which the rules never see: ``violation`` judges by that alone.
struct JourneyModel: Hashable {
    /// A mistake that a handler could make.
    enum Fault: String, Hashable, CaseIterable, CustomTestStringConvertible {
        case none
        /// A way in that forgets that the transaction has a journey.
        case journeyForgotten
        /// The typed name decides, also when another user was verified.
        case typedNameBelieved
        /// The outcome of a call is taken from a form.
        case outcomeFromForm
        /// A form says that a second factor was used.
        case factorFromForm
        /// A step is noted as fulfilled before what it says is stored.
        case acceptanceNotStored
        /// Whatever was used counts as the method that the step wants.
        case anyMethodAccepted
        /// The verification on another device counts as one of now.
        case oldProofAccepted
        /// A session counts as if the user had just been verified.
        case sessionAgeForgotten
        /// A form declines what the step requires.
        case requiredLinkDeclined

        var testDescription: String { rawValue }
    }

    /// What really happened on the way to a sealed state.
    struct Truth: Hashable {
        var methods: Set<AuthenticationMethod> = []
        var connection: String?
        /// What the account said at any time since the verification.
        var seen: Set<JourneyFacts> = []
        var outcomes: [String: String] = [:]
        var tenant: String?
        /// Seconds from the last verification to the request; `nil`: there was none.
        var age: Int64?
        /// What was unusual at the first verification.
        var risks: Set<RiskSignal> = []
        /// The steps at which the user declined to connect an account.
        var declined: Set<String> = []
        /// Whether an account was connected after a verification that was too old for it.
        var hasStaleLink = false
    }

    /// A state that a browser holds.
    struct Sealed: Hashable {
        var progress: SignInProgress
        var typed: String
        var truth = Truth()
        /// The user whose session completed the request, with nothing asked; `nil`: none did.
        var answered: String?

        /// The user who came to the end; `nil`: none did.
        var ended: String? { answered ?? (progress.step == .finished ? progress.proven?.userID : nil) }
    }

    /// A session that the browser has when the request comes.
    struct Session: Hashable {
        let user: String
        let methods: [AuthenticationMethod]
        let ageSeconds: Int64
        var risks: Set<RiskSignal> = []
    }

    struct Person: Hashable {
        let domain: String
        let tenants: Set<String>
        var attributes: Set<String> = []
        var accepted: Set<String> = []
        /// The second factor that the user has set up.
        let second: AuthenticationMethod?
        /// The connections at which the user has an account.
        var linked: Set<String> = []
        /// What is unusual about this browser.
        var risks: Set<RiskSignal> = []
        /// Whether the user has no account before the request.
        var isNew = false
    }

    let journey: Journey
    let fault: Fault
    var people: [String: Person]
    var current: Sealed
    /// A copy of an earlier state of the same browser.
    var kept: Sealed?

    static let start = UnixTime(rawValue: 1_800_000_000)
    /// One that may add a second factor and one that is too old for it; both are too old for some journeys.
    static let sessions = [
        Session(user: "ann", methods: [.password], ageSeconds: 700),
        Session(user: "bob", methods: [.password, .totp], ageSeconds: 5_000, risks: [.newDevice]),
    ]
    /// Seconds since a session was opened with which users approve on another device.
    static let approvalAgeSeconds: Int64 = 700

    init(_ journey: Journey, typed: String, fault: Fault = .none) {
        self.journey = journey
        self.fault = fault
        people = [
            "ann": Person(domain: "acme.example", tenants: ["a", "b"], second: nil, risks: [.newDevice]),
            "bob": Person(domain: "home.example", tenants: [], second: .totp),
        ]
        if journey.allowsSignUp {
            people["eve"] = Person(domain: "home.example", tenants: [], second: nil, isNew: true)
        }
        current = Sealed(progress: Self.begun, typed: typed)
    }

    private static var begun: SignInProgress {
        SignInProgress(.signIn, loginID: "typed", channel: "email", browser: "browser")
    }

    /// What the server reads of a user.
    func facts(_ name: String, _ sealed: Sealed) -> JourneyFacts {
        var facts = JourneyFacts()
        guard let person = people[name] else { return facts }
        facts.isIdentified = true
        facts.domains = [fault == .typedNameBelieved ? sealed.typed : person.domain]
        facts.tenants = person.tenants
        facts.attributes = person.attributes
        facts.accepted = person.accepted
        if let second = person.second { facts.enrolled = [second] }
        facts.linked = person.linked
        facts.risks = sealed.truth.risks
        facts.isNewUser = person.isNew
        return facts
    }

    func demands(_ name: String, _ sealed: Sealed) -> SignInProgress.Demands {
        let facts = facts(name, sealed)
        let journey = fault == .requiredLinkDeclined ? journey.withOptionalLinks : journey
        return SignInProgress.Demands(
            secondFactor: people[name]?.second, needsSeveralFactors: false,
            journey: fault == .journeyForgotten
                ? nil : JourneyDemand(journey, facts, connection: sealed.truth.connection, startedAt: Self.start))
    }
}

extension Journey {
    fileprivate var withOptionalLinks: Journey {
        let steps = steps.map { step in
            guard case .link(let link) = step.kind else { return step }
            return JourneyStep(
                step.name, .link(JourneyLink(link.connections, isRequired: false)), when: step.condition,
                next: step.next)
        }
        return Journey(name: name, steps: steps)
    }
}
