internal import KeyturnBase

extension Service {
    /// The service that a stored session names; `nil` for a kind that this release does not know.
    ///
    /// - Parameter details: What ``details`` said when the session began.
    static func remembered(
        kind: Kind, issuer: String, clientID: String, projectID: String?, details: [String: String] = [:]
    ) -> Service? {
        switch kind {
        case .keyturn: .keyturn(issuer: issuer, clientID: clientID, projectID: projectID)
        case .openID:
            .openID(
                issuer: issuer, clientID: clientID, tenants: details[DetailName.tenants].map(Tenants.init(stored:)),
                discoveryURL: details[DetailName.discovery])
        case .descope: .descope(projectID: clientID, baseURL: issuer)
        case .snapAuth: .snapAuth(publishableKey: clientID, host: issuer)
        case .box:
            .box(clientID: clientID, clientSecret: nil, configuration: rememberedBox(apiURL: issuer, details))
        case .tim:
            .tim(issuer: issuer, keyServiceURL: details[DetailName.keyService] ?? issuer, clientID: clientID)
        case .authgear:
            .authgear(
                clientID: clientID, endpoint: issuer, isSSOEnabled: details[DetailName.sso] == "true",
                isPreAuthenticatedURLEnabled: details[DetailName.preAuthenticatedURL] == "true")
        default: nil
        }
    }

    /// What has to be remembered beside issuer and client to find this service again. No secrets.
    var details: [String: String] {
        var details: [String: String] = [:]
        if kind == .tim { details[DetailName.keyService] = keyServiceURL }
        details[DetailName.tenants] = tenants?.stored
        details[DetailName.discovery] = discoveryURL
        if let endpoints = wire.endpoints {
            details[DetailName.authorize] = endpoints.authorizeURL
            details[DetailName.upload] = endpoints.uploadURL
        }
        if let authgear = wire.authgear {
            details[DetailName.sso] = authgear.isSSOEnabled ? "true" : nil
            details[DetailName.preAuthenticatedURL] = authgear.isPreAuthenticatedURLEnabled ? "true" : nil
        }
        return details
    }

    /// Whether a session with these ``details`` is of a provider with many tenants.
    static func namesTenants(_ details: [String: String]) -> Bool { details[DetailName.tenants] != nil }

    private static func rememberedBox(apiURL: String, _ details: [String: String]) -> ServiceConfiguration {
        var configuration = ServiceConfiguration.box(apiURL: apiURL)
        if let url = details[DetailName.authorize] { configuration.authorizeURL = url }
        if let url = details[DetailName.upload] { configuration.uploadURL = url }
        return configuration
    }

    private enum DetailName {
        static let keyService = "key_service"
        static let tenants = "tenants"
        static let discovery = "discovery"
        static let authorize = "authorize"
        static let upload = "upload"
        static let sso = "sso"
        static let preAuthenticatedURL = "pre_authenticated_url"
    }
}
