import KeyturnBase
import KeyturnWire
import Testing

@Suite("The passkey service's wire: messages")
struct PasskeyMessageTests {
    static func problem<Message: PasskeyMessage>(
        _ type: Message.Type, _ text: String
    ) throws -> PasskeyMessageProblem {
        try #require(throws: PasskeyMessageProblem.self) { try Message(parsing: Array(text.utf8)) }
    }

    static func read<Message: PasskeyMessage>(_ type: Message.Type, _ text: String) throws -> Message {
        try Message(parsing: Array(text.utf8))
    }

    static let credential = PasskeyCredential(
        id: "ctl_2893f2Vg86463c8xV7wVv5PG", aaguid: "fbfc3007-154e-4ecc-8c0b-6e020557d7bd", name: "iCloud Keychain",
        isActive: true, isBackedUp: true, isBackupEligible: true, isUvInitialized: false,
        createdAt: UnixTime(rawValue: 1_709_841_724), transports: ["hybrid", "internal"])

    @Test func `an envelope always has both members`() {
        #expect(
            String(decoding: PasskeyEnvelope(result: ["a": 1]).json.serialized, as: UTF8.self)
                == #"{"errors":[],"result":{"a":1}}"#)
        let refusal = PasskeyServiceError(code: .tokenNotFound, message: "No such token")
        #expect(
            String(decoding: PasskeyEnvelope(refusal: refusal).json.serialized, as: UTF8.self)
                == #"{"errors":[{"code":"TokenNotFound","message":"No such token"}],"result":null}"#)
    }

    @Test func `a success may carry warnings, and may lack errors`() throws {
        let warned = try Self.read(
            PasskeyEnvelope.self, #"{"result":{"token":"t"},"errors":[{"code":"Old","message":"Update"}],"extra":1}"#)
        #expect(warned.result == ["token": "t"])
        #expect(warned.errors == [PasskeyServiceError(code: "Old", message: "Update")])
        for bare in [#"{"result":{}}"#, #"{"result":{},"errors":null}"#, #"{"result":{},"errors":[]}"#] {
            #expect(try Self.read(PasskeyEnvelope.self, bare) == PasskeyEnvelope(result: [:]))
        }
    }

    @Test(arguments: [
        ("<html>", PasskeyMessageProblem(.notJSON)), ("", PasskeyMessageProblem(.notJSON)),
        ("[]", PasskeyMessageProblem(.notAnObject)), (#"{"errors":[]}"#, PasskeyMessageProblem(.missing, "result")),
        (#"{"result":"x"}"#, PasskeyMessageProblem(.wrongType, "result")),
        (#"{"result":null}"#, PasskeyMessageProblem(.inconsistent, "result")),
        (#"{"result":null,"errors":[]}"#, PasskeyMessageProblem(.inconsistent, "result")),
        (#"{"result":{},"errors":{}}"#, PasskeyMessageProblem(.wrongType, "errors")),
        (#"{"result":{},"errors":["x"]}"#, PasskeyMessageProblem(.notAnObject, "errors")),
        (#"{"result":null,"errors":[{"code":"X"}]}"#, PasskeyMessageProblem(.missing, "errors.message")),
        (#"{"result":null,"errors":[{"code":1,"message":""}]}"#, PasskeyMessageProblem(.wrongType, "errors.code")),
        (#"{"result":null,"errors":[{"code":"","message":""}]}"#, PasskeyMessageProblem(.outOfBounds, "errors.code")),
        (#"{"result":{},"result":{}}"#, PasskeyMessageProblem(.notJSON)),
    ])
    func `what is no envelope is refused, and the member is named`(
        _ text: String, _ expected: PasskeyMessageProblem
    ) throws {
        #expect(try Self.problem(PasskeyEnvelope.self, text) == expected)
    }

    @Test func `an answer of more errors than help is refused`() throws {
        let error = #"{"code":"X","message":""}"#
        let most = #"{"result":null,"errors":[\#(Array(repeating: error, count: 32).joined(separator: ","))]}"#
        #expect(try Self.read(PasskeyEnvelope.self, most).errors.count == 32)
        let tooMany = #"{"result":null,"errors":[\#(Array(repeating: error, count: 33).joined(separator: ","))]}"#
        #expect(try Self.problem(PasskeyEnvelope.self, tooMany) == PasskeyMessageProblem(.outOfBounds, "errors"))
    }

    @Test func `an id wins over a username, and null is no name`() throws {
        #expect(try Self.read(PasskeyUser.self, #"{"id":"42","username":"a@b"}"#) == .id("42"))
        #expect(try Self.read(PasskeyUser.self, #"{"id":null,"username":"a@b"}"#) == .username("a@b"))
        #expect(try Self.read(PasskeyUser.self, #"{"id":"42","username":null}"#) == .id("42"))
        #expect(try Self.problem(PasskeyUser.self, "{}") == PasskeyMessageProblem(.missing, "user.username"))
        #expect(try Self.problem(PasskeyUser.self, #"{"id":42}"#) == PasskeyMessageProblem(.wrongType, "user.id"))
    }

    @Test(arguments: [(1, true), (255, true), (0, false), (256, false)])
    func `a user's name has between 1 and 255 characters`(_ count: Int, _ isWithin: Bool) throws {
        let name = String(repeating: "ä", count: count)
        for (user, text) in [
            (PasskeyUser.id(name), #"{"id":"\#(name)"}"#), (.username(name), #"{"username":"\#(name)"}"#),
        ] {
            #expect(user.isWithinBounds == isWithin)
            if isWithin {
                #expect(try Self.read(PasskeyUser.self, text) == user)
            } else {
                #expect(try Self.problem(PasskeyUser.self, text).rule == .outOfBounds)
            }
        }
    }

    @Test func `a token has its end in seconds, and milliseconds are refused`() throws {
        let token = try Self.read(PasskeyToken.self, #"{"token":"t0","expiresAt":1709842024}"#)
        #expect(token == PasskeyToken(token: Secret("t0"), expiresAt: UnixTime(rawValue: 1_709_842_024)))
        #expect(token.json == ["token": "t0", "expiresAt": 1_709_842_024])
        #expect(!"\(token)".contains("t0"))
        #expect(
            try Self.problem(PasskeyToken.self, #"{"token":"t","expiresAt":1709842024000000}"#)
                == PasskeyMessageProblem(.outOfBounds, "expiresAt"))
        #expect(try Self.problem(PasskeyToken.self, #"{"token":"t","expiresAt":"1"}"#).rule == .wrongType)
        #expect(try Self.problem(PasskeyToken.self, #"{"token":"","expiresAt":1}"#).rule == .outOfBounds)
    }

    @Test func `a credential, byte for byte`() throws {
        let text = """
            {"aaguid":"fbfc3007-154e-4ecc-8c0b-6e020557d7bd","createdAt":1709841724,\
            "id":"ctl_2893f2Vg86463c8xV7wVv5PG","isActive":true,"isBackedUp":true,"isBackupEligible":true,\
            "isUvInitialized":false,"name":"iCloud Keychain","transports":["hybrid","internal"]}
            """
        #expect(String(decoding: Self.credential.json.serialized, as: UTF8.self) == text)
        #expect(try Self.read(PasskeyCredential.self, text) == Self.credential)
        var used = Self.credential
        used.usedAt = UnixTime(rawValue: 1_709_841_800)
        #expect(try PasskeyCredential(json: used.json) == used)
        let list = PasskeyCredentialList(
            credentials: [used, Self.credential],
            signals: [
                AcceptedPasskeys(relyingPartyID: "example.com", userHandle: "dXNlcg", credentialIDs: ["YQ", "Yg"])
            ])
        #expect(try PasskeyCredentialList(json: list.json) == list)
    }

    @Test(arguments: [
        "id", "aaguid", "name", "isActive", "isBackedUp", "isBackupEligible", "isUvInitialized", "createdAt",
        "transports",
    ])
    func `a credential lacks none of its nine members`(_ member: String) throws {
        var members = try #require(Self.credential.json.objectValue)
        members[member] = nil
        let problem = try #require(throws: PasskeyMessageProblem.self) {
            try PasskeyCredential(json: .object(members))
        }
        #expect(problem == PasskeyMessageProblem(.missing, member))
        members[member] = .object([:])
        #expect(throws: PasskeyMessageProblem(.wrongType, member)) { try PasskeyCredential(json: .object(members)) }
    }

    @Test func `a verified user is the id, and what the service adds`() throws {
        #expect(try Self.read(VerifiedPasskeyUser.self, #"{"user":{"id":"42"}}"#) == VerifiedPasskeyUser(userID: "42"))
        let full = VerifiedPasskeyUser(
            userID: "42", credentialID: "ctl_1", aaguid: "00000000-0000-0000-0000-000000000000", isUserVerified: true,
            isBackedUp: false, authTime: UnixTime(rawValue: 1_709_841_724))
        #expect(try VerifiedPasskeyUser(json: full.json) == full)
        #expect(full.json["uv"] == true)
        #expect(
            try Self.problem(VerifiedPasskeyUser.self, #"{"user":{}}"#) == PasskeyMessageProblem(.missing, "user.id"))
    }
}
