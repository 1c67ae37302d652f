import KeyturnBase
import KeyturnWebAuthn
import Testing

/// Every field of every vector is changed, one at a time, bit by bit where a decoder reads it: whatever is signed or
/// compared must then be refused.
@Suite("Mutations of the vectors", .enabled(if: Vector.isThere))
struct VectorMutationTests {
    /// Each text that differs in one bit.
    static func flips(_ bytes: [UInt8]) -> some Sequence<(index: Int, bytes: [UInt8])> {
        bytes.indices.lazy.flatMap { index in
            (0..<8).lazy.map { bit in (index, changed(bytes, index, bit)) }
        }
    }

    /// For each byte one text that differs in it: enough where bytes are compared or hashed as a whole.
    static func changes(_ bytes: [UInt8]) -> some Sequence<(index: Int, bytes: [UInt8])> {
        bytes.indices.lazy.map { index in (index, changed(bytes, index, index % 8)) }
    }

    private static func changed(_ bytes: [UInt8], _ index: Int, _ bit: Int) -> [UInt8] {
        var changed = bytes
        changed[index] ^= 1 << bit
        return changed
    }

    @Test(arguments: Vector.supported)
    func `every changed bit of an assertion is refused`(_ vector: Vector) throws {
        let record = try vector.registrationCeremony().verify(vector.registration).record
        let ceremony = try vector.authenticationCeremony()
        var count = 0
        func refused(_ change: (inout AuthenticationResponse, inout CredentialRecord) -> Void) {
            var response = vector.authentication
            var changedRecord = record
            change(&response, &changedRecord)
            count += 1
            #expect(throws: WebAuthnProblem.self) { try ceremony.verify(response, record: changedRecord) }
        }
        for (_, bytes) in Self.flips(vector.authentication.authenticatorData) {
            refused { response, _ in response.authenticatorData = bytes }
        }
        for (_, bytes) in Self.changes(vector.authentication.clientDataJSON) {
            refused { response, _ in response.clientDataJSON = bytes }
        }
        for (_, bytes) in Self.flips(vector.authentication.signature) {
            refused { response, _ in response.signature = bytes }
        }
        for (_, bytes) in Self.changes(vector.authentication.id) { refused { response, _ in response.id = bytes } }
        for (_, bytes) in Self.changes(Vector.userHandle) { refused { response, _ in response.userHandle = bytes } }
        for (_, bytes) in Self.flips(record.publicKey) { refused { _, record in record.publicKey = bytes } }
        for (_, bytes) in Self.changes(record.id) { refused { _, record in record.id = bytes } }
        for (_, bytes) in Self.changes(record.userHandle) { refused { _, record in record.userHandle = bytes } }
        refused { _, record in record.backupEligible.toggle() }
        refused { _, record in record.signCount = 1 }
        refused { response, _ in response.signature = [] }
        refused { response, _ in response.signature.append(0) }
        refused { response, _ in response.authenticatorData.append(0) }
        refused { response, _ in response.clientDataJSON.append(UInt8(ascii: " ")) }
        #expect(count > 1_200)
    }

    @Test(arguments: Vector.supported)
    func `every changed bit of a registration is refused, or is one that nobody vouches for`(_ vector: Vector) throws {
        let ceremony = try vector.registrationCeremony()
        let honest = try ceremony.verify(vector.registration)
        let object = try AttestationObject(vector.registration.attestationObject)
        let layout = try Layout(vector.registration, object)
        var count = 0
        var unsigned: Set<Layout.Field> = []
        func check(_ response: RegistrationResponse, _ field: Layout.Field) {
            count += 1
            guard let credential = try? ceremony.verify(response) else { return }
            unsigned.insert(field)
            // What is taken is at least not hidden: the record says what was sent.
            #expect(credential.record != honest.record || field == .extraClientData || field == .reservedFlags)
        }
        for (index, bytes) in Self.flips(vector.registration.attestationObject)
        where !layout.isCertificate(index) && !layout.isInsideIdentifier(index) {
            var response = vector.registration
            response.attestationObject = bytes
            check(response, layout.field(index, bytes[index] ^ vector.registration.attestationObject[index]))
        }
        for (index, bytes) in Self.changes(vector.registration.clientDataJSON) {
            var response = vector.registration
            response.clientDataJSON = bytes
            check(response, layout.clientDataField(index))
        }
        for (_, bytes) in Self.changes(vector.registration.id) {
            var response = vector.registration
            response.id = bytes
            check(response, .other)
        }
        // Without an attestation nobody signs: the model, the counter and flags within their rules are the client's
        // word.
        let allowed: Set<Layout.Field> =
            switch object.format {
            case "none": [.aaguid, .signCount, .flags, .reservedFlags, .extraClientData]
            case "fido-u2f": [.aaguid]
            default: []
            }
        #expect(unsigned.isSubset(of: allowed), "\(unsigned)")
        #expect(count > 1_600)
    }

    @Test(arguments: Vector.supported)
    func `attack 103: every other spelling and shape of an attestation object is refused`(_ vector: Vector) throws {
        let ceremony = try vector.registrationCeremony()
        let value = try CBORValue(decoding: vector.registration.attestationObject)
        var count = 0
        for changed in CBORMutations.all(of: value) {
            var response = vector.registration
            response.attestationObject = changed
            count += 1
            #expect(throws: WebAuthnProblem.self) { try ceremony.verify(response) }
        }
        #expect(count >= 45)
    }

    @Test(arguments: Vector.supported)
    func `every changed member of client data is refused`(_ vector: Vector) throws {
        let registration = try vector.registrationCeremony()
        let record = try registration.verify(vector.registration).record
        let authentication = try vector.authenticationCeremony()
        var count = 0
        for changed in ClientDataMutations.all(of: vector.registration.clientDataJSON) {
            var response = vector.registration
            response.clientDataJSON = changed
            #expect(throws: WebAuthnProblem.self) { try registration.verify(response) }
            count += 1
        }
        for changed in ClientDataMutations.all(of: vector.authentication.clientDataJSON) {
            var response = vector.authentication
            response.clientDataJSON = changed
            #expect(throws: WebAuthnProblem.self) { try authentication.verify(response, record: record) }
            count += 1
        }
        #expect(count >= 130)
    }
}
