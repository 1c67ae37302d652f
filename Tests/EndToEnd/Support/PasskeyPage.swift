import Foundation
import Keyturn
import KeyturnAuthenticator
import KeyturnBase
import KeyturnVerify
import KeyturnWebAuthn
import KeyturnWire
import ServerTesting
import Testing

/// A person's browser and the device behind it: opens the server's page and does what its script would.
actor PasskeyPage: BrowserAgent {
    nonisolated let redirectURI = "http://127.0.0.1:49152/passkey"
    private let server: TestServer
    private var device: SoftwareAuthenticator
    /// Whether the person presses "cancel".
    private var cancels = false
    /// What each page showed.
    private(set) var pages: [String] = []

    init(_ server: TestServer) {
        self.server = server
        device = SoftwareAuthenticator(seed: Array("browser".utf8))
        device.behaviour.origin = server.issuer
    }

    func cancel(_ cancels: Bool) {
        self.cancels = cancels
    }

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(page: self, redirectURI: self.redirectURI)
    }

    struct Session: WebAuthenticationSession {
        let page: PasskeyPage
        let redirectURI: String

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                return try await page.perform(url)
            } catch {
                throw error as? AuthError ?? AuthError(.protocolViolation, "the page is not what it was", cause: error)
            }
        }

        func close() async {}
    }

    private func perform(_ url: String) async throws -> String {
        let path = try #require(url.hasPrefix(server.issuer) ? url.dropFirst(server.issuer.count) : nil)
        let screen = try await server.browser().open(String(path))
        if screen.status == 303 { return try #require(screen.header("location")) }
        try #require(screen.page == "passkey", "\(screen.body)")
        pages.append(screen.body)
        if cancels { return try Self.attribute("href", in: screen.body, after: "id=\"cancel\"") }
        let options = try JSONValue(parsing: Array(Self.attribute("data-options", in: screen.body).utf8))
        let answer =
            screen.body.contains("data-passkey=\"create\"")
            ? try device.register(PublicKeyCredentialCreationOptions(json: options)).json
            : try device.authenticate(PublicKeyCredentialRequestOptions(json: options)).json
        return try Self.attribute("data-return", in: screen.body) + "response="
            + Base64URL.encode(answer.serialized)
    }

    private static func attribute(_ name: String, in body: String, after mark: String = "") throws -> String {
        let start = mark.isEmpty ? body.startIndex : try #require(body.range(of: mark)).lowerBound
        let value = try #require(body[start...].range(of: name + "=\"")).upperBound
        return String(body[value...].prefix { $0 != "\"" }).replacing("&quot;", with: "\"")
            .replacing("&amp;", with: "&")
    }
}

/// The way to a server that is not where its issuer says.
struct RehousedTransport: HTTPTransport {
    let server: TestServer
    private let inner: DatedTransport

    init(_ server: TestServer) {
        self.server = server
        inner = DatedTransport(server.clock)
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        var request = request
        request.url = request.url.replacing(server.issuer, with: server.address)
        return try await inner.send(request)
    }
}
