import Foundation
import Testing

/// No method of a store is without a check: a new one fails here until a check calls it.
@Suite("Store: every method of every store has a check")
struct CoverageTests {
    /// Where the methods of each store are checked.
    static let checks: [String: [String]] = [
        "AccessKeyStore": ["AccessKeys/AccessKeyTests"],
        "AnonymousStore": ["Anonymous/AnonymousTests"],
        "AttemptStore": ["Attempts/AttemptTests"],
        "AuditStore": ["Audit/AuditTests", "Audit/AuditChainTests"],
        "AuditStreamStore": ["Audit/AuditStreamStoreTests"],
        "SignalStreamStore": ["SharedSignals/SignalStreamStoreTests"],
        "TOTPStore": ["Authenticators/AuthenticatorTests"],
        "BackchannelStore": ["Devices/BackchannelTests", "Devices/ApprovalTests"],
        "BiometricStore": ["Biometrics/BiometricTests"],
        "RateLimitStore": ["RateLimits/RateLimitTests"],
        "ClientStore": ["Clients/ClientTests"],
        "ConnectionStore": ["Connections/ConnectionTests", "Connections/ProvidedRoleTests"],
        "FederatedIdentityStore": [
            "Connections/FederatedIdentityTests", "Connections/ProvidedRoleTests", "Users/FormerMembershipTests",
        ],
        "FederationStateStore": ["Connections/ConnectionTests"],
        "ProviderTokenStore": ["Connections/ProviderTokenTests"],
        "ConsoleOperatorStore": ["Console/ConsoleOperatorTests"],
        "ConsentStore": ["Consents/ConsentTests"],
        "DeviceStore": ["Devices/DeviceTests"],
        "GrantStore": [
            "Grants/CodeRedemptionTests", "Grants/GrantTests", "Grants/GrantCountTests", "Grants/RefreshTests",
            "Grants/ShadowTests", "Sessions/SessionTests",
        ],
        "KeyServiceStore": ["KeyService/DataKeyTests"],
        "KeyStore": ["Keys/SigningKeyTests"],
        "LinkStore": ["Links/LinkTests"],
        "LogoutNoticeStore": ["Messages/LogoutNoticeTests"],
        "MaintenanceStore": ["Maintenance/MaintenanceTests"],
        "MessageStore": ["Messages/MessageTests"],
        "OneTimeCodeStore": ["Codes/OneTimeCodeTests"],
        "PingNoticeStore": ["Messages/PingNoticeTests"],
        "PasskeyStore": ["Passkeys/PasskeyTests", "Passkeys/SitePasskeyTests"],
        "PasswordStore": ["Passwords/PasswordTests", "Passwords/ForeignHashTests"],
        "PushedRequestStore": ["PushedRequests/PushedRequestTests"],
        "RecoveryCodeStore": ["Authenticators/RecoveryCodeTests"],
        "RecoveryStore": ["Recovery/RecoveryTests"],
        "RiskStore": ["Risk/RiskStoreTests"],
        "RevokedTokenStore": ["Spent/SpentTests"],
        "RoleStore": ["Tenants/RoleTests"],
        "SCIMGroupStore": ["SCIM/ProvisionedGroupTests"],
        "SCIMResourceStore": ["SCIM/ProvisionedSearchTests"],
        "SCIMTokenStore": ["SCIM/ProvisioningTokenTests"],
        "SCIMUserStore": ["SCIM/ProvisionedUserTests", "SCIM/DeactivationTests", "SCIM/PersonTests"],
        "SessionStore": ["Sessions/SessionTests", "SCIM/DeactivationTests"],
        "ReplayStore": ["Spent/SpentTests"],
        "TenantDomainStore": ["Tenants/TenantDomainTests"],
        "TenantStore": ["Tenants/TenantTests"],
        "UserImportStore": ["Users/UserImportTests"],
        "UserStore": ["Users/UserTests", "Users/UserSearchTests", "Users/UserMergeTests"],
    ]

    /// Each store protocol with the methods that it demands.
    private static func requirements() throws -> [String: [String]] {
        var result: [String: [String]] = [:]
        for text in try sources(below: root.appendingPathComponent("Sources/Server")) {
            for match in text.matches(
                of: #/\npublic protocol (\w+Store): Sendable \{\n(.*?)\n\}\n/#.dotMatchesNewlines())
            {
                result[String(match.1)] = Selectors(String(match.2)).declared
            }
        }
        return result
    }

    @Test func `each protocol has its checks, and each method is called there`() throws {
        let requirements = try Self.requirements()
        #expect(requirements.count >= 29 && requirements.values.reduce(0) { $0 + $1.count } >= 172)
        #expect(Set(requirements.keys) == Set(Self.checks.keys))
        // What checks call without a permission calls the store with the machine's.
        let byMachine = Set(
            try Self.sources(below: Self.root.appendingPathComponent("Sources/Testing/Server/Stores"))
                // Those call the store itself.
                .flatMap { Selectors($0.replacing("await ", with: "await .")).called })
        for (name, methods) in requirements {
            let called = byMachine.union(
                try Self.checks[name, default: []].flatMap { file in
                    try Selectors(Self.text(Self.suite.appendingPathComponent("\(file).swift"))).called
                })
            #expect(Set(methods).subtracting(called) == [], "\(name)")
        }
    }

    @Test func `only the engines know an engine`() throws {
        for text in try Self.sources(below: Self.suite)
        where text.contains("\nimport GRDB") || text.contains(" StoreSQL\n") {
            #expect(text.contains(": Engine {"), "an engine is imported outside of Engines")
        }
    }

    @Test func `labels are read as they stand`() {
        let source = """
            func end(_ id: GrantID, of user: UserID, at now: UnixTime) async throws
            // .ignored(at: 1)
            try await a.end(x.y(of: 1), of: [1, 2][0], at: now + 5)
            b.change(id, at: now) { $0 = 1 }
            c.claim("a, b: c)", limit: 9)
            """
        #expect(Selectors(source).declared == ["end(_:of:at:)"])
        #expect(
            Set(Selectors(source).called) == ["end(_:of:at:)", "y(of:)", "change(_:at:_:)", "claim(_:limit:)"])
    }

    private static let suite = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let root = suite.deletingLastPathComponent().deletingLastPathComponent()

    private static func sources(below folder: URL) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.map { try text(folder.appendingPathComponent($0)) }
    }

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
