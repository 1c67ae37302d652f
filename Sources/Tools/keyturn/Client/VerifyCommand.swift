internal import ArgumentParser
internal import KeyturnBase
internal import KeyturnVerify

/// `keyturn verify --issuer URL --audience NAME < token`
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check an access token read from standard input.",
        discussion: "Exit status: 0 accepted, 2 refused, 3 could not decide (no keys, no network).")

    @Option(help: ArgumentHelp("Who must have issued it. Default: KEYTURN_ISSUER.", valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("For whom it must have been issued. Default: the issuer itself.", valueName: "name"))
    var audience: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        let choice = try ServiceChoice(
            service: nil, issuer: issuer, clientID: nil, environment: Live.environment,
            remembered: KnownContainers.live?.read()["default"])
        let token = try Self.token(Live.readInput(bytesMax: VerifyLimits.tokenBytes * 2))
        let verifier = TokenVerifier(
            issuer: choice.issuer, audience: audience ?? choice.issuer,
            keys: KeySet(issuer: choice.issuer, transport: NetworkTransport()))
        do throws(AuthError) {
            report(try await verifier.verify(token, at: Ambient.live.now()))
        } catch {
            throw refusal(error)
        }
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
        Live.write(
            """
            accepted
            subject  \(token.subject)
            client   \(token.clientID)
            scope    \(token.scope.text)
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
