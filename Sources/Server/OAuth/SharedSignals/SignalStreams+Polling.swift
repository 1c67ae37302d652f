public import KeyturnBase
internal import KeyturnWire
public import Model

/// Polling (RFC 8936).
extension SignalStreams {
    /// What a receiver polls with (§2.2).
    private struct Poll {
        let eventsMax: Int
        let isImmediate: Bool
        /// Tokens that were taken, and those that the receiver could not use, with its error codes.
        let taken: [String]
        let refused: [String: String]

        init(_ members: [String: JSONValue]) throws(SignalProblem) {
            let asked = members["maxEvents"].map { $0.integerValue } ?? Int64(Limits.signalsOfPollMax)
            guard let asked, asked >= 0 else { throw .invalid("maxEvents is a number from 0 on") }
            eventsMax = Int(min(asked, Int64(Limits.signalsOfPollMax)))
            let immediate = members["returnImmediately"].map { $0.boolValue } ?? false
            guard let immediate else { throw .invalid("returnImmediately is true or false") }
            isImmediate = immediate
            let errors = members["setErrs"].map { $0.objectValue } ?? [:]
            guard let ack = members["ack"].map({ $0.stringArrayValue }) ?? [], let errors,
                ack.count + errors.count <= Limits.signalAcknowledgementsMax
            else {
                throw .invalid("ack is a list, and setErrs an object, of at most \(Limits.signalAcknowledgementsMax)")
            }
            taken = ack
            refused = errors.mapValues { $0["err"]?.stringValue ?? "" }
        }
    }

    /// What waits for a receiver.
    private struct Waiting {
        /// Tokens by their identifiers.
        var sets: [String: JSONValue] = [:]
        var hasMore = false
        /// Up to here nothing is for the receiver.
        var lead: Int64

        var json: JSONValue { ["sets": .object(sets), "moreAvailable": .bool(hasMore)] }
    }

    /// Acknowledges tokens, and returns those that wait; waits for one for ``Limits/signalPollSeconds``, unless the body
    /// says otherwise (§2.4), or ``Limits/signalPollsWaitingMax`` of the client's polls wait already.
    ///
    /// - Parameter isEnding: whether the server stops, and nothing waits any longer.
    /// - Throws: ``SignalProblem``; ``OAuthProblem`` while there is no signing key; ``StoreError``.
    public func poll(
        _ id: String, _ body: JSONValue, of client: Client, isEnding: @Sendable () -> Bool
    ) async throws -> JSONValue {
        let poll = try Poll(try Self.members(body))
        var stream = try await polled(id, client)
        if !poll.taken.isEmpty || !poll.refused.isEmpty { stream = try await acknowledge(poll, stream, client) }
        var waiting = try await look(stream, max: poll.eventsMax)
        guard waiting.sets.isEmpty, !poll.isImmediate, poll.eventsMax > 0,
            waitingPolls.begin(client.id, max: Limits.signalPollsWaitingMax)
        else { return waiting.json }
        defer { waitingPolls.end(client.id) }
        for _ in 0..<Limits.signalPollSeconds where waiting.sets.isEmpty && !isEnding() {
            try await Task.sleep(for: .seconds(1))
            stream = try await polled(id, client)
            stream.number = max(stream.number, waiting.lead)
            waiting = try await look(stream, max: poll.eventsMax)
        }
        return waiting.json
    }

    /// - Throws: ``SignalProblem`` also for a stream that is pushed: a poll would be in the way of the node that has it.
    private func polled(_ id: String, _ client: Client) async throws -> SignalStream {
        let stream = try await find(id, client)
        guard stream.push == nil else { throw SignalProblem.invalid("the stream is pushed: change its delivery first") }
        return stream
    }

    /// Tokens that were not taken.
    private func look(_ stream: SignalStream, max: Int) async throws -> Waiting {
        var waiting = Waiting(lead: stream.number)
        guard stream.status == .enabled else { return waiting }
        let page = try await queue.page(of: stream)
        waiting.lead = page.lead
        if page.lead - stream.number >= Limits.signalLeadMin {
            // So that the next look begins there.
            _ = try await stores.signalStreams.change(stream.id, of: stream.clientID) { stream in
                stream.number = Swift.max(stream.number, page.lead)
            }
        }
        let now = ambient.now()
        if let verification = stream.verification, max > 0 {
            waiting.sets[verification.id] = .string(try queue.token(verification, of: stream, at: now))
        }
        let entries = page.entries.filter { !stream.taken.contains($0.id) }
        let told = entries.prefix(Swift.max(0, max - waiting.sets.count))
        for entry in told { waiting.sets[entry.id] = .string(try queue.token(entry, of: stream, at: now)) }
        waiting.hasMore = told.count < entries.count || !page.isWhole
        return waiting
    }

    /// A token that the receiver could not use does not come again; the audit log has its error code.
    private func acknowledge(_ poll: Poll, _ stream: SignalStream, _ client: Client) async throws -> SignalStream {
        let (page, number) = (try await queue.page(of: stream), stream.number)
        let known = Set(page.entries.map(\.id) + [stream.verification?.id].compactMap(\.self))
        let done = known.intersection(poll.taken + Array(poll.refused.keys))
        let changed = try await stores.signalStreams.change(stream.id, of: client.id) { stream in
            if let verification = stream.verification, done.contains(verification.id) { stream.verification = nil }
            stream.take(done, page, of: number)
        }
        guard let changed else { throw SignalProblem.unknown }
        for (id, code) in poll.refused.sorted(by: { $0.key < $1.key }) where known.contains(id) {
            audit.recordOnce(
                AuditEvent(
                    .signalRefused, at: ambient.now(), clientID: client.id,
                    reason: String(code.prefix(Limits.signalErrorMax)), target: stream.id))
        }
        return changed
    }
}

extension SignalStream {
    /// Notes tokens as taken, and goes on behind those that are the next ones.
    ///
    /// - Parameter first: the number behind which the page begins.
    fileprivate mutating func take(_ ids: Set<String>, _ page: SignalQueue.Page, of first: Int64) {
        // Nothing of events that were pushed in the meantime. Another poll's page may reach further.
        if number == first { taken.formIntersection(page.entries.map(\.id)) }
        for entry in page.entries where entry.number > number && ids.contains(entry.id) { taken.insert(entry.id) }
        for entry in page.entries where entry.number > number {
            guard taken.remove(entry.id) != nil else { break }
            number = entry.number
        }
    }
}
