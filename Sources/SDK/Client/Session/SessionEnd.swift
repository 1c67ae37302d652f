internal import KeyturnBase

/// Which session the service ended, and why: kept beside where the session was, so that a program that starts later can
/// tell its user.
struct SessionEnd: Hashable, Sendable {
    /// The sign-in that the session began with.
    let signIn: String
    let end: SessionState.End

    /// Where it lies in the store.
    static func place(_ container: String) -> String { container + "/end" }
}

extension SessionEnd {
    private static let version: Int64 = 1

    /// The form for the store.
    ///
    /// - Parameter client: Whose session it was.
    func stored(of client: SessionRecord.Client) -> StoredRecord {
        let contents = JSONWriter.object { writer in
            writer.member("version", Self.version)
            writer.member("end", end.rawValue)
            writer.member("service", client.kind.rawValue)
            writer.member("issuer", client.issuer)
            writer.member("client_id", client.clientID)
        }
        return StoredRecord(generation: Generation(signIn: signIn, number: 1), contents: contents)
    }

    /// Reads what ``stored(of:)`` wrote; `nil` for anything else, and for another client's.
    init?(_ record: StoredRecord, of client: SessionRecord.Client) {
        guard let json = try? JSONValue(parsing: record.contents), json["version"]?.integerValue == Self.version,
            let end = json["end"]?.stringValue, json["service"]?.stringValue == client.kind.rawValue,
            json["issuer"]?.stringValue == client.issuer, json["client_id"]?.stringValue == client.clientID
        else { return nil }
        self.init(signIn: record.generation.signIn, end: .init(rawValue: end))
    }
}

extension SessionKeeper {
    /// Notes that the service ended the session. If it cannot be noted, the next program finds no session, and no
    /// reason.
    func keepEnd(_ context: SessionContext) async {
        guard context.separateStore == nil, case .ended(let end) = context.machine.phase,
            let signIn = context.machine.abandoned
        else { return }
        let record = SessionEnd(signIn: signIn, end: end).stored(of: identity)
        _ = try? await context.store.write(record, for: SessionEnd.place(container), when: .always)
    }

    /// What is noted where no session is stored.
    func findEnd(_ context: SessionContext) async -> SessionEnd? {
        guard context.separateStore == nil,
            case .found(let record) = await context.store.read(SessionEnd.place(container))
        else { return nil }
        return SessionEnd(record, of: identity)
    }

    /// The user has signed in since, or has signed out.
    func forgetEnd() async {
        let place = SessionEnd.place(container)
        if case .absent = await plain.read(place) { return }
        _ = try? await plain.remove(place, when: .always)
    }
}
