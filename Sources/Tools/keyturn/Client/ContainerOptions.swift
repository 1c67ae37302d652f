internal import ArgumentParser
internal import Keyturn

/// Which of this machine's sessions a command works on.
struct ContainerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Which session, when there are several.", valueName: "container"))
    var name = "default"

    /// What to add to a command in a sentence, so that it works on the same session.
    var suffix: String { name == "default" ? "" : " --name \(name)" }

    /// The container, as it was signed in.
    ///
    /// - Throws: ``CommandFailure`` if nobody is signed in under this name.
    func open() async throws -> Keyturn {
        guard let auth = try await find() else {
            throw CommandFailure.refused("nobody is signed in. Run `keyturn login --issuer URL\(suffix)`.")
        }
        return auth
    }

    /// The same; `nil` if nobody is signed in.
    func find() async throws -> Keyturn? {
        let name = name
        return try await ClientFailure.explained { try await Keyturn.stored(name: name, transport: NetworkTransport()) }
    }
}
