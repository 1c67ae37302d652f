import Authority
import KeyturnBase
import Model
import SAML
import SignIn
import Synchronization
import Testing

/// A server with one connection whose provider publishes metadata. Its time moves by hand.
final class MetadataPlace: Sendable {
    let time: MetadataTime
    let provider: MetadataProvider
    let directory: ConnectionDirectory
    let rounds: MetadataRounds
    private let store: OneConnection
    private let log: AuditedEvents

    convenience init(address: String = "https://idp.example/metadata") async throws {
        try await self.init(MetadataTime(), MetadataProvider(), OneConnection(), address)
    }

    /// The same database and provider, in another process.
    convenience init(after other: MetadataPlace) async throws {
        try await self.init(other.time, other.provider, other.store, nil)
    }

    private init(_ time: MetadataTime, _ provider: MetadataProvider, _ store: OneConnection, _ address: String?)
        async throws
    {
        let secrets = try #require(ServerSecrets([[UInt8](repeating: 7, count: 32)]))
        let ambient = Ambient(clock: { time.now }, entropy: { count in time.bytes(count) })
        let seal = ConnectionSeal(secrets, ambient: ambient)
        let log = AuditedEvents()
        let saml = SAMLProtocol(issuer: "https://id.example", http: provider, key: nil, ambient: ambient)
        (self.time, self.provider, self.store, self.log) = (time, provider, store, log)
        directory = ConnectionDirectory(store: store, seal: seal)
        rounds = MetadataRounds(
            connections: directory, protocols: ConnectionProtocols(saml: saml),
            rules: ConnectionRules(issuer: "https://id.example"), audit: log, ambient: ambient)
        if let address {
            let settings = TestProvider.settings {
                $0.metadataURL = address
                $0.metadataReading = MetadataReading(
                    address: address, dueAt: time.now + 86_400, entityTag: "\"1\"")
            }
            let connection = Connection(
                id: "acme", name: "Acme", settings: .saml(settings), createdAt: time.now, updatedAt: time.now)
            _ = try await directory.save(connection, over: nil, by: ConnectionDirectory.permission(for: connection))
        }
        try await directory.reload()
    }

    var audited: [AuditEvent] { log.events.withLock { $0 } }

    var settings: SAMLConnectionSettings {
        guard case .saml(let settings)? = directory.connection("acme")?.settings else { return TestProvider.settings() }
        return settings
    }

    var certificates: Int { settings.certificates.count }
}

/// A clock, and bytes that differ.
final class MetadataTime: Sendable {
    private let state = Mutex((now: TestProvider.now, byte: UInt8(0)))

    var now: UnixTime { state.withLock { $0.now } }

    func advance(_ seconds: Int64) { state.withLock { $0.now = $0.now + seconds } }

    func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            state.byte &+= 1
            return (0..<count).map { state.byte &+ UInt8(truncatingIfNeeded: $0) }
        }
    }
}

/// A provider's web server, which answers conditional requests.
final class MetadataProvider: OutgoingHTTP {
    private struct State {
        var document: String?
        var tag = 1
        var requests: [OutgoingRequest] = []
        var hook: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State(document: MetadataProvider.text([TestProvider.key])))

    var requests: [OutgoingRequest] { state.withLock { $0.requests } }

    /// `nil`: the provider cannot be reached.
    func document(_ text: String?) {
        state.withLock {
            $0.document = text
            $0.tag += 1
        }
    }

    func publishes(
        _ keys: [ServiceKey], _ attributes: String = "", as entity: String = TestProvider.entityID,
        at location: String = "https://idp.example/sso"
    ) {
        document(Self.text(keys, attributes, entity, location))
    }

    func duringRequest(_ hook: @escaping @Sendable () async -> Void) { state.withLock { $0.hook = hook } }

    func send(_ request: OutgoingRequest) async throws(OutgoingProblem) -> OutgoingAnswer {
        let (document, tag, hook) = state.withLock { state in
            state.requests.append(request)
            return (state.document, "\"\(state.tag)\"", state.hook)
        }
        await hook?()
        guard let document else { throw .unreachable }
        if request.headers["If-None-Match"] == tag {
            return OutgoingAnswer(status: 304, contentType: "", body: [])
        }
        var answer = OutgoingAnswer(status: 200, contentType: "text/xml", body: Array(document.utf8))
        answer.entityTag = tag
        return answer
    }

    private static func text(
        _ keys: [ServiceKey], _ attributes: String = "", _ entity: String = TestProvider.entityID,
        _ location: String = "https://idp.example/sso"
    ) -> String {
        let descriptors = keys.map { key in
            """
            <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>\
            <ds:X509Certificate>\(key.certificate)</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
            """
        }
        return """
            <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="\(entity)"\(attributes)>\
            <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">\
            \(descriptors.joined())<md:SingleSignOnService \
            Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="\(location)"/>\
            </md:IDPSSODescriptor></md:EntityDescriptor>
            """
    }
}

extension ConnectionDirectory {
    /// As an operator does it.
    @discardableResult
    func save(_ connection: Connection) async throws -> ConnectionSaving {
        try await save(
            connection, over: self.connection(connection.id), by: Self.permission(for: connection))
    }

    static func permission(for connection: Connection) throws -> Allowed<Acts.ChangeConnection> {
        try Rulebook(AuthorityPolicy()).permit(
            Acts.ChangeConnection.self, to: .managementKey,
            on: .connection(connection.id, tenant: connection.tenantID))
    }
}

/// A database with room for one connection.
final class OneConnection: ConnectionStore {
    private let row = Mutex<StoredConnection?>(nil)

    func all(limit: Int) async throws(StoreError) -> [StoredConnection] { row.withLock { [$0].compactMap(\.self) } }

    func create(_ connection: StoredConnection, by permission: borrowing Allowed<Acts.ChangeConnection>, max: Int)
        async throws(StoreError) -> Bool
    {
        row.withLock { $0 = connection }
        return true
    }

    func replace(
        _ old: StoredConnection, with sealed: [UInt8], by permission: borrowing Allowed<Acts.ChangeConnection>
    ) async throws(StoreError) -> Bool {
        row.withLock { row in
            guard row == old else { return false }
            row = StoredConnection(id: old.id, tenantID: old.tenantID, sealed: sealed)
            return true
        }
    }

    func withdrawRoles(
        besides kept: Set<String>, by permission: borrowing Allowed<Acts.ChangeConnection>,
        after last: FederatedIdentity.Key?, limit: Int
    ) async throws(StoreError) -> FederatedIdentity.Key? { nil }

    func delete(by permission: borrowing Allowed<Acts.ChangeConnection>, at now: UnixTime) async throws(StoreError)
        -> Bool
    {
        row.withLock { row in
            defer { row = nil }
            return row != nil
        }
    }
}

/// What was recorded.
final class AuditedEvents: AuditLog {
    let events = Mutex<[AuditEvent]>([])

    func record(_ event: AuditEvent) { events.withLock { $0.append(event) } }

    func recordOnce(_ event: AuditEvent) -> Bool {
        record(event)
        return true
    }
}
