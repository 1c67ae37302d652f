import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

/// A device where an app of DescopeKit was updated: its item, a store, and a service of the methods' wire.
struct DescopeWorld: Sendable {
    let clock = VirtualClock()
    let service: FakeMethods
    let store = FragileStore()
    let items: FolderItems
    let item = DescopeKitItem.place("P1")

    init() throws {
        service = FakeMethods(clock)
        items = try FolderItems()
    }

    func app(
        name: String? = nil, importing: Bool = true, storage: SessionStorage? = nil, power: Power? = nil
    ) -> Keyturn {
        var service = Service.descope(projectID: "P1", baseURL: FakeMethods.baseURL)
        if let power {
            service = service.importing(.descopeKit(projectID: "P1", items: items.used(with: power)))
            return Keyturn(
                service, name: name, storage: .custom(PoweredStore(inner: store, power: power)),
                transport: PoweredTransport(inner: self.service, power: power), ambient: clock.ambient)
        }
        if importing { service = service.importing(.descopeKit(projectID: "P1", items: items)) }
        var kept = SessionStorage.custom(store)
        if let storage { kept = storage }
        return Keyturn(service, name: name, storage: kept, transport: self.service, ambient: clock.ambient)
    }

    /// Signs a user in by another container, and writes that session as DescopeKit does. It is then only there.
    @discardableResult
    func leaveSession() async throws -> ManagedSession {
        let elsewhere = Keyturn(
            .descope(projectID: "P1", baseURL: FakeMethods.baseURL), storage: .memory, transport: service,
            ambient: clock.ambient)
        try await elsewhere.otp.verify(with: .email, loginId: "a@example.com", code: "123456")
        let session = try #require(try await elsewhere.sessionManager.loadSession())
        try put(session)
        return session
    }

    func put(_ session: ManagedSession) throws {
        let json: JSONValue = [
            "sessionJwt": .string(session.accessToken), "refreshJwt": .string(session.refreshToken ?? ""),
            "user": [
                "userId": "U1", "loginIds": ["a@example.com"], "name": "Andy", "createdAt": 712_345_678,
                "status": "enabled", "isVerifiedEmail": true,
            ],
        ]
        try items.put(item, json.serialized)
    }

    var mark: TakeoverMark.Stage? {
        get async {
            let name = app().name
            return await store.read(name + "/takeover").record.map { TakeoverMark($0.contents).stage }
        }
    }

    var refreshes: Int { get async { await service.count("/v1/auth/refresh") } }

    /// Waits until nothing of the old library is left.
    func isFinished() async -> Bool {
        await eventually { await mark == .done && !items.has(item) }
    }
}
