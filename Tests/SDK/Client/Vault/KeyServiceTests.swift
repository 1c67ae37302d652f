import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("The key service's client")
struct KeyServiceTests {
    let keys = FakeKeyService()
    var service: KeyService { KeyService(baseURL: "https://id.example.com/", transport: keys, ambient: .live) }

    static let key = Secret("/RT5VXFinR27coWdsieCt3UxoKibplkO+bCVNkDJK9o=")

    static func answer(_ body: String, status: Int = 200, headers: [(String, String)] = []) -> FakeService.Fault {
        .answer(HTTPResponse(status: status, headers: headers.map { ($0.0, $0.1) }, body: Array(body.utf8)))
    }

    @Test(arguments: [
        (200, "{", AuthError.Code.vaultAnswer), (200, #"{"keyid":"k"}"#, .vaultAnswer),
        (200, #"{"keyid":7,"key":"AA=="}"#, .vaultAnswer), (200, #"{"keyid":"other","key":"AA=="}"#, .vaultAnswer),
        (401, "", .vaultWrongPassword), (204, "", .vaultKeyLocked), (403, "", .vaultKeyLocked),
        (404, "", .vaultKeyMissing), (500, "", .vaultKeyService), (400, "", .vaultKeyService),
        (302, "", .vaultKeyService), (600, "", .vaultKeyService), (429, "", .vaultUnreachable),
        (503, "", .vaultUnreachable),
    ])
    func `4: every status means what Trifork's clients take it for`(
        _ status: Int, _ body: String, _ code: AuthError.Code
    ) async throws {
        await keys.fail("key", Self.answer(body, status: status))
        let error = await #expect(throws: AuthError.self) { try await service.key("k", secret: Secret("1234")) }
        #expect(error?.code == code)
        #expect(error?.server?.status == status && error?.server?.code == nil)
        #expect(error?.isKeyServiceError == true)
        #expect(error?.isWrongPassword == (status == 401))
        #expect(error?.isKeyLocked == (status == 204 || status == 403))
        #expect(await keys.count("key") == 1)
    }

    @Test func `a refusal says how many tries are left, and when to come back`() async throws {
        let created = try await service.createKey(Secret("1234"), authorization: [])
        for left in [2, 1] {
            let error = await #expect(throws: AuthError.self) {
                try await service.key(created.keyID, secret: Secret("0000"))
            }
            #expect(error?.isWrongPassword == true && error?.remainingAttempts == left)
        }
        let error = await #expect(throws: AuthError.self) {
            try await service.key(created.keyID, secret: Secret("0000"))
        }
        #expect(error?.isKeyLocked == true && error?.remainingAttempts == 0)
        await #expect(throws: AuthError.code(.vaultKeyLocked)) {
            try await service.key(created.keyID, secret: Secret("1234"))
        }
        await keys.fail("key", Self.answer("", status: 429, headers: [("Retry-After", "7")]))
        let busy = await #expect(throws: AuthError.self) { try await service.key("k", secret: Secret("1")) }
        #expect(busy?.server?.retryAfterSeconds == 7)
    }

    @Test func `5: an answer without a long secret is enough to open, and too little to create`() async throws {
        let body = #"{"keyid":"k","key":"\#(Self.key.exposed())","news":[1]}"#
        await keys.fail("key", Self.answer(body))
        #expect(try await service.key("k", secret: Secret("1234")).longSecret == nil)
        await keys.fail("createkey", Self.answer(body))
        await #expect(throws: AuthError.code(.vaultNoLongSecret)) {
            try await service.createKey(Secret("1234"), authorization: [])
        }
    }

    @Test func `a wrong password is never sent twice, whatever happens to the connection`() async throws {
        let created = try await service.createKey(Secret("1234"), authorization: [])
        await keys.fail("key", .answerLost)
        let error = await #expect(throws: AuthError.self) {
            try await service.key(created.keyID, secret: Secret("0000"))
        }
        #expect(error?.code == .vaultUnreachable && error?.isWrongPassword == false)
        #expect(await keys.count("key") == 1)
        #expect(await keys.keys[created.keyID]?.failures == 1)
    }

    @Test func `a lost answer to createkey is fetched again, and makes one key`() async throws {
        await keys.fail("createkey", .answerLost)
        let created = try await service.createKey(Secret("1234"), authorization: [])
        #expect(await keys.keys.count == 1)
        #expect(await keys.keys[created.keyID] != nil)
        let names = await keys.header(KeyServicePaths.idempotencyKey, of: "createkey")
        #expect(names.count == 2 && Set(names).count == 1)
        _ = try await service.createKey(Secret("1234"), authorization: [])
        #expect(await keys.keys.count == 2)
    }

    @Test func `a token that the key service does not take costs the key its owner, and no more`() async throws {
        await keys.fail("createkey", Self.answer(#"{"error":"invalid_token"}"#, status: 401))
        let owner = [(name: "Authorization", value: "Bearer old")]
        let created = try await service.createKey(Secret("1234"), authorization: owner)
        #expect(await keys.keys[created.keyID] != nil)
        #expect(await keys.header("Authorization", of: "createkey") == ["Bearer old"])
        #expect(await keys.count("createkey") == 2)
    }

    @Test func `createkey is tried twice at most, and not after an answer`() async throws {
        await keys.fail("createkey", .unreachable, .unreachable)
        await #expect(throws: AuthError.code(.vaultUnreachable)) {
            try await service.createKey(Secret("1234"), authorization: [])
        }
        #expect(await keys.count("createkey") == 2)
        await keys.fail("createkey", Self.answer("", status: 503))
        await #expect(throws: AuthError.code(.vaultUnreachable)) {
            try await service.createKey(Secret("1234"), authorization: [])
        }
        // The service answered: whether it will next time is for the app to decide.
        #expect(await keys.count("createkey") == 3)
    }

    @Test func `requests are one flat object of texts, to the addresses that Trifork's clients use`() async throws {
        let created = try await service.createKey(Secret("12\"34"), authorization: [])
        _ = try await service.key(created.keyID, secret: Secret("12\"34"))
        _ = try await service.key(created.keyID, longSecret: try #require(created.longSecret))
        #expect(await keys.bodies("createkey") == [#"{"secret":"12\"34"}"#])
        #expect(await keys.bodies("key").first == #"{"secret":"12\"34","keyid":"\#(created.keyID)"}"#)
        #expect(await keys.bodies("key").last?.contains(#""longsecret":""#) == true)
        let request = try #require(await keys.requests.last)
        #expect(request.method == "POST" && request.url == "https://id.example.com/keyservice/v1/key")
        #expect(request.headers.contains { $0.name == "Content-Type" && $0.value == "application/json" })
        #expect(!request.headers.contains { $0.name == "Authorization" || $0.name == "Cookie" })
    }

    @Test(arguments: ["http://id.example.com", "https://id.example.com?realm=a", "ftp://a", ""])
    func `an address without protection is refused before anything is sent`(_ url: String) async throws {
        let service = KeyService(baseURL: url, transport: keys, ambient: .live)
        await #expect(throws: AuthError.code(.misconfigured)) { try await service.key("k", secret: Secret("1")) }
        #expect(await keys.requests.isEmpty)
    }
}
