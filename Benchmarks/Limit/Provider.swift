import AsyncHTTPClient
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import KeyturnBase
import NIOCore

/// An identity provider of OpenID Connect that answers at once, for the user whom its codes name: a code is the user and
/// the nonce of the request, with a dot between. And `/callback`, the least that a client of it can do: fetch the token,
/// and check its signature.
struct Provider: Sendable {
    private static let headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
    private static let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"bench","typ":"JWT"}"#.utf8))
    private let key = P256.Signing.PrivateKey()
    /// Asks the provider, for `/callback`.
    private let client: HTTPClient

    init(client: HTTPClient) { self.client = client }

    func add(to router: Router<BasicRequestContext>) {
        router.get("provider/.well-known/openid-configuration") { request, _ in
            let issuer = "http://\(request.head.authority ?? "")/provider"
            return Self.answer([
                "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
                "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            ])
        }
        router.get("provider/keys") { _, _ in
            let point = Array(key.publicKey.rawRepresentation)
            return Self.answer([
                "keys": [
                    [
                        "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "bench",
                        "x": .string(Base64URL.encode(Array(point.prefix(32)))),
                        "y": .string(Base64URL.encode(Array(point.suffix(32)))),
                    ]
                ]
            ])
        }
        router.post("provider/token") { request, _ in
            let form = String(buffer: try await request.body.collect(upTo: 65_536))
            let code = form.split(separator: "&").first { $0.hasPrefix("code=") }?.dropFirst(5) ?? ""
            let parts = code.split(separator: ".")
            guard parts.count == 2 else { return Response(status: .badRequest) }
            let token = try token(of: String(parts[0]), String(parts[1]), at: request.head.authority ?? "")
            return Self.answer(["access_token": "a", "token_type": "Bearer", "id_token": .string(token)])
        }
        for method in [HTTPRequest.Method.get, .post] {
            router.on("constant", method: method) { request, _ in
                _ = try await request.body.collect(upTo: 65_536)
                return Self.answer(BareHandler.constant.utf8)
            }
        }
        router.post("signed") { request, _ in
            _ = try await request.body.collect(upTo: 65_536)
            return Self.answer(BareHandler.signed().utf8)
        }
        router.get("callback") { request, _ in
            try await check(code: String(request.uri.queryParameters["code"] ?? ""), at: request.head.authority ?? "")
            return Self.answer(["checked": true])
        }
    }

    private func token(of user: String, _ nonce: String, at authority: String) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": .string("http://\(authority)/provider"), "aud": "bench", "sub": .string(user),
            "nonce": .string(nonce), "iat": .integer(now), "exp": .integer(now + 300),
        ]
        let signed = Self.header + "." + Base64URL.encode(claims.serialized)
        return signed + "." + Base64URL.encode(Array(try key.signature(for: Array(signed.utf8)).rawRepresentation))
    }

    private func check(code: String, at authority: String) async throws {
        var request = HTTPClientRequest(url: "http://\(authority)/provider/token")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: "grant_type=authorization_code&code=\(code)"))
        let answer = try await client.execute(request, timeout: .seconds(10))
        let json = try JSONValue(parsing: try await answer.body.collect(upTo: 65_536).readableBytesView)
        let parts = (json["id_token"]?.stringValue ?? "").split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[2])) else {
            throw HTTPError(.badGateway)
        }
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes)
        guard key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)) else {
            throw HTTPError(.badGateway)
        }
    }

    private static func answer(_ json: JSONValue) -> Response { answer(json.serialized) }

    private static func answer(_ text: some Sequence<UInt8>) -> Response {
        Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }
}
