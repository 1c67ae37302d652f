import KeyturnBase
import KeyturnJose
import KeyturnVerify
import Testing

@Suite("Remembered tokens")
struct CachingTests {
    static let now = TestIssuer.now
    let issuer = TestIssuer()
    let keys: CountingKeys
    let verifier: TokenVerifier

    init() throws {
        keys = CountingKeys(try PinnedKeys(parsing: TestIssuer.document(issuer)))
        verifier = TokenVerifier(issuer: TestIssuer.url, audience: "api", keys: keys)
    }

    func token(_ number: Int = 0, _ changes: [String: JSONValue?] = [:]) -> String {
        issuer.token(TestIssuer.accessClaims(["jti": .string("t-\(number)")].merging(changes) { _, new in new }))
    }

    @Test func `a token is verified once, for as long as it is remembered`() async throws {
        let cache = CachingTokenVerifier(verifier, secondsMax: 60)
        let token = token()
        for second in 0..<60 { #expect(try await cache.verify(token, at: Self.now + Int64(second)).tokenID == "t-0") }
        #expect(await keys.count == 1)
        _ = try await cache.verify(token, at: Self.now + 60)
        #expect(await keys.count == 2)
    }

    @Test func `a remembered token ends at the same second as any other`() async throws {
        let cache = CachingTokenVerifier(verifier, secondsMax: 3_600)
        let token = token()
        _ = try await cache.verify(token, at: Self.now)
        #expect(try await cache.verify(token, at: Self.now + 629).tokenID == "t-0")
        #expect(await keys.count == 1)
        await #expect(throws: AuthError(.tokenExpired, "")) { try await cache.verify(token, at: Self.now + 630) }
        await #expect(throws: AuthError(.tokenExpired, "")) { try await cache.verify(token, at: Self.now + 631) }
    }

    @Test func `a token is not remembered into the past`() async throws {
        let cache = CachingTokenVerifier(verifier)
        let token = token()
        _ = try await cache.verify(token, at: Self.now)
        await #expect(throws: AuthError(.tokenNotYetValid, "")) { try await cache.verify(token, at: Self.now - 31) }
    }

    @Test func `refusals are not remembered, and other tokens are other tokens`() async throws {
        let cache = CachingTokenVerifier(verifier)
        let stranger = TestIssuer().token(TestIssuer.accessClaims())
        for _ in 0..<3 {
            await #expect(throws: AuthError(.tokenSignature, "")) { try await cache.verify(stranger, at: Self.now) }
        }
        #expect(await keys.count == 3)
        #expect(try await cache.verify(token(1), at: Self.now).tokenID == "t-1")
        #expect(try await cache.verify(token(2), at: Self.now).tokenID == "t-2")
    }

    @Test func `a token bound to a key is never accepted from memory`() async throws {
        let cache = CachingTokenVerifier(verifier)
        let bound = token(0, ["cnf": ["jkt": "abc"]])
        for _ in 0..<2 {
            await #expect(throws: AuthError(.tokenKind, "")) { try await cache.verify(bound, at: Self.now) }
        }
    }

    @Test func `the one not seen for the longest time is forgotten first`() async throws {
        let cache = CachingTokenVerifier(verifier, entriesMax: 3)
        let tokens = (0..<4).map { token($0) }
        for token in tokens.prefix(3) { _ = try await cache.verify(token, at: Self.now) }
        _ = try await cache.verify(tokens[0], at: Self.now)
        _ = try await cache.verify(tokens[3], at: Self.now)
        #expect(await keys.count == 4)
        for number in [0, 2, 3] { _ = try await cache.verify(tokens[number], at: Self.now) }
        #expect(await keys.count == 4)
        _ = try await cache.verify(tokens[1], at: Self.now)
        #expect(await keys.count == 5)
    }

    @Test func `memory of any size keeps the newest, whatever the order of questions`() async throws {
        for size in 1...4 {
            let cache = CachingTokenVerifier(verifier, entriesMax: size)
            let tokens = (0..<6).map { token($0) }
            var recent: [Int] = []
            for step in 0..<60 {
                let number = (step * step + step / 3) % 6
                let before = await keys.count
                #expect(try await cache.verify(tokens[number], at: Self.now).tokenID == "t-\(number)")
                let wasKnown = await keys.count == before
                #expect(wasKnown == recent.contains(number), "size \(size), step \(step)")
                recent = [number] + recent.filter { $0 != number }.prefix(size - 1)
            }
        }
    }
}

/// Counts how often a signature was checked.
actor CountingKeys: KeySource {
    private let keys: PinnedKeys
    private(set) var count = 0

    init(_ keys: PinnedKeys) {
        self.keys = keys
    }

    func open(_ jws: UnverifiedJWS, at now: UnixTime) async throws(AuthError) -> VerifiedJWS {
        count += 1
        return try await keys.open(jws, at: now)
    }
}
