internal import Model
internal import SignIn

extension MethodSettingsRow {
    /// Passwords, beside the rules for a new one.
    static let passwords = MethodSettingsRow(
        policyKeys: policyKeys, scalars: policyKeys.map { ["password_policy", $0] }
    ) { _, policy, settings in
        if let policy { settings.passwords = readPasswords(policy) }
    }

    private static let policyKeys = ["expiration_weeks", "reuse_amount", "lock_attempts", "lock_seconds"]

    private static func readPasswords(_ policy: Section) -> PasswordSettings {
        let limits = ConfigurationLimits.self
        let weeks = policy.integer("expiration_weeks", within: limits.expirationWeeks, hint: off("never"))
        let attempts = policy.integer("lock_attempts", within: limits.lockAttempts, hint: off("no lock"))
        let seconds = policy.integer("lock_seconds", within: limits.lockSeconds)
        if policy.has("lock_seconds"), !policy.has("lock_attempts") {
            policy.mistake(
                "lock_seconds", "it says how long a lock lasts, but nothing locks",
                "Add lock_attempts: after so many wrong passwords; or remove lock_seconds.")
        }
        return PasswordSettings(
            expirationWeeks: weeks.map(Int64.init),
            reuseMax: policy.integer("reuse_amount", within: 0...Limits.passwordHistoryMax) ?? 0,
            lockAttempts: attempts.map(Int64.init), lockSeconds: Int64(seconds ?? 900))
    }

    private static func off(_ meaning: String) -> String { "Remove the key for: \(meaning)." }
}
