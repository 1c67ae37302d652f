internal import Delivery
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// Reads one entry of `clients`.
enum ClientReader {
    static let keys =
        ClientMetadata.CodingKeys.allCases.map(\.rawValue) + ClientMetadataReader.ignored + [
            "client_id", "client_secret", "first_party", "assertion_audiences", "assertion_seconds", "may_impersonate",
            "profile", "resources", "strict_assertions", logoutKey,
        ]
    private static let logoutKey = "backchannel_logout_private_address"

    static func read(_ section: Section, project: ProjectConfiguration) -> ClientConfiguration? {
        let clientID = clientID(section)
        let secret = section.secret("client_secret")
        if section.has("client_secret"), let text = section.text("client_secret") {
            let isText = section.reading.check(TextRules.printableASCII(text.value), text)
            // One that is unused is told of elsewhere.
            let method = section.text("token_endpoint_auth_method")?.value ?? "client_secret_basic"
            if isText, method.hasPrefix("client_secret_") { section.checkStrength(of: text) }
        }
        let metadata = ClientMetadataReader.read(section)
        let profile = section.choice("profile", of: ClientProfile.self) ?? .standard
        let method = ClientAuthenticationRules.method(section, profile: profile)
        ClientMetadataRules.check(section, method: method)
        ProfileRules.check(section, profile: profile, method: method)
        warnOfDetails(section, project: project)
        Unused.warn(client: section)
        warnOfPrivateAddress(section)
        let client = ClientConfiguration(
            clientID: clientID ?? "", clientSecret: secret, metadata: metadata, authenticationMethod: method,
            firstParty: section.boolean("first_party") ?? false,
            assertionAudiences: uris("assertion_audiences", section), assertionSeconds: assertionSeconds(section),
            mayImpersonate: impersonation(section), profile: profile,
            strictAssertions: section.boolean("strict_assertions") ?? false,
            allowsPrivateLogoutAddress: section.boolean(logoutKey) ?? false,
            resources: resources(section, project: project))
        return clientID == nil ? nil : client
    }

    private static func clientID(_ section: Section) -> String? {
        guard section.has("client_id") else {
            section.mistake("client_id", "it is missing", "Give the identifier that the application sends.")
            return nil
        }
        guard let text = section.text("client_id", bytesMax: ConfigurationLimits.nameBytesMax),
            section.reading.check(TextRules.printableASCII(text.value), text)
        else { return nil }
        section.reading.declare(.client, text)
        return text.value
    }

    /// Only assertions that stand for a grant: those by which a client authenticates have a bound of their own.
    private static func assertionSeconds(_ section: Section) -> Int? {
        let grants = section.texts("grant_types") ?? []
        if section.has("assertion_seconds"), !grants.contains(where: { $0.value == GrantType.jwtBearer.rawValue }) {
            section.warning(
                "assertion_seconds", "the client hands in no assertions for tokens",
                "Add \(GrantType.jwtBearer.rawValue) to grant_types, or remove the key.")
        }
        return section.integer("assertion_seconds", within: ConfigurationLimits.assertionSeconds)
    }

    private static func uris(_ key: String, _ section: Section) -> [String] {
        (section.texts(key) ?? []).filter { section.reading.check(URIRules.resource($0.value), $0) }.map(\.value)
    }

    /// A server on a public address sends nothing into a private network unless it is told to.
    private static func warnOfPrivateAddress(_ section: Section) {
        let keys: [(ClientMetadata.CodingKeys, String)] = [
            (.backchannelLogoutURI, "logout notice"), (.backchannelClientNotificationEndpoint, "notification"),
        ]
        for (key, kind) in keys {
            guard let issuer = section.reading.issuer, !PrivateNetworks.containHost(of: issuer),
                section.boolean(logoutKey) != true, let uri = section.text(key.rawValue)?.value,
                PrivateNetworks.containHost(of: uri)
            else { continue }
            section.warning(
                key.rawValue, "no \(kind) is sent to this address, which is private",
                "Add \(logoutKey): true, or give a public address.")
        }
    }

    private static func warnOfDetails(_ section: Section, project: ProjectConfiguration) {
        let types = section.texts("authorization_details_types") ?? []
        guard let stranger = types.first(where: { !project.authorizationDetailTypes.contains($0.value) }) else {
            return
        }
        section.warning(
            "authorization_details_types",
            "nobody can ask for \"\(Printable.text(stranger.value))\", which is not in project.authorization_details_types",
            "Add it there, or remove it here.")
    }

    private static func resources(_ section: Section, project: ProjectConfiguration) -> [String] {
        let resources = URIRules.resources(section)
        if let known = project.resources, let stranger = resources.first(where: { !known.contains($0) }) {
            section.warning(
                "resources", "nobody can ask for \"\(stranger)\", which is not in project.resources",
                "Add it there, or remove it here.")
        }
        return resources
    }

    private static func impersonation(_ section: Section) -> [ImpersonationRule] {
        (section.texts("may_impersonate") ?? []).compactMap { text in
            let parts = text.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let name = Located(value: parts.last ?? "", path: text.path, origin: text.origin)
            switch (parts.count, parts[0]) {
            case (2, "tenant") where !name.value.isEmpty:
                section.reading.refer(to: .tenant, name, in: "tenants")
                return .tenant(name.value)
            case (2, "user") where !name.value.isEmpty:
                // Not checked against the file: most users are only in the database.
                return .user(name.value)
            default:
                section.reading.mistake(
                    text.path, at: text.origin, "it does not say who", "Write tenant:ID or user:SUB.")
                return nil
            }
        }
    }
}

/// How a client proves who it is: what goes together, and what does not (OpenID Connect Core §9).
enum ClientAuthenticationRules {
    private static let key = ClientMetadata.CodingKeys.tokenEndpointAuthMethod.rawValue

    static func method(
        _ section: Section, profile: ClientProfile
    ) -> ClientAuthenticationMethod {
        let hasSecret = section.has("client_secret")
        let chosen = section.choice(key, of: ClientAuthenticationMethod.self)
        let method = chosen ?? (hasSecret ? .clientSecretBasic : .none)
        // A method that was refused says nothing about the rest.
        guard chosen != nil || !section.has(key) else { return method }
        checkSecret(section, method: method, hasSecret: hasSecret)
        if section.has("jwks"), section.has("jwks_uri") {
            section.mistake("jwks_uri", "jwks and jwks_uri cannot stand together", "Keep one of the two.")
        }
        let signing = "require_signed_request_object"
        if section.boolean(signing) == true, !section.has("jwks"), !section.has("jwks_uri") {
            section.mistake(signing, "it needs the client's public keys", "Add jwks or jwks_uri.")
        }
        if method == .privateKeyJWT, !section.has("jwks"), !section.has("jwks_uri") {
            section.mistake(key, "private_key_jwt needs the client's public keys", "Add jwks or jwks_uri.")
        }
        if profile == .fapi2, method != .privateKeyJWT {
            section.mistake(
                "profile", "fapi2 allows no client with a shared secret or none",
                "Set token_endpoint_auth_method: private_key_jwt, and give jwks or jwks_uri.")
        }
        return method
    }

    private static func checkSecret(_ section: Section, method: ClientAuthenticationMethod, hasSecret: Bool) {
        switch method {
        case .none where hasSecret:
            section.mistake(
                "client_secret", "a client with token_endpoint_auth_method none has no secret",
                "Remove the secret, or choose client_secret_basic.")
        case .clientSecretBasic where !hasSecret, .clientSecretPost where !hasSecret:
            section.mistake(
                key, "\(method.rawValue) needs a secret", "Add client_secret, or choose none for a public client.")
        case .privateKeyJWT where hasSecret:
            section.warning("client_secret", "private_key_jwt does not use it", "Remove it.")
        default: break
        }
    }
}

/// What the members of a client's registration allow each other (RFC 7591 §2.1).
enum ClientMetadataRules {
    static let grantTypes = TokenGrants.registered.map(\.rawValue)

    static func check(_ section: Section, method: ClientAuthenticationMethod) {
        checkGrants(section, method: method)
        for text in section.texts("response_types") ?? [] where text.value != "code" {
            section.reading.mistake(
                text.path, at: text.origin, "only the response type \"code\" is supported",
                "Use code with PKCE; tokens in a redirection are insecure (RFC 9700 §2.1.2).")
        }
        if let scope = section.text("scope"), Scope(scope.value) == nil {
            section.mistake("scope", "it holds a character that scopes cannot have", "Separate plain names by spaces.")
        }
        oneOf(["web", "native"], "application_type", section)
        oneOf(["public", "pairwise"], "subject_type", section)
        checkBackchannel(section)
        for key in ["id_token_signed_response_alg", "userinfo_signed_response_alg"] {
            // RS256 is what every client may ask for (OpenID Connect Core §15.1), listed or not.
            guard let name = section.text(key)?.value, AlgorithmRules.signing.contains(name), name != "RS256",
                !section.reading.signingAlgorithms.contains(name)
            else { continue }
            section.mistake(
                key, "the project does not sign with \(name)",
                "Add it to project.signing_algorithms, or choose another.")
        }
    }

    /// How a client learns of decisions (OpenID Connect CIBA Core §4).
    private static func checkBackchannel(_ section: Section) {
        let (mode, endpoint) = ("backchannel_token_delivery_mode", "backchannel_client_notification_endpoint")
        oneOf(BackchannelAuthentications.deliveryModes, mode, section)
        let name = section.text(mode)?.value
        if name == "ping", !section.has(endpoint) {
            section.mistake(mode, "ping needs \(endpoint)", "Add the address that is notified, or choose poll.")
        }
        if section.has(endpoint), name != "ping" {
            section.warning(endpoint, "the client polls, and is not notified", "Set \(mode): ping, or remove it.")
        }
        let usesIt = section.texts("grant_types")?.contains { $0.value == GrantType.ciba.rawValue } ?? false
        if section.has(mode), !usesIt {
            section.warning(
                mode, "the client does not ask for sign-ins on another device",
                "Add \(GrantType.ciba.rawValue) to grant_types, or remove it.")
        }
    }

    private static func checkGrants(_ section: Section, method: ClientAuthenticationMethod) {
        let grants = section.texts("grant_types") ?? []
        for grant in grants where !grantTypes.contains(grant.value) {
            let hint = Suggestion.nearest(to: grant.value, among: grantTypes).map { "Did you mean \"\($0)\"?" }
            section.reading.warning(
                grant.path, at: grant.origin, "this release does not know the grant type",
                hint ?? "Keep it for later, or remove it.")
        }
        let names = grants.map(\.value)
        if method == .none, let name = names.first(where: TokenGrants.needAuthentication) {
            section.mistake(
                "grant_types", "\(name) is for clients that can prove who they are",
                "Add a client_secret or private_key_jwt, or remove the grant type.")
        }
        if names.contains("urn:ietf:params:oauth:grant-type:jwt-bearer"), !section.has("jwks"), !section.has("jwks_uri")
        {
            section.mistake(
                "grant_types", "the JWT bearer grant needs the client's public keys", "Add jwks or jwks_uri.")
        }
        let usesCode = names.contains("authorization_code") || !section.has("grant_types")
        if usesCode, section.nodes("redirect_uris")?.isEmpty ?? true {
            section.warning(
                section.has("redirect_uris") ? "redirect_uris" : "client_id",
                "nobody can sign in without redirect_uris",
                "List them, or set grant_types to what the client does instead.")
        }
    }

    private static func oneOf(_ words: [String], _ key: String, _ section: Section) {
        guard let text = section.text(key), !words.contains(text.value) else { return }
        section.mistake(
            key, "\"\(Printable.text(text.value))\" is not one of the choices",
            "Choose one of: \(words.joined(separator: ", ")).")
    }
}
