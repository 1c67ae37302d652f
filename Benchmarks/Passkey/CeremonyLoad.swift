import AsyncHTTPClient
import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import NIOCore

/// Sixteen people who sign in over and over, each with a device of their own: options, an assertion that is really
/// signed, its answer, and the backend's question who it was.
struct CeremonyLoad {
    let base: String
    private static let people = 16
    private static let seconds = 4.0
    private static let page = "Basic " + Data("pubkey_bench:".utf8).base64EncodedString()
    private static let backend = "Basic " + Data(":secret_0f2b7c1d9e4a6853b0c7d2e1f4a59688".utf8).base64EncodedString()

    func ceremoniesPerSecond() async throws -> Double {
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        var devices: [SoftwareAuthenticator] = []
        for person in 0..<Self.people { devices.append(try await register(person, client)) }
        let count = try await everybody(devices) { device in
            let options = try await post(client, "/assertion/options", Self.page, [:])["publicKey"] ?? .null
            let answer = try device.authenticate(PublicKeyCredentialRequestOptions(json: options))
            let token = try await post(client, "/assertion/process", Self.page, ["credential": answer.json])["token"]
            let user = try await post(client, "/auth/verify", Self.backend, ["token": token ?? .null])["user"]
            guard user?["id"]?.stringValue != nil else { throw CocoaError(.coderInvalidValue) }
        }
        try await client.shutdown()
        return count / Self.seconds
    }

    /// The same requests and signatures, and answers that are always the same.
    func constantsPerSecond() async throws -> Double {
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let policy = try WebAuthnPolicy(rpID: "localhost", rpName: "Bench", origins: ["http://localhost"])
        let challenge = [UInt8](repeating: 7, count: 117)
        let request = policy.requestOptions(challenge: challenge)
        var devices: [SoftwareAuthenticator] = []
        for person in 0..<Self.people {
            var device = Self.device(person)
            _ = try device.register(
                policy.creationOptions(challenge: challenge, user: .init(id: [1], name: "", displayName: "")))
            devices.append(device)
        }
        let count = try await everybody(devices) { device in
            _ = try await post(client, "/constant", Self.page, [:])
            let answer = try device.authenticate(request)
            _ = try await post(client, "/constant", Self.page, ["credential": answer.json])
            _ = try await post(client, "/constant", Self.backend, ["token": "x"])
        }
        try await client.shutdown()
        return count / Self.seconds
    }

    private func register(_ person: Int, _ client: HTTPClient) async throws -> SoftwareAuthenticator {
        var device = Self.device(person)
        let options = try await post(client, "/attestation/options", Self.page, [:])["publicKey"] ?? .null
        let made = try device.register(PublicKeyCredentialCreationOptions(json: options))
        let token = try await post(client, "/attestation/process", Self.page, ["credential": made.json])["token"]
        let user: JSONValue = ["id": .string("person-\(person)")]
        _ = try await post(client, "/credential/create", Self.backend, ["token": token ?? .null, "user": user])
        return device
    }

    private static func device(_ person: Int) -> SoftwareAuthenticator {
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.algorithms = [.es256]
        behaviour.origin = "http://localhost"
        return SoftwareAuthenticator(
            seed: Array("person \(person) \(ProcessInfo.processInfo.processIdentifier)".utf8),
            behaviour: behaviour)
    }

    /// How often all of them together do it within the time.
    private func everybody(
        _ devices: [SoftwareAuthenticator],
        _ ceremony: @escaping @Sendable (inout SoftwareAuthenticator) async throws -> Void
    ) async throws -> Double {
        let end = ContinuousClock.now + .seconds(Self.seconds)
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for device in devices {
                group.addTask {
                    var device = device
                    var count = 0.0
                    while ContinuousClock.now < end {
                        try await ceremony(&device)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// The envelope's result, or the whole body where there is no envelope.
    private func post(_ client: HTTPClient, _ path: String, _ authorization: String, _ body: JSONValue) async throws
        -> JSONValue
    {
        var request = HTTPClientRequest(url: base + path)
        request.method = .POST
        request.headers.add(name: "Authorization", value: authorization)
        request.headers.add(name: "Content-Type", value: "application/json")
        // From a network of its own each time: one alone may not begin so many. The range is that for benchmarks.
        let network = "198.\(UInt8.random(in: 18...19)).\(UInt8.random(in: 0...255)).\(UInt8.random(in: 0...255))"
        request.headers.add(name: "X-Forwarded-For", value: network)
        request.body = .bytes(ByteBuffer(bytes: body.serialized))
        let response = try await client.execute(request, timeout: .seconds(10))
        let bytes = try await response.body.collect(upTo: 65_536)
        let json = try JSONValue(parsing: bytes.readableBytesView)
        guard response.status == .ok else { throw CocoaError(.coderInvalidValue) }
        return json["result"] ?? json
    }
}
