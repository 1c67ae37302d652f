internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model

/// The metadata allowed to a client that the operator has not checked (RFC 7591 §2, §5): the rules of the configuration
/// file, and nothing that would harm others, or give more than users agree to.
///
/// Unknown members are left out of the registration; the response shows the rest (RFC 7591 §3.2.1).
struct RegistrationRules: Sendable {
    let project: Project
    let settings: RegistrationSettings
    let clients: ClientDirectory

    /// - Throws: `invalid_redirect_uri`, `invalid_client_metadata`.
    func checked(_ asked: ClientMetadata) throws(OAuthProblem) -> ClientMetadata {
        var metadata = ClientMetadata()
        let method = try authenticationMethod(asked)
        metadata.tokenEndpointAuthMethod = method.rawValue
        metadata.tokenEndpointAuthSigningAlg = try algorithm(asked.tokenEndpointAuthSigningAlg)
        metadata.requestObjectSigningAlg = try algorithm(asked.requestObjectSigningAlg)
        metadata.jwks = try keys(asked, method: method)
        metadata.grantTypes = try grantTypes(asked)
        metadata.responseTypes = try responseTypes(asked)
        metadata.applicationType = try oneOf(["web", "native"], asked.applicationType, "application_type") ?? "web"
        metadata.redirectURIs = try redirects(asked.redirectURIs, native: metadata.applicationType == "native")
        if metadata.redirectURIs == nil, metadata.grantTypes?.contains(GrantType.authorizationCode.rawValue) == true {
            throw OAuthProblem(.invalidRedirectURI, "redirect_uris is missing")
        }
        metadata.postLogoutRedirectURIs = try redirects(
            asked.postLogoutRedirectURIs, native: metadata.applicationType == "native")
        metadata.scope = try scope(asked).text
        metadata.subjectType = try subjectType(asked)
        try requireOperatorsWord(asked)
        metadata.idTokenSignedResponseAlg = try oneOf(
            project.signingAlgorithms + ["RS256"], asked.idTokenSignedResponseAlg, "id_token_signed_response_alg")
        metadata.authorizationDetailsTypes = try detailTypes(asked)
        metadata.defaultMaxAge = try asked.defaultMaxAge.map(seconds)
        metadata.defaultACRValues = try texts(asked.defaultACRValues, "default_acr_values")
        metadata.dpopBoundAccessTokens = asked.dpopBoundAccessTokens
        metadata.requirePushedAuthorizationRequests = asked.requirePushedAuthorizationRequests
        metadata.requireSignedRequestObject = asked.requireSignedRequestObject
        metadata.requireAuthTime = asked.requireAuthTime
        try describe(asked, &metadata)
        return metadata
    }

    /// Pairwise subjects (OpenID Connect Core §8.1) are no protection that this server has, so it does not register them.
    private func subjectType(_ asked: ClientMetadata) throws(OAuthProblem) -> String? {
        guard asked.sectorIdentifierURI == nil else {
            throw Self.refusal("sector_identifier_uri", "it is for pairwise subjects, which this server does not have")
        }
        guard asked.subjectType != "pairwise" else {
            throw Self.refusal("subject_type", "this server has no pairwise subjects: write public, or leave it out")
        }
        return try oneOf(["public"], asked.subjectType, "subject_type")
    }

    /// What a client hears about users beyond scopes is the operator's word, and not the client's.
    private func requireOperatorsWord(_ asked: ClientMetadata) throws(OAuthProblem) {
        let members: [(ClientMetadata.CodingKeys, Bool)] = [
            (.idTokenClaims, asked.idTokenClaims != nil), (.userinfoClaims, asked.userinfoClaims != nil),
            (.unverifiedContacts, asked.unverifiedContacts != nil),
        ]
        for (key, isAsked) in members where isAsked {
            throw Self.refusal(key.rawValue, "only the operator gives it to a client")
        }
    }

    /// What users read about it.
    private func describe(_ asked: ClientMetadata, _ metadata: inout ClientMetadata) throws(OAuthProblem) {
        metadata.clientName = try asked.clientName.map { name throws(OAuthProblem) in try Self.name(name, "client_name")
        }
        metadata.clientURI = try page(asked.clientURI, "client_uri")
        metadata.logoURI = try page(asked.logoURI, "logo_uri")
        metadata.policyURI = try page(asked.policyURI, "policy_uri")
        metadata.tosURI = try page(asked.tosURI, "tos_uri")
        metadata.contacts = try texts(asked.contacts, "contacts")
        metadata.softwareID = try asked.softwareID.map { id throws(OAuthProblem) in try Self.name(id, "software_id") }
        metadata.softwareVersion = try asked.softwareVersion.map { version throws(OAuthProblem) in
            try Self.name(version, "software_version")
        }
    }

    private func authenticationMethod(_ asked: ClientMetadata) throws(OAuthProblem) -> ClientAuthenticationMethod {
        guard let name = asked.tokenEndpointAuthMethod else { return .clientSecretBasic }
        guard let method = ClientAuthenticationMethod(rawValue: name) else {
            throw Self.refusal("token_endpoint_auth_method", "this server does not know the method")
        }
        return method
    }

    private func keys(_ asked: ClientMetadata, method: ClientAuthenticationMethod) throws(OAuthProblem) -> JSONValue? {
        // Such a client could send this server's requests anywhere.
        guard asked.jwksURI == nil else { throw Self.refusal("jwks_uri", "register the keys themselves, as jwks") }
        guard let set = asked.jwks else {
            guard method != .privateKeyJWT else { throw Self.refusal("jwks", "private_key_jwt needs public keys") }
            guard asked.requireSignedRequestObject != true else {
                throw Self.refusal("jwks", "require_signed_request_object needs public keys")
            }
            return nil
        }
        let members = set["keys"]?.arrayValue ?? []
        guard (1...Limits.registeredMembersMax).contains(members.count) else {
            throw Self.refusal("jwks", "it holds no keys, or too many")
        }
        for key in members {
            guard let key = try? JSONWebKey(key) else {
                throw Self.refusal("jwks", "a key is not a public key that this server knows")
            }
            if let flaw = key.flaw { throw Self.refusal("jwks", "a key is of no use: \(flaw)") }
        }
        return set
    }

    private func grantTypes(_ asked: ClientMetadata) throws(OAuthProblem) -> [String] {
        let names = asked.grantTypes ?? [GrantType.authorizationCode.rawValue]
        guard !names.isEmpty, names.allSatisfy({ TokenGrants.forUnverifiedClients.contains(GrantType(rawValue: $0)) })
        else {
            throw Self.refusal("grant_types", "a client that registers itself may use grants that people agree to")
        }
        return Scope(names: names).names
    }

    private func responseTypes(_ asked: ClientMetadata) throws(OAuthProblem) -> [String] {
        guard (asked.responseTypes ?? ["code"]).allSatisfy({ $0 == "code" }) else {
            throw Self.refusal("response_types", "only code: tokens never travel through a browser")
        }
        return asked.responseTypes ?? ["code"]
    }

    /// Attack 3: an address that can never be safe is refused here, not when it is used.
    private func redirects(_ uris: [String]?, native: Bool) throws(OAuthProblem) -> [String]? {
        guard let uris else { return nil }
        guard (1...Limits.registeredMembersMax).contains(uris.count) else {
            throw OAuthProblem(.invalidRedirectURI, "no address, or too many")
        }
        for uri in uris {
            guard uri.utf8.count <= Limits.stateBytesMax else {
                throw OAuthProblem(.invalidRedirectURI, "an address is too long")
            }
            if let flaw = RedirectURI.flaw(inUnseen: uri, native: native) {
                throw OAuthProblem(.invalidRedirectURI, "an address cannot be registered: \(flaw)")
            }
            guard !isOurs(uri) else {
                throw OAuthProblem(.invalidRedirectURI, "an address is this server's own, or another app's")
            }
        }
        return Scope(names: uris).names
    }

    /// Whether the address is this server's, or that of one of the operator's own apps. Loopback addresses are the
    /// user's own responsibility.
    private func isOurs(_ uri: String) -> Bool {
        guard let parts = URIParts(uri) else { return false }
        guard let origin = parts.origin else { return clients.isOwnScheme(parts.scheme) }
        let isOnLoopback = parts.scheme == "http" && parts.isLoopback
        return origin == URIParts.origin(of: project.issuer) || !isOnLoopback && clients.isOwnOrigin(origin)
    }

    /// Names that such a client may not have are left out.
    private func scope(_ asked: ClientMetadata) throws(OAuthProblem) -> Scope {
        guard let text = asked.scope else { return settings.scope }
        guard let scope = Scope(text), scope.names.count <= Limits.scopeNamesMax else {
            throw Self.refusal("scope", "it is not well-formed")
        }
        return scope.intersection(settings.scope)
    }

    private func detailTypes(_ asked: ClientMetadata) throws(OAuthProblem) -> [String]? {
        guard let types = asked.authorizationDetailsTypes else { return nil }
        guard types.allSatisfy(project.authorizationDetailTypes.contains) else {
            throw Self.refusal("authorization_details_types", "this server does not offer every one of them")
        }
        return types
    }

    private func algorithm(_ name: String?) throws(OAuthProblem) -> String? {
        guard let name else { return nil }
        // `none` and shared secrets have no place in this list.
        guard SignatureAlgorithm(rawValue: name) != nil else {
            throw OAuthProblem(.invalidClientMetadata, "a signature algorithm is not one that this server takes")
        }
        return name
    }

    private func seconds(_ seconds: Int64) throws(OAuthProblem) -> Int64 {
        guard seconds >= 0 else { throw Self.refusal("default_max_age", "it is negative") }
        return seconds
    }

    private func page(_ uri: String?, _ member: String) throws(OAuthProblem) -> String? {
        guard let uri else { return nil }
        guard uri.hasPrefix("https://"), uri.utf8.count <= Limits.stateBytesMax, RedirectURI.flaw(in: uri) == nil else {
            throw Self.refusal(member, "it is not an https address")
        }
        return uri
    }

    private func texts(_ texts: [String]?, _ member: String) throws(OAuthProblem) -> [String]? {
        guard let texts else { return nil }
        guard texts.count <= Limits.registeredMembersMax else { throw Self.refusal(member, "they are too many") }
        for text in texts { _ = try Self.name(text, member) }
        return texts
    }

    private func oneOf(_ words: [String], _ word: String?, _ member: String) throws(OAuthProblem) -> String? {
        guard let word else { return nil }
        guard words.contains(word) else {
            throw Self.refusal(member, "choose one of: \(words.joined(separator: ", "))")
        }
        return word
    }

    /// One line of ``VisibleText``.
    private static func name(_ text: String, _ member: String) throws(OAuthProblem) -> String {
        guard text.utf8.count <= Limits.nameBytesMax, VisibleText.holds(text),
            text.contains(where: { !$0.isWhitespace })
        else {
            throw refusal(member, "it is empty, too long, or holds characters that nobody sees")
        }
        return text
    }

    private static func refusal(_ member: String, _ why: String) -> OAuthProblem {
        OAuthProblem(.invalidClientMetadata, "\(member): \(why)")
    }
}
