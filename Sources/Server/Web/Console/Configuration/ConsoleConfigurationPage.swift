internal import Authority
internal import Model

/// The settings of the configuration file, as the server has them.
struct ConsoleConfigurationPage: ConsolePage {
    static let template = PageTemplate.consoleConfiguration
    static let section = ConsoleSection.configuration
    let visitor: ConsoleVisitor
    let project: Project
    /// The sign-in methods that are offered, by their names.
    let methods: [String]
    let hasRegistration: Bool
    let hasKeyService: Bool
    let relyingParties: [String]
    let languages: [String]
    /// Whether other servers may use the database.
    let isShared: Bool

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleConfigurationStrings.self]
        let groups: [(title: String, facts: [(key: String, value: String)])] = [
            (
                text.project,
                [
                    ("project.id", project.id), ("project.name", project.name), ("issuer", project.issuer),
                    ("database", isShared ? "PostgreSQL" : "SQLite"),
                    ("languages", languages.joined(separator: ", ")),
                ]
            ),
            (
                text.tokens,
                [
                    ("access_token_seconds", String(project.accessTokenSeconds)),
                    ("refresh_token_idle_seconds", String(project.idleSeconds)),
                    ("refresh_token_absolute_seconds", String(project.absoluteSeconds)),
                    ("shadowed_sessions", project.shadowedSessions.rawValue),
                    ("signing_algorithms", project.signingAlgorithms.joined(separator: ", ")),
                    ("resources", project.resources?.sorted().joined(separator: ", ") ?? text.any),
                    ("authorization_details_types", list(project.authorizationDetailTypes, strings)),
                ]
            ),
            (text.signIn, signIn(strings)),
            (
                text.data,
                [
                    ("audit.retention_days", String(project.auditRetentionDays)),
                    ("anonymous_users.purge_after_days", String(project.anonymousPurgeDays)),
                    ("registration", yes(hasRegistration, strings)), ("key_service", yes(hasKeyService, strings)),
                ]
            ),
        ]
        return [
            "heading": title(strings), "text": text,
            "groups": groups.map { group in
                ["title": group.title, "facts": group.facts.map { ["key": $0.key, "value": $0.value] }] as [String: Any]
            },
        ]
    }

    private func signIn(_ strings: Strings) -> [(key: String, value: String)] {
        let policy = project.passwordPolicy
        return [
            ("sign_up", Self.word(project.authority.signUp)),
            ("sign_up_domains", list(Self.domains(project.authority.signUp), strings)),
            ("second_factor", project.authority.secondFactor.rawValue),
            ("second_factor: roles", list(project.authority.secondFactorRoles.sorted(), strings)),
            ("second_factor: tenants", list(project.authority.secondFactorTenants.sorted(), strings)),
        ] + methodSwitches(strings) + [
            ("methods", list(methods, strings)),
            ("password_policy.min_length", String(policy.minLength)),
            ("password_policy.lowercase", yes(policy.requiresLowercase, strings)),
            ("password_policy.uppercase", yes(policy.requiresUppercase, strings)),
            ("password_policy.number", yes(policy.requiresNumber, strings)),
            ("password_policy.non_alphanumeric", yes(policy.requiresNonAlphanumeric, strings)),
            ("breached_passwords", yes(project.breachedPasswords != nil, strings)),
            ("passkeys", list(relyingParties, strings)),
            ("journeys", list(project.journeys.map(\.name), strings)),
            ("risk.countries", yes(project.risk.countries != nil, strings)),
            ("risk.notify", yes(project.risk.notifies, strings)),
        ]
    }

    /// The rules of the methods' wire that the operator loosened, or left strict.
    private func methodSwitches(_ strings: Strings) -> [(key: String, value: String)] {
        let policy = project.authority
        return [
            ("methods.old_sessions_change_sign_in", yes(policy.oldSessionsChangeSignIn, strings)),
            ("methods.password_beside_second_factor", yes(policy.passwordBesideSecondFactor, strings)),
            ("methods.merge_into_existing", yes(policy.mergeIntoExisting, strings)),
            ("methods.same_network_counts", yes(policy.sameNetworkCounts, strings)),
            ("methods.unverified_contacts", yes(policy.unverifiedContacts, strings)),
        ]
    }

    private static func word(_ policy: SignUpPolicy) -> String {
        switch policy {
        case .open: "open"
        case .domains: "domains"
        case .invited: "invited"
        case .off: "off"
        }
    }

    private static func domains(_ policy: SignUpPolicy) -> [String] {
        if case .domains(let names) = policy { names.sorted() } else { [] }
    }

    private func yes(_ value: Bool, _ strings: Strings) -> String {
        let console = strings[ConsoleStrings.self]
        return value ? console.yes : console.no
    }

    private func list(_ values: [String], _ strings: Strings) -> String {
        values.isEmpty ? strings[ConsoleStrings.self].none : values.joined(separator: ", ")
    }
}
