private import Authority
private import KeyturnBase
private import Model

/// Reads the root of the file, and hands each part to the reader that knows it.
enum ServerReader {
    static let keys = [
        "issuer", "listen", "database", "database_connections", "drain_seconds", "dev", "secrets", "trusted_proxies",
        "project", "methods", "passkeys", "delivery", "audit",
        "registration", "key_service", "connections", "saml", "theme", "texts", "journeys",
        "risk", "tracing", "pkcs11", "tenants", "roles", "clients", "users",
    ]

    static func read(_ root: ConfigurationNode, reading: ConfigurationReading) -> ServerConfiguration {
        let section = Section(Located(value: root, path: "", origin: root.origin), keys: keys, reading: reading)
        var result = ServerConfiguration()
        // First, because it decides what other keys may say.
        result.isDevelopment = section.boolean("dev") ?? false
        reading.isDevelopment = result.isDevelopment

        readAddresses(section, into: &result)
        result.secrets = secrets(section)
        if case .postgreSQL = result.database, !section.has("secrets") {
            section.mistake(
                "database", "the secrets of a server with PostgreSQL cannot lie beside its database",
                "List them in secrets, or in KEYTURN_SECRETS: the same for every server of this database.")
        }
        result.trustedProxies = trustedProxies(section)
        result.project = ProjectReader.read(section.section("project", keys: ProjectReader.keys))
        result.project.authority = AuthorityReader.read(
            project: section.quietly("project"), methods: section.section("methods", keys: AuthorityReader.methodKeys))
        reading.signingAlgorithms = result.project.signingAlgorithms
        result.passkeys = section.sections("passkeys", keys: PasskeyReader.keys).compactMap(PasskeyReader.read)
        let secretKeys = result.passkeys.flatMap { Set($0.secretKeys.map { $0.exposed() }) }
        if Set(secretKeys).count < secretKeys.count {
            section.mistake("passkeys", "two of them have one secret key", "Give each a key of its own.")
        }
        let origins = result.passkeys.flatMap { Set($0.origins).filter { $0.hasPrefix("http") } }
        if Set(origins).count < origins.count {
            section.mistake("passkeys", "two of them have one origin", "Give each origin to one of them.")
        }
        result.delivery = DeliveryReader.read(section.section("delivery", keys: DeliveryReader.keys))
        result.audit = AuditReader.read(section.section("audit", keys: AuditReader.keys))
        result.registration = RegistrationReader.read(section.section("registration", keys: RegistrationReader.keys))
        result.keyService = KeyServiceReader.read(
            section.section("key_service", keys: KeyServiceReader.keys), isDevelopment: result.isDevelopment)
        result.risk = RiskReader.read(section.section("risk", keys: RiskReader.keys))
        result.tracing = TracingReader.read(section.section("tracing", keys: TracingReader.keys), reading)
        result.pkcs11 = PKCS11Reader.read(section.section("pkcs11", keys: PKCS11Reader.keys))
        result.theme = ThemeReader.read(section.section("theme", keys: ThemeReader.keys))
        result.texts = TextsReader.read(section)
        result.tenants = section.sections("tenants", keys: tenantKeys).compactMap(tenant)
        result.roles = section.sections("roles", keys: ["name", "permissions", AuthorityReader.secondFactorKey])
            .compactMap(role)
        result.project.authority.secondFactorTenants = Set(
            result.tenants.filter { $0.secondFactor == .required }.map(\.id))
        result.project.authority.secondFactorRoles = Set(
            result.roles.filter { $0.secondFactor == .required }.map(\.name))
        result.connections = section.sections("connections", keys: ConnectionReader.keys)
            .compactMap(ConnectionReader.read)
        result.samlKey = SAMLConnectionReader.key(section.section("saml", keys: ["private_key_file"]))
        LDAPConnectionReader.checkSingle(result.connections, of: section)
        result.clients = section.sections("clients", keys: ClientReader.keys).compactMap {
            ClientReader.read($0, project: result.project)
        }
        result.users = section.sections("users", keys: UserReader.keys).map {
            UserReader.read($0, policy: result.project.passwordPolicy)
        }
        let reach = JourneyReach(result)
        for inner in section.sections("journeys", keys: JourneyReader.keys) {
            let theme = ThemeReader.read(inner.section("theme", keys: ThemeReader.keys))
            guard let journey = JourneyReader.read(inner) else { continue }
            reach.check(journey, inner)
            result.journeys.append(journey)
            result.journeyThemes[journey.name] = theme
        }
        JourneyReader.checkDefaults(result.journeys, of: section)
        SignUpReach.check(result.journeys, result.project.authority.signUp, of: section)
        checkOutbox(section, result)
        return result
    }

    /// Anyone who opens the outbox reads every code and every link: on a public server, everyone.
    private static func checkOutbox(_ section: Section, _ result: ServerConfiguration) {
        guard result.showsMessagesToOthers, let delivery = section.quietly("delivery") else { return }
        guard result.isDevelopment else {
            return delivery.mistake("outbox", outboxDetail, "Set it to false; for a trial, write dev: true.")
        }
        delivery.warning("outbox", outboxDetail, "Set it to false, unless this is a trial that nobody else can reach.")
    }

    static let outboxDetail =
        "ANYBODY WHO REACHES THIS SERVER CAN SIGN IN AS ANYBODY: /dev/outbox shows every code and link"
    private static let tenantKeys = ["id", "name", "require_sso", "sso_exclusions", AuthorityReader.secondFactorKey]

    private static func readAddresses(_ section: Section, into result: inout ServerConfiguration) {
        let reading = section.reading
        if let text = section.text("issuer"), text.value != "auto",
            reading.check(URIRules.issuer(text.value, isDevelopment: reading.isDevelopment), text)
        {
            result.issuer = .fixed(text.value)
            reading.issuer = text.value
            if URIParts(text.value)?.path.isEmpty == false {
                section.warning(
                    "issuer", "the server's own endpoints are at the root of an origin",
                    "Remove the path, unless a proxy in front of the server maps it.")
            }
        }
        if let text = section.text("listen") {
            do throws(Refusal) {
                result.listen = try ListenAddress(text.value)
            } catch {
                reading.check(error, text)
            }
        }
        // What it calls itself without an issuer, as far as that is known before it starts.
        if reading.issuer == nil, result.listen.port != 0 {
            reading.issuer = result.issuer.text(listeningOn: result.listen)
        }
        if let text = section.text("database") {
            do throws(Refusal) {
                result.database = try DatabaseLocation(text.value)
            } catch {
                reading.check(error, text)
            }
        }
        result.databaseConnections = section.integer("database_connections", within: 4...200)
        var isShared = false
        if case .postgreSQL = result.database { isShared = true }
        if !isShared, result.databaseConnections != nil {
            section.warning(
                "database_connections", "a SQLite database has no connections",
                "Remove it, or name a PostgreSQL database.")
        }
        result.drainSeconds =
            section.integer("drain_seconds", within: 0...300) ?? (isShared ? ConfigurationLimits.drainSeconds : 0)
        let isAutomatic = !section.has("issuer") || section.text("issuer")?.value == "auto"
        if isAutomatic, !result.listen.isLoopback {
            section.warning(
                section.has("issuer") ? "issuer" : "listen",
                "the server names itself after the address it listens on, which others may not be able to use",
                "Set issuer to the https address by which clients know it.")
        }
    }

    private static func secrets(_ section: Section) -> [SealingKey] {
        let texts = section.texts("secrets") ?? []
        if section.has("secrets"), !(1...ConfigurationLimits.sealingKeysMax).contains(texts.count) {
            section.mistake(
                "secrets", "\(texts.count) keys are given",
                "Give 1 to \(ConfigurationLimits.sealingKeysMax), or remove the key to let the server make one.")
        }
        var seen: [[UInt8]] = []
        return texts.compactMap { text in
            do throws(Refusal) {
                let key = try SealingKey(text.value)
                let refusal = seen.contains(key.bytes) ? Refusal("this key is listed twice", "Remove one.") : nil
                seen.append(key.bytes)
                return section.reading.check(refusal, text) ? key : nil
            } catch {
                section.reading.check(error, text)
                return nil
            }
        }
    }

    private static func trustedProxies(_ section: Section) -> [IPAddressRange] {
        (section.texts("trusted_proxies") ?? []).compactMap { text in
            do throws(IPAddressRange.Problem) {
                let range = try IPAddressRange(text.value)
                if range.prefixLength == 0 {
                    section.reading.warning(
                        text.path, at: text.origin, "everybody may claim any address",
                        "List only the proxies in front of this server.")
                }
                return range
            } catch {
                section.reading.check(refusal(error), text)
                return nil
            }
        }
    }

    private static func refusal(_ problem: IPAddressRange.Problem) -> Refusal {
        switch problem {
        case .address:
            Refusal("it is not a range of addresses", "Write it as 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32.")
        case .prefixLength(let max):
            Refusal("the number after \"/\" is not a prefix length", "Use 0 to \(max).")
        case .bitsBeyondPrefix(let length, let max):
            Refusal(
                "the address has bits set beyond the first \(length)",
                "Write the first address of the range, or /\(max) for a single one.")
        }
    }

    private static func tenant(_ section: Section) -> TenantConfiguration? {
        let name = section.text("name")
        guard let id = requiredIdentifier("id", of: section) else { return nil }
        section.reading.declare(.tenant, id)
        var tenant = TenantConfiguration(id: id.value, name: name?.value ?? id.value)
        tenant.requiresSingleSignOn = section.boolean("require_sso")
        tenant.secondFactor = AuthorityReader.secondFactor(section)
        tenant.singleSignOnExclusions = section.texts("sso_exclusions")?.map(\.value)
        if let count = tenant.singleSignOnExclusions?.count, count > Limits.singleSignOnExclusionsMax {
            section.mistake(
                "sso_exclusions", "there are \(count)", "Name at most \(Limits.singleSignOnExclusionsMax) users.")
        }
        return tenant
    }

    private static func role(_ section: Section) -> RoleConfiguration? {
        let permissions = section.texts("permissions", bytesMax: ConfigurationLimits.nameBytesMax) ?? []
        let secondFactor = AuthorityReader.secondFactor(section)
        for permission in permissions { section.reading.check(TextRules.identifier(permission.value), permission) }
        guard let name = requiredIdentifier("name", of: section) else { return nil }
        section.reading.declare(.role, name)
        return RoleConfiguration(
            name: name.value, permissions: permissions.map(\.value), secondFactor: secondFactor)
    }

    private static func requiredIdentifier(_ key: String, of section: Section) -> Located<String>? {
        guard section.has(key) else {
            section.mistake(key, "it is missing", "Give it: other entries refer to it.")
            return nil
        }
        guard let text = section.text(key, bytesMax: ConfigurationLimits.nameBytesMax) else { return nil }
        return section.reading.check(TextRules.identifier(text.value), text) ? text : nil
    }
}
