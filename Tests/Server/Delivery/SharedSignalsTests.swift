import Identity
import KeyturnBase
import KeyturnJose
import Model
import OAuth
import ServerTesting
import Testing

@testable import Delivery

@Suite("Shared signals")
struct SharedSignalsTests {
    private static func event(
        _ kind: AuditEvent.Kind, session: String? = nil, reason: String? = nil, actor: String? = nil
    ) -> AuditEvent {
        AuditEvent(
            kind, at: UnixTime(rawValue: 1_800_000_000), userID: UserID(rawValue: "u"),
            sessionID: session.map(SessionID.init(rawValue:)), reason: reason, actor: actor)
    }

    @Test func `the end of a session and a changed credential are told, in the words of the profile`() throws {
        let ended = try #require(ContinuousAccessEvent.statement(Self.event(.signedOut, session: "s")))
        #expect(ended.type == "https://schemas.openid.net/secevent/caep/event-type/session-revoked")
        #expect(ended.userID.rawValue == "u" && ended.sessionID?.rawValue == "s")
        #expect(ended.details == ["event_timestamp": 1_800_000_000, "initiating_entity": "user"])
        let all = try #require(ContinuousAccessEvent.statement(Self.event(.userLoggedOut, actor: "operator:root")))
        #expect(all.sessionID == nil && all.details["initiating_entity"] == "admin")
        let changed = try #require(ContinuousAccessEvent.statement(Self.event(.passwordChanged)))
        #expect(changed.type == "https://schemas.openid.net/secevent/caep/event-type/credential-change")
        #expect(changed.details["credential_type"] == "password" && changed.details["change_type"] == "update")
    }

    @Test func `what is about no session, no credential or no user is not told`() {
        #expect(ContinuousAccessEvent.statement(Self.event(.signedIn, session: "s")) == nil)
        #expect(ContinuousAccessEvent.statement(Self.event(.userStatusChanged, reason: "enabled")) == nil)
        #expect(ContinuousAccessEvent.statement(Self.event(.userStatusChanged, reason: "disabled")) != nil)
        #expect(ContinuousAccessEvent.statement(AuditEvent(.signedOut, at: UnixTime(rawValue: 1))) == nil)
    }

    @Test func `a token says who, what and for whom, and is no other kind of token`() async throws {
        let server = try await TestServer.start()
        let statement = try #require(ContinuousAccessEvent.statement(Self.event(.signedOut, session: "s")))
        let text = try server.services.securityEvents.token(
            statement, id: "one", audience: "https://p.example", at: server.clock.now)
        let token = try UnverifiedJWS(text)
        #expect(token.header.type == "secevent+jwt")
        let claims = try JSONValue(parsing: token.unverifiedPayload)
        #expect(claims["iss"]?.stringValue == server.services.project.issuer && claims["aud"] == "https://p.example")
        #expect(claims["jti"] == "one" && claims["exp"] == nil && claims["sub"] == nil)
        #expect(claims["sub_id"]?["format"] == "complex" && claims["sub_id"]?["user"]?["sub"] == "u")
        #expect(claims["sub_id"]?["session"]?["id"] == "s")
        #expect(claims["events"]?.objectValue?.count == 1)
        await server.stop()
    }
}
