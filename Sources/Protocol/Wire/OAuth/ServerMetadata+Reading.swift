package import KeyturnBase

extension ServerMetadata {
    /// Reads member by member: what has another type is absent. Only the issuer must be there.
    public init(from decoder: any Decoder) throws {
        try self.init(JSONValue(from: decoder))
    }

    /// Reads a document member by member.
    ///
    /// A member of another type is absent. So is an endpoint that is empty, no web address, or protected worse than the
    /// issuer is: plain `http` is for an issuer that uses it itself, and for this machine if the issuer is here.
    /// ``flaws`` says what was left out, and why.
    ///
    /// - Throws: `protocol.violation` if it is no JSON object, or its `issuer` is missing or no text.
    package init(_ document: JSONValue) throws(AuthError) {
        guard let members = document.objectValue else {
            throw AuthError(.protocolViolation, "the issuer's metadata is not a JSON object")
        }
        guard let issuer = members[CodingKeys.issuer.rawValue]?.stringValue, !issuer.isEmpty else {
            throw AuthError(.protocolViolation, "the issuer's metadata has no issuer, or one that is not a text")
        }
        self.init(issuer: issuer)
        readEndpoints(members)
        for (member, path) in Self.lists {
            let texts = value(of: member, in: members, as: "a list of texts") { $0.stringArrayValue }
            self[keyPath: path] = texts
        }
        for (member, path) in Self.flags {
            let flag = value(of: member, in: members, as: "true or false") { $0.boolValue }
            self[keyPath: path] = flag
        }
        serviceDocumentation = value(of: .serviceDocumentation, in: members, as: "a text") { $0.stringValue }
    }

    /// An endpoint without which something cannot be done.
    ///
    /// - Throws: `protocol.violation`, which names `member`, if the document names none, or one that cannot be used.
    package func endpoint(_ member: CodingKeys) throws(AuthError) -> String {
        if let path = Self.endpoints.first(where: { $0.0 == member })?.1, let address = self[keyPath: path] {
            return address
        }
        let name = member.rawValue
        guard let flaw = flaws[name] else {
            throw AuthError(.protocolViolation, "the issuer's metadata names no \(name)")
        }
        throw AuthError(.protocolViolation, "the issuer's metadata names a \(name) that cannot be used: it is \(flaw)")
    }

    private mutating func readEndpoints(_ members: [String: JSONValue]) {
        // The strictest rule is for an issuer that is no web address.
        let least = Protection(issuer) ?? .encrypted
        for (member, path) in Self.endpoints {
            guard let address = value(of: member, in: members, as: "a text", { $0.stringValue }) else { continue }
            if let protection = Protection(address), protection >= least {
                self[keyPath: path] = address
            } else {
                flaws[member.rawValue] = Self.flaw(address)
            }
        }
    }

    /// What `read` finds; `nil`, and a flaw, if the member is there with another type. `null` is nothing.
    private mutating func value<Value>(
        of member: CodingKeys, in members: [String: JSONValue], as type: String, _ read: (JSONValue) -> Value?
    ) -> Value? {
        guard let json = members[member.rawValue], json != .null else { return nil }
        let value = read(json)
        if value == nil { flaws[member.rawValue] = "not \(type)" }
        return value
    }

    private static func flaw(_ address: String) -> String {
        if address.isEmpty { return "empty" }
        return Protection(address) == nil ? "no web address that requests may go to" : "plain http"
    }

    /// How well requests to an address are protected: by nothing, by staying on this machine, or by TLS.
    private enum Protection: Int, Comparable {
        case plain, local, encrypted

        /// `nil` for what no request goes to.
        init?(_ address: String) {
            guard let parts = URIParts(address), parts.isWeb, parts.host != nil, parts.userinfo == nil,
                parts.fragment == nil
            else { return nil }
            if parts.scheme == "https" { self = .encrypted } else { self = parts.isLoopback ? .local : .plain }
        }

        static func < (left: Protection, right: Protection) -> Bool { left.rawValue < right.rawValue }
    }
}

/// The members by their type.
extension ServerMetadata {
    private static var endpoints: [(CodingKeys, WritableKeyPath<ServerMetadata, String?>)] {
        [
            (.authorizationEndpoint, \.authorizationEndpoint), (.tokenEndpoint, \.tokenEndpoint),
            (.userinfoEndpoint, \.userinfoEndpoint), (.jwksURI, \.jwksURI),
            (.revocationEndpoint, \.revocationEndpoint), (.introspectionEndpoint, \.introspectionEndpoint),
            (.endSessionEndpoint, \.endSessionEndpoint),
            (.pushedAuthorizationRequestEndpoint, \.pushedAuthorizationRequestEndpoint),
            (.deviceAuthorizationEndpoint, \.deviceAuthorizationEndpoint),
            (.backchannelAuthenticationEndpoint, \.backchannelAuthenticationEndpoint),
            (.registrationEndpoint, \.registrationEndpoint), (.appSessionTokenEndpoint, \.appSessionTokenEndpoint),
        ]
    }

    private static var lists: [(CodingKeys, WritableKeyPath<ServerMetadata, [String]?>)] {
        [
            (.scopesSupported, \.scopesSupported), (.responseTypesSupported, \.responseTypesSupported),
            (.responseModesSupported, \.responseModesSupported), (.grantTypesSupported, \.grantTypesSupported),
            (.subjectTypesSupported, \.subjectTypesSupported),
            (.idTokenSigningAlgValuesSupported, \.idTokenSigningAlgValuesSupported),
            (.tokenEndpointAuthMethodsSupported, \.tokenEndpointAuthMethodsSupported),
            (.revocationEndpointAuthMethodsSupported, \.revocationEndpointAuthMethodsSupported),
            (.introspectionEndpointAuthMethodsSupported, \.introspectionEndpointAuthMethodsSupported),
            (.codeChallengeMethodsSupported, \.codeChallengeMethodsSupported), (.claimsSupported, \.claimsSupported),
            (.claimTypesSupported, \.claimTypesSupported), (.acrValuesSupported, \.acrValuesSupported),
            (.promptValuesSupported, \.promptValuesSupported), (.displayValuesSupported, \.displayValuesSupported),
            (.uiLocalesSupported, \.uiLocalesSupported),
            (.dpopSigningAlgValuesSupported, \.dpopSigningAlgValuesSupported),
            (.backchannelTokenDeliveryModesSupported, \.backchannelTokenDeliveryModesSupported),
            (.tokenEndpointAuthSigningAlgValuesSupported, \.tokenEndpointAuthSigningAlgValuesSupported),
            (.requestObjectSigningAlgValuesSupported, \.requestObjectSigningAlgValuesSupported),
            (.authorizationDetailsTypesSupported, \.authorizationDetailsTypesSupported),
        ]
    }

    private static var flags: [(CodingKeys, WritableKeyPath<ServerMetadata, Bool?>)] {
        [
            (.claimsParameterSupported, \.claimsParameterSupported),
            (.requestParameterSupported, \.requestParameterSupported),
            (.requestURIParameterSupported, \.requestURIParameterSupported),
            (.backchannelLogoutSupported, \.backchannelLogoutSupported),
            (.backchannelLogoutSessionSupported, \.backchannelLogoutSessionSupported),
            (.authorizationResponseIssParameterSupported, \.authorizationResponseIssParameterSupported),
            (.requirePushedAuthorizationRequests, \.requirePushedAuthorizationRequests),
            (.backchannelUserCodeParameterSupported, \.backchannelUserCodeParameterSupported),
            (.nativeSSOSupported, \.nativeSSOSupported),
        ]
    }
}
