import Crypto
import Foundation
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting

/// A client that holds a key, and makes proofs with it.
struct Prover: Sendable {
    let server: TestServer
    private let key = P256.Signing.PrivateKey()

    /// Waits until proofs of the server's first seconds are of age: younger ones it answers with a nonce, for it cannot
    /// know what was used before it started.
    init(_ server: TestServer) {
        self.server = server
        server.clock.advance(11)
    }

    var publicKey: JSONWebKey {
        get throws {
            let point = Array(key.publicKey.rawRepresentation)
            return try JSONWebKey([
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
                "y": .string(Base64URL.encode(point[32...])),
            ])
        }
    }

    var thumbprint: String { get throws { try publicKey.thumbprint() } }

    /// A proof for one request; everything about it can be chosen.
    func proof(
        method: String = "POST", path: String = "/oauth2/token", url: String? = nil, accessToken: String? = nil,
        nonce: String? = nil, secondsOff: Int64 = 0
    ) throws -> String {
        let draft = try DPoPProofDraft(
            publicKey: publicKey, method: method, url: url ?? server.issuer + path, accessToken: accessToken,
            nonce: nonce, id: Ambient.live.randomToken(byteCount: 16), issuedAt: server.clock.now + secondsOff)
        return draft.proof(signature: Array(try key.signature(for: draft.signingInput).rawRepresentation))
    }

    /// Signs in, naming the key where `names` says so, and redeems the code with a proof.
    func tokens(_ client: Client, names: Bool = true, wantsBearer: Bool = false) async throws -> TokenResponse {
        let pkce = PKCE(ambient: .live)
        let thumbprint = try thumbprint
        let response = try await server.signIn(client, proof: pkce) {
            if names { $0.dpopKeyThumbprint = thumbprint }
        }
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        let answer = try await redeem(code, client, pkce, proof(), wantsBearer: wantsBearer)
        guard answer.status == 200 else { throw TestFailure("the code was refused: \(answer.body)") }
        return try JSONDecoder().decode(TokenResponse.self, from: Data(answer.body.utf8))
    }

    func redeem(
        _ code: String, _ client: Client, _ pkce: PKCE, _ proof: String?, wantsBearer: Bool = false
    ) async throws -> EndpointAnswer {
        let request = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: client.metadata.redirectURIs?.first, codeVerifier: pkce.codeVerifier)
        var form = request.parameters
        if wantsBearer { form.append("dpop_bound_access_tokens", "false") }
        return try await server.post("/oauth2/token", form, as: client, headers: Self.header(proof))
    }

    func refresh(_ token: String?, _ client: Client, _ proof: String?) async throws -> EndpointAnswer {
        let form = TokenRequest.refreshToken(Secret(token ?? "")).parameters
        return try await server.post("/oauth2/token", form, as: client, headers: Self.header(proof))
    }

    func userInfo(_ token: String, scheme: String = "DPoP", _ proof: String?) async throws -> EndpointAnswer {
        let headers = [("Authorization", "\(scheme) \(token)")] + Self.header(proof)
        return try await server.send("GET", "/oauth2/userinfo", headers: headers, body: nil)
    }

    private static func header(_ proof: String?) -> [(String, String)] {
        proof.map { [("DPoP", $0)] } ?? []
    }
}
