internal import KeyturnBase

extension HTTPTransport {
    /// A public document of an issuer: JSON, at exactly this address.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - kind: What it is called in errors.
    /// - Throws: `configuration.invalid` if it has moved to another issuer's address; `transport.unavailable` for any
    ///   other answer but 200, since that may pass.
    func document(_ request: HTTPRequest, kind: String) async throws(AuthError) -> HTTPResponse {
        let response = try await send(request)
        // Some servers call their JSON a page.
        if response.status == 200, response.isObject { return response }
        let answer = AuthError.ServerAnswer(status: response.status)
        if let target = response.redirectTarget(from: request.url) { throw .redirected(kind, to: target, answer) }
        guard !response.isIntercepted else { throw .intercepted(answer) }
        guard response.status == 200 else {
            throw AuthError(.unavailable, "the issuer's \(kind) could not be fetched", server: answer)
        }
        return response
    }
}

extension HTTPResponse {
    /// Whether the body begins as a JSON object does.
    fileprivate var isObject: Bool {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return body.drop(while: isSpace).first == UInt8(ascii: "{")
    }

    /// Where the answer redirects to, without a query, which may hold a secret; `nil` if it redirects nowhere.
    fileprivate func redirectTarget(from url: String) -> String? {
        guard (300..<400).contains(status), let location = header("Location") else { return nil }
        let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
        let address = isPath ? (URIParts.origin(of: url) ?? "") + location : location
        guard let parts = URIParts(address), let origin = parts.origin else { return nil }
        return origin + parts.path
    }
}

extension AuthError {
    /// A redirect is not followed: what it leads to could speak for the issuer.
    fileprivate static func redirected(_ kind: String, to target: String, _ answer: ServerAnswer) -> AuthError {
        guard target.hasSuffix(Discovery.wellKnown) || target.hasSuffix(Discovery.wellKnown + "/") else {
            return AuthError(
                .unavailable,
                "the issuer's \(kind) is redirected to \(target), as the sign-in page of a network or a proxy does it; "
                    + "redirects are not followed", server: answer)
        }
        return AuthError(
            .misconfigured,
            "the issuer's \(kind) has moved to \(target): use the issuer that is named there", server: answer)
    }
}
