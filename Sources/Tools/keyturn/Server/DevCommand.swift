internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Web

/// `keyturn dev`: a throw-away server with a demo user.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Run a throw-away server with a demo user and demo clients.",
        discussion: """
            Everything is kept in memory and gone when it stops. A configuration file adds clients and users of your \
            own. Never reachable from other machines unless you say so with --listen.
            """)

    @OptionGroup var options: ServerOptions

    private static let username = "demo@example.com"
    private static let password = "correct-horse-battery"
    private static let tryClientID = "keyturn-try"

    func run() async throws {
        var configuration = try options.configuration()
        if options.database == nil { configuration.database = .memory }
        configuration.issuer = .automatic
        configuration.isDevelopment = true
        configuration.delivery.outbox = true
        if options.config == nil { configuration.project.name = "Keyturn demo" }
        let projectID = configuration.project.id ?? ProjectID.demonstration
        configuration.project.id = projectID
        configuration.listen = try ServerRunner.pickPort(configuration.listen)
        let issuer = configuration.issuer.text(listeningOn: configuration.listen)
        add(Self.demoUser, to: &configuration)
        for client in Self.demoClients(issuer: issuer) { add(client, to: &configuration) }
        if configuration.passkeys.isEmpty { configuration.passkeys = [Self.demoSite] }
        let commands = [
            "keyturn login --issuer \(issuer)", "keyturn whoami", "keyturn token", "keyturn logout",
        ]
        let demonstration = Demonstration(
            username: Self.username, password: Self.password, clientID: Self.tryClientID, commands: commands)
        try await ServerRunner.run(configuration, demonstration: demonstration, logger: try options.logger()) {
            Self.welcome(issuer: issuer, projectID: projectID)
        }
    }

    private func add(_ user: UserConfiguration, to configuration: inout ServerConfiguration) {
        guard !configuration.users.contains(where: { $0.loginIDs.contains(Self.username) }) else { return }
        configuration.users.append(user)
    }

    private func add(_ client: ClientConfiguration, to configuration: inout ServerConfiguration) {
        guard !configuration.clients.contains(where: { $0.clientID == client.clientID }) else { return }
        configuration.clients.append(client)
    }

    private static var demoUser: UserConfiguration {
        UserConfiguration(
            sub: "11111111-1111-4111-8111-111111111111", loginIDs: [username], password: Secret(password),
            claims: [
                "email": .string(username), "email_verified": true, "name": "Demo Person", "given_name": "Demo",
                "family_name": "Person", "locale": "en",
            ],
            tenants: [])
    }

    /// A site with users of its own, on port 9000, whose passkeys are kept here.
    private static var demoSite: PasskeyConfiguration {
        var site = PasskeyConfiguration(rpID: "localhost", rpName: "Keyturn demo", origins: ["http://localhost:9000"])
        site.publishableKey = "pubkey_demo"
        site.secretKeys = [Secret("secret_demo")]
        return site
    }

    /// One for this page's own try-out, one for command line tools, one for a web application on port 9000.
    private static func demoClients(issuer: String) -> [ClientConfiguration] {
        var tryOut = ClientMetadata()
        tryOut.clientName = "Keyturn try-out"
        tryOut.redirectURIs = [issuer + Demonstration.callbackPath]
        tryOut.grantTypes = [GrantType.authorizationCode.rawValue]
        tryOut.scope = "openid profile email"

        var tool = ClientMetadata()
        tool.clientName = "Keyturn command line"
        tool.applicationType = "native"
        tool.redirectURIs = ["http://127.0.0.1/callback"]
        tool.grantTypes = [GrantType.authorizationCode, .refreshToken, .deviceCode].map(\.rawValue)
        tool.scope = "openid profile email offline_access"

        var web = ClientMetadata()
        web.clientName = "Demo web app"
        web.redirectURIs = ["http://127.0.0.1:9000/callback"]
        web.postLogoutRedirectURIs = ["http://127.0.0.1:9000/"]
        web.grantTypes = [GrantType.authorizationCode, .refreshToken, .clientCredentials].map(\.rawValue)
        web.scope = "openid profile email offline_access demo.read"

        return [
            ClientConfiguration(
                clientID: tryClientID, clientSecret: nil, metadata: tryOut, authenticationMethod: .none,
                firstParty: true),
            ClientConfiguration(
                clientID: "keyturn-cli", clientSecret: nil, metadata: tool, authenticationMethod: .none,
                firstParty: true),
            ClientConfiguration(
                clientID: "web", clientSecret: Secret("web-secret"), metadata: web,
                authenticationMethod: .clientSecretBasic),
        ]
    }

    private static func welcome(issuer: String, projectID: String) -> String {
        // No browser makes a passkey for an address of digits.
        let passkeys =
            URIParts(issuer)?.host?.address == nil
            ? "on the sign-in page, and in the settings" : "keyturn dev --listen localhost:8080"
        return """

              Open      \(issuer)/
              Sign in   \(username)  with  \(password)
              Tool      keyturn login --issuer \(issuer)
              Messages  \(issuer)/dev/outbox
              Project   \(projectID)
              Passkeys  \(passkeys)
              Stop      Ctrl-C; nothing is kept

            """
    }
}
