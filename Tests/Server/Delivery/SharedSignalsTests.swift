import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@testable import Delivery

@Suite("Shared signals")
struct SharedSignalsTests {
    private static func event(
        _ kind: AuditEvent.Kind, session: String? = nil, reason: String? = nil, actor: String? = nil,
        target: String? = nil
    ) -> AuditEvent {
        AuditEvent(
            kind, at: UnixTime(rawValue: 1_800_000_000), userID: UserID(rawValue: "u"),
            sessionID: session.map(SessionID.init(rawValue:)), reason: reason, actor: actor, target: target)
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

    @Test func `the session that is told is the one that ended, never the one in which it was ended`() throws {
        func ended(_ event: AuditEvent) throws -> String? {
            try #require(ContinuousAccessEvent.statement(event)).sessionID?.rawValue
        }
        #expect(try ended(Self.event(.sessionEnded, session: "own", target: "other")) == "other")
        #expect(try ended(Self.event(.sessionEnded, session: "own", reason: "provider")) == "own")
        for kind in [
            AuditEvent.Kind.otherSessionsEnded, .userDeleted, .signInDisputed, .provisionedUserDeactivated,
            .provisionedUserRemoved,
        ] {
            #expect(try ended(Self.event(kind, session: "own")) == nil, "all sessions: \(kind.rawValue)")
        }
        #expect(try ended(Self.event(.signedOut, session: "own", reason: "all")) == nil)
        // A sign-out whose session is unknown is not one of all sessions.
        #expect(ContinuousAccessEvent.statement(Self.event(.signedOut, reason: "current")) == nil)
        #expect(ContinuousAccessEvent.statement(Self.event(.refreshReplayed)) == nil)
        #expect(try ended(Self.event(.refreshReplayed, session: "s")) == "s")
    }

    @Test(arguments: [AuditEvent.Kind.grantEnded, .refreshReplayed, .codeReplayed, .signedOut])
    func `what a client has of a browser's session ends without the session`(_ kind: AuditEvent.Kind) throws {
        func statement(_ session: SessionID) -> SecurityEventTokens.Statement? {
            ContinuousAccessEvent.statement(
                AuditEvent(
                    kind, at: UnixTime(rawValue: 1_800_000_000), userID: UserID(rawValue: "u"), clientID: "app",
                    sessionID: session))
        }
        let browser = try #require(statement(SessionID(rawValue: "s")))
        #expect(browser.type.hasSuffix("/session-revoked"))
        #expect(browser.sessionID?.rawValue == "s" && browser.clientID == "app")
        let own = try #require(statement(SessionID(of: .make(.live))))
        #expect(own.sessionID != nil && own.clientID == nil, "a session without a browser is its client's alone")
    }

    @Test func `a revoked token is told as its client's part of the session`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.portal)
        let sid = TestServer.claims(Secret(tokens.accessToken))["sid"]?.stringValue
        #expect(
            try await server.post(
                "/oauth2/revoke", FormParameters(["token": tokens.refreshToken ?? ""]), as: TestClients.portal
            )
            .status == 200)
        _ = try await server.services.auditLog.flush()
        let events = try await server.services.stores.audit.newest(limit: 20)
        let ended = try #require(events.first { $0.kind == .grantEnded })
        let statement = try #require(ContinuousAccessEvent.statement(ended))
        #expect(statement.sessionID?.rawValue == sid && statement.clientID == "portal")
        #expect(statement.userID == TestServer.subject)
        let text = try server.services.securityEvents.token(
            statement, id: "one", audience: "https://p.example", at: server.clock.now)
        let subject = try JSONValue(parsing: try UnverifiedJWS(text).unverifiedPayload)["sub_id"]
        #expect(subject?["session"]?["id"]?.stringValue == sid && subject?["application"]?["id"] == "portal")
        await server.stop()
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
