internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase
internal import KeyturnTerminal
internal import KeyturnWire
internal import Model

/// `keyturn login`: signs a person in, with the browser or at the terminal.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in, with the browser or at the terminal, and keep the session.",
        discussion: """
            The issuer is taken from --issuer, from KEYTURN_ISSUER, or from the last sign-in under this name. \
            Afterwards `keyturn token` prints an access token whenever one is needed.

            Without a browser: keyturn login --method otp --login-id ann@example.com
            Codes, links and passwords are asked for, or read from standard input, one line each.

            With a passkey: keyturn login --method passkey
            The browser performs the ceremony on a page of the server; with --security-key this machine does.

            Without a browser on this machine: keyturn login --device
            It shows a code and a picture, which you type or scan on any other device.
            """)

    @Option(help: ArgumentHelp("What kind of server it is: keyturn, or openid for any other.", valueName: "name"))
    var service: ServiceName?

    @Option(help: ArgumentHelp("The server's issuer, exactly as it spells itself.", valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("This client's identifier at the server. Default: keyturn-cli.", valueName: "id"))
    var clientID: String?

    @OptionGroup var container: ContainerOptions

    @OptionGroup(title: "Without a browser") var methods: MethodOptions

    @Option(help: ArgumentHelp("An API the token is for; may be repeated.", valueName: "name"))
    var audience: [String] = []

    @Option(help: ArgumentHelp("What to ask for, in one argument with spaces.", valueName: "names"))
    var scope: String?

    @Flag(help: "Print the address of the sign-in page instead of opening a browser.")
    var noBrowser = false

    @Flag(help: "Ask who you are even if the browser knows.")
    var fresh = false

    @Option(
        help: ArgumentHelp(
            "Go straight to this connection's identity provider, as the server names it.", valueName: "name"))
    var connection: String?

    @Flag(help: "Show a code to type on another device, instead of opening a browser on this one.")
    var device = false

    @Flag(
        name: .customLong("operator"),
        help: "Sign in to administer the server through the network: with a second factor, under the name operator.")
    var isOperator = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    /// Under which name an operator's session is kept.
    static let operatorName = "operator"

    mutating func validate() throws {
        guard isOperator else { return }
        guard methods.method == nil, scope == nil, audience.isEmpty else {
            throw ValidationError("--operator goes without --method, --scope and --audience.")
        }
        if container.isUnnamed { container.name = Self.operatorName }
    }

    func run() async throws {
        guard !device || (methods.method == nil && !noBrowser && !fresh) else {
            throw CommandFailure.refused("--device goes without --method, --no-browser and --fresh.")
        }
        let known = KnownContainers.live
        var choice = try ServiceChoice(
            service: service, issuer: issuer, clientID: clientID, project: methods.project,
            environment: Live.environment, remembered: known?.read()[container.name])
        try await refuseOther(than: choice)
        if methods.method != nil, choice.projectID == nil {
            choice.projectID = try await PublishedMetadata.project(of: choice.issuer)
        }
        let auth = Keyturn(
            choice.value, name: container.name, browser: browser(), authenticator: try authenticator(),
            transport: NetworkTransport())
        if let method = methods.method {
            choice.person = try await signIn(auth, method, choice)
            known?.remember(choice, as: container.name)
            return
        }
        let options = try options()
        let result = try await ClientFailure.explained(at: choice.issuer) {
            guard device else { return try await auth.authorize(options) }
            var wish = DeviceSignInOptions(scope: options.scope)
            wish.resource = options.resource
            return try await DeviceLogin(auth: auth, options: wish, output: json ? .standardError : .standardOutput)
                .run()
        }
        let info = result.userInfo
        choice.person = .init(
            subject: info.subject, name: info.email ?? info.preferredUsername ?? info.claims["name"]?.stringValue)
        known?.remember(choice, as: container.name)
        report(result, choice)
    }

    /// At the terminal.
    ///
    /// - Returns: who signed in.
    private func signIn(
        _ auth: Keyturn, _ method: MethodName, _ choice: ServiceChoice
    ) async throws -> ServiceChoice.Person {
        guard audience.isEmpty, scope == nil, !fresh else {
            throw CommandFailure.refused("--audience, --scope and --fresh belong to the sign-in page.")
        }
        guard !noBrowser || (method == .passkey && !methods.securityKey) else {
            throw CommandFailure.refused("--no-browser belongs to the sign-in page and to passkeys in the browser.")
        }
        let login = MethodLogin(auth: auth, options: methods, method: method, console: .live)
        let response = try await ClientFailure.explained(at: choice.issuer) { try await login.run() }
        let name = response.user.email ?? response.user.phone ?? response.user.loginIds.first
        let person = ServiceChoice.Person(subject: response.user.userId, name: name)
        guard json else {
            Live.write("Signed in as \(Printable.text(name ?? person.subject)) at \(choice.issuer).\n")
            return person
        }
        Report.json([
            "name": .string(container.name), "issuer": .string(choice.issuer), "client_id": .string(choice.clientID),
            "project": .string(choice.projectID ?? ""), "subject": .string(response.user.userId),
            "method": .string(method.rawValue),
            "first": .bool(response.isFirstAuthentication),
        ])
        return person
    }

    /// A name stands for one client at one server. Signing in at another would silently end the first session.
    private func refuseOther(than choice: ServiceChoice) async throws {
        guard
            let stored = try await ClientFailure.explained({
                try await Keyturn.stored(name: container.name, transport: NetworkTransport())
            })
        else {
            return
        }
        let service = stored.service
        guard service.issuer != choice.issuer || service.clientID != choice.clientID else { return }
        throw CommandFailure.refused(
            """
            the name \(container.name) holds a session of \(service.clientID) at \(service.issuer). \
            Run `keyturn logout\(container.suffix)` first, or choose another --name.
            """)
    }

    private func options() throws -> SignInOptions {
        var options = SignInOptions(redirectURI: "http://127.0.0.1/callback")
        options.resource = audience
        options.prompt = fresh || isOperator ? [.login] : []
        if isOperator {
            options.acrValues = [AuthenticationFacts.severalFactorsClass]
            options.scope = Scope(names: [Scope.openID, "profile", "email", Scope.offlineAccess, Scope.management])
        }
        if let connection { options.extra["connection"] = connection }
        guard let scope else { return options }
        guard let names = Scope(scope), names.contains(Scope.openID) else {
            throw CommandFailure.refused("--scope must be names with spaces between them, openid among them.")
        }
        options.scope = names
        return options
    }

    /// The address goes to standard output like everything a person reads, but never between a program and its JSON.
    private func browser() -> LoopbackBrowserAgent {
        let json = json
        let announce: @Sendable (String) -> Void = { url in
            let text = "Open this address in a browser on this machine:\n\(url)\n"
            if json { Live.writeError(text) } else { Live.write(text) }
        }
        return noBrowser ? .announcing(announce) : LoopbackBrowserAgent(announce: announce)
    }

    /// Who answers for a passkey.
    private func authenticator() throws -> (any PasskeyAuthenticator)? {
        guard methods.method == .passkey else { return nil }
        guard methods.securityKey else { return BrowserPasskeys(browser()) }
        #if os(Linux)
            return SecurityKeys(interaction: KeyConversation(console: .live))
        #else
            throw CommandFailure.refused(
                "--security-key works on Linux. Leave it out: the browser takes security keys.")
        #endif
    }

    private func report(_ result: SignInResult, _ choice: ServiceChoice) {
        let person = result.userInfo.email ?? result.userInfo.preferredUsername ?? result.userInfo.subject
        guard json else { return Live.write("Signed in as \(person) at \(choice.issuer).\n") }
        Report.json([
            "name": .string(container.name), "issuer": .string(choice.issuer), "client_id": .string(choice.clientID),
            "subject": .string(result.userInfo.subject), "scope": .string(result.scope.text),
        ])
    }
}
