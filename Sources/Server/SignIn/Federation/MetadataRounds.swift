internal import Authority
public import KeyturnBase
public import Model

/// Reads again what providers publish, each about once a day. What was read before stays if that fails, and a change by
/// the operator meanwhile wins.
public struct MetadataRounds: Sendable {
    private let connections: ConnectionDirectory
    private let protocols: ConnectionProtocols
    private let rules: ConnectionRules
    private let audit: any AuditLog
    private let ambient: Ambient

    /// What an operator must know of a reading.
    public enum Event: Hashable, Sendable {
        /// The provider signs with other certificates now; by their fingerprints.
        case certificatesChanged(connection: String, now: [String])
        /// It could not be read, or is not believed; a stable word.
        case failed(connection: String, code: String)
    }

    /// - Parameters:
    ///   - connections: that are read again.
    ///   - protocols: that read them.
    ///   - rules: which the result must keep.
    ///   - audit: the log of changes.
    ///   - ambient: the time.
    public init(
        connections: ConnectionDirectory, protocols: ConnectionProtocols, rules: ConnectionRules, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.connections = connections
        self.protocols = protocols
        self.rules = rules
        self.audit = audit
        self.ambient = ambient
    }

    /// Reads everything that is due, one after another. Of several processes, one reads each document.
    ///
    /// - Throws: ``StoreError``.
    public func run() async throws(StoreError) -> [Event] {
        var events: [Event] = []
        for connection in connections.all where connection.isEnabled {
            guard !Task.isCancelled, let leased = leased(connection) else { continue }
            guard try await replace(connection, with: leased) else { continue }
            if let event = try await renew(leased) { events.append(event) }
        }
        return events
    }

    /// The connection as it is while this process reads; `nil`: nothing is due.
    private func leased(_ connection: Connection) -> Connection? {
        guard case .saml(let settings) = connection.settings, let address = settings.metadataURL else { return nil }
        let last = settings.metadataReading.flatMap { $0.address == address ? $0 : nil }
        guard last.map({ $0.dueAt <= ambient.now() }) ?? true else { return nil }
        return connection.due(at: ambient.now() + Limits.metadataLeaseSeconds)
    }

    private func renew(_ connection: Connection) async throws(StoreError) -> Event? {
        guard let speaker = protocols.of(connection) else { return nil }
        do throws(ConnectionProblem) {
            var fresh = try await speaker.renewed(connection)
            let known = mistakes(in: connection, speaker)
            guard mistakes(in: fresh, speaker).allSatisfy(known.contains) else {
                throw ConnectionProblem(.misconfigured, code: "metadata_rules")
            }
            let before = speaker.certificates(of: connection).map(\.fingerprint)
            let after = speaker.certificates(of: fresh).map(\.fingerprint)
            let isChanged = Set(before) != Set(after)
            if isChanged { fresh.updatedAt = ambient.now() }
            guard try await replaced(connection, by: fresh), isChanged else { return nil }
            audit.record(
                AuditEvent(
                    .connectionCertificatesChanged, at: ambient.now(), reason: after.joined(separator: " "),
                    actor: "metadata", target: connection.id))
            return .certificatesChanged(connection: connection.id, now: after)
        } catch {
            _ = try await replace(
                connection, with: connection.due(at: ambient.now() + Limits.metadataRetrySeconds))
            return .failed(connection: connection.id, code: error.code)
        }
    }

    /// What a provider publishes changes no trust: the machine may save it.
    private func replace(_ connection: Connection, with change: Connection) async throws(StoreError) -> Bool {
        let permission = try Rulebook(AuthorityPolicy()).permission(
            Acts.ChangeConnection.self, to: .machine(.upkeep), on: .of(connection))
        return try await connections.replace(connection, with: change, by: permission)
    }

    /// The store's failure counts as one of this reading: it is due again.
    private func replaced(_ connection: Connection, by fresh: Connection) async throws(ConnectionProblem) -> Bool {
        do throws(StoreError) {
            return try await replace(connection, with: fresh)
        } catch {
            throw ConnectionProblem(.unavailable, code: "store")
        }
    }

    private func mistakes(in connection: Connection, _ speaker: any ConnectionProtocol) -> [ConnectionMistake] {
        rules.mistakes(in: connection) + speaker.mistakes(in: connection)
    }
}

extension Connection {
    /// With another time for the next reading.
    fileprivate func due(at time: UnixTime) -> Connection {
        guard case .saml(var settings) = settings, let address = settings.metadataURL else { return self }
        let last = settings.metadataReading.flatMap { $0.address == address ? $0 : nil }
        settings.metadataReading = MetadataReading(
            address: address, dueAt: time, entityTag: last?.entityTag, lastModified: last?.lastModified)
        var connection = self
        connection.settings = .saml(settings)
        return connection
    }
}
