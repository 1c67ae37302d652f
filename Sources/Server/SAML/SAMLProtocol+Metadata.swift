internal import KeyturnBase
public import Model
public import SignIn

extension SAMLProtocol {
    /// Reads the provider's metadata. What the operator entered stays; a document about another provider than the named
    /// one is refused.
    public func completed(_ connection: Connection) async throws(ConnectionProblem) -> Connection {
        guard case .saml(let settings) = connection.settings, let address = settings.metadataURL else {
            return connection
        }
        guard
            let read = try await published(
                at: address, settings.entityID.isEmpty ? nil : settings.entityID, after: nil, of: connection)
        else { throw ConnectionProblem(.unavailable, code: "status_304") }
        return connection.with(read, at: address)
    }

    /// Asks for the metadata again, by a conditional request (RFC 9110 §13). Plain http is good for
    /// this machine alone: certificates are replaced by what came over TLS (wire sheet §3.3).
    public func renewed(_ connection: Connection) async throws(ConnectionProblem) -> Connection {
        guard case .saml(var settings) = connection.settings, let address = settings.metadataURL else {
            return connection
        }
        let last = settings.metadataReading.flatMap { $0.address == address ? $0 : nil }
        if let read = try await published(at: address, settings.entityID, after: last, of: connection) {
            return connection.with(read, at: address)
        }
        settings.metadataReading = MetadataReading(
            address: address, dueAt: nextReading, entityTag: last?.entityTag, lastModified: last?.lastModified)
        var unchanged = connection
        unchanged.settings = .saml(settings)
        return unchanged
    }

    /// A day later, an hour more or less.
    private var nextReading: UnixTime {
        let bytes = ambient.randomBytes(2)
        let spread = 2 * Limits.metadataJitterSeconds
        return ambient.now() + Limits.metadataSeconds - Limits.metadataJitterSeconds
            + (Int64(bytes[0]) << 8 | Int64(bytes[1])) * spread / 65_536
    }

    /// The document; `nil`: it is the same as after `last`.
    private func published(
        at address: String, _ entityID: String?, after last: MetadataReading?, of connection: Connection
    ) async throws(ConnectionProblem) -> PublishedMetadata? {
        guard let parts = URIParts(address), parts.scheme == "https" || parts.isLoopbackInBrowsers else {
            throw ConnectionProblem(.misconfigured, code: "metadata_not_https")
        }
        var headers = ["Accept": "application/samlmetadata+xml, application/xml, text/xml"]
        headers["If-None-Match"] = last?.entityTag
        headers["If-Modified-Since"] = last?.lastModified
        let answer: OutgoingAnswer
        do throws(OutgoingProblem) {
            answer = try await http.send(
                OutgoingRequest(
                    .get, address, headers: headers, allowsPrivateAddress: connection.allowsPrivateAddresses))
        } catch {
            throw ConnectionProblem(error == .unreachable ? .unavailable : .misconfigured, code: error.rawValue)
        }
        if answer.status == 304, headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil { return nil }
        guard answer.status == 200 else { throw ConnectionProblem(.unavailable, code: "status_\(answer.status)") }
        do throws(SAMLFault) {
            let metadata = try ProviderMetadata(answer.body, entityID: entityID)
            if let end = metadata.validUntil, end <= ambient.now() {
                throw SAMLFault("metadata_expired", .misconfigured)
            }
            return PublishedMetadata(
                metadata: metadata,
                reading: MetadataReading(
                    address: address, dueAt: nextReading, entityTag: answer.entityTag,
                    lastModified: answer.lastModified))
        } catch {
            throw ConnectionProblem(error)
        }
    }
}

/// A document, and how to ask whether it is still the same.
private struct PublishedMetadata {
    let metadata: ProviderMetadata
    let reading: MetadataReading
}

extension Connection {
    /// Of which the provider's document says the addresses and the certificates.
    fileprivate func with(_ read: PublishedMetadata, at address: String) -> Connection {
        guard case .saml(var settings) = settings else { return self }
        read.metadata.fill(&settings)
        settings.metadataReading = read.reading
        var connection = self
        connection.settings = .saml(settings)
        return connection
    }
}
