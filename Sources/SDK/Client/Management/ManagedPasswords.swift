public import KeyturnBase
public import KeyturnWire

/// The rules for passwords. Throws as ``ManagedUsers`` does.
public struct ManagedPasswords: Sendable {
    let calls: ManagementCalls

    /// The rules as they are.
    ///
    /// - Parameter tenantID: Those of a tenant; `nil`: of the project.
    public func settings(tenantID: String? = nil) async throws(AuthError) -> PasswordSettings {
        var query = FormParameters()
        query.append("tenantId", tenantID)
        return try await calls.get("/v1/mgmt/password/settings", query: query).message()
    }

    /// Replaces the rules.
    public func setSettings(_ settings: PasswordSettings, tenantID: String? = nil) async throws(AuthError) {
        var members = settings.json.objectValue ?? [:]
        members.put("tenantId", tenantID)
        try await calls.post("/v1/mgmt/password/settings", members)
    }
}

/// The rules for passwords.
public struct PasswordSettings: Hashable, Sendable {
    /// Whether passwords are used at all.
    public var isEnabled: Bool
    /// What a password must consist of.
    public var policy: PasswordPolicyAnswer
    /// After how many weeks a password must be changed; `nil`: never.
    public var expirationWeeks: Int64?
    /// How many earlier passwords must not be used again; `nil`: any may.
    public var reuseAmount: Int64?
    /// After how many wrong passwords an account is locked; `nil`: never.
    public var lockAttempts: Int64?

    /// Settings; what is left out is not asked of users.
    public init(
        isEnabled: Bool = true, policy: PasswordPolicyAnswer, expirationWeeks: Int64? = nil, reuseAmount: Int64? = nil,
        lockAttempts: Int64? = nil
    ) {
        self.isEnabled = isEnabled
        self.policy = policy
        self.expirationWeeks = expirationWeeks
        self.reuseAmount = reuseAmount
        self.lockAttempts = lockAttempts
    }
}

extension PasswordSettings: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        self.init(
            isEnabled: try body.flag("enabled") ?? false, policy: try PasswordPolicyAnswer(body),
            expirationWeeks: try body.flag("expiration") == true ? try body.integer("expirationWeeks") : nil,
            reuseAmount: try body.flag("reuse") == true ? try body.integer("reuseAmount") : nil,
            lockAttempts: try body.flag("lock") == true ? try body.integer("lockAttempts") : nil)
    }

    public var json: JSONValue {
        var members = policy.json.objectValue ?? [:]
        members["enabled"] = .bool(isEnabled)
        members["expiration"] = .bool(expirationWeeks != nil)
        members["expirationWeeks"] = .integer(expirationWeeks ?? 0)
        members["reuse"] = .bool(reuseAmount != nil)
        members["reuseAmount"] = .integer(reuseAmount ?? 0)
        members["lock"] = .bool(lockAttempts != nil)
        members["lockAttempts"] = .integer(lockAttempts ?? 0)
        return .object(members)
    }
}
