internal import ArgumentParser
internal import Foundation
internal import KeyturnBase

/// The settings of a directory as options; what is not given stays as it is.
struct DirectoryOptions: ParsableArguments {
    @Option(name: .customLong("ldap-url"), help: "LDAP: the directory, as ldaps://host.") var url: String?
    @Option(name: .customLong("bind-dn"), help: "LDAP: the name to search with.") var bindDN: String?
    @Option(help: ArgumentHelp("LDAP: a file with its password; - reads standard input.", valueName: "file"))
    var bindPasswordFile: String?
    @Option(name: .customLong("base-dn"), help: "LDAP: where users are.") var baseDN: String?
    @Option(help: "LDAP: finds a user, with {login} where the typed name belongs.") var filter: String?
    @Option(help: ArgumentHelp("LDAP: certificates that the directory's comes from.", valueName: "file"))
    var caFile: String?
    @Option(help: "LDAP: the attribute that names a user's groups.") var groupAttribute: String?
    @Option(help: "LDAP: finds the groups of a user, with {dn} where the user's name belongs.")
    var groupFilter: String?
    @Option(name: .customLong("group-base-dn"), help: "LDAP: where groups are.") var groupBaseDN: String?

    /// The settings as ``ConnectionOptions/members()``.
    ///
    /// - Throws: ``CommandFailure`` for what cannot be read.
    func members() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        let texts = [
            ("url", url), ("bind_dn", bindDN), ("base_dn", baseDN), ("filter", filter),
            ("group_attribute", groupAttribute), ("group_filter", groupFilter), ("group_base_dn", groupBaseDN),
            ("bind_password", try bindPasswordFile.map(ConnectionOptions.read)?.trimmingCharacters(in: .newlines)),
            ("certificate_authorities", try caFile.map(ConnectionOptions.read)),
        ]
        for (key, text) in texts { members[key] = text.map(JSONValue.string) }
        return members
    }
}
