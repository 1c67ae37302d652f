import Authority
import KeyturnBase
import KeyturnWire
import Model

/// Something that a person does to the server, by the functions that the ways in call.
struct AuthorityAct: Sendable {
    let name: String
    let person: Person
    /// How often it is done on one way, at most.
    var timesMax = 1
    /// What the judge must know of it.
    var traits = Traits()
    /// Whether there is anything to do it with.
    var isPossible: @Sendable (AuthorityState) -> Bool = { _ in true }
    let run: @Sendable (inout Scene) async throws -> Void

    /// What the judge must know of an act.
    struct Traits: Sendable {
        /// The tenant whose directory or provider speaks; `nil`: none does.
        var tenant: String?
        /// Whether it may open accounts where users may not by themselves.
        var opensAccounts = false
        /// Whether it may take a person's access away without a word: an operator keeps a person out.
        var keepsOut = false
    }

    /// The same act, in fewer states.
    func `where`(_ condition: @escaping @Sendable (AuthorityState) -> Bool) -> AuthorityAct {
        var act = self
        let isPossible = isPossible
        act.isPossible = { isPossible($0) && condition($0) }
        return act
    }

    var label: String { "\(person.rawValue): \(name)" }
}

/// The act cannot be done in this state: there is nothing to do it with.
struct NothingToDo: Error {}

/// One act under way.
struct Scene: Sendable {
    let server: AuthorityServer
    let person: Person
    let isNetworkShared: Bool
    var state: AuthorityState
    /// What clients heard of users.
    var heard: [Heard] = []
    /// What was taken or refused, beside what should be.
    var trials: [Trial] = []

    /// What a client heard of a user.
    struct Heard: Sendable {
        let user: UserID
        let client: String
        let claims: [String: JSONValue]
        /// The claims that were granted, or that the user agreed to.
        let allowed: Set<String>
    }

    /// A token or a session that was shown.
    struct Trial: Sendable {
        let what: String
        let isTaken: Bool
        let shouldBe: Bool
    }

    var network: NetworkAddress { person.network(isShared: isNetworkShared) }

    var holdings: Holdings {
        get { state.holdings[person] ?? Holdings() }
        set { state.holdings[person] = newValue }
    }
}

/// What an exploration explores: a server with a past, and what people can do to it.
struct AuthorityModel: Sendable {
    let name: String
    var settings = AuthoritySettings()
    /// What happened before, by the same functions.
    let start: @Sendable (AuthorityServer) async throws -> AuthorityState
    let acts: [AuthorityAct]
    /// How many acts one way has, at most: in the short run and in the long one.
    let depth: (short: Int, long: Int)
    /// Acts that have something to do only on a longer way, or where a mistake is planted.
    var idle: Set<String> = []
}

/// What the server is like.
struct AuthoritySettings: Sendable {
    /// The rules as the operator set them.
    var policy = AuthorityPolicy()
    /// What the judge expects of sign-ups; `nil`: what the rules say.
    var expectedSignUp: SignUpPolicy?
    /// A mistake that is planted.
    var fault: AuthorityFault?
    /// Whose accounts no other person may be in.
    var protected = Person.protected
    /// Whether all people are in one network.
    var isNetworkShared = false

    /// What differs from the usual, for the name of a model.
    var shown: String {
        (policy.signUp == .open ? "" : ", sign-up \(policy.signUp)") + (isNetworkShared ? ", one network" : "")
    }
}
