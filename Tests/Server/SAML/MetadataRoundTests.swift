import KeyturnBase
import Model
import SAML
import SignIn
import Synchronization
import Testing

@Suite("A SAML provider's metadata, read again")
struct MetadataRoundTests {
    private static let hour: Int64 = 3_600

    @Test func `S-46: new certificates count within a day, without a restart, and are audited`() async throws {
        let place = try await MetadataPlace()
        place.provider.publishes([TestProvider.key, TestProvider.otherKey])
        #expect(try await place.rounds.run().isEmpty)
        #expect(place.provider.requests.isEmpty, "it was read when it was saved")
        place.time.advance(25 * Self.hour)
        let events = try await place.rounds.run()
        guard case .certificatesChanged("acme", let now) = events.first else { return #expect(Bool(false)) }
        #expect(now.count == 2 && events.count == 1)
        #expect(place.audited.map(\.kind) == [.connectionCertificatesChanged])
        #expect(place.audited.first?.reason == now.joined(separator: " "))
        #expect(place.certificates == 2)
        let next = try TestProvider.signed(by: TestProvider.otherKey)
        let reader = TestProvider.reader { $0 = place.settings }
        #expect(try TestProvider.read(next, by: reader).email == "kim@a.example")
    }

    @Test func `it is asked by a conditional request, and not again before a day, also after a restart`() async throws {
        let place = try await MetadataPlace()
        place.time.advance(25 * Self.hour)
        #expect(try await place.rounds.run().isEmpty)
        #expect(place.provider.requests.map { $0.headers["If-None-Match"] } == ["\"1\""])
        #expect(place.provider.requests.first?.allowsPrivateAddress == false)
        place.time.advance(22 * Self.hour)
        let restarted = try await MetadataPlace(after: place)
        #expect(try await restarted.rounds.run().isEmpty)
        #expect(place.provider.requests.count == 1)
        place.time.advance(4 * Self.hour)
        #expect(try await restarted.rounds.run().isEmpty)
        #expect(place.provider.requests.map { $0.headers["If-None-Match"] } == ["\"1\"", "\"1\""])
    }

    @Test func `what cannot be read or believed changes nothing, and is tried again in an hour`() async throws {
        let place = try await MetadataPlace()
        place.time.advance(25 * Self.hour)
        let before = place.settings.certificates
        let ended = #" validUntil="2020-01-01T00:00:00Z""#
        let faults: [(@Sendable (MetadataProvider) -> Void, String)] = [
            ({ $0.document(nil) }, "unreachable"), ({ $0.document("<r/>") }, "metadata_entity"),
            ({ $0.publishes([TestProvider.otherKey], as: "urn:other") }, "metadata_entity"),
            ({ $0.publishes([TestProvider.otherKey], ended) }, "metadata_expired"),
            ({ $0.publishes([]) }, "metadata_keys"),
            ({ $0.publishes([TestProvider.otherKey], at: "http://idp.example/sso") }, "metadata_role"),
            ({ $0.publishes([TestProvider.otherKey], at: "https://10.0.0.1/sso") }, "metadata_rules"),
        ]
        for (fault, code) in faults {
            fault(place.provider)
            #expect(try await place.rounds.run() == [.failed(connection: "acme", code: code)])
            #expect(try await place.rounds.run().isEmpty)
            #expect(place.settings.certificates == before && place.audited.isEmpty)
            place.time.advance(Self.hour)
        }
        place.provider.publishes([TestProvider.otherKey])
        #expect(try await place.rounds.run().count == 1)
        #expect(place.settings.certificates != before)
    }

    @Test func `of several processes one reads, and a change by the operator meanwhile wins`() async throws {
        let place = try await MetadataPlace()
        let other = try await MetadataPlace(after: place)
        place.time.advance(25 * Self.hour)
        place.provider.publishes([TestProvider.otherKey])
        async let one = place.rounds.run()
        async let two = other.rounds.run()
        #expect(try await one.count + two.count == 1)
        #expect(place.provider.requests.count == 1)
        place.time.advance(25 * Self.hour)
        place.provider.publishes([TestProvider.key])
        let directory = place.directory
        place.provider.duringRequest {
            guard var changed = directory.connection("acme") else { return }
            changed.name = "Renamed"
            _ = try? await directory.save(changed)
        }
        let before = place.settings.certificates
        #expect(try await place.rounds.run().isEmpty)
        #expect(place.directory.connection("acme")?.name == "Renamed" && place.settings.certificates == before)
    }

    @Test func `certificates are not taken over plain http`() async throws {
        let place = try await MetadataPlace(address: "http://idp.example/metadata")
        place.time.advance(25 * Self.hour)
        #expect(try await place.rounds.run() == [.failed(connection: "acme", code: "metadata_not_https")])
        #expect(place.provider.requests.isEmpty)
    }
}
