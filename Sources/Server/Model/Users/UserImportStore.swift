public import Authority
public import KeyturnBase

/// Imports users in batches.
public protocol UserImportStore: Sendable {
    /// Judges and writes rows in their order, one transaction for all; each is written entirely or not at all, and a
    /// refused one does not stop the others. Sessions end as ``UserStore/change(by:leaving:at:_:)`` and
    /// ``PasswordStore/set(_:by:at:)`` end them.
    ///
    /// - Parameters:
    ///   - plan: what to do about existing users.
    ///   - allowed: for the project: a bulk act is one act.
    /// - Returns: the result of each row, in the same order.
    /// - Throws: `forbidden` if the permission is for one user.
    func apply(
        _ rows: [ImportedUser], _ plan: UserImportPlan, by allowed: consuming Allowed<Acts.ImportUsers>,
        at now: UnixTime
    ) async throws(StoreError) -> [UserImport.Outcome]
}

/// How users are imported.
public struct UserImportPlan: Hashable, Sendable {
    public var rule: UserImport.Rule
    /// Whether a row's password replaces an existing one.
    public var replacesPasswords: Bool
    /// Judges every row, and writes nothing.
    public var isRehearsal: Bool

    public init(rule: UserImport.Rule = .refuse, replacesPasswords: Bool = false, isRehearsal: Bool = false) {
        self.rule = rule
        self.replacesPasswords = replacesPasswords
        self.isRehearsal = isRehearsal
    }
}
