/// What must be known of a sign-in for a step or a branch of a journey.
public indirect enum JourneyCondition: Hashable, Sendable {
    /// All of these hold.
    case all([JourneyCondition])
    case not(JourneyCondition)
    /// An email address of the user, or the one that was typed, is of one of these domains.
    case domain(Set<String>)
    /// The app said one of these values of an input.
    case input(String, Set<String>)
    /// The user is a member of one of these tenants.
    case tenant(Set<String>)
    /// The user signed up in this sign-in.
    case newUser
    /// The user has these attributes.
    case has(Set<String>)
    /// The user was verified by one of these methods.
    case used(Set<AuthenticationMethod>)
    /// The user has set up one of these methods.
    case enrolled(Set<AuthenticationMethod>)
    /// The last verification was more than this number of seconds old when the request came.
    case olderThan(seconds: Int64)
    /// Any of these is so.
    case risk(Set<RiskSignal>)

    /// Whether it holds.
    public func holds(_ facts: JourneyFacts) -> Bool {
        switch self {
        case .all(let conditions): conditions.allSatisfy { $0.holds(facts) }
        case .not(let condition): !condition.holds(facts)
        case .domain(let names): !names.isDisjoint(with: facts.domains)
        case .input(let name, let values): facts.inputs.values[name].map(values.contains) ?? false
        case .tenant(let tenants): !tenants.isDisjoint(with: facts.tenants)
        case .newUser: facts.isNewUser
        case .has(let names): names.isSubset(of: facts.attributes)
        case .used(let methods): !methods.isDisjoint(with: facts.methods)
        case .enrolled(let methods): !methods.isDisjoint(with: facts.enrolled)
        case .olderThan(let seconds): facts.ageSeconds > seconds
        case .risk(let signals): !signals.isDisjoint(with: facts.risks)
        }
    }

    /// Whether it is about what the app says.
    var readsInputs: Bool {
        switch self {
        case .all(let conditions): conditions.contains(where: \.readsInputs)
        case .not(let condition): condition.readsInputs
        case .input: true
        default: false
        }
    }

    /// What must have happened before it can be decided.
    public var needs: JourneyKnowledge {
        switch self {
        case .all(let conditions): conditions.map(\.needs).max() ?? .nothing
        case .not(let condition): condition.needs
        case .domain: .identifier
        case .input: .nothing
        default: .user
        }
    }
}

/// How much is known of a user at a step of a journey.
public enum JourneyKnowledge: Int, Hashable, Comparable, Sendable {
    case nothing
    /// What the user typed.
    case identifier
    /// Who the user is.
    case user

    public static func < (left: JourneyKnowledge, right: JourneyKnowledge) -> Bool { left.rawValue < right.rawValue }
}
