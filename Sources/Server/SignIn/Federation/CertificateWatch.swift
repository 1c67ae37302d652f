public import KeyturnBase
internal import KeyturnWire
public import Model

/// Tells of certificates that end soon: a connection's contact once 30 days, 7 days and a day ahead, and once after the
/// end. Only the last certificate of a connection counts: where the next one is known, the present one may end.
public struct CertificateWatch: Sendable {
    /// A certificate that ends within 30 days, or has ended.
    public struct Warning: Hashable, Sendable {
        public let connectionID: String
        public let certificate: CertificateSummary
        /// Whether a message to the contact was enqueued now.
        public let isSent: Bool
    }

    /// Days before the end, the fewest first.
    private static let steps: [Int64] = [0, 1, 7, 30]
    private static let daySeconds: Int64 = 86_400

    private let replay: any ReplayStore
    private let sender: any MessageSender

    public init(replay: any ReplayStore, sender: any MessageSender) {
        self.replay = replay
        self.sender = sender
    }

    /// The enabled connections with certificates, and the one of each that ends last.
    public static func certificates(
        of connections: [Connection], _ protocols: ConnectionProtocols
    ) -> [(connection: Connection, certificate: CertificateSummary)] {
        connections.filter(\.isEnabled).compactMap { connection in
            protocols.of(connection)?.certificates(of: connection).max { $0.expiresAt < $1.expiresAt }
                .map { (connection, $0) }
        }
    }

    /// Looks at every certificate, and tells the contacts. Each step is told once, by one of all processes.
    ///
    /// - Throws: ``StoreError``; those before it have been told.
    public func look(_ connections: [Connection], _ protocols: ConnectionProtocols, at now: UnixTime)
        async throws(StoreError) -> [Warning]
    {
        var warnings: [Warning] = []
        for (connection, certificate) in Self.certificates(of: connections, protocols) {
            guard let step = Self.steps.first(where: { certificate.expiresAt <= now + $0 * Self.daySeconds }) else {
                continue
            }
            warnings.append(
                Warning(
                    connectionID: connection.id, certificate: certificate,
                    isSent: try await tell(connection, certificate, step, at: now)))
        }
        return warnings
    }

    private func tell(
        _ connection: Connection, _ certificate: CertificateSummary, _ step: Int64, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        guard let contact = connection.contact else { return false }
        let name = "\(connection.id) \(certificate.fingerprint) \(step)"
        let mark = ReplayMark(
            of: Array("certificate \(name) \(contact)".utf8),
            expiresAt: max(certificate.expiresAt, now) + 365 * Self.daySeconds)
        guard try await replay.spend(mark) else { return false }
        try await sender.enqueue(
            OutgoingMessage(
                kind: .certificateExpiring, channel: .email, to: contact,
                values: [
                    MessageValue.connectionName: connection.name,
                    MessageValue.endsAt: certificate.expiresAt.minuteText,
                ],
                idempotencyKey: "certificate \(name)"), at: now)
        return true
    }
}
