import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import ServerTesting
import SignIn

/// A site that keeps its own users, with pages, a backend, and somebody's device.
struct Site {
    let server: TestServer
    var device: SoftwareAuthenticator
    var publishableKey = "pubkey_shop"
    var secretKey = "secret_shop-backend"
    var origin: String? = "https://shop.example"
    /// Where the page and the backend ask from; `nil`: this machine. Counts at a server that trusts its proxy.
    var address: String?
    /// What `X-SDK` says; `nil`: there is no such header.
    var sdk: String?

    init(_ server: TestServer) {
        self.server = server
        device = SoftwareAuthenticator(seed: Array("device".utf8))
        device.behaviour.origin = "https://shop.example"
    }

    static let shop = party("shop.example", key: "shop")
    static let bank = party("bank.example", key: "bank")

    static func party(
        _ domain: String, key: String, secretKeys: [Secret]? = nil,
        configure: (inout WebAuthnPolicy) -> Void = { _ in }
    ) -> RelyingParty {
        guard
            var policy = try? WebAuthnPolicy(
                rpID: domain, rpName: key, origins: ["https://\(domain)", "https://app.\(domain)"],
                relatedOrigins: ["https://\(key).other"])
        else { preconditionFailure("a policy that can be met") }
        configure(&policy)
        return RelyingParty(
            policy: policy, publishableKey: "pubkey_\(key)",
            secretKeys: secretKeys ?? [Secret("secret_\(key)-backend")],
            appleApps: ["ABCDE12345.example.\(key)"],
            androidApps: [.init(packageName: "example.\(key)", fingerprints: ["AB:CD"])])
    }

    /// A server with two sites.
    static func start(_ parties: [RelyingParty] = [shop, bank], trustsForwarding: Bool = false) async throws -> Site {
        Site(try await TestServer.start(trustsForwarding: trustsForwarding, relyingParties: parties))
    }

    /// A call of a page or an app.
    func page(_ path: String, _ body: JSONValue, key: String? = nil, origin: String?? = nil) async throws
        -> EndpointAnswer
    {
        let basic = Data("\(key ?? publishableKey):".utf8).base64EncodedString()
        return try await call(path, body, authorization: "Basic \(basic)", origin: origin ?? self.origin)
    }

    /// A call of the backend.
    func backend(_ path: String, _ body: JSONValue, key: String? = nil) async throws -> EndpointAnswer {
        let basic = Data(":\(key ?? secretKey)".utf8).base64EncodedString()
        return try await call(path, body, authorization: "Basic \(basic)", origin: nil)
    }

    func call(_ path: String, _ body: JSONValue, authorization: String?, origin: String?) async throws
        -> EndpointAnswer
    {
        var headers = [("Content-Type", "application/json")]
        if let authorization { headers.append(("Authorization", authorization)) }
        if let origin { headers.append(("Origin", origin)) }
        if let address { headers.append(("X-Forwarded-For", address)) }
        if let sdk { headers.append(("X-SDK", sdk)) }
        return try await server.send(
            "POST", path, headers: headers, body: String(decoding: body.serialized, as: UTF8.self))
    }

    // MARK: - Whole steps

    func creationOptions(upgrade: Bool = false) async throws -> PublicKeyCredentialCreationOptions {
        let answer = try await page("/attestation/options", ["upgrade": .bool(upgrade)])
        return try PublicKeyCredentialCreationOptions(json: answer.result["publicKey"] ?? .null)
    }

    func requestOptions(_ user: JSONValue? = nil) async throws -> PublicKeyCredentialRequestOptions {
        let body: JSONValue = user.map { ["user": $0] } ?? [:]
        let answer = try await page("/assertion/options", body)
        return try PublicKeyCredentialRequestOptions(json: answer.result["publicKey"] ?? .null)
    }

    /// Registers the device's new credential, as far as the token.
    mutating func registrationToken() async throws -> String {
        let response = try device.register(try await creationOptions())
        let answer = try await page("/attestation/process", ["credential": response.json])
        return answer.result["token"]?.stringValue ?? "refused: \(answer.body)"
    }

    /// Registers a passkey of a user's.
    mutating func register(_ id: String, username: String? = nil) async throws -> EndpointAnswer {
        try await attach(try await registrationToken(), id, username: username)
    }

    func attach(_ token: String, _ id: String, username: String? = nil) async throws -> EndpointAnswer {
        let user: JSONValue = ["id": .string(id), "username": username.map(JSONValue.string) ?? .null]
        return try await backend("/credential/create", ["token": .string(token), "user": user])
    }

    /// Signs in on the page, as far as the answer.
    mutating func authenticate(_ user: JSONValue? = nil) async throws -> EndpointAnswer {
        let response = try device.authenticate(try await requestOptions(user))
        return try await process(response.json, user)
    }

    func process(_ credential: JSONValue, _ user: JSONValue? = nil) async throws -> EndpointAnswer {
        var body: [String: JSONValue] = ["credential": credential]
        if let user { body["user"] = user }
        return try await page("/assertion/process", .object(body))
    }

    /// Who the backend says it was.
    func verify(_ token: String) async throws -> EndpointAnswer {
        try await backend("/auth/verify", ["token": .string(token)])
    }
}

extension EndpointAnswer {
    /// The envelope's result.
    var result: JSONValue { json["result"] ?? .null }
    /// The codes of the warnings beside a result.
    var warnings: [String] {
        guard json["result"]?.objectValue != nil else { return ["refused: \(body)"] }
        return (json["errors"]?.arrayValue ?? []).map { warning in
            let isWhole = warning["message"]?.stringValue?.isEmpty == false
            return isWhole ? warning["code"]?.stringValue ?? "no code" : "no message"
        }
    }
    /// The envelope's token.
    var token: String { result["token"]?.stringValue ?? "refused: \(body)" }
    /// The first error's code, of an envelope that is one.
    var code: String? {
        guard json["result"] == .null, let first = json["errors"]?.arrayValue?.first,
            first["message"]?.stringValue?.isEmpty == false
        else { return nil }
        return first["code"]?.stringValue
    }
}
