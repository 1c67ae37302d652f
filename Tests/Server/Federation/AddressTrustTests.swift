import KeyturnBase
import Model
import Testing

@testable import Federation

@Suite("How far a provider's word about an address goes")
struct AddressTrustTests {
    private static func profile(
        _ claims: [String: JSONValue], _ settings: OpenIDConnectionSettings, tenant: String? = nil
    ) throws -> FederatedProfile {
        let preset = try #require(ProviderPreset.of(settings))
        var all = claims
        all.merge(["iss": "https://login.acme.example", "sub": "1"]) { own, _ in own }
        let connection = Connection(
            id: "c", tenantID: tenant, name: "C", domains: ["acme.example"], settings: .openID(settings),
            createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))
        return try ProfileClaims(claims: .object(all), settings: settings, preset: preset)
            .profile(names: [:]).bounded().vouched(for: connection, settings, preset)
    }

    private static let verified: [String: JSONValue] = ["email": "kim@acme.example", "email_verified": true]

    @Test func `F-29: an organisation's own provider vouches for what it verified, one of everybody does not`() throws {
        let own = OpenIDConnectionSettings(issuer: "https://login.acme.example", clientID: "c")
        #expect(try Self.profile(Self.verified, own, tenant: "T1").emailTrust == .trusted)
        #expect(try Self.profile(Self.verified, own).emailTrust == .verified, "the project's: the operator decides")
        #expect(try Self.profile(["email": "kim@acme.example"], own, tenant: "T1").emailTrust == .unverified)
        for issuer in ["https://accounts.google.com", "https://GITLAB.com", "https://login.microsoftonline.com/x/v2.0"]
        {
            let everybody = OpenIDConnectionSettings(issuer: issuer, clientID: "c")
            #expect(try Self.profile(Self.verified, everybody, tenant: "T1").emailTrust == .verified, "\(issuer)")
        }
        let discord = OpenIDConnectionSettings(preset: "discord", clientID: "c")
        #expect(try Self.profile(Self.verified, discord, tenant: "T1").emailTrust != .trusted)
    }

    @Test func `no word about an address is the operator's for one organisation; a no stays a no`() throws {
        var own = OpenIDConnectionSettings(issuer: "https://login.acme.example", clientID: "c")
        let silent: [String: JSONValue] = ["email": "kim@acme.example"]
        #expect(try Self.profile(silent, own, tenant: "T1").emailTrust == .unverified)
        own.trustsEmail = true
        #expect(try Self.profile(silent, own, tenant: "T1").emailTrust == .trusted)
        #expect(try Self.profile(silent, own).emailTrust == .verified, "the project's links nothing by it")
        for told in [false, "false", 0, .null, "no", []] as [JSONValue] {
            let claims = silent.merging(["email_verified": told]) { $1 }
            #expect(try Self.profile(claims, own, tenant: "T1").emailTrust == .denied, "\(told)")
        }
        own.issuer = "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0"
        #expect(try Self.profile(silent, own, tenant: "T1").emailTrust == .trusted)
        for tenant in ["common", "organizations", "9188040d-6c67-4c5b-b112-36a304b66dad"] {
            own.issuer = "https://login.microsoftonline.com/\(tenant)/v2.0"
            #expect(try Self.profile(silent, own, tenant: "T1").emailTrust == .unverified, "\(tenant)")
        }
    }

    @Test func `groups are a list, one text or none; a mark that there are more leaves them unknown`() throws {
        var own = OpenIDConnectionSettings(issuer: "https://login.acme.example", clientID: "c")
        #expect(try Self.profile([:], own).groups == [])
        #expect(try Self.profile(["groups": .null], own).groups == [])
        #expect(try Self.profile(["groups": "admins"], own).groups == ["admins"])
        #expect(try Self.profile(["groups": ["a", 1, "b"]], own).groups == ["a", "b"])
        #expect(try Self.profile(["_claim_names": ["groups": "src1"]], own).groups == nil)
        #expect(try Self.profile(["hasgroups": true], own).groups == nil)
        let many = JSONValue.array((0..<1_001).map { .string("g\($0)") })
        #expect(try Self.profile(["groups": many], own).groups == nil)
        own.mapping = ["groups": "roles"]
        #expect(try Self.profile(["hasgroups": true], own).groups == [], "the mark is about another claim")
        #expect(try Self.profile(["_claim_names": ["roles": "src1"]], own).groups == nil)
    }

    @Test func `F-9: the word about one claim does not count for another that is mapped to the address`() throws {
        var settings = OpenIDConnectionSettings(issuer: "https://login.acme.example", clientID: "c")
        settings.mapping = ["email": "upn"]
        var claims = Self.verified
        claims["upn"] = "ceo@acme.example"
        let mapped = try Self.profile(claims, settings, tenant: "T1")
        #expect(mapped.email == "ceo@acme.example" && mapped.emailTrust == .unverified)
        settings.trustsEmail = true
        #expect(try Self.profile(claims, settings).emailTrust == .trusted, "the operator's word")
    }

    @Test func `F-9: a single tenant of Microsoft counts by the operator's word, several never do`() throws {
        let id = "11111111-2222-4333-8444-555555555555"
        let claims: [String: JSONValue] = ["email": "kim@acme.example", "tid": .string(id)]
        var settings = OpenIDConnectionSettings(preset: "microsoft", clientID: "c", parameters: ["tenant_id": id])
        #expect(try Self.profile(claims, settings, tenant: "T1").emailTrust == .unverified)
        settings.trustsEmail = true
        #expect(try Self.profile(claims, settings, tenant: "T1").emailTrust == .trusted)
        settings.parameters = [:]
        #expect(try Self.profile(claims, settings, tenant: "T1").emailTrust == .unverified)
    }
}
