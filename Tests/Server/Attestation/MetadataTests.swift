import Attestation
import Crypto
import Foundation
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Metadata of authenticators, FIDO Metadata Service 3")
struct MetadataTests {
    let service: TestMetadata
    let maker: TestAuthority
    let test = TestAttestation()
    let payload: JSONValue

    init() throws {
        service = try TestMetadata()
        maker = try TestAuthority("Maker")
        payload = TestMetadata.payload(roots: [maker.encoded])
    }

    private func open(
        _ bytes: [UInt8], host: String? = "test authenticator", lastNumber: Int64? = nil, revoked: Set<[UInt8]> = [],
        at now: UnixTime = TestAttestation.now
    ) async throws -> MetadataBlob {
        try await MetadataBlob(
            verifying: bytes, roots: [service.root.encoded], host: host, lastNumber: lastNumber,
            revokedSerialNumbers: revoked,
            at: now)
    }

    private func refusal(_ body: () async throws -> MetadataBlob) async -> MetadataProblem.Rule? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? MetadataProblem)?.rule
        }
    }

    @Test func `a blob is read`() async throws {
        let blob = try await open(try service.blob(payload))
        #expect(blob.number == 5)
        #expect(blob.nextUpdate == UnixTime(rawValue: 1_801_526_400), "2027-02-02T00:00:00Z")
        #expect(blob.entries.count == 1, "the entry of another protocol is left out")
        let entry = try #require(blob.entry(TestAttestation.model))
        #expect(entry.name == "Test Authenticator" && entry.roots == [maker.encoded])
        #expect(blob.entry(.zero) == nil)
    }

    @Test func `104: a certificate for another name signs no metadata, whoever issued it`() async throws {
        let blob = try service.blob(payload)
        #expect(await refusal { try await open(blob, host: MetadataBlob.fidoAllianceHost) } == .untrusted)
        _ = try await open(blob, host: nil)
    }

    @Test func `a model's certificates are judged by its own roots`() async throws {
        let trust = MetadataTrust(try await open(try service.blob(payload)))
        let leaf = try maker.certify(test.key.publicKey)
        let found = try await test.register([leaf], trust: trust)
        #expect(found.isTrusted && found.authenticatorName == "Test Authenticator")
        let other = try TestAuthority("Other").certify(test.key.publicKey)
        #expect(try await !test.register([other], trust: trust).isTrusted)
    }

    @Test func `models that the metadata does not have are somebody else's to judge`() async throws {
        let blob = try await open(try service.blob(TestMetadata.payload(roots: [], keyIdentifiers: ["00"])))
        let leaf = try maker.certify(test.key.publicKey)
        #expect(try await !test.register([leaf], trust: MetadataTrust(blob)).isTrusted)
        let otherwise = CertificateTrust(roots: [maker.encoded])
        #expect(try await test.register([leaf], trust: MetadataTrust(blob, otherwise: otherwise)).isTrusted)
    }

    @Test func `a model of before WebAuthn is known by its certificate's key`() async throws {
        let identifier = Insecure.SHA1.hash(data: test.key.publicKey.x963Representation)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16).uppercased() }.joined()
        let payload = TestMetadata.payload(roots: [maker.encoded], keyIdentifiers: [identifier])
        let trust = MetadataTrust(try await open(try service.blob(payload)))
        let leaf = try maker.certify(test.key.publicKey)
        #expect(try await test.register([leaf], trust: trust, format: "fido-u2f").isTrusted)
        #expect(try await !test.register([leaf], trust: trust).isTrusted)
    }

    @Test func `attack 104: a blob whose certificates lead nowhere, or that somebody else signed, is refused`()
        async throws
    {
        let stranger = try TestMetadata()
        #expect(await refusal { try await open(try stranger.blob(payload)) } == .untrusted)
        let borrowed = try stranger.blob(payload, certificates: service.certificates)
        #expect(await refusal { try await open(borrowed) } == .signature)
        let late = UnixTime(rawValue: 1_900_000_001)
        #expect(await refusal { try await open(try service.blob(payload), at: late) } == .untrusted)
    }

    @Test(arguments: ["none", "HS256", "RS256", "es256"])
    func `attack 104: the algorithm is the certificate's`(_ algorithm: String) async throws {
        let blob = try service.blob(payload, algorithm: algorithm)
        let found = await refusal { try await open(blob) }
        #expect(found == (algorithm == "RS256" ? .signature : .unsupportedAlgorithm))
    }

    @Test func `attack 104: a revoked certificate of the blob is refused`() async throws {
        let blob = try service.blob(payload)
        #expect(await refusal { try await open(blob, revoked: [[7, 7]]) } == .revoked)
        #expect(await refusal { try await open(blob, revoked: [[7]]) } == nil)
    }

    @Test func `attack 104: an older blob is refused`() async throws {
        let blob = try service.blob(payload)
        #expect(await refusal { try await open(blob, lastNumber: 6) } == .rollback)
        #expect(await refusal { try await open(blob, lastNumber: 5) } == nil)
        #expect(await refusal { try await open(blob, lastNumber: 4) } == nil)
    }

    @Test func `attack 104: a blob counts until its day of renewal is over`() async throws {
        let blob = try service.blob(payload)
        let end = UnixTime(rawValue: 1_801_526_400)
        #expect(await refusal { try await open(blob, at: end - 1) } == nil)
        #expect(await refusal { try await open(blob, at: end) } == .expired)
        for date in ["2027-02-30", "2027-2-1", "tomorrow", ""] {
            let wrong = try service.blob(TestMetadata.payload(roots: [], nextUpdate: date))
            #expect(await refusal { try await open(wrong) } == .malformed)
        }
    }

    @Test(arguments: [
        "REVOKED", "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE",
        "USER_KEY_PHYSICAL_COMPROMISE",
    ])
    func `attack 104: a model that is warned of is refused, even where anything is taken`(_ status: String) async throws
    {
        let leaf = try maker.certify(test.key.publicKey)
        for (date, isRefused) in [("2027-01-15", true), ("2027-01-16", false)] {
            let reports: [JSONValue] = [
                ["status": "FIDO_CERTIFIED"], ["status": .string(status), "effectiveDate": .string(date)],
            ]
            let blob = try await open(
                try service.blob(TestMetadata.payload(roots: [maker.encoded], reports: reports)))
            let found = await problem { try await test.register([leaf], trust: MetadataTrust(blob)) }
            #expect(found?.rule == (isRefused ? .attestationRevoked : nil), "\(date)")
            if isRefused { #expect(found?.step == .registration(24)) }
        }
    }

    @Test func `attack 104: a report about one certificate holds for those below it`() async throws {
        let batch = try TestAuthority("Batch", below: maker)
        let report: JSONValue = [
            "status": "ATTESTATION_KEY_COMPROMISE", "certificate": .string(Data(batch.encoded).base64EncodedString()),
        ]
        let blob = try await open(
            try service.blob(TestMetadata.payload(roots: [maker.encoded], reports: [report])))
        let trust = MetadataTrust(blob)
        let below = [try batch.certify(test.key.publicKey), batch.encoded]
        #expect(await problem { try await test.register(below, trust: trust) }?.rule == .attestationRevoked)
        #expect(try await test.register([try maker.certify(test.key.publicKey)], trust: trust).isTrusted)
    }

    @Test func `attack 104: no changed character of a blob is taken`() async throws {
        let blob = try service.blob(payload)
        // The line break at the end is not part of the blob.
        for index in blob.indices.dropLast() where index % 9 == 0 || blob[index] == UInt8(ascii: ".") {
            var changed = blob
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(await refusal { try await open(changed) } != nil, "character \(index)")
        }
        for wrong in [[], Array("..".utf8), Array("a.b.c.d".utf8), Array(blob.dropLast(40))] {
            #expect(await refusal { try await open(wrong) } != nil)
        }
        #expect(await refusal { try await open(try service.blob(payload, extra: "crit")) } == .malformed)
        #expect(await refusal { try await open(try service.blob(payload, certificates: [])) } == .malformed)
        #expect(await refusal { try await open(try service.blob(["no": 5])) } == .malformed)
    }

}
