internal import ArgumentParser
internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify

/// `keyturn verify --issuer URL --audience NAME --profile NAME < token`
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check an access token, or a session token, read from standard input.",
        discussion: """
            After a sign-in on the page `keyturn token` prints an access token; after one with --method the project's \
            session token. With --profile it is an access token of another provider, and read in no other way. Exit \
            status: 0 accepted, 2 refused, 3 could not decide (no keys, no network).
            """)

    @Option(help: ArgumentHelp("Who must have issued it. Default: KEYTURN_ISSUER.", valueName: "url"))
    var issuer: String?

    @Option(
        help: ArgumentHelp(
            "For whom it must have been issued. Default: the issuer itself; of a session token, the server's project.",
            valueName: "name"))
    var audience: String?

    @OptionGroup var rules: ProfileOptions

    @Option(
        help: ArgumentHelp(
            "A PEM file of certificate authorities to trust beside the system's. Default: that of the sign-in.",
            valueName: "file"))
    var caFile: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        guard rules.isForKeyturn || audience?.isEmpty == false else {
            throw ValidationError("--profile needs --audience: another provider's tokens are not for their issuer.")
        }
    }

    func run() async throws {
        let choice = try ServiceChoice(
            service: nil, issuer: issuer, clientID: nil, caFile: caFile.map(ContainerOptions.absolute),
            environment: Live.environment, remembered: KnownContainers.live?.read()["default"])
        let transport = NetworkTransport(caFile: choice.caFile)
        let token = try Self.token(Live.readInput(bytesMax: VerifyLimits.tokenBytes * 2))
        // A profile that was stated is not given up for what a token says.
        if rules.profile == nil, Self.isSessionToken(token) { return try await verifySession(token, choice, transport) }
        let verifier = TokenVerifier(
            issuer: choice.issuer, audience: audience ?? choice.issuer,
            keys: KeySet(issuer: choice.issuer, transport: transport), profile: rules.tokenProfile,
            clientIDs: rules.clients.isEmpty ? nil : Set(rules.clients))
        do throws(AuthError) {
            report(try await verifier.verify(token, at: Ambient.live.now()))
        } catch {
            let refusal = refusal(error)
            let other = await PublishedMetadata.otherIssuer(after: error, at: choice.issuer, transport: transport)
            guard let other else { throw refusal }
            throw CommandFailure.unreachable(other.sentence)
        }
    }

    /// What a sign-in with `--method` gives apps (``SessionTokenVerifier``).
    private func verifySession(
        _ token: String, _ choice: ServiceChoice, _ transport: NetworkTransport
    ) async throws {
        var project = audience ?? choice.projectID
        if project == nil { project = try await PublishedMetadata.project(of: choice.issuer, transport: transport) }
        guard let project else { return }
        let base = choice.issuer.hasSuffix("/") ? String(choice.issuer.dropLast()) : choice.issuer
        let keys = KeySet(jwksURI: "\(base)/v2/keys/\(project)", transport: transport)
        let verifier = SessionTokenVerifier(issuer: choice.issuer, projectID: project, keys: keys)
        do throws(AuthError) {
            report(try await verifier.verify(token, at: Ambient.live.now()), project: project)
        } catch {
            throw refusal(error)
        }
    }

    /// Which rules to judge by. Nothing that is read here is believed: the rules read it again.
    static func isSessionToken(_ token: String) -> Bool {
        guard let jws = try? UnverifiedJWS(token), jws.header.type == "JWT" else { return false }
        return (try? JSONValue(parsing: jws.unverifiedPayload))?["drn"]?.stringValue?.hasPrefix("DS") == true
    }

    private func report(_ token: VerifiedSessionToken, project: String) {
        guard !json else { return Report.json(["accepted": true, "claims": .object(token.claims)]) }
        Live.write(
            """
            accepted (session token)
            subject  \(token.subject)
            project  \(project)
            methods  \(token.amr.joined(separator: " "))
            expires  \(Report.text(token.expiresAt))

            """)
    }

    /// The one word on standard input.
    static func token(_ input: [UInt8]) throws -> String {
        let words = String(decoding: input, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count <= 1 else { throw CommandFailure.refused("more than a token on standard input.") }
        guard let token = words.first else {
            throw CommandFailure.refused("no token on standard input. Try: keyturn token | keyturn verify")
        }
        return String(token)
    }

    private func report(_ token: VerifiedToken) {
        guard !json else { return Report.json(["accepted": true, "claims": .object(token.claims)]) }
        let roles = token.roles.map { "\nroles    " + VisibleText.shown($0.joined(separator: " ")) } ?? ""
        Live.write(
            """
            accepted
            subject  \(VisibleText.shown(token.subject))
            client   \(VisibleText.shown(token.clientID))
            scope    \(token.scope.text)\(roles)
            expires  \(Report.text(token.expiresAt))

            """)
    }

    /// Refused, if a rule was broken; undecided, if the rules could not be applied.
    private func refusal(_ error: AuthError) -> CommandFailure {
        let isRefused = error.code.rawValue.hasPrefix("token.")
        if json {
            Report.json([
                "accepted": isRefused ? false : .null, "code": .string(error.code.rawValue),
                "detail": .string(error.detail),
            ])
        }
        return isRefused
            ? .refused("not accepted: \(error.detail) (\(error.code.rawValue)).")
            : .unreachable("cannot decide: \(error.detail) (\(error.code.rawValue)).")
    }
}
