internal import SignIn

/// Why a sign-in at a provider came to nothing, as pages say it.
enum FederationProblem: Hashable, Sendable {
    case connection(ConnectionProblem.Kind)
    case refusal(FederationRefusal)
    /// The page asks for one user, and the provider vouched for another.
    case otherUser
    /// The typed address is of no organisation.
    case noOrganisation
    /// The organisation checks passwords at its directory, and has no page.
    case passwordHere

    /// Every problem.
    static let all: [FederationProblem] =
        ConnectionProblem.Kind.allCases.map(connection) + FederationRefusal.allCases.map(refusal)
        + [.otherUser, .noOrganisation, .passwordHere]

    /// The word in addresses.
    var word: String {
        switch self {
        case .connection(let kind): "provider_\(kind.rawValue)"
        case .refusal(let refusal): refusal.rawValue
        case .otherUser: "other_user"
        case .noOrganisation: "no_organisation"
        case .passwordHere: "password_here"
        }
    }

    init?(word: String?) {
        guard let problem = Self.all.first(where: { $0.word == word }) else { return nil }
        self = problem
    }
}
