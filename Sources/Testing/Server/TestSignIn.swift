internal import AsyncHTTPClient
internal import Foundation
public import KeyturnBase
public import KeyturnWire
public import Model
internal import NIOCore
internal import NIOHTTP1

/// An answer of an endpoint.
public struct EndpointAnswer: Sendable {
    public let status: Int
    public let headers: [String: String]
    public let body: String
    /// The body as JSON; `.null` if it is not JSON.
    public let json: JSONValue

    /// The `error` of a refusal.
    public var error: String? { json["error"]?.stringValue }
}

extension TestServer {
    /// A valid authorization request, for tests to change.
    public func request(_ client: Client, proof: PKCE?) -> AuthorizationRequest {
        var request = AuthorizationRequest(clientID: client.id)
        request.redirectURI = client.metadata.redirectURIs?.first
        request.responseType = "code"
        request.scope = "openid profile email offline_access"
        request.state = "state-of-the-test"
        request.nonce = "nonce-of-the-test"
        request.codeChallenge = proof?.codeChallenge
        request.codeChallengeMethod = proof == nil ? nil : PKCE.method
        return request
    }

    /// Opens the authorization endpoint.
    public func authorize(_ request: AuthorizationRequest, in browser: ScriptedBrowser) async throws
        -> ScriptedBrowser.Screen
    {
        try await browser.open("/oauth2/authorize?\(request.parameters.encoded)")
    }

    /// Types the password on each page that asks for it, agrees on each page that asks for consent, and continues to an
    /// app where the browser was signed in before.
    public func complete(
        _ screen: ScriptedBrowser.Screen, in browser: ScriptedBrowser, username: String = TestServer.username,
        password: String = TestServer.password
    ) async throws -> ScriptedBrowser.Screen {
        var screen = screen
        if screen.page == "login" {
            screen = try await browser.submit(screen, ["username": username, "password": password])
        }
        if screen.page == "consent" { screen = try await browser.submit(screen, ["action": "allow"]) }
        if screen.page == "continue" { screen = try await browser.submit(screen, ["action": "continue"]) }
        return screen
    }

    /// Signs the user in at a client, and returns the client's callback.
    public func signIn(
        _ client: Client, proof: PKCE?, in browser: ScriptedBrowser? = nil,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> AuthorizationResponse {
        let browser = browser ?? self.browser()
        var request = request(client, proof: proof)
        change(&request)
        let screen = try await complete(try await authorize(request, in: browser), in: browser)
        guard let response = try Self.callback(screen) else {
            throw TestFailure("no callback came, but page \(screen.page ?? "none") with status \(screen.status)")
        }
        return response
    }

    /// The parameters of a redirect to the client; `nil` if the screen is no redirect.
    public static func callback(_ screen: ScriptedBrowser.Screen) throws -> AuthorizationResponse? {
        guard let location = screen.header("location"),
            let mark = location.firstIndex(where: { $0 == "?" || $0 == "#" })
        else { return nil }
        return try AuthorizationResponse(FormParameters(parsing: location[location.index(after: mark)...]))
    }

    /// Signs in and redeems the code.
    public func tokens(
        _ client: Client, in browser: ScriptedBrowser? = nil, _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> TokenResponse {
        let proof = PKCE(ambient: .live)
        let response = try await signIn(client, proof: proof, in: browser, change)
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        let answer = try await redeem(code, client, proof: proof)
        guard answer.status == 200 else { throw TestFailure("the code was refused: \(answer.error ?? "")") }
        return try JSONDecoder().decode(TokenResponse.self, from: Data(answer.body.utf8))
    }

    /// Redeems a code as `client` would.
    public func redeem(_ code: String, _ client: Client, proof: PKCE?, redirectURI: String? = nil) async throws
        -> EndpointAnswer
    {
        let request = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: redirectURI ?? client.metadata.redirectURIs?.first,
            codeVerifier: proof?.codeVerifier)
        return try await post("/oauth2/token", request.parameters, as: client)
    }

    /// Refreshes as `client` would.
    public func refresh(_ token: String?, _ client: Client, scope: String? = nil) async throws -> EndpointAnswer {
        try await post(
            "/oauth2/token", TokenRequest.refreshToken(Secret(token ?? ""), scope: scope).parameters, as: client)
    }

    /// Posts a form, authenticated as `client` is registered.
    public func post(
        _ path: String, _ form: FormParameters, as client: Client? = nil, headers: [(String, String)] = []
    ) async throws -> EndpointAnswer {
        var form = form
        var headers = headers
        if let client {
            let secret = client.id == TestClients.other.id ? "other-secret-other-secret-other" : TestClients.webSecret
            switch client.authenticationMethod {
            case .clientSecretBasic:
                let credentials = BasicCredentials(clientID: client.id, clientSecret: Secret(secret))
                headers.append(("Authorization", credentials.header))
            case .clientSecretPost:
                form.append("client_id", client.id)
                form.append("client_secret", secret)
            default:
                form.append("client_id", client.id)
            }
        }
        headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        return try await send("POST", path, headers: headers, body: form.encoded)
    }

    /// Gets a path, with a bearer token if one is given.
    public func get(_ path: String, token: String? = nil) async throws -> EndpointAnswer {
        try await send("GET", path, headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [], body: nil)
    }

    /// Sends any request; the method in capital letters.
    public func send(_ method: String, _ path: String, headers: [(String, String)], body: String?) async throws
        -> EndpointAnswer
    {
        var request = HTTPClientRequest(url: address + path)
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await TestNetwork.client.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 1_048_576)
        let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
        return EndpointAnswer(
            status: Int(response.status.code), headers: Dictionary(fields) { first, _ in first },
            body: String(buffer: bytes), json: (try? JSONValue(parsing: bytes.readableBytesView)) ?? .null)
    }
}

/// A test's preparation failed.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
