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

    public func lastCertificate(of connection: Connection) -> ConnectionCertificate? {
        guard case .saml(let settings) = connection.settings else { return nil }
        return settings.certificates.compactMap { try? ProviderCertificate($0) }.max { $0.expiresAt < $1.expiresAt }
            .map { ConnectionCertificate(fingerprint: $0.fingerprint, expiresAt: $0.expiresAt) }
    }

    public func entries(for connection: Connection) -> [String] {
        [
            "Metadata, which is the entityID: \(Self.entityID(of: connection.id, below: issuer))",
            "Assertion Consumer Service: \(Self.consumer(of: connection.id, below: issuer))",
        ] + (key == nil ? [] : ["Single Logout Service: \(Self.logoutService(of: connection.id, below: issuer))"])
    }

    /// Reads the provider's metadata, over https alone. What the operator entered stays; a document about another
    /// provider than the named one is refused.
    public func completed(_ connection: Connection) async throws(ConnectionProblem) -> Connection {
        guard case .saml(var settings) = connection.settings, let address = settings.metadataURL else {
            return connection
        }
        let answer: OutgoingAnswer
        do throws(OutgoingProblem) {
            answer = try await http.send(
                OutgoingRequest(
                    .get, address, headers: ["Accept": "application/samlmetadata+xml, application/xml, text/xml"],
                    allowsPrivateAddress: connection.allowsPrivateAddresses))
        } catch {
            throw ConnectionProblem(error == .unreachable ? .unavailable : .misconfigured, code: error.rawValue)
        }
        guard answer.status == 200 else { throw ConnectionProblem(.unavailable, code: "status_\(answer.status)") }
        do throws(SAMLFault) {
            let metadata = try ProviderMetadata(
                answer.body, entityID: settings.entityID.isEmpty ? nil : settings.entityID)
            metadata.fill(&settings)
        } catch {
            throw ConnectionProblem(error)
        }
        var completed = connection
        completed.settings = .saml(settings)
        return completed
    }
}
