package import KeyturnBase
package import KeyturnWire
package import Model

/// The audit log as a stream of security events has it.
package struct SignalQueue: Sendable {
    /// Events that are looked at together, at most.
    static let windowMax = 200
    /// Reads of the log for one look.
    private static let readsMax = 10

    private let audit: any AuditStore
    private let tokens: SecurityEventTokens

    /// An event that the receiver asked for.
    package struct Entry: Sendable {
        /// Of the audit event.
        package let number: Int64
        /// The token's `jti`, the same each time.
        package let id: String
        let statement: SecurityEventTokens.Statement
    }

    /// The next events behind ``SignalStream/number``.
    package struct Page: Sendable {
        /// In order, also those that were taken.
        package fileprivate(set) var entries: [Entry] = []
        /// Up to here nothing is for the receiver.
        package fileprivate(set) var lead: Int64
        /// Up to here everything was looked at.
        package fileprivate(set) var end: Int64
        /// Whether there is nothing behind ``end``.
        package fileprivate(set) var isWhole = false
    }

    package init(_ audit: any AuditStore, _ tokens: SecurityEventTokens) {
        self.audit = audit
        self.tokens = tokens
    }

    package func head() async throws(StoreError) -> Int64 { try await audit.head().number }

    package func page(of stream: SignalStream) async throws(StoreError) -> Page {
        let head = try await head()
        var page = Page(lead: stream.number, end: stream.number)
        guard head > stream.number else {
            page.isWhole = true
            return page
        }
        let wanted = Set(stream.delivered)
        for _ in 0..<Self.readsMax {
            let records = try await audit.chain(after: page.end, through: head, limit: Limits.auditOfPageMax)
            for record in records {
                guard page.entries.count < Self.windowMax else { return page }
                if let statement = ContinuousAccessEvent.statement(record.event), wanted.contains(statement.type) {
                    page.entries.append(Entry(number: record.number, id: record.signalID, statement: statement))
                } else if page.entries.isEmpty {
                    page.lead = record.number
                }
                page.end = record.number
            }
            guard records.count == Limits.auditOfPageMax else {
                page.isWhole = true
                return page
            }
        }
        return page
    }

    /// The token of an event, signed now.
    ///
    /// - Throws: ``OAuthProblem`` while there is no signing key.
    package func token(_ entry: Entry, of stream: SignalStream, at now: UnixTime) throws(OAuthProblem) -> String {
        try tokens.token(entry.statement, id: entry.id, audience: stream.clientID, at: now)
    }

    /// The token of the stream's verification event.
    ///
    /// - Throws: ``OAuthProblem`` while there is no signing key.
    package func token(
        _ verification: SignalStream.Verification, of stream: SignalStream, at now: UnixTime
    ) throws(OAuthProblem) -> String {
        try tokens.verification(
            state: verification.state, of: stream.id, id: verification.id, audience: stream.clientID, at: now)
    }
}

extension AuditRecord {
    /// The event's digest belongs to it alone, however often it is told.
    package var signalID: String {
        let digest = AuditChain.digest(
            of: event, changes: changesDigest, after: previous ?? AuditChain.beginning)
        return Base64URL.encode(digest.prefix(18))
    }
}

extension SignalStream {
    /// The event types that the receiver gets: those that it asked for, or all if it named none.
    package var delivered: [String] {
        events.isEmpty ? ContinuousAccessEvent.types : ContinuousAccessEvent.types.filter(events.contains)
    }
}
