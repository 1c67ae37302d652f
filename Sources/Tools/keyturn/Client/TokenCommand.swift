internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase
internal import KeyturnJose

/// `keyturn token`: prints a valid access token, and nothing else.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a valid access token, and nothing else.",
        discussion: "Renews it first if need be. Made for: curl -H \"Authorization: Bearer $(keyturn token)\" …")

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
        let auth = try await container.open(pin: pin.given())
        let token = try await ClientFailure.explained { try await validToken(of: auth) }
        if let problem = await auth.storageProblem {
            Live.writeError(
                "keyturn: the renewed session could not be stored: \(problem.detail). Nobody was signed out.\n")
        }
        let missing = Self.missing(audience, in: token)
        guard missing.isEmpty else {
            let options = audience.map { " --audience \($0)" }.joined()
            throw CommandFailure.refused(
                """
                the session's token is not for \(missing.joined(separator: ", ")). \
                Run `keyturn login\(options)\(container.suffix)`.
                """)
        }
        guard !json else { return Report.json(["access_token": .string(token)]) }
        Live.write(token + "\n")
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
        throw CommandFailure.refused(
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
