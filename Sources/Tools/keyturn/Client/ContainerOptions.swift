internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// Which of this machine's sessions a command works on.
struct ContainerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Which session, when there are several.", valueName: "container"))
    var name = "default"

    var isUnnamed: Bool { name == "default" }

    /// What to add to a command in a sentence, so that it works on the same session.
    var suffix: String { isUnnamed ? "" : " --name \(name)" }

    /// What to say where no user is signed in under this name.
    var nobody: CommandFailure {
        .refused("nobody is signed in. Run `keyturn login --issuer URL\(suffix)`.")
    }

    /// The container, as it was signed in, with a session that can be used.
    ///
    /// - Parameter pin: Opens a locked session, for as long as this process runs.
    /// - Throws: ``CommandFailure`` if no user is signed in under this name, or the session is locked.
    func open(pin: Secret? = nil) async throws -> Keyturn {
        guard let auth = try await find(pin: pin) else { throw nobody }
        return auth
    }

    /// The container of the signed-in user; `nil` if no user is signed in.
    func find(pin: Secret? = nil) async throws -> Keyturn? {
        guard let auth = try await storedOrNil() else { return nil }
        return try await ClientFailure.explained {
            guard case .locked(let user) = try await LockState(auth).kind else { return auth }
            guard let pin else {
                throw CommandFailure.refused("the session is locked. Run `keyturn unlock\(suffix)`, or give --pin.")
            }
            try await auth.vault.unlock(user, password: pin.exposed())
            return auth
        }
    }

    /// The container as it is, locked or not.
    func stored() async throws -> Keyturn {
        guard let auth = try await storedOrNil() else { throw nobody }
        return auth
    }

    func storedOrNil() async throws -> Keyturn? {
        let name = name
        return try await ClientFailure.explained {
            guard let auth = try await Keyturn.stored(name: name, transport: NetworkTransport()) else { return nil }
            // Where this command line signed in itself, the container says so: no other program takes the session over.
            guard let choice = KnownContainers.live?.read()[name], choice.issuer == auth.service.issuer,
                choice.clientID == auth.service.clientID
            else { return auth }
            return Keyturn(auth.service, name: name, transport: NetworkTransport())
        }
    }
}
