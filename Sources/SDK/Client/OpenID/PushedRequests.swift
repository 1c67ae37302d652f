internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Hands an authorization request in beforehand (RFC 9126), so that nothing between here and the service can read
    /// or change it, and the code is bound to this device's key (RFC 9449 §10).
    ///
    /// - Returns: the address to open; `nil` if the service takes no requests like that. One that it refuses is
    ///   refused: the browser would only take it to the same refusal.
    func push(_ request: AuthorizationRequest, key: DPoPProofMaker.Key?) async throws(AuthError) -> String? {
        let metadata = try await metadata()
        guard let endpoint = metadata.pushedAuthorizationRequestEndpoint, let page = metadata.authorizationEndpoint
        else { return nil }
        // Who asks is said by the client's own authentication.
        var form = FormParameters()
        for parameter in request.parameters.all where parameter.name != "client_id" {
            form.append(parameter.name, parameter.value)
        }
        let json = try await post(form, to: endpoint, metadata, key: key, timeoutSeconds: Limits.requestSeconds)
        guard let uri = json["request_uri"]?.stringValue, uri.utf8.count <= Limits.requestURIMaxBytes,
            !uri.isEmpty, uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw AuthError(.protocolViolation, "the service took the request, and gave no name to it (RFC 9126)") }
        var reference = FormParameters()
        reference.append("client_id", service.clientID)
        reference.append("request_uri", uri)
        return URLText.adding(reference, to: page)
    }
}
