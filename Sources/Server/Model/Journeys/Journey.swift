public import KeyturnBase

/// The steps of a sign-in on the pages, as an operator wrote them. Plain data: ``JourneyRecord`` walks through it.
///
/// It begins with its first step. Each step leads to its ``JourneyStep/next``, and no way leads back to an earlier one:
/// see ``problems``.
public struct Journey: Hashable, Sendable {
    /// By which requests ask for it.
    public let name: String
    /// The `acr` of sign-ins that it completed; `nil`: that of the methods used.
    public let contextClass: String?
    /// The clients that may ask for it; empty: all.
    public let clients: [String]
    /// Whether these clients get it without asking.
    public let isDefault: Bool
    /// In the order of the file; names are unique.
    public let steps: [JourneyStep]

    private let indices: [String: Int]

    public init(
        name: String, contextClass: String? = nil, clients: [String] = [], isDefault: Bool = false,
        steps: [JourneyStep]
    ) {
        self.name = name
        self.contextClass = contextClass
        self.clients = clients
        self.isDefault = isDefault
        self.steps = steps
        indices = Dictionary(steps.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What the pages do where no other journey is asked for. A second factor that the user has set up belongs to every
    /// proof, of this and of every other journey.
    public static let standard = Journey(
        name: "standard", isDefault: true,
        steps: [
            JourneyStep("who", .identify(allowsSignUp: true), next: "proof"),
            JourneyStep("proof", .prove(JourneyProof()), next: "done"),
            JourneyStep("done", .done),
        ])

    /// The step of a name; `nil`: there is none.
    public func step(_ name: String) -> JourneyStep? { indices[name].map { steps[$0] } }

    /// Whether new users may sign up in it.
    public var allowsSignUp: Bool {
        steps.contains { step in
            switch step.kind {
            case .identify(let allowsSignUp): allowsSignUp
            case .create: true
            default: false
            }
        }
    }

    /// Whether a condition is about what the app says.
    public var readsInputs: Bool {
        steps.contains { step in
            if step.condition?.readsInputs ?? false { return true }
            guard case .decide(let branches) = step.kind else { return false }
            return branches.contains(where: \.condition.readsInputs)
        }
    }

    /// Whether a client may ask for it.
    public func isOpen(to client: String) -> Bool { clients.isEmpty || clients.contains(client) }
}

/// A step of a journey.
public struct JourneyStep: Hashable, Sendable {
    public let name: String
    public let kind: JourneyStepKind
    /// It is passed over unless this holds; `nil`: it is never passed over.
    public let condition: JourneyCondition?
    /// The step that follows; `nil` for ends.
    public let next: String?
    /// What its page says; empty: built-in texts.
    public let title: LocalizedText
    public let text: LocalizedText

    public init(
        _ name: String, _ kind: JourneyStepKind, when condition: JourneyCondition? = nil, next: String? = nil,
        title: LocalizedText = LocalizedText(), text: LocalizedText = LocalizedText()
    ) {
        self.name = name
        self.kind = kind
        self.condition = condition
        self.next = next
        self.title = title
        self.text = text
    }

    /// Every step that may follow, each once, in the order in which they are considered.
    public var followers: [String] {
        var names: [String] = []
        switch kind {
        case .decide(let branches): names = branches.map(\.next)
        case .call(let call): names = call.outcomes.sorted { $0.key < $1.key }.map(\.value) + [call.failed]
        default: break
        }
        if let next { names.append(next) }
        return names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// What a step of a journey does.
public enum JourneyStepKind: Hashable, Sendable {
    /// Asks who signs in. New users may sign up, if that is allowed here.
    case identify(allowsSignUp: Bool)
    /// The user proves who they are.
    case prove(JourneyProof)
    /// The sign-up page comes first. Users with an account sign in instead, if that is allowed here.
    case create(JourneyProof, allowsSignIn: Bool)
    /// The user proves it with a second factor.
    case stepUp(JourneyProof)
    /// The first branch whose condition holds; else ``JourneyStep/next``.
    case decide([JourneyBranch])
    /// The user fills in attributes that are missing.
    case collect(JourneyForm)
    /// The user accepts a version of a document.
    case accept(JourneyDocument)
    /// The user connects an account at an identity provider.
    case link(JourneyLink)
    /// A service of the operator is asked, and its answer decides.
    case call(JourneyCall)
    /// The user chooses one of their tenants.
    case chooseTenant
    /// The sign-in is refused.
    case refuse
    /// The sign-in is complete.
    case done

    /// Whether no step follows.
    public var isEnd: Bool { self == .refuse || self == .done }

    /// Its key in the file.
    public var word: String {
        switch self {
        case .identify: "identify"
        case .prove: "prove"
        case .create: "create"
        case .stepUp: "step_up"
        case .decide: "decide"
        case .collect: "collect"
        case .accept: "accept"
        case .link: "link"
        case .call: "call"
        case .chooseTenant: "choose_tenant"
        case .refuse: "refuse"
        case .done: "done"
        }
    }
}

/// What a step of proof accepts.
public struct JourneyProof: Hashable, Sendable {
    /// Any of these; empty: any method.
    public let methods: Set<AuthenticationMethod>
    /// Any of these connections, for methods of identity providers; empty: any.
    public let connections: Set<String>
    /// The greatest age of the last verification when the request came, in seconds; `nil`: any.
    public let maxAgeSeconds: Int64?

    public init(
        _ methods: Set<AuthenticationMethod> = [], connections: Set<String> = [], maxAgeSeconds: Int64? = nil
    ) {
        self.methods = methods
        self.connections = connections
        self.maxAgeSeconds = maxAgeSeconds
    }
}

/// The accounts at identity providers that a step asks for.
public struct JourneyLink: Hashable, Sendable {
    /// Any of these; empty: any that the server offers.
    public let connections: Set<String>
    public let isRequired: Bool

    public init(_ connections: Set<String> = [], isRequired: Bool = true) {
        self.connections = connections
        self.isRequired = isRequired
    }

    /// Whether a connection is one of them.
    public func accepts(_ connection: String) -> Bool { connections.isEmpty || connections.contains(connection) }
}

/// A branch of a decision.
public struct JourneyBranch: Hashable, Sendable {
    public let condition: JourneyCondition
    public let next: String

    public init(when condition: JourneyCondition, next: String) {
        self.condition = condition
        self.next = next
    }
}

/// A document that users accept, such as terms of service.
public struct JourneyDocument: Hashable, Sendable {
    public let name: String
    /// A new version is asked for again.
    public let version: String
    /// Where it can be read, by language.
    public let uris: LocalizedText

    public init(name: String, version: String, uris: LocalizedText) {
        self.name = name
        self.version = version
        self.uris = uris
    }

    /// A document in one language, or one that finds the reader's by itself.
    public init(name: String, version: String, uri: String) {
        self.init(name: name, version: version, uris: LocalizedText(["en": uri]))
    }

    /// The version, as acceptances record it.
    public var key: String { "\(name)@\(version)" }
}

/// A service of the operator that is asked during a sign-in, by a signed request.
public struct JourneyCall: Equatable, Sendable {
    public let uri: String
    /// Signs the requests.
    public let secret: Secret
    /// Seconds until the call counts as failed.
    public let timeoutSeconds: Int64
    /// The step that follows each outcome.
    public let outcomes: [String: String]
    /// The step that follows a call that failed, and an outcome that is not listed.
    public let failed: String

    public init(uri: String, secret: Secret, timeoutSeconds: Int64 = 5, outcomes: [String: String], failed: String) {
        self.uri = uri
        self.secret = secret
        self.timeoutSeconds = timeoutSeconds
        self.outcomes = outcomes
        self.failed = failed
    }
}

extension JourneyCall: Hashable {
    /// Of everything but the secret.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uri)
        hasher.combine(outcomes)
        hasher.combine(failed)
    }
}

/// A text in several languages, by their codes.
public struct LocalizedText: Hashable, Sendable {
    public let texts: [String: String]

    public init(_ texts: [String: String] = [:]) { self.texts = texts }

    public var isEmpty: Bool { texts.isEmpty }

    /// The text in a language, else in English, else in the first language; `nil`: there is none.
    public func text(in language: String) -> String? {
        texts[language] ?? texts["en"] ?? texts.min { $0.key < $1.key }?.value
    }
}
