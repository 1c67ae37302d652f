internal import KeyturnBase

/// The sign-in that the apps of a group share: whose it is, and what another app is signed in with.
struct SharedSession: Sendable {
    /// The app that signed in, and its container: it takes its sign-in out of the group again.
    let clientID: String
    let container: String
    let idToken: IDToken
    let deviceSecret: Secret
    /// The key of the group that the session is bound to; `nil`: none.
    let keyThumbprint: String?
    /// Which record this is.
    let generation: Generation
}

extension SharedSession {
    private static let version: Int64 = 1

    /// The form for the store.
    var stored: StoredRecord {
        let contents = JSONWriter.object { json in
            json.member("version", Self.version)
            json.member("client_id", clientID)
            json.member("container", container)
            json.member("id_token", idToken.compact)
            json.member("device_secret", deviceSecret.exposed())
            json.member("jkt", keyThumbprint)
        }
        return StoredRecord(generation: generation, contents: contents)
    }

    /// Reads what ``stored`` wrote; `nil` for anything else: another app signs in anew.
    init?(_ record: StoredRecord) {
        let limits = JSONValue.Limits(bytesMax: Limits.recordMaxBytes)
        guard let json = try? JSONValue(parsing: record.contents, limits: limits),
            json["version"]?.integerValue == Self.version, let clientID = json["client_id"]?.stringValue,
            let container = json["container"]?.stringValue,
            let idToken = json["id_token"]?.stringValue.flatMap({ IDToken(stored: $0) }),
            let secret = TokenGrant.token(json["device_secret"])
        else { return nil }
        self.init(
            clientID: clientID, container: container, idToken: idToken, deviceSecret: Secret(secret),
            keyThumbprint: json["jkt"]?.stringValue, generation: record.generation)
    }
}

/// The place of one group at one issuer.
struct SharedSessionPlace: Sendable {
    let store: any SessionStore
    let name: String

    /// - Returns: `nil` if no app has signed in, or in a form that this release does not know.
    /// - Throws: `store.unavailable`.
    func read() async throws(AuthError) -> SharedSession? {
        switch await store.read(name) {
        case .absent: nil
        case .unavailable(let error): throw error
        case .found(let record): SharedSession(record)
        }
    }

    /// The newest sign-in counts.
    ///
    /// - Throws: `store.unavailable`; what was shared before then still is.
    func write(_ session: SharedSession) async throws(AuthError) {
        _ = try await store.write(session.stored, for: name, when: .always)
    }

    /// Takes out what the app's container shares, if it is that.
    func leave(_ clientID: String, _ container: String) async throws(AuthError) {
        guard let session = try await read(), session.clientID == clientID, session.container == container else {
            return
        }
        try await remove(session)
    }

    /// Takes out what was read, unless another app has signed in since.
    func remove(_ session: SharedSession) async throws(AuthError) {
        _ = try await store.remove(name, when: .generation(session.generation))
    }
}

extension Service {
    /// Takes what a container shared out of the group: the sign-in that it was of is over, or another has begun.
    func leavingGroup(container: String, _ ambient: Ambient) -> @Sendable () async -> Void {
        let (place, clientID) = (sharedSessions(ambient), clientID)
        return { try? await place?.leave(clientID, container) }
    }

    /// Where the group's sign-in lies; `nil`: the app belongs to none.
    func sharedSessions(_ ambient: Ambient) -> SharedSessionPlace? {
        sharedSignIn.map { SharedSessionPlace(store: $0.storage.makeStore(ambient: ambient), name: $0.name(issuer)) }
    }
}

extension Keyturn {
    /// What the other apps of the vendor sign in with, if this one belongs to a group and the service gave a device secret:
    /// the session itself has no use for it.
    func sharedSession(takenFrom grant: inout TokenGrant, _ idToken: IDToken) -> SharedSession? {
        guard service.sharedSignIn != nil, let secret = grant.deviceSecret else { return nil }
        if !service.asksForPages { grant.deviceSecret = nil }
        return SharedSession(
            clientID: service.clientID, container: name, idToken: idToken, deviceSecret: Secret(secret),
            keyThumbprint: grant.keyThumbprint,
            generation: Generation(signIn: ambient.randomToken(byteCount: 16), number: 1))
    }
}
