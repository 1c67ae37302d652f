internal import KeyturnBase
internal import KeyturnWire

extension OpenIDProvider {
    /// A form with the client's own authentication, and the header fields for it (RFC 6749 §2.3, RFC 7523 §2.2).
    ///
    /// - Parameters:
    ///   - now: The service's time.
    ///   - isInForm: Whether it must be in the form: the `Authorization` field is taken.
    /// - Throws: `service.unsupported` if the service takes no `private_key_jwt`; `configuration.invalid` if the key
    ///   cannot sign; `protocol.violation` if there is no audience for what it signs.
    func authenticated(
        _ parameters: FormParameters, _ metadata: ServerMetadata, at now: UnixTime, isInForm: Bool = false
    ) throws(AuthError) -> (FormParameters, headers: [(name: String, value: String)]) {
        var form = parameters
        let methods = metadata.tokenEndpointAuthMethodsSupported ?? []
        func takes(_ method: ClientAuthenticationMethod) -> Bool {
            methods.isEmpty || methods.contains(method.rawValue)
        }
        switch service.clientAuthentication {
        case .secret(let secret) where takes(.clientSecretBasic) && !isInForm:
            let credentials = BasicCredentials(clientID: service.clientID, clientSecret: secret)
            return (form, [("Authorization", credentials.header)])
        case .secret(let secret):
            form.append("client_id", service.clientID)
            form.append("client_secret", secret.exposed())
        case .privateKeyJWT(let key):
            guard takes(.privateKeyJWT) else {
                throw AuthError(.unsupported, "the service takes no private_key_jwt: give the client a secret")
            }
            form.append("client_id", service.clientID)
            let assertion = try ServiceAssertion.authentication(
                of: service.clientID, with: key, audience: try assertionAudience(metadata), at: now, ambient: ambient)
            for parameter in assertion { form.append(parameter.name, parameter.value) }
        case .none:
            // What is asked for in another client's name says so.
            if form.values("client_id").isEmpty { form.append("client_id", service.clientID) }
        }
        return (form, [])
    }
}
