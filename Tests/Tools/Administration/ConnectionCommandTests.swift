import Foundation
import KeyturnBase
import Testing

@testable import keyturn

@Suite("keyturn connection")
struct ConnectionCommandTests {
    let place: Place
    private static let secret = "the-secret-of-the-provider-4711"

    init() throws {
        place = try Place()
        try place.write(Self.secret + "\n", "secret")
    }

    private func run(_ arguments: String...) throws -> Place.Run {
        let (process, output, errors) = try place.start(["connection"] + arguments)
        process.waitUntilExit()
        return Place.Run(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    private func add(_ id: String, _ more: String...) throws -> Place.Run {
        let (process, output, errors) = try place.start(["connection", "add", id] + more)
        process.waitUntilExit()
        return Place.Run(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    @Test func `addresses that people copy are printed whole`() throws {
        let id = String(repeating: "long", count: 12)
        let added = try add(
            id, "--issuer", "https://login.example", "--client-id", "c", "--client-secret-file", place.path("secret"))
        #expect(added.output.contains("/federation/\(id)/logout\n"), "\(added.output)\(added.errors)")
    }

    @Test func `a connection is added, shown without its secret, changed, disabled and removed`() throws {
        let added = try add(
            "google", "--preset", "google", "--client-id", "c", "--client-secret-file", place.path("secret"))
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.contains("added google") && added.output.contains("/federation/google/callback"))
        #expect(added.output.contains("Scopes: openid email profile"))
        let shown = try run("show", "google", "--json")
        let json = try JSONValue(parsing: shown.output.utf8)
        #expect(json["has_client_secret"] == true && json["from_configuration"] == false && json["type"] == "openid")
        #expect(try run("change", "google", "--name", "Search", "--scope", "calendar").status == 0)
        #expect(try run("disable", "google").status == 0)
        let list = try run("list")
        #expect(list.output.contains("disabled") && list.output.contains("Search"))
        let changed = try JSONValue(parsing: run("show", "google", "--json").output.utf8)
        #expect(
            changed["scopes"] == ["calendar"] && changed["enabled"] == false && changed["has_client_secret"] == true)
        #expect(try run("enable", "google").status == 0)
        #expect(try run("remove", "google").status == 0)
        #expect(try run("remove", "google").status == 2)
        for text in [added.output, shown.output, list.output] { #expect(!text.contains(Self.secret)) }
        let events = try JSONValue(parsing: place.run("audit", "--json").output.utf8).arrayValue ?? []
        #expect(
            events.compactMap { $0["action"]?.stringValue } == [
                "connection.changed", "connection.changed", "connection.changed", "connection.changed",
                "connection.removed",
            ])
        #expect(events.allSatisfy { $0["target"] == "google" })
    }

    @Test func `mistakes are said in the words of the configuration's check, and nothing is written`() throws {
        #expect(try add("A B", "--preset", "google", "--client-id", "c").errors.contains("small letters"))
        #expect(try add("a", "--client-id", "c").errors.contains("Give the provider's issuer, or a preset"))
        #expect(try add("a", "--preset", "goggle", "--client-id", "c").errors.contains("not one of the choices"))
        #expect(try add("a", "--preset", "google").errors.contains("client_id: it is missing"))
        #expect(try add("a", "--preset", "apple", "--client-id", "c").errors.contains("parameters.team_id"))
        let mapped = try add("a", "--preset", "google", "--client-id", "c", "--map", "email_verified=x")
        #expect(mapped.status == 2 && mapped.errors.contains("a provider may not set this"))
        let lost = try add("a", "--preset", "google", "--client-id", "c", "--tenant", "nobody")
        #expect(lost.status == 2 && lost.errors.contains("there is no tenant of this name"))
        #expect(try run("list").output.contains("No connections yet"))
        #expect(try place.run("audit", "--json").output.hasPrefix("[]"))
    }

    @Test func `F-27, F-30, F-32: a tenant's connection asks no private address, and takes no other tenant's domain`()
        throws
    {
        for tenant in ["acme", "other"] { #expect(try place.run("tenant", "create", tenant).status == 0) }
        let config = try place.write("issuer: https://id.example.com\n", "keyturn.yaml")
        let common = ["--client-id", "c", "--config", config]
        func add(_ id: String, _ tenant: String, _ more: [String]) throws -> Place.Run {
            let (process, output, errors) = try place.start(
                ["connection", "add", id, "--tenant", tenant] + common + more)
            process.waitUntilExit()
            return Place.Run(
                status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8))
        }
        for issuer in ["https://127.0.0.1", "https://169.254.169.254", "http://localhost:80", "https://10.0.0.1"] {
            let refused = try add("acme", "acme", ["--issuer", issuer])
            #expect(refused.status == 2 && refused.errors.contains("private network"), "\(issuer): \(refused.errors)")
        }
        #expect(try add("inner", "acme", ["--issuer", "https://10.0.0.1", "--allow-private"]).status == 0)
        #expect(try add("acme", "acme", ["--issuer", "https://a.example", "--domain", "Acme.example"]).status == 0)
        let claimed = try add("other", "other", ["--issuer", "https://b.example", "--domain", "acme.example"])
        #expect(claimed.status == 2 && claimed.errors.contains("another tenant has this domain"))
        let open = try add("open", "other", ["--issuer", "https://b.example", "--domain", "gmail.com"])
        #expect(open.status == 2 && open.errors.contains("anyone can have an address there"))
    }

    @Test func `a connection of the configuration file is shown as such, and not changed`() throws {
        let config = try place.write(
            "connections:\n  - { id: google, preset: google, client_id: c, client_secret: \(Self.secret) }\n",
            "keyturn.yaml")
        let list = try run("list", "--config", config)
        #expect(list.output.contains("file") && !list.output.contains(Self.secret))
        for arguments in [["change", "google", "--name", "x"], ["disable", "google"], ["remove", "google"]] {
            let (process, _, errors) = try place.start(["connection"] + arguments + ["--config", config])
            process.waitUntilExit()
            let said = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationStatus == 2 && said.contains("stands in the configuration file"), "\(said)")
        }
        #expect(try place.run("audit", "--json").output.hasPrefix("[]"))
    }

    @Test func `a secret is not carried to another provider`() throws {
        let secret = place.path("secret")
        let added = try add("own", "--issuer", "https://a.example", "--client-id", "c", "--client-secret-file", secret)
        #expect(added.status == 0)
        let moved = try run("change", "own", "--issuer", "https://evil.example")
        #expect(moved.status == 2 && moved.errors.contains("belongs to the provider that was there"))
        let named = try run("change", "own", "--issuer", "https://b.example", "--client-secret-file", secret)
        #expect(named.status == 0, "\(named.errors)")
    }

    @Test func `a connection that another server sealed is reported, and can be removed`() throws {
        #expect(try add("lost", "--preset", "google", "--client-id", "c").status == 0)
        let secrets = "\(place.database).secrets"
        try FileManager.default.removeItem(atPath: secrets)
        let list = try run("list")
        #expect(list.output.contains("unreadable") && list.errors.contains("a secret is missing"))
        let shown = try run("show", "lost")
        #expect(shown.status == 2 && shown.errors.contains("cannot be read"))
        #expect(try run("remove", "lost").status == 0)
        #expect(try run("list").output.contains("No connections yet"))
    }

    /// Of P-256, of a provider that does not exist.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASmgAwIBAgIUdKv/lFIw6/6t5VssQLnH8B06x6UwCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUwIBcNMjYxMTIzMTgxODQzWhgPMjA4MTA4
        MjYxODE4NDNaMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAEuOvPywHK2SMbQsL6KseDdDJ7j6bbYMHOehIz2UhqW/yk4PxS
        scJfBYku87bZfPrD/JhU/1JFablKqec/Vyf84KNTMFEwHQYDVR0OBBYEFHLK4j3M
        RkwkVlIjix7gvPhdQqRYMB8GA1UdIwQYMBaAFHLK4j3MRkwkVlIjix7gvPhdQqRY
        MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAMFxLeiGSxx5ImAm
        oWexNU5ngVBX8JL+CrpMLZPVuXhdAiEA4fHD12DRpB2ihej1v5BpKMRENPpsi7+J
        zp6QlPycL6Y=
        -----END CERTIFICATE-----

        """

    @Test func `a SAML provider is kept with its certificate`() throws {
        let file = try place.write(Self.certificate, "idp.pem")
        let added = try add(
            "corp", "--idp-entity-id", "https://idp.example/metadata", "--sso-url", "https://idp.example/sso",
            "--certificate-file", file)
        #expect(added.status == 0, "\(added.errors)")
        let json = try JSONValue(parsing: run("show", "corp", "--json").output.utf8)
        #expect(json["type"] == "saml" && json["certificates"]?.arrayValue?.count == 1)
        let weak = Data([0x30] + [UInt8](repeating: 7, count: 200)).base64EncodedString()
        let broken = try place.write("-----BEGIN CERTIFICATE-----\n\(weak)\n-----END CERTIFICATE-----\n", "broken.pem")
        let refused = try add(
            "broken", "--idp-entity-id", "x", "--sso-url", "https://idp.example/sso", "--certificate-file", broken)
        #expect(refused.status == 2 && refused.errors.contains("certificates"))
        let without = try add("two", "--idp-entity-id", "x", "--sso-url", "ftp://idp.example")
        #expect(without.status == 2 && without.errors.contains("sso_url") && without.errors.contains("certificates"))
    }

    @Test func `a directory is added, changed without its password, and not sent to another host with it`() throws {
        let added = try add(
            "staff", "--ldap-url", "ldaps://ldap.example", "--bind-dn", "cn=keyturn,dc=example", "--bind-password-file",
            place.path("secret"), "--base-dn", "dc=example", "--trust-email")
        #expect(added.status == 0, "\(added.errors)")
        let changed = try run("change", "staff", "--filter", "(mail={login})", "--map", "name=displayName", "--json")
        let json = try JSONValue(parsing: changed.output.utf8)
        #expect(json["type"] == "ldap" && json["filter"] == "(mail={login})" && json["has_bind_password"] == true)
        #expect(json["mapping"]?["name"] == "displayName" && !changed.output.contains(Self.secret))
        let moved = try run("change", "staff", "--ldap-url", "ldaps://evil.example")
        #expect(moved.status == 2 && moved.errors.contains("bind_password"))
        let wrong = try run("change", "staff", "--filter", "mail=x")
        #expect(wrong.status == 2 && wrong.errors.contains("filter"))
        let second = try add(
            "other", "--ldap-url", "ldaps://ldap.example", "--bind-dn", "cn=k", "--base-dn", "dc=example")
        #expect(second.status == 2 && second.errors.contains("bind_password") && second.errors.contains("already"))
        #expect(try run("remove", "staff").status == 0)
    }

    @Test func `the users of a tenant are held to its own sign-in, except those named by identifier`() throws {
        #expect(try place.run("tenant", "create", "acme").status == 0)
        let early = try place.run("tenant", "sso", "acme", "--require")
        #expect(early.status == 2 && early.errors.contains("no enabled connection"), "\(early.errors)")
        let added = try add(
            "acme-sso", "--issuer", "https://login.example", "--client-id", "c", "--client-secret-file",
            place.path("secret"), "--tenant", "acme")
        #expect(added.status == 0, "\(added.errors)")
        let required = try place.run("tenant", "sso", "acme", "--require", "--json")
        #expect(required.status == 0, "\(required.errors)")
        #expect(try JSONValue(parsing: required.output.utf8)["requires_sso"] == true)
        #expect(try place.run("tenant", "sso", "acme", "--exclude", "somebody@example.com").status == 2)
        #expect(try place.run("tenant", "sso", "acme").output.contains("its connections alone"))
        #expect(try place.run("tenant", "sso", "acme", "--no-require").output.contains("as others"))
    }
}
