internal import KeyturnAuthenticator
internal import KeyturnBase
internal import KeyturnWebAuthn

/// The behaviour's members, by the names in commands.
extension SoftwareAuthenticator.Behaviour {
    /// Sets one member.
    ///
    /// - Returns: Whether the member exists, and the value fits.
    mutating func change(_ name: String, _ value: JSONValue) -> Bool {
        switch name {
        case "userPresent": set(\.isUserPresent, value.boolValue)
        case "userVerified": set(\.isUserVerified, value.boolValue)
        case "backupEligible": set(\.isBackupEligible, value.boolValue)
        case "backedUp": set(\.isBackedUp, value.boolValue)
        case "resident": set(\.isResident, value.boolValue)
        case "crossOrigin": set(\.crossOrigin, value.boolValue)
        case "counterStep": set(\.counterStep, value.integerValue.flatMap { UInt32(exactly: $0) })
        case "aaguid": set(\.aaguid, value.stringValue.flatMap { AAGUID($0) })
        case "transports": set(\.transports, value.stringArrayValue)
        case "attachment": set(\.attachment, value == .null ? .some(nil) : value.stringValue.map(Optional.some))
        case "origin": set(\.origin, value == .null ? .some(nil) : value.stringValue.map(Optional.some))
        case "topOrigin": set(\.topOrigin, value == .null ? .some(nil) : value.stringValue.map(Optional.some))
        case "clientData": set(\.extraClientData, value.objectValue)
        case "attestation": set(\.attestation, Self.attestation(value.stringValue))
        case "algorithms": set(\.algorithms, Self.algorithms(value.arrayValue))
        default: false
        }
    }

    private mutating func set<Value>(_ member: WritableKeyPath<Self, Value>, _ value: Value?) -> Bool {
        guard let value else { return false }
        self[keyPath: member] = value
        return true
    }

    private static func attestation(_ name: String?) -> SoftwareAuthenticator.Attestation? {
        switch name {
        case "none": SoftwareAuthenticator.Attestation.none
        case "packed": .packedSelf
        case "compound": .compound(2)
        default: nil
        }
    }

    private static func algorithms(_ numbers: [JSONValue]?) -> [COSEAlgorithm]? {
        guard let numbers else { return nil }
        let known = numbers.compactMap { $0.integerValue.flatMap(COSEAlgorithm.init(rawValue:)) }
        return known.count == numbers.count ? known : nil
    }
}
