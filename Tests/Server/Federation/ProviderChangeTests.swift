import Crypto
import Federation
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import SignIn
import Synchronization
import Testing

@Suite("What a provider says beside its ID token, and what changes during a sign-in")
struct ProviderChangeTests {
    private static let userinfo = "https://provider.example/userinfo"

    private static func passage(_ contentType: String, _ body: String) -> ProviderPassage {
        ProviderPassage(
            SigningProvider {
                $0.discovery = ["userinfo_endpoint": .string(userinfo)]
                $0.raw = [userinfo: OutgoingAnswer(status: 200, contentType: contentType, body: Array(body.utf8))]
            })
    }

    @Test func `UserInfo that is one JSON object about the user counts`() async throws {
        let good = Self.passage(
            "application/json", #"{"sub":"248289761001","email":"a@b.example","email_verified":true}"#)
        #expect(try await good.pass().email == "a@b.example")
    }

    @Test(arguments: [
        ("application/json", #"{"sub":"248289761001","email":"a@b.example","email":"victim@b.example"}"#),
        ("application/json", #"{"sub":"other","sub":"248289761001","email":"a@b.example"}"#),
        ("application/jwt", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ."),
        ("text/html", "<html></html>"),
        ("application/json", #"["248289761001"]"#),
    ])
    func `F-52: UserInfo with a member twice, as a JWT, or that is no object, is refused`(
        _ contentType: String, _ body: String
    ) async throws {
        let passage = Self.passage(contentType, body)
        await #expect(throws: ConnectionProblem.self) { try await passage.pass() }
    }

    @Test func `F-18: an answer that names another issuer sends the code nowhere`() async throws {
        let passage = ProviderPassage()
        let state = try await passage.leave().1
        let problem = await #expect(throws: ConnectionProblem.self) {
            try await passage.comeBack(
                state, [(name: "code", value: "c0de"), (name: "iss", value: "https://honest.example")])
        }
        #expect(problem?.kind == .refused && problem?.code == "iss_parameter")
        #expect(passage.provider.count("/token") == 0)
        let good = [(name: "code", value: "c0de"), (name: "iss", value: "https://provider.example")]
        #expect(try await passage.comeBack(state, good).subject == "248289761001")
    }

    /// The same connection after the operator changed its secret.
    private static func changed(_ passage: ProviderPassage, _ change: (inout OpenIDConnectionSettings) -> Void)
        throws -> Connection
    {
        guard case .openID(var settings) = passage.connection.settings else { throw NoSettings() }
        change(&settings)
        var connection = passage.connection
        connection.settings = .openID(settings)
        return connection
    }

    private struct NoSettings: Error {}

    private static func secret(in request: OutgoingRequest?) -> String? {
        request?.headers["Authorization"].flatMap { BasicCredentials(header: $0)?.clientSecret.exposed() }
    }

    @Test func `F-56: a sign-in that began with the old secret ends with the new one`() async throws {
        let passage = ProviderPassage()
        let state = try await passage.leave().1
        let answer = [(name: "state", value: "handle"), (name: "code", value: "c0de")]
        let renewed = try Self.changed(passage) { $0.clientSecret = "the-new-secret" }
        #expect(try await passage.speaker.finish(answer, state, at: renewed).subject == "248289761001")
        let sent = passage.provider.requests.withLock { $0.last { $0.uri.hasSuffix("/token") } }
        #expect(Self.secret(in: sent) == "the-new-secret")
        // A process that has not read the change yet still has the old one, which the provider takes as well.
        #expect(try await passage.comeBack(state).subject == "248289761001")
    }

    @Test func `F-56: Apple's new key signs the next secret, also for a sign-in that is under way`() async throws {
        let (old, new) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let passage = ProviderPassage(
            SigningProvider { $0.issuer = "https://appleid.apple.com" },
            OpenIDConnectionSettings(
                preset: "apple", clientID: "client", clientSecret: old.pemRepresentation,
                parameters: ["team_id": "TEAM123456", "key_id": "OLD"]))
        let state = try await passage.leave().1
        let renewed = try Self.changed(passage) {
            $0.clientSecret = new.pemRepresentation
            $0.parameters["key_id"] = "NEW"
        }
        let answer = [(name: "state", value: "handle"), (name: "code", value: "c0de")]
        for (connection, name, key) in [(passage.connection, "OLD", old), (renewed, "NEW", new)] {
            _ = try await passage.speaker.finish(answer, state, at: connection)
            let jws = try UnverifiedJWS(try #require(passage.provider.redemption?.values("client_secret").first))
            #expect(jws.header.keyID == name)
            let point = Array(key.publicKey.rawRepresentation)
            let published = try JSONWebKey([
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
                "y": .string(Base64URL.encode(point[32...])),
            ])
            _ = try jws.verify(with: try VerificationKey(published, algorithm: .es256))
        }
    }
}
