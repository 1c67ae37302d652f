internal import ArgumentParser
internal import Foundation
internal import Keyturn
internal import KeyturnBase

/// For an administration command that can also ask a running server, through its management interface.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Ask this server, by its issuer, instead of opening the database. Default: KEYTURN_SERVER.",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with a management key. Default: KEYTURN_MANAGEMENT_KEY; without one, an operator's sign-in.",
            valueName: "file"))
    var keyFile: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Which operator: the --name of `keyturn login --operator`.", valueName: "name"))
    var session = LoginCommand.operatorName

    static let serverVariable = "KEYTURN_SERVER"

    /// The server to ask; `nil`: the command works on the database.
    func remote(_ options: AdministrationOptions) async throws -> RemoteServer? {
        let isLocal = options.database != nil || options.config != nil
        guard !isLocal || server == nil else {
            throw CommandFailure.refused("--server asks a server, --database and --config open a database: say one.")
        }
        let variable = Live.environment[Self.serverVariable].flatMap { $0.isEmpty || isLocal ? nil : $0 }
        guard let issuer = server ?? variable else { return nil }
        guard let parts = URIParts(issuer), parts.host != nil, parts.scheme == "https" || parts.isLoopback else {
            throw CommandFailure.refused(
                "--server: write the issuer, such as https://id.example.com; http is for this machine alone.")
        }
        if let key = try ManagementKeySource.key(file: keyFile) {
            return RemoteServer(issuer, key: key, project: try await PublishedMetadata.project(of: issuer))
        }
        return RemoteServer(issuer, operator: try await operatorSession(at: issuer))
    }

    private func operatorSession(at issuer: String) async throws -> Keyturn {
        let container = ContainerOptions.named(session)
        let name = session == LoginCommand.operatorName ? "" : " --name \(ShellWord.quoted(session))"
        let advice = "Run `keyturn login --operator --issuer \(issuer)\(name)`, or set KEYTURN_MANAGEMENT_KEY."
        guard let auth = try await container.find() else {
            throw CommandFailure.refused("no operator is signed in. \(advice)")
        }
        guard auth.service.issuer == issuer else {
            throw CommandFailure.refused("the operator is signed in at \(auth.service.issuer). \(advice)")
        }
        return auth
    }
}

/// Where a management key comes from.
enum ManagementKeySource {
    /// The key in a file, or else in the environment; `nil`: there is none.
    static func key(file: String?) throws -> Secret? {
        guard let file else {
            return Live.environment["KEYTURN_MANAGEMENT_KEY"].flatMap { $0.isEmpty ? nil : Secret($0) }
        }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandFailure.refused("--key-file: \(file) cannot be read.")
        }
        return Secret(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
