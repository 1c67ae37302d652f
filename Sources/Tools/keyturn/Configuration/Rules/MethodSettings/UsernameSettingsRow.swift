internal import SignIn

extension MethodSettingsRow {
    /// Whether users choose user names in their settings.
    static let usernames = MethodSettingsRow(keys: ["usernames"], scalars: [["usernames"]]) { project, _, settings in
        settings.offersUsernames = project.boolean("usernames") ?? false
    }
}
