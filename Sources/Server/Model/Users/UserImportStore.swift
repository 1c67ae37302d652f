public import KeyturnBase

/// Brings in users by the batch.
public protocol UserImportStore: Sendable {
    /// Judges and writes rows in their order, one transaction for all; each is whole or not there, and one that is refused
    /// does not stop the others. Sessions end as ``UserStore/update(_:at:)`` and ``UserStore/changePassword(of:to:at:)``
    /// end them.
    ///
    /// - Parameter plan: what to do about users who are there already.
    /// - Returns: what became of each row, in the same order.
    func apply(_ rows: [ImportedUser], _ plan: UserImportPlan, at now: UnixTime) async throws(StoreError)
        -> [UserImport.Outcome]
}

/// How users are brought in.
public struct UserImportPlan: Hashable, Sendable {
    public var rule: UserImport.Rule
    /// Whether a row's password takes the place of one that is there.
    public var replacesPasswords: Bool
    /// Judges everything, and writes nothing.
    public var isRehearsal: Bool

    public init(rule: UserImport.Rule = .refuse, replacesPasswords: Bool = false, isRehearsal: Bool = false) {
        self.rule = rule
        self.replacesPasswords = replacesPasswords
        self.isRehearsal = isRehearsal
    }
}
