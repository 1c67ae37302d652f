import KeyturnBase
import Model
import OAuth
import Testing

@Suite("When a transaction needs a sign-in, OpenID Connect Core §3.1.2.3")
struct AuthorizationTransactionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var prompts: [String] = []
        var maxAge: Int64?
        var subject: String?
        var signedInAt: Int64?
        var onThisTransaction = false
        let needsSignIn: Bool
        var testDescription: String { name }
    }

    /// The transaction starts at 1000; the session is of user "me".
    static let cases = [
        Case(name: "nobody is signed in", needsSignIn: true),
        Case(name: "a session will do", signedInAt: 10, needsSignIn: false),
        Case(name: "prompt=login asks again", prompts: ["login"], signedInAt: 1_000, needsSignIn: true),
        Case(
            name: "prompt=login, done", prompts: ["login"], signedInAt: 1_000, onThisTransaction: true,
            needsSignIn: false),
        Case(name: "select_account asks again", prompts: ["select_account"], signedInAt: 10, needsSignIn: true),
        Case(name: "max_age at its last second", maxAge: 990, signedInAt: 10, needsSignIn: false),
        Case(name: "max_age one second late", maxAge: 989, signedInAt: 10, needsSignIn: true),
        Case(
            name: "max_age=0 after signing in here", maxAge: 0, signedInAt: 1_000, onThisTransaction: true,
            needsSignIn: false),
        Case(name: "somebody else is wanted", subject: "you", signedInAt: 10, needsSignIn: true),
        Case(name: "this very person is wanted", subject: "me", signedInAt: 10, needsSignIn: false),
        Case(
            name: "the wrong person signed in", subject: "you", signedInAt: 1_000, onThisTransaction: true,
            needsSignIn: true),
    ]

    @Test(arguments: cases)
    func `the rule`(_ c: Case) throws {
        let json = JSONValue.object([
            "clientID": "web", "redirectURI": "https://app.example.com/", "redirectURIWasSent": true,
            "responseMode": "query", "scope": ["openid"], "resources": [],
            "prompts": .array(c.prompts.map(JSONValue.string)),
            "startedAt": 1_000,
        ])
        var transaction = try transaction(json, c)
        let session = c.signedInAt.map { time in
            BrowserSession(
                id: SessionID(rawValue: "s"), userID: UserID(rawValue: "me"),
                authentication: .password(at: UnixTime(rawValue: time)), createdAt: UnixTime(rawValue: time),
                expiresAt: UnixTime(rawValue: 5_000))
        }
        if c.onThisTransaction { transaction.authenticatedSession = "s" }
        #expect(transaction.needsSignIn(session) == c.needsSignIn)
    }

    private func transaction(_ json: JSONValue, _ c: Case) throws -> AuthorizationTransaction {
        var members = json.objectValue ?? [:]
        members["maxAge"] = c.maxAge.map(JSONValue.integer)
        members["requiredSubject"] = c.subject.map(JSONValue.string)
        let seal = TransactionSeal(try #require(ServerSecrets([[UInt8](repeating: 1, count: 32)])), ambient: .live)
        let sealed = seal.close(JSONValue.object(members), kind: "test")
        return try #require(seal.open(sealed, as: AuthorizationTransaction.self, kind: "test"))
    }
}
