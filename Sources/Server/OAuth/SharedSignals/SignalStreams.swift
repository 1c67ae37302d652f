public import KeyturnBase
internal import KeyturnWire
public import Model

/// Streams of security events that receivers make and look after (Shared Signals Framework 1.0 §8.1). A receiver is a
/// client, and knows its own streams alone.
public struct SignalStreams: Sendable {
    let project: Project
    let clients: ClientDirectory
    let stores: Stores
    let seal: Seal
    let queue: SignalQueue
    let audit: any AuditLog
    let ambient: Ambient
    /// How many polls of each client wait at this node.
    let waitingPolls = WaitingPolls()

    /// The address to poll a stream at, without the stream's name.
    static let pollPath = "/ssf/poll"

    package init(
        project: Project, clients: ClientDirectory, stores: Stores, secrets: ServerSecrets,
        tokens: SecurityEventTokens, audit: any AuditLog, ambient: Ambient
    ) {
        self.project = project
        self.clients = clients
        self.stores = stores
        seal = Seal(secrets, purpose: .signalStream, ambient: ambient)
        queue = SignalQueue(stores.audit, tokens)
        self.audit = audit
        self.ambient = ambient
    }

    /// Adds a stream, which begins with what happens from now on.
    ///
    /// - Throws: ``SignalProblem``; ``StoreError``.
    public func create(_ body: JSONValue, of client: Client) async throws -> JSONValue {
        let blank = SignalStream(
            id: ambient.randomToken(byteCount: 16), clientID: client.id, number: try await queue.head(),
            createdAt: ambient.now())
        let stream = try edited(blank, try Self.members(body), replaces: true, client)
        guard try await stores.signalStreams.create(stream, max: Limits.signalStreamsMax) else {
            throw SignalProblem.tooMany
        }
        record(.signalStreamCreated, from: nil, to: stream)
        return json(stream)
    }

    public func read(_ id: String, of client: Client) async throws -> JSONValue { json(try await find(id, client)) }

    /// Every stream of the client.
    public func all(of client: Client) async throws(StoreError) -> JSONValue {
        .array(try await stores.signalStreams.streams(of: client.id).map(json))
    }

    /// Changes what the body names; with `replaces`, also what it leaves out.
    ///
    /// - Throws: ``SignalProblem``; ``StoreError``.
    public func update(_ body: JSONValue, replaces: Bool, of client: Client) async throws -> JSONValue {
        let members = try Self.members(body)
        let id = try Self.id(members)
        let present = try await find(id, client)
        let wanted = try edited(present, members, replaces: replaces, client)
        try checkOwn(members, present, wanted)
        return json(
            try await change(id, client) { stream in
                // Anew, of what is there now: another request may have changed other members. It was checked above.
                if let edited = try? edited(stream, members, replaces: replaces, client) { stream = edited }
            })
    }

    public func delete(_ id: String, of client: Client) async throws {
        guard let stream = try await stores.signalStreams.delete(id, of: client.id) else {
            throw SignalProblem.unknown
        }
        record(.signalStreamDeleted, from: stream, to: nil)
    }

    public func status(_ id: String, of client: Client) async throws -> JSONValue {
        Self.status(try await find(id, client))
    }

    /// Events wait while a stream is paused, and pass by while it is disabled.
    ///
    /// - Throws: ``SignalProblem``; ``StoreError``.
    public func setStatus(_ body: JSONValue, of client: Client) async throws -> JSONValue {
        let members = try Self.members(body)
        guard let status = members["status"]?.stringValue.flatMap(SignalStream.Status.init) else {
            throw SignalProblem.invalid("status is enabled, paused or disabled")
        }
        let reason = try Self.text(members["reason"], "reason", bytesMax: Limits.descriptionBytesMax)
        let head = try await queue.head()
        let id = try Self.id(members)
        return Self.status(
            try await change(id, client) { stream in
                if stream.status == .disabled, status != .disabled {
                    stream.number = max(stream.number, head)
                    stream.taken = []
                }
                stream.status = status
                stream.reason = reason
            })
    }

    /// Sends a verification event on the stream, with the state that the body has.
    ///
    /// - Throws: ``SignalProblem``; ``StoreError``.
    public func verify(_ body: JSONValue, of client: Client) async throws {
        let members = try Self.members(body)
        let state = try Self.text(members["state"], "state", bytesMax: Limits.signalStateBytesMax)
        let asked = SignalStream.Verification(id: ambient.randomToken(byteCount: 16), state: state)
        let now = ambient.now()
        let stream = try await stores.signalStreams.change(try Self.id(members), of: client.id) { stream in
            if let last = stream.verifiedAt, now < last + Limits.signalVerificationSeconds { return }
            stream.verification = asked
            stream.verifiedAt = now
        }
        guard let stream else { throw SignalProblem.unknown }
        guard stream.verification == asked else {
            let again = (stream.verifiedAt ?? now) + Limits.signalVerificationSeconds
            throw SignalProblem.tooSoon(retryAfterSeconds: max(1, again.seconds(since: now)))
        }
    }

    func find(_ id: String, _ client: Client) async throws -> SignalStream {
        guard let stream = try await stores.signalStreams.stream(id, of: client.id) else { throw SignalProblem.unknown }
        return stream
    }

    private func change(
        _ id: String, _ client: Client, _ rule: @escaping @Sendable (inout SignalStream) -> Void
    ) async throws -> SignalStream {
        let note = ChangeNote(ambient)
        guard let stream = try await stores.signalStreams.change(id, of: client.id, note.noting(rule)) else {
            throw SignalProblem.unknown
        }
        if let changes = note.changes {
            audit.record(
                AuditEvent(
                    .signalStreamChanged, at: ambient.now(), clientID: client.id, target: id, changes: changes))
        }
        return stream
    }

    private func record(_ kind: AuditEvent.Kind, from before: SignalStream?, to after: SignalStream?) {
        audit.record(
            AuditEvent(
                kind, at: ambient.now(), clientID: (after ?? before)?.clientID, target: (after ?? before)?.id,
                changes: .between(before, after, ambient)))
    }
}
