internal import SignIn

/// What an operator decides about one sign-in method, or about what several share: its keys, and what they mean.
///
/// To add one: a file beside this one, and its line in ``MethodSettingsReader/all``.
struct MethodSettingsRow: Sendable {
    /// Keys of `project`.
    var keys: [String] = []
    /// Keys of `password_policy` in `project`.
    var policyKeys: [String] = []
    /// Below `project`, the paths of values that environment variables may replace.
    var scalars: [[String]] = []
    /// - Parameter policy: the section `password_policy`, if there is one.
    let read: @Sendable (_ project: Section, _ policy: Section?, _ settings: inout MethodSettings) -> Void
}

/// Reads what an operator decides about sign-in methods.
enum MethodSettingsReader {
    /// The registry: one line for each row.
    static let all: [MethodSettingsRow] = [
        .links,
        .passwords,
        .recovery,
        .usernames,
        .approval,
    ]

    static let keys = all.flatMap(\.keys)
    static let policyKeys = all.flatMap(\.policyKeys)
    static let scalars = all.flatMap(\.scalars)

    static func read(_ project: Section, policy: Section?) -> MethodSettings {
        var settings = MethodSettings()
        for row in all { row.read(project, policy, &settings) }
        return settings
    }
}
