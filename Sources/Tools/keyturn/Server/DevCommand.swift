internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import Web

/// `keyturn dev`: a throw-away server with a demo user.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Run a throw-away server with a demo user and demo clients.",
        discussion: """
            Everything is kept in memory and gone when it stops. A configuration file adds clients and users of your \
            own. Never reachable from other machines unless you say so with --listen.

            With --time-travel you let time pass instead of waiting for it: tokens expire, codes run out, keys are \
            replaced. On the start page, or from a script on this machine:

              curl http://127.0.0.1:8080/dev/time
              curl http://127.0.0.1:8080/dev/time -d '{"advance": "3d"}'
              curl http://127.0.0.1:8080/dev/time -d '{"at": "2030-01-31T12:00:00Z"}'

            advance takes seconds, or a text such as 90s, 15m, 3h, 2d or 1w. Time only goes forward, at most ten \
            years; a new start returns to the present. The clocks of your app and your backend stay as they are: \
            tests that hold every clock start their server with KeyturnTesting.
            """)

    @OptionGroup var options: ServerOptions

    @Flag(help: "Let this machine move the server's clock forward, at /dev/time and on the start page.")
    var timeTravel = false

    private static let username = "demo@example.com"
    private static let password = "correct-horse-battery"
    private static let tryClientID = "keyturn-try"

    func run() async throws {
        var configuration = try options.configuration(isDevelopment: true)
        if options.database == nil { configuration.database = .memory }
        let clock = timeTravel ? try Self.makeClock(configuration.database) : nil
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
        try await ServerRunner.run(
            configuration, demonstration: demonstration, clock: clock, logger: try options.logger()
        ) {
            Self.welcome(issuer: issuer, projectID: projectID, movesTime: clock != nil)
        }
    }

    /// A clock to move, for a database that ends with it: a file would keep rows of a time that has not come.
    ///
    /// - Throws: ``CommandFailure`` if the database is a file.
    static func makeClock(_ database: DatabaseLocation) throws -> DevelopmentClock {
        guard case .memory = database else {
            throw CommandFailure.refused(
                "--time-travel is for a database in memory, because a file would keep what lies in the future: leave "
                    + "--database away.")
        }
        return DevelopmentClock()
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
            tenants: [], consoleRole: .owner)
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
        tool.scope = "openid profile email offline_access \(Scope.management)"

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

    private static func welcome(issuer: String, projectID: String, movesTime: Bool) -> String {
        // No browser makes a passkey for an address of digits.
        let passkeys =
            URIParts(issuer)?.host?.address == nil
            ? "on the sign-in page, and in the settings" : "keyturn dev --listen localhost:8080"
        let time = "\n  Time      curl \(issuer)/dev/time -d '{\"advance\": \"1d\"}'"
        return """

              Open      \(issuer)/
              Sign in   \(username)  with  \(password)
              Tool      keyturn login --issuer \(issuer)
              Messages  \(issuer)/dev/outbox
              Project   \(projectID)
              Passkeys  \(passkeys)\(movesTime ? time : "")
              Stop      Ctrl-C; nothing is kept

            """
    }
}
