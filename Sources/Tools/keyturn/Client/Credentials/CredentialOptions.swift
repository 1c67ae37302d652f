internal import ArgumentParser
internal import Foundation
internal import KeyturnBase

/// What `keyturn login --client-credentials` needs to know.
struct CredentialOptions: ParsableArguments {
    @Flag(help: "Sign in as the client itself, with its secret: for jobs, where there is no user.")
    var clientCredentials = false

    @Option(
        help: ArgumentHelp(
            """
            A file with the client's secret; - reads it from standard input. Default: KEYTURN_CLIENT_SECRET, or else \
            it is asked for.
            """, valueName: "file"))
    var clientSecretFile: String?

    static let secretVariable = "KEYTURN_CLIENT_SECRET"

    func validate() throws {
        guard clientCredentials || clientSecretFile == nil else {
            throw ValidationError("--client-secret-file needs --client-credentials.")
        }
    }

    /// Longest file that is read as a secret, in bytes.
    private static let secretBytesMax = 65_536

    /// The client's secret: from the file, the environment, or typed in the terminal.
    ///
    /// - Throws: ``CommandFailure`` if there is none.
    func secret(_ environment: [String: String], _ console: MethodConsole = .live) throws -> Secret {
        guard let file = clientSecretFile else {
            let variable = environment[Self.secretVariable].flatMap { $0.isEmpty ? nil : Secret($0) }
            return try variable ?? console.askSecret("Client secret: ")
        }
        guard file != "-" else { return try console.askSecret("Client secret: ") }
        let bytes = try? FileHandle(forReadingAtPath: file)?.read(upToCount: Self.secretBytesMax)
        let text = bytes.flatMap { String(data: $0, encoding: .utf8) }?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, !text.isEmpty else {
            throw CommandFailure.refused("--client-secret-file: \(file) cannot be read, or is empty.")
        }
        return Secret(text)
    }
}
