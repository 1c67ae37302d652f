internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import OAuth

/// Reads the members of a client that have registration names (RFC 7591 §2, OpenID Connect Registration §2).
enum ClientMetadataReader {
    /// What a member holds, and where it goes.
    enum Field: Sendable {
        typealias Path<Value> = any WritableKeyPath<ClientMetadata, Value?> & Sendable

        case text(Path<String>)
        /// A page for people.
        case page(Path<String>)
        /// An address that the server or a browser goes to.
        case endpoint(Path<String>)
        case algorithm(Path<String>, check: @Sendable (String) -> Refusal?)
        case texts(Path<[String]>)
        /// Names of claims about users.
        case claims(Path<[String]>)
        case endpoints(Path<[String]>)
        case redirects(Path<[String]>)
        case flag(Path<Bool>)
        case seconds(Path<Int64>)
        case keys(Path<JSONValue>)
    }

    typealias Key = ClientMetadata.CodingKeys

    /// Every member that ``ClientMetadata`` has.
    static let fields: [(key: Key, field: Field)] = [
        (.redirectURIs, .redirects(\.redirectURIs)),
        (.tokenEndpointAuthMethod, .text(\.tokenEndpointAuthMethod)),
        (.tokenEndpointAuthSigningAlg, .algorithm(\.tokenEndpointAuthSigningAlg, check: AlgorithmRules.verifying)),
        (.grantTypes, .texts(\.grantTypes)),
        (.responseTypes, .texts(\.responseTypes)),
        (.clientName, .text(\.clientName)),
        (.clientURI, .page(\.clientURI)),
        (.logoURI, .page(\.logoURI)),
        (.policyURI, .page(\.policyURI)),
        (.tosURI, .page(\.tosURI)),
        (.contacts, .texts(\.contacts)),
        (.scope, .text(\.scope)),
        (.jwksURI, .endpoint(\.jwksURI)),
        (.jwks, .keys(\.jwks)),
        (.softwareID, .text(\.softwareID)),
        (.softwareVersion, .text(\.softwareVersion)),
        (.applicationType, .text(\.applicationType)),
        (.subjectType, .text(\.subjectType)),
        (.sectorIdentifierURI, .endpoint(\.sectorIdentifierURI)),
        (.idTokenSignedResponseAlg, .algorithm(\.idTokenSignedResponseAlg, check: AlgorithmRules.signing)),
        (.userinfoSignedResponseAlg, .algorithm(\.userinfoSignedResponseAlg, check: AlgorithmRules.signing)),
        (.requestObjectSigningAlg, .algorithm(\.requestObjectSigningAlg, check: AlgorithmRules.verifying)),
        (.defaultMaxAge, .seconds(\.defaultMaxAge)),
        (.requireAuthTime, .flag(\.requireAuthTime)),
        (.defaultACRValues, .texts(\.defaultACRValues)),
        (.initiateLoginURI, .endpoint(\.initiateLoginURI)),
        (.requestURIs, .endpoints(\.requestURIs)),
        (.postLogoutRedirectURIs, .redirects(\.postLogoutRedirectURIs)),
        (.backchannelLogoutURI, .endpoint(\.backchannelLogoutURI)),
        (.backchannelLogoutSessionRequired, .flag(\.backchannelLogoutSessionRequired)),
        (.backchannelTokenDeliveryMode, .text(\.backchannelTokenDeliveryMode)),
        (.backchannelClientNotificationEndpoint, .endpoint(\.backchannelClientNotificationEndpoint)),
        (.frontchannelLogoutURI, .endpoint(\.frontchannelLogoutURI)),
        (.frontchannelLogoutSessionRequired, .flag(\.frontchannelLogoutSessionRequired)),
        (.dpopBoundAccessTokens, .flag(\.dpopBoundAccessTokens)),
        (.requirePushedAuthorizationRequests, .flag(\.requirePushedAuthorizationRequests)),
        (.requireSignedRequestObject, .flag(\.requireSignedRequestObject)),
        (.authorizationDetailsTypes, .texts(\.authorizationDetailsTypes)),
        (.preAuthenticatedURIs, .endpoints(\.preAuthenticatedURIs)),
        (.idTokenClaims, .claims(\.idTokenClaims)),
        (.userinfoClaims, .claims(\.userinfoClaims)),
        (.unverifiedContacts, .flag(\.unverifiedContacts)),
    ]

    /// Members of the two standards that are accepted, but not acted on.
    static let ignored = [
        "software_statement", "id_token_encrypted_response_alg", "id_token_encrypted_response_enc",
        "backchannel_authentication_request_signing_alg", "backchannel_user_code_parameter",
        "userinfo_encrypted_response_alg", "userinfo_encrypted_response_enc", "request_object_encryption_alg",
        "request_object_encryption_enc",
    ]

    static func read(_ section: Section) -> ClientMetadata {
        var metadata = ClientMetadata()
        for (key, field) in fields where section.has(key.rawValue) {
            read(field, key.rawValue, of: section, into: &metadata)
        }
        for key in ignored where section.has(key) {
            section.warning(key, "this release does not act on it yet", "Keep it for later, or remove it.")
        }
        return metadata
    }

    private static func read(_ field: Field, _ key: String, of section: Section, into metadata: inout ClientMetadata) {
        let isDevelopment = section.reading.isDevelopment
        switch field {
        case .text(let path):
            metadata[keyPath: path] = section.text(key)?.value
        case .page(let path):
            metadata[keyPath: path] = checked(section.text(key), section, URIRules.page)
        case .endpoint(let path):
            metadata[keyPath: path] = checked(section.text(key), section) {
                URIRules.endpoint($0, isDevelopment: isDevelopment)
            }
        case .algorithm(let path, let check):
            metadata[keyPath: path] = checked(section.text(key), section, check)
        case .texts(let path):
            metadata[keyPath: path] = section.texts(key)?.map(\.value)
        case .claims(let path):
            metadata[keyPath: path] = section.texts(key)?.compactMap { text in
                checked(text, section, ClaimNameRules.listed)
            }
        case .endpoints(let path):
            metadata[keyPath: path] = section.texts(key)?.compactMap { text in
                checked(text, section) { URIRules.endpoint($0, isDevelopment: isDevelopment) }
            }
        case .redirects(let path):
            metadata[keyPath: path] = section.texts(key)?.compactMap { text in
                checked(text, section) { URIRules.redirect($0, isDevelopment: isDevelopment) }
            }
        case .flag(let path):
            metadata[keyPath: path] = section.boolean(key)
        case .seconds(let path):
            metadata[keyPath: path] = section.integer(key, within: 0...ConfigurationLimits.lifetimeSecondsMax)
                .map(Int64.init)
        case .keys(let path):
            metadata[keyPath: path] = KeySetRules.read(key, of: section)
        }
    }

    private static func checked(
        _ text: Located<String>?, _ section: Section, _ rule: (String) -> Refusal?
    ) -> String? {
        guard let text else { return nil }
        return section.reading.check(rule(text.value), text) ? text.value : nil
    }
}

/// The names of claims that an operator lists for a client.
enum ClaimNameRules {
    static func listed(_ name: String) -> Refusal? {
        guard !name.isEmpty, name.utf8.count <= ConfigurationLimits.nameBytesMax else {
            return Refusal("it is no name of a claim", "Give the name of a claim, such as email or groups.")
        }
        guard !UserClaims.protocolClaims.contains(name) else {
            return Refusal(
                "this is a claim of the token, and not about the person",
                "Remove it: tokens that have it have it anyway.")
        }
        return nil
    }
}

/// A client's public keys (RFC 7517 §5).
enum KeySetRules {
    /// What each kind of key must have (RFC 7518 §6, RFC 8037 §2).
    private static let required = ["RSA": ["n", "e"], "EC": ["crv", "x", "y"], "OKP": ["crv", "x"]]
    /// What only the owner of a key may know.
    private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    static func read(_ name: String, of section: Section) -> JSONValue? {
        guard let node = section.node(name), let set = section.section(name, keys: nil) else { return nil }
        guard case .map = node.value.content else { return nil }
        guard set.has("keys") else {
            set.mistake("keys", "it is missing", "A key set is { keys: [ … ] }, each key as a JSON Web Key.")
            return nil
        }
        for key in set.sections("keys", keys: nil) { check(key) }
        return node.value.json
    }

    /// What is signed with a weak key is never believed: better said here than found out there.
    private static func checkStrength(_ key: Section, kind: String) {
        guard kind == "RSA", let modulus = key.text("n")?.value, let exponent = key.text("e")?.value,
            let parsed = try? JSONWebKey(["kty": "RSA", "n": .string(modulus), "e": .string(exponent)]),
            let flaw = parsed.flaw
        else { return }
        key.mistake("n", "no signature of this key is believed: \(flaw)", "Make a key pair of 2048 bits or more.")
    }

    private static func check(_ key: Section) {
        if let name = secretMembers.first(where: key.has) {
            key.mistake(name, "this is a private key", "Give only the public part here, and replace this key pair.")
            return
        }
        guard let kind = key.text("kty")?.value, let members = required[kind] else {
            key.mistake(
                "kty", "a key needs a kind", "Set kty to RSA, EC or OKP, as the tool that made the key wrote it.")
            return
        }
        for member in members {
            guard let text = key.text(member) else {
                if !key.has(member) {
                    key.mistake(member, "a key of kind \(kind) must have it", "Copy the whole public key.")
                }
                continue
            }
            if member != "crv", Base64URL.decode(text.value) == nil {
                key.mistake(member, "it is not base64url", "Copy the public key as it was made, without padding.")
            }
        }
        checkStrength(key, kind: kind)
    }
}
