import KeyturnAuthenticator
import KeyturnBase
import KeyturnVerify
import KeyturnWebAuthn
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("The browser as authenticator")
struct BrowserPasskeysTests {
    static let redirectURI = "http://127.0.0.1:7777/passkey"
    static let options = PublicKeyCredentialCreationOptions(
        rpID: "id.example.com", rpName: "Ex", user: .init(id: [1], name: "a"),
        challenge: [UInt8](repeating: 3, count: 32), algorithms: [-7])
    static let ceremony = PasskeyCeremony(
        origin: "https://id.example.com", page: .init(baseURL: "https://id.example.com/", name: "T&1"))

    /// A browser whose page answers as told.
    final class Browser: BrowserAgent {
        private let answer: @Sendable (_ state: String) throws -> String
        let opened = Locked<[String]>([])
        let closed = Locked(0)

        init(_ answer: @escaping @Sendable (_ state: String) throws -> String) {
            self.answer = answer
        }

        func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            Session(browser: self)
        }

        struct Session: WebAuthenticationSession {
            let browser: Browser
            let redirectURI = BrowserPasskeysTests.redirectURI

            func open(_ url: String, state: String) async throws(AuthError) -> String {
                browser.opened.withLock { $0.append(url) }
                do {
                    return try browser.answer(state)
                } catch {
                    throw error as? AuthError ?? AuthError(.cancelled, "bent")
                }
            }

            func close() async {
                browser.closed.withLock { $0 += 1 }
            }
        }
    }

    static func registered(_ options: PublicKeyCredentialCreationOptions = options) throws -> String {
        var authenticator = SoftwareAuthenticator(seed: [4])
        return Base64URL.encode(try authenticator.register(options).json.serialized)
    }

    @Test func `the page is opened with the ceremony, and its answer comes back`() async throws {
        let browser = Browser { "\(Self.redirectURI)?state=\($0)&response=\(try Self.registered())" }
        let response = try await BrowserPasskeys(browser).create(Self.options, in: Self.ceremony)
        #expect(response.unverifiedChallenge == Self.options.challenge)
        let url = try #require(browser.opened.withLock { $0.first })
        #expect(
            url.hasPrefix(
                "https://id.example.com/passkey?transaction=T%261&redirect_uri=http%3A%2F%2F127.0.0.1%3A7777%2Fpasskey&state="
            ))
        #expect(browser.closed.withLock { $0 } == 1)
    }

    @Test(arguments: [
        ("canceled_by_user", AuthError.Code.cancelled, "canceled_by_user"), ("timeout", .passkeyTimeout, "timeout"),
        ("invalid_domain", .passkeyDomain, "invalid_domain"),
        ("webauthn_unavailable", .passkeyUnavailable, "webauthn_unavailable"),
        ("api_unsupported_in_browser", .passkeyUnavailable, "api_unsupported_in_browser"),
        ("network_error", .unavailable, "network_error"), ("server_error", .unavailable, "server_error"),
        ("bad_request", .refused, "bad_request"), ("browser_bug?", .passkeyFailed, "browser_bug?"),
        ("unexpected", .passkeyFailed, "unexpected"), ("something_new", .passkeyFailed, "unexpected"),
    ])
    func `every code of the page has its meaning`(
        _ code: String, _ expected: AuthError.Code, _ web: PasskeyClientCode.RawValue
    ) async throws {
        var form = FormParameters()
        form.append("error", code)
        let query = form.encoded
        let browser = Browser { "\(Self.redirectURI)?state=\($0)&\(query)" }
        let error = await #expect(throws: AuthError.self) {
            try await BrowserPasskeys(browser).create(Self.options, in: Self.ceremony)
        }
        #expect(error?.code == expected)
        #expect(error?.passkeyCode.rawValue == web)
        #expect(browser.closed.withLock { $0 } == 1)
    }

    static let bent: [(String, AuthError.Code)] = [
        ("?state=other&response=e30", .callbackMismatch), ("?response=e30", .callbackMismatch),
        ("?state=%s&state=%s&response=e30", .callbackMismatch), ("?state=%s&response=***", .protocolViolation),
        ("?state=%s", .protocolViolation), ("?state=%s&response=W10", .passkeyFailed),
        ("?state=%s&response=e30", .passkeyFailed),
    ]

    @Test(arguments: bent) func `an answer that is none is refused`(_ query: String, _ code: AuthError.Code) async {
        let browser = Browser { Self.redirectURI + query.replacing("%s", with: $0) }
        let error = await #expect(throws: AuthError.self) {
            try await BrowserPasskeys(browser).create(Self.options, in: Self.ceremony)
        }
        #expect(error?.code == code)
    }

    @Test func `an answer to another challenge, or at another address, is refused`() async throws {
        var other = Self.options
        other.challenge = [UInt8](repeating: 4, count: 32)
        let text = try Self.registered(other)
        let replayed = Browser { "\(Self.redirectURI)?state=\($0)&response=\(text)" }
        let error = await #expect(throws: AuthError.self) {
            try await BrowserPasskeys(replayed).create(Self.options, in: Self.ceremony)
        }
        #expect(error?.code == .passkeyFailed)
        let elsewhere = Browser { "http://127.0.0.1:7778/passkey?state=\($0)&response=e30" }
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await BrowserPasskeys(elsewhere).create(Self.options, in: Self.ceremony)
        }
    }

    @Test func `without a page, or without a prompt, there is no browser`() async throws {
        let browser = Browser { _ in "" }
        let passkeys = BrowserPasskeys(browser)
        let without = await #expect(throws: AuthError.self) {
            try await passkeys.create(Self.options, in: PasskeyCeremony(origin: "https://id.example.com"))
        }
        #expect(without?.passkeyCode == .webauthnUnavailable)
        var quiet = Self.ceremony
        quiet.mediation = "conditional"
        let silent = await #expect(throws: AuthError.self) { try await passkeys.create(Self.options, in: quiet) }
        #expect(silent?.passkeyCode == .apiUnsupported)
        #expect(browser.opened.withLock { $0.isEmpty })
    }

    #if os(Linux) || os(macOS)
        @Test func `over the loopback interface an answer may be as long as attestations are`() async throws {
            let (addresses, address) = AsyncStream.makeStream(of: String.self)
            let passkeys = BrowserPasskeys(
                LoopbackBrowserAgent.announcing(timeoutSeconds: 20) { address.yield($0) })
            async let made = passkeys.create(Self.options, in: Self.ceremony)
            var iterator = addresses.makeAsyncIterator()
            let url = try #require(await iterator.next())
            let (_, query) = try #require(URLText.split(url))
            let form = try FormParameters(parsing: query)
            let (redirect, state) = (try #require(try form.one("redirect_uri")), try #require(try form.one("state")))
            let port = try #require(LoopbackRedirect(redirect)?.port)
            func get(_ query: String) async throws -> String {
                let knocker = try Knocker(port: port)
                knocker.send(Array("GET /passkey?\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
                return try await knocker.answer()
            }
            var long = Self.options
            long.rpName = "Ex"
            var authenticator = SoftwareAuthenticator(seed: [4])
            authenticator.behaviour.extraClientData = ["padding": .string(String(repeating: "x", count: 7_000))]
            let text = Base64URL.encode(try authenticator.register(long).json.serialized)
            #expect(text.utf8.count > 12_000)
            #expect(try await get("state=other&response=e30").hasPrefix("HTTP/1.1 400 "))
            #expect(try await get("state=\(state)").hasPrefix("HTTP/1.1 400 "), "neither an answer nor a refusal")
            #expect(try await get("state=\(state)&response=\(text)").hasPrefix("HTTP/1.1 200 "))
            #expect(try await made.unverifiedChallenge == Self.options.challenge)
        }
    #endif
}
