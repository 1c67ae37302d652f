#if os(Linux)
    internal import KeyturnBase
    internal import KeyturnWebAuthn

    extension SecurityKeyConnection {
        /// What goes to the service. Without a wish for attestation nothing is told of the key's maker and model
        /// (WebAuthn Level 3 §5.1.3).
        static func response(
            _ credential: SecurityKeyCredential, _ options: PublicKeyCredentialCreationOptions, _ clientData: [UInt8],
            _ isDiscoverable: Bool, _ transports: [String]
        ) -> RegistrationResponse {
            var (format, data) = (credential.format, credential.authenticatorData)
            var statement = (try? CBORValue(decoding: credential.statement)) ?? .map(CBORMap([]))
            if options.attestation == .none {
                (format, statement) = ("none", .map(CBORMap([])))
                // The model: after the relying party's digest, the flags and the counter.
                if data.count >= 53 { data.replaceSubrange(37..<53, with: repeatElement(0, count: 16)) }
            }
            let object = CBORValue.map(
                CBORMap([
                    (.text("fmt"), .text(format)), (.text("attStmt"), statement), (.text("authData"), .bytes(data)),
                ]))
            let asksForProperties = options.extensions["credProps"] == true
            return RegistrationResponse(
                id: credential.id, clientDataJSON: clientData, attestationObject: object.encoded,
                transports: transports, authenticatorAttachment: "cross-platform",
                clientExtensionResults: asksForProperties ? ["credProps": ["rk": .bool(isDiscoverable)]] : [:])
        }

        static func response(
            _ assertion: SecurityKeyAssertion, _ allowed: [[UInt8]], _ clientData: [UInt8]
        ) throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
            // A key that was asked for one credential need not say which it used (CTAP 2.2 §6.2.2).
            guard let id = assertion.id ?? (allowed.count == 1 ? allowed[0] : nil) else {
                throw .passkey(
                    .passkeyFailed, .unexpected, .invalidResponse, "the security key does not say which credential")
            }
            return KeyturnWebAuthn.AuthenticationResponse(
                id: id, clientDataJSON: clientData, authenticatorData: assertion.authenticatorData,
                signature: assertion.signature, userHandle: assertion.userHandle,
                authenticatorAttachment: "cross-platform")
        }

        /// What a key's refusal means.
        static func failure(_ status: SecurityKeyStatus) -> AuthError {
            switch status {
            case .excluded:
                .passkey(
                    .passkeyExcluded, .unexpected, .matchedExcludedCredential,
                    "this security key has a credential of this account already")
            case .noCredentials:
                .passkey(
                    .passkeyNotFound, .canceledByUser, .noCredential, "this security key has no credential for this")
            case .denied, .cancelled: .passkeyCancelled("the request was refused at the security key")
            case .timeout, .userTimeout, .actionTimeout: .passkeyTimeout
            case .pinBlocked:
                .passkey(
                    .passkeyPIN, .unexpected, .failed, "too many wrong PINs: the security key must be reset")
            case .pinAuthBlocked:
                .passkey(
                    .passkeyPIN, .unexpected, .failed,
                    "too many wrong PINs: take the security key out and plug it in again")
            case .pinNotSet, .pinRequired:
                .passkey(.passkeyPIN, .unexpected, .failed, "the security key wants a PIN, and has none yet")
            case .unsupportedAlgorithm:
                .passkey(
                    .passkeyUnavailable, .webauthnUnavailable, .unsupportedOnPlatform,
                    "the security key knows none of the service's algorithms")
            case .full:
                .passkey(.passkeyFailed, .unexpected, .failed, "the security key has no room for another passkey")
            default:
                .passkey(
                    .passkeyFailed, .unexpected, .unknown, "the security key failed (CTAP status \(status.rawValue))")
            }
        }
    }
#endif
