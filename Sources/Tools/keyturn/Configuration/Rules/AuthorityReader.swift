internal import Authority
internal import Model

/// Reads who may open an account, who needs a second factor, and which rules of the methods' wire are loosened.
enum AuthorityReader {
    /// Keys of `project`.
    static let projectKeys = ["sign_up", "sign_up_domains", secondFactorKey]
    /// A key of `project`, of a role and of a tenant.
    static let secondFactorKey = "second_factor"
    /// Keys of `methods`.
    static let methodKeys = switches.map(\.key)
    /// The paths of values that environment variables may replace.
    static let scalars =
        [["project", "sign_up"], ["project", secondFactorKey]] + methodKeys.map { ["methods", $0] }

    /// A rule of the methods' wire that an operator may loosen.
    private struct Switch: Sendable {
        let key: String
        let member: any WritableKeyPath<AuthorityPolicy, Bool> & Sendable
        /// What follows where it is on.
        let consequence: String
    }

    private static let switches = [
        Switch(
            key: "old_sessions_change_sign_in", member: \.oldSessionsChangeSignIn,
            consequence: "a stolen refresh token changes how its user signs in, however old the sign-in is"),
        Switch(
            key: "password_beside_second_factor", member: \.passwordBesideSecondFactor,
            consequence: "on the methods' wire one factor opens the session of a user who has a second one"),
        Switch(
            key: "merge_into_existing", member: \.mergeIntoExisting,
            consequence: "a client may merge its user into the account that has the proved address"),
        Switch(
            key: "same_network_counts", member: \.sameNetworkCounts,
            consequence: "a link that another user of the same network opens counts as opened by the one who asked"),
        Switch(
            key: "unverified_contacts", member: \.unverifiedContacts,
            consequence: "apps are told addresses that were never proved: one may be another person's"),
    ]

    /// The words of `sign_up`.
    private enum SignUpWord: String, CaseIterable {
        case open, domains, invited, off
    }

    /// - Parameters:
    ///   - project: the section `project`; `nil`: there is none.
    ///   - methods: the section `methods`; `nil`: there is none.
    static func read(project: Section?, methods: Section?) -> AuthorityPolicy {
        var policy = AuthorityPolicy()
        if let project {
            policy.signUp = signUp(project)
            policy.secondFactor = secondFactor(project) ?? .optional
        }
        guard let methods else { return policy }
        for row in switches where methods.boolean(row.key) == true {
            policy[keyPath: row.member] = true
            methods.warning(row.key, "it is on: \(row.consequence)", "Set it to false, unless an app needs it.")
        }
        return policy
    }

    /// `second_factor` of a project, a role or a tenant; `nil`: it says nothing.
    static func secondFactor(_ section: Section) -> SecondFactorPolicy? {
        section.choice(secondFactorKey, of: SecondFactorPolicy.self)
    }

    private static func signUp(_ project: Section) -> SignUpPolicy {
        let word = project.choice("sign_up", of: SignUpWord.self) ?? .open
        var domains: Set<String> = []
        for text in project.texts("sign_up_domains", bytesMax: ConfigurationLimits.nameBytesMax) ?? [] {
            guard let domain = EmailDomain(text.value), domain.name == text.value,
                text.value.utf8.allSatisfy({ $0 < 128 })
            else {
                project.reading.mistake(
                    text.path, at: text.origin, "it is not the domain of an address",
                    "Write example.com, in small letters and without @; an international one in its xn-- form.")
                continue
            }
            if PublicMailDomains.contains(domain) {
                project.reading.warning(
                    text.path, at: text.origin, "anybody can have an address there",
                    "Name domains of your own, or write sign_up: open.")
            }
            domains.insert(domain.name)
        }
        if project.has("sign_up_domains"), word != .domains {
            project.warning(
                "sign_up_domains", "it does nothing: sign_up is \(word.rawValue)",
                "Write sign_up: domains, or remove sign_up_domains.")
        }
        return switch word {
        case .open: .open
        case .domains: .domains(domains)
        case .invited: .invited
        case .off: .off
        }
    }
}

/// Journeys beside `sign_up`: a journey narrows what the project allows, and widens nothing.
enum SignUpReach {
    /// Notes where a journey and the project do not fit.
    static func check(_ journeys: [Journey], _ policy: SignUpPolicy, of section: Section) {
        for journey in journeys {
            if policy == .open, journey.steps.contains(where: { $0.kind == .identify(allowsSignUp: false) }) {
                section.warning(
                    "journeys",
                    "\(journey.name) lets no new user in, but project.sign_up is open: apps without pages, the settings "
                        + "and other clients make accounts",
                    "Write sign_up: invited in project; or open, if that is meant.")
            }
            let isClosed = policy == .invited || policy == .off
            if isClosed, journey.steps.contains(where: { if case .create = $0.kind { true } else { false } }) {
                section.warning(
                    "journeys", "\(journey.name) begins with a new account, and project.sign_up allows none",
                    "Write sign_up: open or domains in project, or let the journey begin with identify.")
            }
        }
    }
}
