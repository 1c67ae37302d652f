/// Which sources write what decides who may sign in and who may do what. Each of these writes under a permission of the
/// rulebook, or as part of a transaction that has one; a statement elsewhere would go around it.
enum AuthorityWriters {
    private static let folder = "Sources/Server/StoreSQL/"
    /// Migrations, and the copy of a whole project: the machine's.
    private static let machine = ["Sources/Server/StoreSQL/Engine/", "Sources/Server/StoreSQL/Transfer/"]

    /// The tables, and who writes each, by the names of the files.
    static let writers: [String: Set<String>] = [
        "user": [
            "SQLUserStore", "SQLUserStore+Identity", "SQLAnonymousStore", "SQLGrantStore+Promotion", "SQLSCIMUserStore",
            "SQLSCIMUserStore+Persons", "RoleSources", "Revocation", "SQLMaintenanceStore", "SQLPasswordStore",
        ],
        "identifier": ["SQLUserStore"],
        "membership": ["SQLUserStore+Memberships", "SCIMMembership", "RoleSources", "BroughtMemberships"],
        "former_membership": ["FormerMemberships"],
        "password": ["SQLUserStore", "SQLUserStore+Identity", "SQLPasswordStore", "SQLUserImportStore"],
        "authenticator": ["SQLTOTPStore", "SQLPasskeyStore+Adding", "Revocation"],
        "recovery_code": ["SQLTOTPStore"],
        "passkey": ["SQLPasskeyStore", "SQLPasskeyStore+Adding"],
        "biometric_key": ["SQLBiometricStore", "Revocation", "SQLClientStore"],
        "federated_identity": [
            "SQLFederatedIdentityStore", "SQLFederatedIdentityStore+Connections", "SQLFederatedIdentityStore+Sessions",
            "SQLFederatedIdentityStore+SignOut",
        ],
        "console_operator": ["SQLConsoleOperatorStore"],
        "client": ["SQLClientStore"],
        "connection": ["SQLConnectionStore"],
    ]

    /// The statements of a file that write one of the tables, and should stand elsewhere.
    static func strangers(_ file: SourceTree.File) -> [Finding] {
        guard file.path.hasPrefix("Sources/"), !machine.contains(where: file.path.hasPrefix) else { return [] }
        let name = file.path.split(separator: "/").last.map { String($0.dropLast(".swift".count)) } ?? ""
        return written(file).compactMap { line, table in
            guard let known = writers[table], !known.contains(name) || !file.path.hasPrefix(folder) else { return nil }
            return Finding(
                path: file.path, line: line, text: "\(table) is written by \(known.sorted()) alone")
        }
    }

    /// The tables that a file writes.
    static func written(_ file: SourceTree.File) -> [(line: Int, table: String)] {
        file.lines.enumerated().flatMap { number, text in
            text.matches(of: #/\b(?:INSERT +INTO|UPDATE|DELETE +FROM) +\\?"?(\w+)/#).map { (number + 1, String($0.1)) }
        }
    }
}
