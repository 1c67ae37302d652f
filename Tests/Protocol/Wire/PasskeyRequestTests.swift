import KeyturnBase
import KeyturnWire
import Testing

@Suite("The passkey service's wire: requests")
struct PasskeyRequestTests {
    static func text(_ message: some PasskeyMessage) -> String {
        String(decoding: message.json.serialized, as: UTF8.self)
    }

    @Test func `routes and their older names`() {
        #expect(
            PasskeyRoute.allCases.flatMap(\.paths) == [
                "/attestation/options", "/registration/createOptions", "/attestation/process",
                "/registration/process", "/assertion/options", "/auth/createOptions", "/assertion/process",
                "/auth/process", "/credential/create", "/registration/attach", "/auth/verify", "/credential/list",
                "/credential/update", "/credential/delete", "/credential/import",
            ])
        for route in PasskeyRoute.allCases {
            #expect(route.paths.allSatisfy { PasskeyRoute(path: $0) == route })
        }
        #expect(PasskeyRoute(path: "/auth/verify/") == nil)
        #expect(PasskeyRoute.allCases.filter(\.isForClients).count == 4)
    }

    @Test func `options are asked for as both generations of clients do`() throws {
        #expect(Self.text(AttestationOptionsRequest()) == "{}")
        #expect(Self.text(AttestationOptionsRequest(isUpgrade: true)) == #"{"upgrade":true}"#)
        #expect(try AttestationOptionsRequest(parsing: Array(#"{"upgrade":false}"#.utf8)).isUpgrade == false)
        #expect(Self.text(AssertionOptionsRequest()) == "{}")
        #expect(Self.text(AssertionOptionsRequest(user: .id("42"))) == #"{"user":{"id":"42"}}"#)
        #expect(try AssertionOptionsRequest(parsing: Array(#"{"user":null}"#.utf8)).user == nil)
    }

    @Test func `an answer is passed on as it is, extras included`() throws {
        let body = #"{"credential":{"rawId":"AA","response":{"attestationObject":""},"x":1},"user":{"username":"a@b"}}"#
        let request = try AssertionProcessRequest(parsing: Array(body.utf8))
        #expect(request.user == .username("a@b"))
        #expect(request.credential == ["rawId": "AA", "response": ["attestationObject": ""], "x": 1])
        #expect(Self.text(request) == body)
        #expect(throws: PasskeyMessageProblem(.missing, "credential")) { try AttestationProcessRequest(json: [:]) }
        #expect(throws: PasskeyMessageProblem(.notAnObject, "credential")) {
            try AttestationProcessRequest(json: ["credential": "x"])
        }
    }

    @Test func `mediation is what the service says, and nothing else`() throws {
        #expect(try PasskeyOptions(json: ["publicKey": [:]]).mediation == nil)
        let conditional = try PasskeyOptions(json: ["publicKey": ["rpId": "x"], "mediation": "conditional"])
        #expect(conditional.mediation == PasskeyOptions.conditional)
        #expect(try PasskeyOptions(json: conditional.json) == conditional)
        #expect(throws: PasskeyMessageProblem(.missing, "publicKey")) { try PasskeyOptions(json: [:]) }
    }

    @Test func `a backend's requests, with or without a username`() throws {
        let full = CredentialCreateRequest(token: Secret("t"), userID: "42", username: "a@b")
        #expect(Self.text(full) == #"{"token":"t","user":{"id":"42","username":"a@b"}}"#)
        #expect(try CredentialCreateRequest(json: full.json) == full)
        let null = try CredentialCreateRequest(json: ["token": "t", "user": ["id": "42", "username": .null]])
        #expect(null == CredentialCreateRequest(token: Secret("t"), userID: "42"))
        #expect(try AuthVerifyRequest(json: ["token": "t"]) == AuthVerifyRequest(token: Secret("t")))
        let update = CredentialUpdateRequest(id: "ctl_1", name: "Blue key", isActive: false)
        #expect(try CredentialUpdateRequest(json: update.json) == update)
        #expect(Self.text(CredentialUpdateRequest(id: "ctl_1", isActive: true)) == #"{"id":"ctl_1","isActive":true}"#)
        let list = CredentialListRequest(user: .id("42"))
        #expect(try CredentialListRequest(json: list.json) == list)
        #expect(throws: PasskeyMessageProblem(.missing, "user")) { try CredentialListRequest(json: [:]) }
        #expect(try CredentialDeleteRequest(json: ["id": "ctl_1"]) == CredentialDeleteRequest(id: "ctl_1"))
    }

    @Test func `the publishable key is the user name, the secret key the password`() throws {
        #expect(PasskeyKey.publishable("pubkey_x").header == "Basic cHVia2V5X3g6")
        #expect(PasskeyKey(header: "Basic cHVia2V5X3g6") == .publishable("pubkey_x"))
        let secret = PasskeyKey.secret(Secret("secret_x"))
        #expect(secret.header == "Basic OnNlY3JldF94")
        #expect(PasskeyKey(header: secret.header) == secret)
        #expect(!"\(secret)".contains("secret_x"))
        #expect(!String(reflecting: secret).contains("secret_x"))
    }

    /// In order: secret in the place of the name, publishable in that of the password, both, neither, no colon, another
    /// scheme, not base64, unpadded.
    @Test(arguments: [
        "Basic c2VjcmV0X3g6", "Basic OnB1YmtleV94", "Basic cHVia2V5X3g6c2VjcmV0X3g=", "Basic Og==",
        "Basic cHVia2V5X3g=",
        "Bearer cHVia2V5X3g6", "Basic *", "Basic OnNlY3JldF9", "Basic", "",
    ])
    func `a key in the wrong place is no key`(_ header: String) {
        #expect(PasskeyKey(header: header) == nil)
    }

    @Test func `the names of all refusals are known`() {
        #expect(Set(PasskeyErrorCode.known).count == 14)
        #expect(PasskeyErrorCode.usingDeactivatedCredential.rawValue == "UsingDeactivatedCredential")
    }

    @Test func `a ceremony of the methods' wire has JSON within a text`() throws {
        let answer = PasskeyStartAnswer(
            transactionID: "T1", options: ["publicKey": ["challenge": "AA"]], isCreation: true)
        #expect(answer.json["options"] == #"{"publicKey":{"challenge":"AA"}}"#)
        #expect(try PasskeyStartAnswer(json: answer.json) == answer)
        let finish = PasskeyFinishRequest(transactionID: "T1", response: ["rawId": "AA"])
        #expect(finish.json == ["transactionId": "T1", "response": #"{"rawId":"AA"}"#])
        #expect(try PasskeyFinishRequest(json: finish.json) == finish)
        for wrong: JSONValue in ["", "x", "[]", 1, [:]] {
            #expect(throws: MethodProblem.self) {
                try PasskeyFinishRequest(json: ["transactionId": "T1", "response": wrong])
            }
        }
    }

    @Test func `a ceremony of the methods' wire begins as either vendor's client writes it`() throws {
        let swift = try PasskeyStartRequest(json: ["loginId": "a@b", "user": ["name": "A"]])
        let python = try PasskeyStartRequest(
            json: ["user": ["name": "A", "loginId": "a@b"], "origin": "https://example.com"])
        #expect(swift == PasskeyStartRequest(loginID: "a@b", details: SignUpDetails(name: "A")))
        #expect(python.loginID == "a@b")
        #expect(python.origin == "https://example.com")
        #expect(try PasskeyStartRequest(json: [:]).loginID.isEmpty)
        #expect(try PasskeyStartRequest(json: swift.json) == swift)
    }
}
