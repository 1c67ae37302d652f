import KeyturnBase
import KeyturnJose
import Testing

@Suite("Keys and tokens as other people's providers send them")
struct OddKeyTests {
    let key: SigningKey
    let verification: VerificationKey

    init() throws {
        key = try SigningKey.generate(.es256)
        verification = try VerificationKey(key.publicKey, algorithm: .es256)
    }

    /// The public key with other members; `nil` removes one.
    private func read(_ changes: [String: JSONValue?]) throws -> JSONWebKey {
        var members = key.publicKey.json.objectValue ?? [:]
        for (name, value) in changes { members[name] = value }
        return try JSONWebKey(.object(members))
    }

    @Test func `members that are null are not there`() throws {
        let bare = try read(["kid": .null, "use": .null, "alg": .null, "key_ops": .null, "d": .null, "k": .null])
        #expect(bare.keyID == nil && bare.use == nil && bare.algorithm == nil && bare.keyOperations == nil)
        #expect(throws: Never.self) { try VerificationKey(bare, algorithm: .es256) }
    }

    @Test func `a name that is no text is no name`() throws {
        #expect(try read(["kid": 7]).keyID == nil)
        #expect(try read(["kid": ["a"]]).keyID == nil)
        #expect(throws: JoseProblem.self) { try read(["kid": .string(String(repeating: "k", count: 513))]) }
    }

    @Test(arguments: ["use", "alg", "key_ops"])
    func `what restricts a key must be readable`(_ name: String) {
        #expect(throws: JoseProblem.self) { try read([name: 7]) }
    }

    @Test func `a token is as long as its reader allows, and no longer`() throws {
        let payload = JSONValue.object(["groups": .array((0..<2_000).map { .string("group-\($0)") })]).serialized
        let token = try JWSSigner(key: key, type: "JWT").sign(payload)
        let length = token.utf8.count
        #expect(throws: JoseProblem(.tooLarge, "the token is too long")) { try UnverifiedJWS(token) }
        #expect(throws: JoseProblem.self) { try UnverifiedJWS(token, bytesMax: length - 1) }
        let verified = try UnverifiedJWS(token, bytesMax: length).verify(with: verification)
        #expect(throws: JoseProblem.self) { try verified.claims() }
        #expect(try verified.claims(limits: .init(membersMax: 2_000))["groups"]?.arrayValue?.count == 2_000)
    }
}
