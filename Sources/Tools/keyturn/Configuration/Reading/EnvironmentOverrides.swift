/// Environment variables in place of scalar keys: `KEYTURN_` and the key's path in capitals, joined by underscores.
///
/// `KEYTURN_PROJECT_ACCESS_TOKEN_SECONDS` is `project.access_token_seconds`. Lists cannot be set this way, except
/// `secrets`, which platforms like to inject: `KEYTURN_SECRETS` holds them with commas between. A variable that is
/// set but empty counts as not set.
enum EnvironmentOverrides {
    /// Every variable and the path of the key that it overrides.
    static let variables: [(name: String, path: [String])] = paths.map { path in
        ("KEYTURN_" + path.joined(separator: "_").uppercased(), path)
    }

    private static let paths: [[String]] =
        MethodSettingsReader.scalars.map { ["project"] + $0 } + AuthorityReader.scalars + ThemeReader.scalars + [
            ["issuer"], ["listen"], ["database"], ["database_connections"], ["drain_seconds"], ["dev"], ["secrets"],
            ["project", "id"], ["project", "name"], ["project", "access_token_seconds"],
            ["project", "anonymous_users", "purge_after_days"],
            ["project", "refresh_token_idle_seconds"], ["project", "refresh_token_absolute_seconds"],
            ["project", "shadowed_sessions"],
            ["project", "password_policy", "min_length"], ["project", "password_policy", "lowercase"],
            ["project", "password_policy", "uppercase"], ["project", "password_policy", "number"],
            ["project", "password_policy", "non_alphanumeric"],
            ["delivery", "outbox"], ["delivery", "templates"],
            ["delivery", "smtp", "host"], ["delivery", "smtp", "port"], ["delivery", "smtp", "from"],
            ["delivery", "smtp", "tls"], ["delivery", "smtp", "username"], ["delivery", "smtp", "password"],
            ["delivery", "smtp", "ca_file"],
            ["delivery", "sms_webhook", "url"], ["delivery", "sms_webhook", "secret"],
            ["risk", "country_database"], ["risk", "notify"],
            ["delivery", "push_webhook", "url"], ["delivery", "push_webhook", "secret"],
            ["tracing", "endpoint"], ["tracing", "sample_ratio"],
            ["pkcs11", "module"], ["pkcs11", "token"], ["pkcs11", "pin"], ["pkcs11", "pin_file"],
            ["key_service", "enabled"], ["key_service", "unused_days"],
        ]

    /// Keys that hold lists, for which a variable is surely a misunderstanding.
    private static let lists = [
        "CLIENTS", "USERS", "TENANTS", "ROLES", "PASSKEYS", "TRUSTED_PROXIES", "PROJECT_MANAGEMENT_KEYS",
        "PROJECT_SIGNING_ALGORITHMS", "PROJECT_RESOURCES", "PROJECT_APPROVED_DOMAINS",
        "PROJECT_SIGN_UP_DOMAINS",
        "KEY_SERVICE_REALMS",
    ].map { "KEYTURN_" + $0 }

    /// `root` with each key replaced whose variable is set. Warns of variables that look like slips; others that
    /// begin with `KEYTURN_` may belong to other programs.
    static func apply(
        _ environment: [String: String], to root: ConfigurationNode, reading: ConfigurationReading
    ) -> ConfigurationNode {
        var root = root
        for (name, path) in variables {
            guard let text = environment[name], !text.isEmpty else { continue }
            let origin = ConfigurationProblem.Origin.environment(name)
            set(value(text, path: path, origin: origin), at: path[...], in: &root, origin: origin)
        }
        let names = variables.map(\.name)
        for name in environment.keys.sorted() where name.hasPrefix("KEYTURN_") && !names.contains(name) {
            let origin = ConfigurationProblem.Origin.environment(name)
            if lists.contains(name) {
                reading.warning("", at: origin, "lists cannot be set from the environment", "Put it in the file.")
            } else if let nearest = Suggestion.nearest(to: name, among: names),
                Suggestion.editDistance(Array(nearest.utf8), Array(name.utf8)) <= 2
            {
                reading.warning("", at: origin, "no key has this variable", "Did you mean \"\(nearest)\"?")
            }
        }
        return root
    }

    private static func value(
        _ text: String, path: [String], origin: ConfigurationProblem.Origin
    ) -> ConfigurationNode {
        guard path == ["secrets"] else {
            return ConfigurationNode(origin: origin, content: .scalar(text, .environment))
        }
        let parts = text.split(separator: ",").map { part in
            ConfigurationNode(origin: origin, content: .scalar(String(part.trimmed), .environment))
        }
        return ConfigurationNode(origin: origin, content: .list(parts))
    }

    /// Leaves the file alone where it has something other than keys on the way: that is reported as it stands.
    private static func set(
        _ value: ConfigurationNode, at path: ArraySlice<String>, in node: inout ConfigurationNode,
        origin: ConfigurationProblem.Origin
    ) {
        guard let key = path.first else {
            node = value
            return
        }
        if node.isNull { node.content = .map([]) }
        guard case .map(var entries) = node.content else { return }
        let index = entries.firstIndex { $0.key == key } ?? entries.count
        if index == entries.count {
            let empty = ConfigurationNode(origin: origin, content: .map([]))
            entries.append(ConfigurationNode.Entry(key: key, origin: origin, value: empty))
        }
        set(value, at: path.dropFirst(), in: &entries[index].value, origin: origin)
        node.content = .map(entries)
    }
}

extension Substring {
    /// Without spaces at both ends.
    fileprivate var trimmed: Substring {
        var rest = self.drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
