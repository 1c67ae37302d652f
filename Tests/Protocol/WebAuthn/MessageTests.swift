import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Messages of clients, WebAuthn Level 3 §5.1")
struct MessageTests {
    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    @Test func `what Apple's clients leave out is not missed`() throws {
        let response = try RegistrationResponse(
            json: json(
                #"{"rawId":"AQI","response":{"attestationObject":"AA","clientDataJSON":"e30","transports":[]},"#
                    + #""type":"public-key"}"#))
        #expect(response.id == [1, 2] && response.transports == [] && response.clientExtensionResults == .object([:]))
    }

    @Test func `what browsers add is not looked at`() throws {
        let response = try AuthenticationResponse(
            json: json(
                #"{"id":"AQI","rawId":"AQI","type":"public-key","clientExtensionResults":{},"attestationObject":"","#
                    + #""authenticatorAttachment":null,"response":{"authenticatorData":"AA","clientDataJSON":"e30","#
                    + #""signature":"AQ","userHandle":"","attestationObject":""},"unheardOf":[1]}"#))
        #expect(response.userHandle == nil && response.authenticatorAttachment == nil)
        let registration = try RegistrationResponse(
            json: json(
                #"{"id":"AQI","rawId":"AQI","type":"public-key","response":{"attestationObject":"AA","#
                    + #""clientDataJSON":"e30","publicKey":"AA","publicKeyAlgorithm":-7,"authenticatorData":"AA","#
                    + #""transports":["usb","usb","new-one","","aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","a b","Ü","x\n"]}}"#
            ))
        #expect(registration.transports == ["usb", "new-one"])
    }

    @Test(arguments: [
        (#""type":"public-key""#, #""type":"password""#), (#""type":"public-key","#, ""),
        (#""id":"AQI""#, #""id":"AQM""#),
        (#""rawId":"AQI""#, #""rawId":"AQI=""#), (#""rawId":"AQI""#, #""rawId":1"#),
        (#""rawId":"AQI""#, #""rawId":"A+I""#),
        (#""id":"AQI","rawId":"AQI""#, #""id":"","rawId":"""#), (#""clientDataJSON":"e30""#, #""clientDataJSON":"""#),
        (#""clientDataJSON":"e30","#, ""), (#""signature":"AQ""#, #""signature":null"#),
        (#""signature":"AQ""#, #""signature":"AR""#), (#""authenticatorData":"AA""#, #""authenticatorData":["AA"]"#),
        (#""response":{"#, #""response":[],"other":{"#),
        (#""clientExtensionResults":{}"#, #""clientExtensionResults":1"#),
        (#""userHandle":"AQ""#, #""userHandle":"A Q""#),
    ])
    func `everything else is refused, at step 3`(_ good: String, _ bad: String) throws {
        let text =
            #"{"type":"public-key","id":"AQI","rawId":"AQI","clientExtensionResults":{},"response":{"#
            + #""clientDataJSON":"e30","authenticatorData":"AA","signature":"AQ","userHandle":"AQ"}}"#
        #expect(throws: Never.self) { try AuthenticationResponse(json: json(text)) }
        let changed = text.replacing(good, with: bad)
        #expect(changed != text)
        let found = problem { try AuthenticationResponse(json: json(changed)) }
        #expect(found?.rule == .responseMalformed)
        #expect(found?.step == .authentication(3))
    }

    @Test func `what is too long is refused before it is decoded`() throws {
        let long = String(repeating: "A", count: 70_000 * 4 / 3)
        let text = { (name: String) in
            #"{"type":"public-key","rawId":"\#(name == "rawId" ? String(long.prefix(1_366)) : "AQI")","response":{"#
                + #""clientDataJSON":"\#(name == "clientDataJSON" ? String(long.prefix(11_000)) : "e30")","#
                + #""attestationObject":"\#(name == "attestationObject" ? long : "AA")"}}"#
        }
        for name in ["rawId", "clientDataJSON", "attestationObject"] {
            let json = try JSONValue(parsing: Array(text(name).utf8), limits: .init(bytesMax: 200_000))
            #expect(problem { try RegistrationResponse(json: json) }?.rule == .responseMalformed, "\(name)")
        }
    }

    @Test func `creation options lose nothing`() throws {
        let policy = try Ceremonies.policy(userVerification: .required, attestation: .trustedOnly)
        let options = policy.creationOptions(
            challenge: [UInt8](repeating: 1, count: 32),
            user: .init(id: [1, 2], name: "alice@example.org", displayName: "Alice"),
            excluding: [.init(id: [3], transports: ["usb"]), .init(id: [4])], attachment: "cross-platform",
            hints: ["security-key"])
        #expect(try PublicKeyCredentialCreationOptions(json: options.json) == options)
        #expect(options.json["attestation"] == "direct")
        #expect(options.json["authenticatorSelection"]?["userVerification"] == "required")
        #expect(options.json["pubKeyCredParams"]?.arrayValue?.first == ["type": "public-key", "alg": -7])
    }

    @Test func `request options lose nothing, and an empty list is left out`() throws {
        let policy = try Ceremonies.policy()
        let challenge = [UInt8](repeating: 1, count: 32)
        let options = policy.requestOptions(challenge: challenge, allowing: [.init(id: [3], transports: ["usb"])])
        #expect(try PublicKeyCredentialRequestOptions(json: options.json) == options)
        let open = policy.requestOptions(challenge: challenge)
        #expect(open.json["allowCredentials"] == nil)
        #expect(try PublicKeyCredentialRequestOptions(json: open.json) == open)
    }

    @Test func `options of services that know little are read, and unknown values count as absent`() throws {
        let options = try PublicKeyCredentialCreationOptions(
            json: json(
                #"{"rp":{"id":"ex.com","name":"Ex"},"user":{"id":"qg"},"challenge":"Zm9v","attestation":"sometimes","#
                    + #""authenticatorSelection":{"residentKey":"perhaps","requireResidentKey":true},"#
                    + #""pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"other","alg":-8}],"#
                    + #""excludeCredentials":[{"type":"other","id":"AA"},{"type":"public-key","id":"AQ"}]}"#))
        #expect(options.user.name == nil && options.attestation == .none && options.algorithms == [-7])
        #expect(options.excludeCredentials == [.init(id: [1])])
        #expect(options.authenticatorSelection.residentKey == .required)
        for wrong in [#"{}"#, #"{"rp":{"id":"ex.com","name":"Ex"},"user":{"id":""},"challenge":"Zm9v"}"#, "[]"] {
            #expect(throws: WebAuthnProblem.self) { try PublicKeyCredentialCreationOptions(json: json(wrong)) }
        }
    }
}
