internal import Model

/// Whether roles let a user act as others, as a condition of a statement. It is asked at the time of the statement:
/// roles and their permissions change.
enum ActingRoles {
    /// - Parameters:
    ///   - user: the user's identifier, as an expression.
    ///   - roles: the user's roles of the project, as an expression.
    static func held(by user: String, roles: String, _ sql: any SQLFragments) -> String {
        """
        (EXISTS (
            SELECT 1 FROM \(sql.jsonElements(roles, as: "ah")), role ar
            WHERE ar.id = ah.value AND \(acts(sql)))
        OR EXISTS (
            SELECT 1 FROM membership am, \(sql.jsonElements("am.roles", as: "ah")), role ar
            WHERE am.user_id = \(user) AND ar.id = ah.value AND \(acts(sql))))
        """
    }

    /// Whether the role `ar` has one of the permissions.
    private static func acts(_ sql: any SQLFragments) -> String {
        let names = ActingPermissions.names.sorted().map { "'\($0)'" }.joined(separator: ", ")
        return
            "EXISTS (SELECT 1 FROM \(sql.jsonElements("ar.permissions", as: "ap")) WHERE ap.value IN (\(names)))"
    }
}
