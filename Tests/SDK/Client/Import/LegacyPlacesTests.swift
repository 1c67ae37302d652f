import KeyturnBase
import Testing

@testable import Keyturn

@Suite("Where other libraries' sessions are looked for")
struct LegacyPlacesTests {
    let items: FolderItems

    init() throws {
        items = try FolderItems()
    }

    private func put(_ service: String?, _ account: String, _ text: String) throws {
        try items.put(LegacySessionItem(service: service, account: account), Array(text.utf8))
    }

    @Test func `DescopeKit's item is that of the project`() throws {
        try put("com.descope.DescopeKit", "P1", #"{"sessionJwt":"a.b.c","refreshJwt":"d.e.f"}"#)
        guard case .found(let tokens) = try LegacySession.descopeKit(projectID: "P1").find(in: items) else {
            return #expect(Bool(false), "not found")
        }
        #expect(tokens.sources.map(\.item.account) == ["P1"])
        #expect(try LegacySession.descopeKit(projectID: "P2").find(in: items) == .absent)
    }

    @Test func `of Box's two items the newer SDK's counts, if it can be used`() throws {
        func access() throws -> String? {
            if case .found(let tokens) = try LegacySession.box().find(in: items) { tokens.accessToken } else { nil }
        }
        #expect(try LegacySession.box().find(in: items) == .absent)
        try put("com.box.SwiftSDK", "TokenInfo", #"{"accessToken":"old","refreshToken":"r"}"#)
        #expect(try access() == "old")
        try put("swift-generated-sdk", "AccessToken", #"{"access_token":"new","refresh_token":"r"}"#)
        #expect(try access() == "new")
        try put("swift-generated-sdk", "AccessToken", #"{"access_token":"service"}"#)
        #expect(try access() == "old")
        try put("com.box.SwiftSDK", "TokenInfo", "{")
        #expect(try LegacySession.box().find(in: items) == .unusable(.importNotRenewable))
    }

    @Test func `Authgear's items are those of the named container, without a service`() throws {
        let session = LegacySession.authgear(name: "main")
        try put(nil, "authgear_default_refreshToken", "other")
        #expect(try session.find(in: items) == .absent)
        try put(nil, "authgear_main_refreshToken", "id.secret")
        try put(nil, "authgear_main_idToken", "e30." + Base64URL.encode(Array(#"{"sub":"ann"}"#.utf8)) + ".c2ln")
        try put(nil, "authgear_main_deviceSecret", "stays")
        guard case .found(let tokens) = try session.find(in: items) else { return #expect(Bool(false), "not found") }
        #expect(tokens.accessToken.isEmpty && tokens.refreshToken == "id.secret" && tokens.end == .over)
        #expect(tokens.userClaims == ["sub": "ann"])
        #expect(tokens.sources.map(\.item.account) == ["authgear_main_refreshToken", "authgear_main_idToken"])
    }

    @Test func `Authgear's session that is bound to a key cannot be used, and neither can what is no token`() throws {
        let session = LegacySession.authgear()
        for damaged in ["", "two words", "caf\u{E9}", String(repeating: "a", count: Limits.tokenMaxBytes + 1)] {
            try put(nil, "authgear_default_refreshToken", damaged)
            #expect(try session.find(in: items) == .unusable(.importDamaged))
        }
        try put(nil, "authgear_default_refreshToken", "id.secret")
        try put(nil, "authgear_default_idToken", "nonsense")
        guard case .found(let tokens) = try session.find(in: items) else { return #expect(Bool(false), "not found") }
        #expect(tokens.userClaims.isEmpty)
        try put(nil, "authgear_default_dpopKeyID", "6F9619FF")
        #expect(try session.find(in: items) == .unusable(.importKeyBound))
    }

    @Test func `what cannot be read now is not taken for absent`() throws {
        items.isLocked = true
        for session in [LegacySession.descopeKit(projectID: "P1"), .box(), .authgear()] {
            #expect(throws: AuthError(.storeUnavailable, "")) { try session.find(in: items) }
        }
    }
}
