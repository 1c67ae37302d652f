internal import Foundation
internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// Microsoft's directory for customers: one tenant of the operator's own. Its tokens have no word about addresses,
    /// so that the operator's alone counts.
    static let entraExternalID: ProviderPreset = {
        var preset = ProviderPreset(id: "entra-external-id", name: "Microsoft")
        preset.needs = [
            ("subdomain", "the tenant's name in front of .ciamlogin.com"), ("tenant_id", "the tenant's identifier"),
        ]
        preset.issuer = { settings in
            settings.issuer ?? address(settings).map { "https://\($0).ciamlogin.com/\(tenant(settings))/v2.0" }
        }
        preset.expectedIssuer = { claims, settings in
            guard UUID(uuidString: tenant(settings)) != nil,
                claims["tid"]?.stringValue?.lowercased() == tenant(settings)
            else { return nil }
            // Tokens have the name or the identifier in front, as the tenant was made.
            let hosts = [settings.parameters["subdomain"] ?? "", tenant(settings)]
            let known = hosts.map { "https://\($0).ciamlogin.com/\(tenant(settings))/v2.0" } + [settings.issuer ?? ""]
            return known.first { $0 == claims["iss"]?.stringValue }
        }
        preset.emailTrust = { _, settings in settings.trustsEmail ? .trusted : .unverified }
        return preset
    }()

    private static func tenant(_ settings: OpenIDConnectionSettings) -> String {
        (settings.parameters["tenant_id"] ?? "").lowercased()
    }

    /// The label in front of the domain.
    private static func address(_ settings: OpenIDConnectionSettings) -> String? {
        guard let text = settings.parameters["subdomain"], (1...63).contains(text.utf8.count),
            text.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            })
        else { return nil }
        return text
    }
}
