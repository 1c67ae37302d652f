import AsyncHTTPClient
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import KeyturnBase
import NIOCore

/// The same HTTP server with nothing behind it: what no endpoint of ours can be faster than.
///
/// `/constant` answers a constant JSON text of the size of the discovery document's neighbours; `/signed` makes one
/// ES256 signature first; both read the request's body as an endpoint must. ``Provider`` is what sign-ins elsewhere need.
@main
struct LimitServer {
    static func main() async throws {
        let router = Router()
        let constant = ByteBuffer(
            string: #"{"active":true,"scope":"openid profile email","client_id":"web","exp":1795236699}"#)
        let headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        let key = P256.Signing.PrivateKey()
        let message = [UInt8](repeating: 0x61, count: 480)
        for method in [HTTPRequest.Method.get, .post] {
            router.on("constant", method: method) { request, _ in
                _ = try await request.body.collect(upTo: 65_536)
                return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: constant))
            }
            router.on("signed", method: method) { request, _ in
                _ = try await request.body.collect(upTo: 65_536)
                let signature = try key.signature(for: message).rawRepresentation
                let text =
                    #"{"access_token":""# + Base64URL.encode(Array(message) + Array(signature))
                    + #"","expires_in":600}"#
                return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
            }
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        Provider(client: client).add(to: router)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                FileHandle.standardOutput.write(Data("listening on \(channel.localAddress?.port ?? 0)\n".utf8))
            })
        try await application.runService()
        try await client.shutdown()
    }
}
