internal import Foundation
internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// Microsoft's issuer is a template, and the administrators of its tenants write addresses as they like: an address
    /// is trusted only if Microsoft says that the domain's owner was verified (`xms_edov`) and the tenant is listed; or
    /// if the connection names a single tenant and the operator vouches for its administrators.
    static let microsoft: ProviderPreset = {
        var preset = ProviderPreset(id: "microsoft", name: "Microsoft")
        preset.issuer = { "https://login.microsoftonline.com/\(tenant(of: $0))/v2.0" }
        preset.parameters = ["prompt": "select_account"]
        preset.expectedIssuer = { claims, settings in
            guard let id = claims["tid"]?.stringValue, UUID(uuidString: id) != nil, allows(id, settings) else {
                return nil
            }
            return "https://login.microsoftonline.com/\(id)/v2.0"
        }
        preset.servesOne = { only($0) != nil }
        preset.neverTrusted = true
        preset.offlineScope = "offline_access"
        preset.emailTrust = { claims, settings in
            guard let id = claims["tid"]?.stringValue?.lowercased() else { return .unverified }
            if settings.trustsEmail, id == only(settings) { return .trusted }
            guard ProviderClaims.isTrue(claims["xms_edov"]) else { return .unverified }
            return listed(settings).contains(id) || id == only(settings) ? .trusted : .unverified
        }
        return preset
    }()

    /// The single tenant whose users sign in; `nil`: several may. Private accounts belong to no tenant.
    private static func only(_ settings: OpenIDConnectionSettings) -> String? {
        let named = tenant(of: settings).lowercased()
        let list = listed(settings)
        let id = UUID(uuidString: named) != nil ? named : list.count == 1 ? list.first : nil
        return id == microsoftConsumers ? nil : id
    }

    /// Where private accounts are.
    static let microsoftConsumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// `common`, `organizations`, `consumers`, or one tenant.
    private static func tenant(of settings: OpenIDConnectionSettings) -> String {
        settings.parameters["tenant_id"] ?? "common"
    }

    /// The tenants that may sign in; empty: all.
    private static func listed(_ settings: OpenIDConnectionSettings) -> Set<String> {
        Set((settings.parameters["allowed_tenants"] ?? "").lowercased().split { " ,".contains($0) }.map(String.init))
    }

    private static func allows(_ id: String, _ settings: OpenIDConnectionSettings) -> Bool {
        let tenant = tenant(of: settings).lowercased()
        let id = id.lowercased()
        switch tenant {
        case "common": break
        case "organizations": if id == microsoftConsumers { return false }
        case "consumers": if id != microsoftConsumers { return false }
        default: if id != tenant { return false }
        }
        let list = listed(settings)
        return list.isEmpty || list.contains(id)
    }
}
