import KeyturnBase
import Testing

@testable import Keyturn

extension World {
    /// What a sign-in somewhere else brings: tokens of a person with a name.
    func tokens() async throws -> ManagedSession {
        let elsewhere = container(storage: .memory)
        try await elsewhere.authorize(redirectURI: Self.redirectURI)
        let session = try #require(try await elsewhere.sessionManager.loadSession())
        return ManagedSession(
            accessToken: session.accessToken, refreshToken: session.refreshToken, expiresAt: session.expiresAt,
            userClaims: ["sub": "andy", "name": "Andy"])
    }

    /// How often tokens were renewed.
    var renewals: Int {
        get async {
            await service.requests.count {
                String(decoding: $0.body ?? [], as: UTF8.self).contains("grant_type=refresh_token")
            }
        }
    }
}

extension ManagedSession {
    /// A token that says when it was issued and when it runs out.
    static func jwt(issuedAt: UnixTime? = nil, expiresAt: UnixTime? = nil, id: String = "1") -> String {
        var claims: [String: JSONValue] = ["jti": .string(id)]
        if let issuedAt { claims["iat"] = .integer(issuedAt.rawValue) }
        if let expiresAt { claims["exp"] = .integer(expiresAt.rawValue) }
        return jwt(claims)
    }

    static func jwt(_ claims: [String: JSONValue]) -> String {
        "e30." + Base64URL.encode(JSONValue.object(claims).serialized) + ".c2ln"
    }
}

/// Storage of an app's own, that fails when told to.
final class Shelf: SimpleSessionStorage {
    struct Broken: Error {}

    private let contents = Locked<[String: [UInt8]]>([:])
    private let broken = Locked(false)

    var isBroken: Bool {
        get { broken.withLock { $0 } }
        set { broken.withLock { $0 = newValue } }
    }

    var names: [String] { contents.withLock { $0.keys.sorted() } }

    func saveSession(_ data: [UInt8], named name: String) throws {
        guard !isBroken else { throw Broken() }
        contents.withLock { $0[name] = data }
    }

    func loadSession(named name: String) throws -> [UInt8]? {
        guard !isBroken else { throw Broken() }
        return contents.withLock { $0[name] }
    }

    func removeSession(named name: String) throws {
        guard !isBroken else { throw Broken() }
        contents.withLock { $0[name] = nil }
    }
}

/// Writes down what it is told.
final class Listener: SessionManagerDelegate {
    let told = Locked<[String]>([])
    private let bell: AsyncStream<String>.Continuation
    private let words: AsyncStream<String>

    init() {
        (words, bell) = AsyncStream.makeStream(of: String.self)
    }

    func sessionManagerDidUpdateTokens(_ manager: SessionManager, session: ManagedSession) {
        hear("tokens " + session.accessToken)
    }

    func sessionManagerDidUpdateUser(_ manager: SessionManager, session: ManagedSession) {
        hear("user " + (session.userClaims["name"]?.stringValue ?? "nobody"))
    }

    func sessionManagerDidFail(_ manager: SessionManager, error: AuthError) {
        hear(error.code.rawValue)
    }

    private func hear(_ word: String) {
        told.withLock { $0.append(word) }
        bell.yield(word)
    }

    /// Waits until it was told something more.
    func next() async -> String? {
        await words.first { _ in true }
    }
}

/// Pauses that end when a test says so.
actor Pauses {
    private var sleepers: [Int: (seconds: Int64, waiter: CheckedContinuation<Void, any Error>)] = [:]
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private var next = 0
    private(set) var begun = 0

    func pause(_ seconds: Int64) async throws {
        let id = next
        next += 1
        begun += 1
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else { return waiter.resume(throwing: CancellationError()) }
                sleepers[id] = (seconds, waiter)
                for watcher in watchers { watcher.resume() }
                watchers = []
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    private func cancel(_ id: Int) {
        sleepers.removeValue(forKey: id)?.waiter.resume(throwing: CancellationError())
    }

    /// Waits until somebody pauses, and says for how long.
    func someonePauses() async -> Int64 {
        while true {
            if let (_, sleeper) = sleepers.first { return sleeper.seconds }
            await withCheckedContinuation { watchers.append($0) }
        }
    }

    /// Ends the pause of whoever is there, or comes.
    func end() async {
        _ = await someonePauses()
        let ended = sleepers.values
        sleepers = [:]
        for sleeper in ended { sleeper.waiter.resume() }
    }

    var sleeping: Int { sleepers.count }
}

/// Looks again and again until something holds, for what nobody announces.
func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
    for _ in 0..<2_000 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return false
}
