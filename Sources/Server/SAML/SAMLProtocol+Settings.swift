public import Model
public import SignIn

extension SAMLProtocol {
    public func mistakes(in connection: Connection) -> [ConnectionMistake] {
        guard case .saml(let settings) = connection.settings else { return [] }
        return settings.certificates.enumerated().compactMap { index, text in
            guard (try? ProviderCertificate(text)) == nil else { return nil }
            return ConnectionMistake(
                "certificates[\(index)]", "its key is weak or of an unknown kind",
                "Ask for a certificate with RSA of at least 2,048 bits, or with P-256, P-384 or P-521.")
        }
    }

    public func entries(for connection: Connection) -> [String] {
        [
            "Metadata, which is the entityID: \(Self.entityID(of: connection.id, below: issuer))",
            "Assertion Consumer Service: \(Self.consumer(of: connection.id, below: issuer))",
        ] + (key == nil ? [] : ["Single Logout Service: \(Self.logoutService(of: connection.id, below: issuer))"])
    }

    public func certificates(of connection: Connection) -> [CertificateSummary] {
        guard case .saml(let settings) = connection.settings else { return [] }
        return settings.certificates.compactMap { try? ProviderCertificate($0) }.map {
            CertificateSummary(fingerprint: $0.fingerprint, expiresAt: $0.expiresAt)
        }
    }
}
