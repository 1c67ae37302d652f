internal import KeyturnWebAuthn
public import Model

/// The product names of authenticators. Only for display: an AAGUID is the client's claim unless an attestation
/// statement confirms it.
enum AAGUIDNames {
    private static let known: [String: String] = [
        "fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "iCloud Keychain",
        "dd4ec289-e01d-41c9-bb89-70fa845d4bf2": "iCloud Keychain (managed)",
        "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4": "Google Password Manager",
        "adce0002-35bc-c60a-648b-0b25f1f05503": "Chrome on Mac",
        "b5397666-4885-aa6b-cebf-e52262a439a2": "Chromium",
        "08987058-cadc-4b81-b6e1-30de50dcbe96": "Windows Hello",
        "9ddd1817-af5a-4672-a2b9-3e3dd95000a9": "Windows Hello",
        "6028b017-b1d4-4c02-b4b3-afcdafc96bb2": "Windows Hello",
        "53414d53-554e-4700-0000-000000000000": "Samsung Pass",
        "bada5566-a7aa-401f-bd96-45619a55120d": "1Password",
        "d548826e-79b4-db40-a3d8-11116f7e8349": "Bitwarden",
        "531126d6-e717-415c-9320-3d9aa6981239": "Dashlane",
        "0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6": "Keeper",
        "f3809540-7f14-49c1-a8b3-8f813b225541": "Enpass",
        "b84e4048-15dc-4dd0-8640-f4f60813c8af": "NordPass",
        "50726f74-6f6e-5061-7373-50726f746f6e": "Proton Pass",
        "fdb141b2-5d84-443e-8a35-4698c205a502": "KeePassXC",
    ]

    /// The name of a new passkey until its owner renames it.
    static func name(of record: CredentialRecord) -> String {
        known[record.aaguid.description] ?? (isSecurityKey(record) ? "Security key" : "Passkey")
    }

    /// The product name, if it is known.
    static func known(of record: CredentialRecord) -> String? {
        known[record.aaguid.description]
    }

    /// Whether it is a security key, rather than part of a device.
    static func isSecurityKey(_ record: CredentialRecord) -> Bool {
        record.transports.contains { ["usb", "nfc", "ble", "smart-card"].contains($0) }
            && !record.transports.contains("internal")
    }
}

extension StoredPasskey {
    /// The name of its authenticator; `nil`: not known.
    public var authenticatorName: String? { AAGUIDNames.known(of: record) }

    /// Whether its owner renamed it.
    public var hasOwnName: Bool { name != AAGUIDNames.name(of: record) }

    /// Whether it is on a security key, as far as the client reported its transports.
    public var isSecurityKey: Bool { AAGUIDNames.isSecurityKey(record) }
}
