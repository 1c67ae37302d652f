internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase
internal import KeyturnJose

/// `keyturn token`: prints a valid access token, and nothing else.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a valid access token, and nothing else.",
        discussion: """
            Renews it first if need be. Made for: curl -H "Authorization: Bearer $(keyturn token)" …

            After a sign-in on the page it is an access token. After one with --method it is the project's session \
            token: your own services verify it (`keyturn verify`), and UserInfo and the server's other addresses refuse \
            it. With --json the member kind says which: access_token or session_token.
            """)

    @OptionGroup var container: ContainerOptions

    @OptionGroup var pin: PINOptions

    @Option(
        name: .customLong("min-ttl"),
        help: ArgumentHelp(
            """
            How long it must still be valid. Refused if the service's tokens live shorter. Default: 60, or as long as \
            they live.
            """,
            valueName: "seconds"))
    var minimumSeconds: Int64?

    @Option(help: ArgumentHelp("An API it must be for; may be repeated.", valueName: "name"))
    var audience: [String] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        guard (0...86_400).contains(minimumSeconds ?? 60) else {
            throw ValidationError("--min-ttl is 0 to 86400 seconds.")
        }
    }

    func run() async throws {
        let token: String
        switch try await container.holder(pin: pin.given()) {
        case .user(let auth): token = try await self.token(of: auth)
        case .client: token = try await clientToken()
        }
        let kind = PrintedToken(token)
        let missing = Self.missing(audience, in: token)
        guard missing.isEmpty else {
            // A method's session is for one project; an API is for the page.
            let advice = kind == .session ? Advice(name: container.name) : container.advice
            let login = advice.login(adding: missing.flatMap { ["--audience", $0] })
            throw CommandFailure.refused(
                "the session's token is not for \(missing.joined(separator: ", ")). Run `\(login)`.")
        }
        guard !json else { return Report.json(["access_token": .string(token), "kind": .string(kind.rawValue)]) }
        // A person who looks on is told what it is good for; the logs of jobs are not filled with that.
        if kind == .session, PrintedToken.isErrorShown {
            Live.writeError("keyturn: this is \(PrintedToken.sessionMeaning(container.name))\n")
        }
        Live.write(token + "\n")
    }

    private func token(of auth: Keyturn) async throws -> String {
        let token = try await ClientFailure.explained(container.advice) { try await validToken(of: auth) }
        if let problem = await auth.storageProblem {
            Live.writeError(
                "keyturn: the renewed session could not be stored: \(problem.detail). Nobody was signed out.\n")
        }
        return token
    }

    /// Of a client that signed in as itself.
    private func clientToken() async throws -> String {
        let session = container.clientSession
        let token = try await ClientFailure.explained(container.advice) {
            try await session.token(minimumSeconds: minimumSeconds ?? 60)
        }
        if let minimumSeconds, let left = token.secondsLeft(at: Ambient.live.now()), left < minimumSeconds {
            throw tooShort(left, minimumSeconds)
        }
        return token.text.exposed()
    }

    /// A token that is good for as long as was asked for.
    private func validToken(of auth: Keyturn) async throws -> String {
        let token = try await auth.accessToken(minimumSeconds: minimumSeconds ?? 60)
        guard let minimumSeconds, let left = await auth.accessTokenExpiresInSeconds, left < minimumSeconds else {
            return token
        }
        // The library asks no service twice for tokens that are too short anyway; a person who says a number wants to know.
        let renewed = try await auth.forceRefresh()
        guard let left = await auth.accessTokenExpiresInSeconds, left < minimumSeconds else { return renewed }
        throw tooShort(left, minimumSeconds)
    }

    private func tooShort(_ left: Int64, _ minimumSeconds: Int64) -> CommandFailure {
        .refused(
            "the service's tokens are valid for \(left) seconds, which is shorter than --min-ttl \(minimumSeconds).")
    }

    /// The names that `token` is not for. It came from its own issuer over a safe connection, and the API verifies it
    /// anyway: reading it here only spares a person a puzzling 401. A token that cannot be read is taken as it is.
    static func missing(_ names: [String], in token: String) -> [String] {
        guard !names.isEmpty, let jws = try? UnverifiedJWS(token),
            let claim = (try? JSONValue(parsing: jws.unverifiedPayload))?["aud"]
        else { return [] }
        let audience = claim.stringArrayValue ?? claim.stringValue.map { [$0] } ?? []
        return names.filter { !audience.contains($0) }
    }
}
