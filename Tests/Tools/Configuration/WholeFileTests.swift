import Authority
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Testing

@testable import keyturn

@Suite("Configuration: whole files")
struct WholeFileTests {
    @Test func `every key with a right value is accepted`() throws {
        #expect(Sample.mistakes(Sample.everything) == [])
        let configuration = try Sample.accepted(Sample.everything)
        #expect(configuration.issuer == .fixed("http://127.0.0.1:8080"))
        #expect(configuration.listen == ListenAddress.standard)
        #expect(configuration.database == .file("data/keyturn.db"))
        #expect(configuration.drainSeconds == 5 && configuration.databaseConnections == nil)
        #expect(configuration.secrets.map(\.bytes) == [Array(0..<32)])
        #expect(configuration.trustedProxies.map(\.prefixLength) == [8, 8, 32])
        #expect(configuration.delivery.outbox)
        #expect(configuration.delivery.smtp?.security == SMTPConfiguration.Security.none)
        #expect(configuration.passkeys.first?.origins.count == 2)
        #expect(
            configuration.tenants == [
                TenantConfiguration(id: "ent-1", name: "Example Enterprise", secondFactor: .required)
            ])
        #expect(configuration.keyService == KeyServiceSettings(realms: ["bank", "Bank.2"], unusedDays: 400))
        #expect(
            configuration.roles == [
                RoleConfiguration(name: "admin", permissions: ["users.read", "users.write"], secondFactor: .required)
            ])
        #expect(
            configuration.project.authority
                == AuthorityPolicy(
                    signUp: .domains(["example.com", "xn--bcher-kva.example"]), secondFactorRoles: ["admin"],
                    secondFactorTenants: ["ent-1"]))
    }

    @Test func `servers of one database drain, and may say how many connections they take`() throws {
        let shared = """
            database: "postgres://db/keyturn"
            secrets: [ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" ]

            """
        #expect(try Sample.accepted(shared).drainSeconds == 10)
        let some = try Sample.accepted(shared + "drain_seconds: 0\ndatabase_connections: 32")
        #expect(some.drainSeconds == 0 && some.databaseConnections == 32)
        #expect(try Sample.accepted("database: sqlite:a.db").drainSeconds == 0)
        #expect(Sample.mistakes(shared + "database_connections: 3") == ["3 database_connections"])
        #expect(Sample.mistakes("drain_seconds: 301") == ["1 drain_seconds"])
        #expect(Sample.warnings("database_connections: 8") == ["1 database_connections"])
    }

    @Test func `the project is read`() throws {
        let project = try Sample.accepted(Sample.everything).project
        #expect(project.id == "P2Example")
        #expect(
            project.managementKeys.map { $0.exposed() } == [
                "K2-one-one-one-one-one-one-one-one", "K2-two-two-two-two-two-two-two-two",
            ])
        #expect(project.signingAlgorithms == ["ES256", "RS256"])
        #expect(project.accessTokenSeconds == 300)
        #expect(project.refreshTokenIdleSeconds == 86_400)
        #expect(project.refreshTokenAbsoluteSeconds == 604_800)
        #expect(project.passwordPolicy == PasswordPolicyConfiguration(minLength: 10, lowercase: true, number: true))
        let passwords = PasswordSettings(expirationWeeks: 26, reuseMax: 5, lockAttempts: 10, lockSeconds: 600)
        #expect(
            project.methods
                == MethodSettings(
                    approvedDomains: ["app.example.com", ".example.org", "localhost", "com.example.app:"],
                    defaultRedirect: "https://www.example.com/in?from=mail", passwords: passwords,
                    recovery: RecoverySettings(delaySeconds: 86_400)))
        #expect(project.resources == ["https://api.example.com", "urn:example:files"])
    }

    @Test func `clients are read`() throws {
        let clients = try Sample.accepted(Sample.everything).clients
        #expect(clients.map(\.clientID) == ["web", "robot", "phone"])
        #expect(clients.map(\.authenticationMethod) == [.clientSecretBasic, .privateKeyJWT, .none])
        #expect(clients.map(\.profile) == [.standard, .fapi2, .standard])
        let web = try #require(clients.first)
        #expect(web.clientSecret?.exposed() == "web-secret-web-secret-web-secret-web")
        #expect(web.metadata.redirectURIs?.count == 2)
        #expect(web.metadata.defaultMaxAge == 3600)
        #expect(web.metadata.backchannelLogoutSessionRequired == true)
        #expect(web.allowsPrivateLogoutAddress && web.strictAssertions)
        #expect(try Sample.accepted(Sample.everything).registration?.settings.strictAssertions == true)
        #expect(web.metadata.scope == "openid profile email phone address offline_access")
        #expect(web.firstParty)
        #expect(web.assertionAudiences == ["https://auth.example.com/token"])
        #expect(web.mayImpersonate == [.tenant("ent-1"), .user("0001")])
        #expect(web.resources == ["https://api.example.com"])
        #expect(clients[1].metadata.jwks?["keys"]?.arrayValue?.count == 1)
    }

    @Test func `users are read`() throws {
        let user = try #require(try Sample.accepted(Sample.everything).users.first)
        #expect(user.sub == "11111111-1111-4111-8111-111111111111")
        #expect(user.loginIDs == ["someone@example.com", "someone"])
        #expect(user.password?.exposed() == "correct-horse-battery-1")
        #expect(user.isEmailVerified)
        #expect(user.phoneNumber == "+15550100")
        #expect(user.claims["updated_at"] == 1_700_000_000)
        #expect(user.claims["address"]?["locality"] == "Anytown")
        #expect(user.claims["level"] == 3)
        #expect(user.claims["flags"] == ["beta": true])
        #expect(user.tenants == [UserConfiguration.Membership(tenant: "ent-1", roles: ["admin"])])
    }

    @Test("`an empty file means the defaults`", arguments: ["", "# nothing\n", "---\n", "{}", "project:\nclients:\n"])
    func defaults(text: String) throws {
        let configuration = try Sample.accepted(text)
        #expect(configuration.issuer == .automatic)
        #expect(configuration.listen.authority == "127.0.0.1:8080")
        #expect(configuration.database == .file("keyturn.db"))
        #expect(configuration.project.accessTokenSeconds == 600)
        #expect(configuration.project.refreshTokenIdleSeconds == 30 * 86_400)
        #expect(configuration.project.refreshTokenAbsoluteSeconds == 365 * 86_400)
        #expect(configuration.project.resources == nil)
        #expect(!configuration.delivery.outbox)
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.project.authority == AuthorityPolicy() && configuration.keyService == nil)
    }

    @Test func `JSON is read like YAML`() throws {
        let text = """
            {
            \t"issuer": "https:\\/\\/id.example.com", "dev": false,
            \t"project": {"name": "\\u00c9xample", "access_token_seconds": 60},
            \t"clients":[{"client_id":"a","redirect_uris":["https://a.example/cb"],"first_party":true}],
            \t"users": [{"sub": "1", "email_verified": false, "claims": {"n": 1.5, "s": "1.5", "z": null}}]
            }
            """
        let configuration = try Sample.accepted(text)
        #expect(configuration.issuer == .fixed("https://id.example.com"))
        #expect(configuration.project.name == "Éxample")
        #expect(configuration.clients.first?.firstParty == true)
        #expect(configuration.users.first?.claims["n"] == .number(1.5))
        #expect(configuration.users.first?.claims["s"] == "1.5")
        #expect(Sample.mistakes(#"{"isuer": "auto",\#n "listen": true}"#) == ["1 isuer", "2 listen"])
    }

    @Test func `every key is acted on: none is warned of`() {
        #expect(Sample.warnings(Sample.everything).isEmpty)
    }

    @Test func `every registration name is read into its member`() {
        let covered = Set(ClientMetadataReader.fields.map(\.key.rawValue))
        #expect(covered == Set(ClientMetadata.CodingKeys.allCases.map(\.rawValue)))
        #expect(ClientMetadataReader.fields.count == covered.count)
    }

    @Test func `the starter file is accepted as it stands, without a warning`() throws {
        #expect(Sample.problems(StarterFile.text).isEmpty)
        let starter = try Sample.accepted(StarterFile.text)
        #expect(starter.clients.map(\.clientID) == ["app"])
        #expect(starter.project.authority == AuthorityPolicy(signUp: .invited))
    }

    @Test func `the starter file is accepted with its examples, once they are filled in`() {
        let lines = StarterFile.text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard let hash = line.firstIndex(of: "#"), line[..<hash].allSatisfy({ $0 == " " }) else {
                return String(line)
            }
            let rest = line[line.index(after: hash)...]
            let explains = rest.hasPrefix(" ") && !rest.hasPrefix("  ")
            return explains ? String(line) : String(line[..<hash]) + rest
        }
        let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        let examples = lines.joined(separator: "\n").replacing("…", with: secret)
        #expect(Sample.mistakes(examples) == [])
        #expect(
            (try? Sample.accepted(examples))?.clients.map(\.clientID) == ["app", "web", "harbour", "service", "api"])
    }
}
