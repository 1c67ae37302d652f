internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase
internal import KeyturnTerminal
internal import KeyturnWire
internal import Model

/// `keyturn login`: signs a person in, with the browser or at the terminal, or a client as itself.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in, with the browser or at the terminal, and keep the session.",
        discussion: """
            The issuer is taken from --issuer, from KEYTURN_ISSUER, or from the last sign-in under this name. \
            Afterwards `keyturn token` prints an access token whenever one is needed.

            Without a browser: keyturn login --method otp --login-id ann@example.com
            Codes, links and passwords are asked for, or read from standard input, one line each. `keyturn token` then \
            prints the project's session token: your own services verify it, and the server's own addresses, such as \
            UserInfo, want the access token of a sign-in on the page.

            With a passkey: keyturn login --method passkey
            The browser performs the ceremony on a page of the server; with --security-key this machine does.

            Without a browser on this machine: keyturn login --device
            It shows a code and a picture, which you type or scan on any other device.

            For a job, without a user: keyturn login --client-credentials --client-id reports --name reports
            The client's secret is kept as sessions are, and `keyturn token --name reports` gets tokens with it.

            Behind a proxy: HTTPS_PROXY=http://proxy.example.com:3128; what NO_PROXY lists is reached without it. \
            A server with a certificate of your organisation's own: --ca-file FILE, beside the system's authorities, \
            or SSL_CERT_FILE in their place.
            """)

    @Option(help: ArgumentHelp("What kind of server it is: keyturn, or openid for any other.", valueName: "name"))
    var service: ServiceName?

    @Option(help: ArgumentHelp("The server's issuer, exactly as it spells itself.", valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("This client's identifier at the server. Default: keyturn-cli.", valueName: "id"))
    var clientID: String?

    @OptionGroup var container: ContainerOptions

    @OptionGroup(title: "Without a browser") var methods: MethodOptions

    @OptionGroup(title: "Without a user") var credentials: CredentialOptions

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
        try validateCredentials()
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
            caFile: container.authorities, environment: Live.environment, remembered: known?.read()[container.name])
        choice.how = words(isLater: true)
        let transport = NetworkTransport(caFile: choice.caFile)
        try await refuseOther(than: choice)
        guard !credentials.clientCredentials else { return try await signInClient(choice, transport) }
        if methods.method != nil, choice.projectID == nil {
            choice.projectID = try await PublishedMetadata.project(of: choice.issuer, advice, transport: transport)
        }
        let auth = Keyturn(
            choice.value, name: container.name, browser: browser(), authenticator: try authenticator(),
            transport: transport)
        if let method = methods.method {
            try await signIn(auth, method, choice, transport)
        } else {
            try await signInOnPage(auth, choice, transport)
        }
    }

    /// On the service's page, in a browser of this machine or of another device.
    private func signInOnPage(
        _ auth: Keyturn, _ choice: ServiceChoice, _ transport: NetworkTransport
    ) async throws {
        let options = try options()
        let result = try await ClientFailure.explained(at: choice.issuer, advice, transport: transport) {
            guard device else { return try await auth.authorize(options) }
            var wish = DeviceSignInOptions(scope: options.scope)
            wish.resource = options.resource
            return try await DeviceLogin(auth: auth, options: wish, output: json ? .standardError : .standardOutput)
                .run()
        }
        let info = result.userInfo
        let person = ServiceChoice.Person(
            subject: info.subject, name: info.email ?? info.preferredUsername ?? info.claims["name"]?.stringValue)
        await report(
            person, shown: WhoamiCommand.printable(info.email ?? info.preferredUsername ?? info.subject), choice,
            ["subject": .string(info.subject), "scope": .string(result.scope.text)])
    }

    /// At the terminal.
    private func signIn(
        _ auth: Keyturn, _ method: MethodName, _ choice: ServiceChoice, _ transport: NetworkTransport
    ) async throws {
        guard audience.isEmpty, scope == nil, !fresh else {
            throw CommandFailure.refused("--audience, --scope and --fresh belong to the sign-in page.")
        }
        guard !noBrowser || (method == .passkey && !methods.securityKey) else {
            throw CommandFailure.refused("--no-browser belongs to the sign-in page and to passkeys in the browser.")
        }
        let login = MethodLogin(auth: auth, options: methods, method: method, console: .live)
        let response = try await ClientFailure.explained(at: choice.issuer, advice, transport: transport) {
            try await login.run()
        }
        let name = response.user.email ?? response.user.phone ?? response.user.loginIds.first
        let person = ServiceChoice.Person(subject: response.user.userId, name: name)
        await report(
            person, shown: Printable.text(name ?? person.subject), choice,
            [
                "project": .string(choice.projectID ?? ""), "subject": .string(response.user.userId),
                "method": .string(method.rawValue), "first": .bool(response.isFirstAuthentication),
            ], note: "`keyturn token\(container.suffix)` prints \(PrintedToken.sessionMeaning(container.name))")
    }

    /// Remembers who signed in, and says so.
    private func report(
        _ person: ServiceChoice.Person, shown: String, _ choice: ServiceChoice, _ more: [String: JSONValue],
        note: String? = nil
    ) async {
        var choice = choice
        choice.person = person
        KnownContainers.live?.remember(choice, as: container.name)
        let place = await SessionPlace.find(container.name)
        LoginReport(name: container.name, choice: choice, person: shown, place: place)
            .show(json: json, more, note: note)
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
        let hint = RemoteTerminal.hint(Live.environment, command: deviceAdvice)
        let announce: @Sendable (String) -> Void = { url in
            let text = "Open this address in a browser on this machine:\n\(url)\n\(hint)"
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
}
