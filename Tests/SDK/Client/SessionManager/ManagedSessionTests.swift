import KeyturnBase
import Testing

@testable import Keyturn

@Suite("A session as a value")
struct ManagedSessionTests {
    static let now = UnixTime(rawValue: 1_800_000_000)

    @Test func `a token that is a JWT says itself how long it lasts`() {
        let token = ManagedSession.jwt(issuedAt: Self.now, expiresAt: Self.now + 600)
        let session = ManagedSession(accessToken: token)
        #expect(session.issuedAt == Self.now)
        #expect(session.expiresAt == Self.now + 600)
        #expect(ManagedSession(accessToken: token, expiresAt: Self.now + 5).expiresAt == Self.now + 5)
    }

    @Test func `a session says what its token says about permissions, roles and the person`() throws {
        let token = ManagedSession.jwt([
            "sub": "u1", "iss": "https://id.example.com/P1", "iat": 1_800_000_000, "exp": 1_800_000_600,
            "permissions": ["read"], "roles": ["viewer"], "plan": "gold",
            "tenants": ["t1": ["permissions": ["write"], "roles": ["editor"]]],
        ])
        let session = ManagedSession(
            accessToken: token, refreshToken: "opaque", userClaims: ["sub": "u1", "name": "Ann"])
        #expect(session.permissions() == ["read"] && session.permissions(tenant: "t1") == ["write"])
        #expect(session.roles() == ["viewer"] && session.roles(tenant: "t1") == ["editor"])
        #expect(session.permissions(tenant: "t2").isEmpty)
        #expect(session.claims == ["plan": "gold"])
        #expect(session.sessionToken?.isExpired(at: Self.now + 600) == true)
        #expect(session.refreshSessionToken == nil)
        #expect(session.user?.name == "Ann" && session.user?.subject == "u1")
        let opaque = ManagedSession(accessToken: "opaque")
        #expect(opaque.permissions().isEmpty && opaque.claims.isEmpty && opaque.user == nil)
    }

    @Test(arguments: ["opaque", "a.b.c", "..", "e30.e30.c2ln", "e30.bm90IGpzb24.c2ln", ""])
    func `any other token says nothing`(_ token: String) {
        #expect(ManagedSession(accessToken: token).expiresAt == nil)
        #expect(ManagedSession(accessToken: token).issuedAt == nil)
    }

    struct Renewable: Sendable {
        let name: String
        var refresh: String? = "opaque"
        var access = "opaque"
        let isRenewable: Bool
    }

    static let renewables = [
        Renewable(name: "no refresh token", refresh: nil, isRenewable: false),
        Renewable(name: "a refresh token that says nothing", isRenewable: true),
        Renewable(name: "one second left", refresh: ManagedSession.jwt(expiresAt: now + 1), isRenewable: true),
        Renewable(name: "none left", refresh: ManagedSession.jwt(expiresAt: now), isRenewable: false),
        Renewable(
            name: "a second longer than the access token", refresh: ManagedSession.jwt(expiresAt: now + 61),
            access: ManagedSession.jwt(expiresAt: now + 60), isRenewable: true),
        Renewable(
            name: "as long as the access token", refresh: ManagedSession.jwt(expiresAt: now + 60),
            access: ManagedSession.jwt(expiresAt: now + 60), isRenewable: false),
    ]

    @Test(arguments: renewables)
    func `what can be renewed`(_ c: Renewable) {
        let session = ManagedSession(accessToken: c.access, refreshToken: c.refresh)
        #expect(session.isRenewable(at: Self.now) == c.isRenewable, "\(c.name)")
    }

    @Test(arguments: ["", "with space", "line\r\nBreak: in", "ümlaut", String(repeating: "a", count: 65_537)])
    func `a token that no header can hold is not taken up`(_ token: String) async throws {
        let manager = try World().container().sessionManager
        for session in [
            ManagedSession(accessToken: token), ManagedSession(accessToken: "good", refreshToken: token),
        ] {
            await #expect(throws: AuthError(.tokenMalformed, "")) { try await manager.storeSession(session) }
        }
        #expect(manager.session == nil)
    }

    @Test func `times that no clock shows do no harm`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        for (issuedAt, expiresAt) in [(Int64.min, Int64.max), (.max, .min), (.max, .max), (.min, .min), (0, .max)] {
            let token = ManagedSession.jwt(
                issuedAt: UnixTime(rawValue: issuedAt), expiresAt: UnixTime(rawValue: expiresAt), id: "\(issuedAt)")
            try await manager.storeSession(ManagedSession(accessToken: token))
            try await manager.storeSession(
                ManagedSession(accessToken: "a\(issuedAt)", expiresAt: UnixTime(rawValue: expiresAt)))
            try await manager.refreshSessionIfNeeded()
            #expect(manager.session?.accessToken == "a\(issuedAt)")
        }
    }

    @Test func `printing shows nothing of it`() async throws {
        let session = try await World().tokens()
        var dumped = ""
        dump(session, to: &dumped)
        for text in ["\(session)", String(reflecting: session), dumped, "\([session])"] {
            #expect(!text.contains("access-") && !text.contains("refresh-") && !text.contains("ndy"), "\(text)")
        }
    }
}
