internal import Authority
public import KeyturnBase
public import Model

/// What a user answers in the steps of a journey, kept in the user's own account.
public struct JourneyAnswers: Sendable {
    private let project: Project
    private let stores: Stores
    private let audit: any AuditLog
    private let ambient: Ambient

    public init(project: Project, stores: Stores, audit: any AuditLog, ambient: Ambient) {
        self.project = project
        self.stores = stores
        self.audit = audit
        self.ambient = ambient
    }

    /// Records that the user has accepted a document.
    ///
    /// - Parameter facts: of the sign-in in which the user answers.
    /// - Throws: ``StoreError``, `forbidden` if the sign-in may not change the account.
    public func accept(_ document: JourneyDocument, by account: Account, after facts: AuthenticationFacts)
        async throws(StoreError)
    {
        let now = ambient.now()
        _ = try await stores.users.change(by: try permission([.changeProfile], account, facts), at: now) {
            $0.user.acceptances[document.name] = Acceptance(version: document.version, at: now)
        }
        audit.record(AuditEvent(.documentAccepted, at: now, userID: account.user.id, reason: document.key))
    }

    /// Keeps what the user filled in: all of it, or nothing.
    ///
    /// - Throws: as ``accept(_:by:after:)``.
    public func keep(_ values: [(JourneyField, JSONValue)], of account: Account, after facts: AuthenticationFacts)
        async throws(StoreError)
    {
        guard !values.isEmpty else { return }
        let allowed = try permission([.changeProfile, .changeAttributes], account, facts)
        _ = try await stores.users.change(by: allowed, at: ambient.now()) { account in
            for (field, value) in values {
                if field.isClaim {
                    account.user.claims[field.name] = value
                } else {
                    account.user.attributes[field.name] = value
                }
            }
        }
    }

    private func permission(_ acts: [Act], _ account: Account, _ facts: AuthenticationFacts) throws(StoreError)
        -> Allowed<Acts.ChangeAccount>
    {
        let standing = facts.standing(.page, at: ambient.now())
        return try project.rulebook.changePermission(acts, to: .session(standing), on: account.subject)
    }
}
