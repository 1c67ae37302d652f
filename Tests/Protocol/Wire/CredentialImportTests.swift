import KeyturnBase
import KeyturnWire
import Testing

@Suite("The passkey service's wire: import")
struct CredentialImportTests {
    private static let imported = ImportedPasskey(
        rawID: [1, 2, 3], publicKey: .cose([4, 5]), userID: "42", userHandle: [6], isBackupEligible: true,
        isBackedUp: false)

    /// A request with one credential, some of whose members are others; `.null` is absent.
    private func problem(_ changes: [String: JSONValue]) -> PasskeyMessageProblem? {
        var members =
            CredentialImportRequest(credentials: [Self.imported]).json["credentials"]?.arrayValue?[0]
            .objectValue ?? [:]
        for (name, value) in changes { members[name] = value }
        do throws(PasskeyMessageProblem) {
            _ = try CredentialImportRequest(json: ["credentials": [.object(members)]])
            return nil
        } catch {
            return error
        }
    }

    @Test func `a credential is read as it was written`() throws {
        var full = Self.imported
        full.username = "a@b"
        full.signCount = .max
        (full.isBackedUp, full.isUvInitialized) = (true, true)
        full.transports = ["internal", "hybrid"]
        full.aaguid = "fbfc3007-154e-4ecc-8c0b-6e020557d7bd"
        full.name = "Phone"
        full.createdAt = UnixTime(rawValue: 1_709_841_724)
        var spki = full
        spki.publicKey = .spki([7], algorithm: -257)
        var jwk = full
        jwk.publicKey = .jwk(["kty": "OKP"])
        let request = CredentialImportRequest(credentials: [Self.imported, full, spki, jwk])
        #expect(try CredentialImportRequest(json: request.json) == request)
        let text = String(decoding: CredentialImportRequest(credentials: [spki]).json.serialized, as: UTF8.self)
        #expect(text.contains(#""publicKey":{"algorithm":-257,"spki":"Bw"}"#) && text.contains(#""rawId":"AQID""#))
    }

    @Test func `what contradicts itself, is missing, too long or of another type is refused by its place`() {
        let long = { (count: Int) in JSONValue.string(Base64URL.encode([UInt8](repeating: 1, count: count))) }
        let cases: [([String: JSONValue], PasskeyMessageProblem.Rule, String)] = [
            (["rawId": .null], .missing, "rawId"), (["rawId": 1], .wrongType, "rawId"),
            (["rawId": ""], .outOfBounds, "rawId"), (["rawId": "AQ=="], .wrongType, "rawId"),
            (["rawId": long(1_024)], .outOfBounds, "rawId"), (["rawId": long(1_000_000)], .outOfBounds, "rawId"),
            (["userHandle": .null], .missing, "userHandle"), (["userHandle": long(65)], .outOfBounds, "userHandle"),
            (["publicKey": .null], .missing, "publicKey"), (["publicKey": [:]], .missing, "publicKey.cose"),
            (["publicKey": ["cose": "AQ", "jwk": [:]]], .inconsistent, "publicKey.jwk"),
            (["publicKey": ["cose": "AQ", "algorithm": -7]], .inconsistent, "publicKey.algorithm"),
            (["publicKey": ["spki": "AQ", "algorithm": "ES256"]], .wrongType, "publicKey.algorithm"),
            (["publicKey": ["jwk": "x"]], .notAnObject, "publicKey.jwk"),
            (["publicKey": ["cose": long(2_049)]], .outOfBounds, "publicKey.cose"),
            (["user": [:]], .missing, "user.id"), (["user": ["id": ""]], .outOfBounds, "user.id"),
            (["user": ["id": "1\u{0}"]], .outOfBounds, "user.id"),
            (["signCount": -1], .outOfBounds, "signCount"), (["signCount": 4_294_967_296], .outOfBounds, "signCount"),
            (["signCount": "1"], .wrongType, "signCount"), (["isBackedUp": .null], .missing, "isBackedUp"),
            (["isBackupEligible": .null], .missing, "isBackupEligible"),
            (["isBackedUp": true, "isBackupEligible": false], .inconsistent, "isBackedUp"),
            (["transports": "usb"], .wrongType, "transports"), (["aaguid": "x"], .outOfBounds, "aaguid"),
            (["createdAt": 1_709_841_724_000], .outOfBounds, "createdAt"), (["name": ""], .outOfBounds, "name"),
        ]
        for (changes, rule, member) in cases {
            #expect(problem(changes) == PasskeyMessageProblem(rule, "credentials[0].\(member)"), "\(changes)")
        }
        #expect(problem([:]) == nil)
    }

    @Test func `a call takes 1 to 100 credentials`() throws {
        let one = CredentialImportRequest(credentials: [Self.imported]).json["credentials"]?.arrayValue ?? []
        for (count, isTaken) in [(0, false), (1, true), (100, true), (101, false)] {
            let body: JSONValue = ["credentials": .array(Array(repeating: one[0], count: count))]
            #expect(((try? CredentialImportRequest(json: body)) != nil) == isTaken)
        }
    }
}
