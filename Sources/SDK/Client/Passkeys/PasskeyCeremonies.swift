internal import KeyturnBase
internal import KeyturnWebAuthn

extension PasskeyMethods {
    func create(
        _ options: PublicKeyCredentialCreationOptions, _ ceremony: PasskeyCeremony, _ ticket: Int
    ) async throws(AuthError) -> RegistrationResponse {
        let authenticator = authenticator
        // The user is asked nothing, so there is nothing to wait for.
        let seconds = ceremony.isConditional ? Limits.passkeyQuietSeconds : Self.patience(options.timeoutMilliseconds)
        return try await coordinator.perform(ticket, timeoutSeconds: seconds) {
            do throws(AuthError) {
                return .success(try await authenticator.create(options, in: ceremony))
            } catch {
                return .failure(error)
            }
        }
    }

    func get(
        _ options: PublicKeyCredentialRequestOptions, _ ceremony: PasskeyCeremony, _ ticket: Int
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
        let authenticator = authenticator
        // A form may stand there for as long as it likes.
        let seconds = ceremony.isConditional ? nil : Self.patience(options.timeoutMilliseconds)
        return try await coordinator.perform(ticket, timeoutSeconds: seconds) {
            do throws(AuthError) {
                return .success(try await authenticator.get(options, in: ceremony))
            } catch {
                return .failure(error)
            }
        }
    }

    /// - Parameter mediation: What the service said.
    func ceremony(
        _ mediation: String?, _ authenticators: Set<PasskeyAuthenticatorKind>, rpID: String,
        page: PasskeyCeremony.Page? = nil, isImmediate: Bool = false
    ) -> PasskeyCeremony {
        var ceremony = PasskeyCeremony(
            mediation: mediation, authenticators: authenticators, origin: PasskeyOrigin.of(service, rpID: rpID),
            page: page)
        ceremony.isImmediate = isImmediate
        return ceremony
    }

    /// - Throws: `passkey.unavailable` where an authenticator would show something although it has nothing.
    func checkImmediate() async throws(AuthError) {
        guard await authenticator.availability.immediate else {
            throw .passkeyNeedsPrompt("nothing here can say at once whether it has a passkey")
        }
    }

    /// How long an authenticator may take, in seconds: what the service says and a little more, within reason, so that
    /// the authenticator's own end comes first.
    static func patience(_ timeoutMilliseconds: Int64?) -> Int64 {
        guard let timeoutMilliseconds else { return Limits.passkeySeconds.upperBound }
        let seconds = min(timeoutMilliseconds, 1_000_000_000) / 1_000 + Limits.passkeyExtraSeconds
        return min(max(seconds, Limits.passkeySeconds.lowerBound), Limits.passkeySeconds.upperBound)
    }

    static func creationOptions(_ json: JSONValue) throws(AuthError) -> PublicKeyCredentialCreationOptions {
        do throws(WebAuthnProblem) {
            return try PublicKeyCredentialCreationOptions(json: json)
        } catch {
            throw PasskeyEndpoint.malformed(error.detail)
        }
    }

    static func requestOptions(_ json: JSONValue) throws(AuthError) -> PublicKeyCredentialRequestOptions {
        do throws(WebAuthnProblem) {
            return try PublicKeyCredentialRequestOptions(json: json)
        } catch {
            throw PasskeyEndpoint.malformed(error.detail)
        }
    }
}

/// The web origin that an app stands for.
enum PasskeyOrigin {
    /// What the service was told, else its own, else the relying party's.
    ///
    /// A service on a loopback address has no domain: its relying party is `localhost`, on the same port.
    static func of(_ service: Service, rpID: String) -> String {
        if let origin = service.passkeyOrigin { return origin }
        guard service.kind == .keyturn, let parts = URIParts(service.issuer), let origin = parts.origin else {
            return "https://\(rpID)"
        }
        guard rpID == "localhost", parts.isLoopback else { return origin }
        return URIParts.origin(of: "\(parts.scheme)://\(rpID)" + (parts.port.map { ":\($0)" } ?? "")) ?? origin
    }

    /// Whether credentials of `rpID` may be used at `origin` (WebAuthn Level 3 §5.1.3 step 8).
    static func belongs(_ origin: String, to rpID: String) -> Bool {
        guard let parts = URIParts(origin), parts.isWeb, let host = parts.host,
            rpID.contains(".") || rpID == "localhost",
            host.text == rpID || host.text.hasSuffix("." + rpID)
        else { return false }
        return parts.scheme == "https" || host.address == nil && host.isLoopbackInBrowsers
    }
}
