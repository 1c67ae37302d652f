internal import ArgumentParser
internal import Foundation
internal import Keyturn
internal import KeyturnBase

/// Which of this machine's sessions a command works on.
struct ContainerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Which session, when there are several.", valueName: "container"))
    var name = "default"

    @Option(
        help: ArgumentHelp(
            "A PEM file of certificate authorities to trust beside the system's. A sign-in remembers it.",
            valueName: "file"))
    var caFile: String?

    func validate() throws {
        guard !StoredClients.isPlace(name) else {
            throw ValidationError("--name: choose another one. What a client signed in with is kept under this name.")
        }
    }

    /// The name of the session that was given none.
    static let usualName = "default"

    var isUnnamed: Bool { name == Self.usualName }

    /// What to add to a command in a sentence, so that it works on the same session.
    var suffix: String { isUnnamed ? "" : " --name \(ShellWord.quoted(name))" }

    /// The commands that sentences about this session name.
    var advice: Advice { .of(name) }

    /// What to say where no user is signed in under this name.
    var nobody: CommandFailure {
        .refused("nobody is signed in. Run `\(advice.login)`.")
    }

    /// ``caFile`` as every later command finds it.
    var authorities: String? { caFile.map(Self.absolute) }

    /// Carries the requests about this session.
    var transport: NetworkTransport {
        NetworkTransport(caFile: authorities ?? KnownContainers.live?.read()[name]?.caFile)
    }
}

extension ContainerOptions {
    /// A path that means the same in every folder.
    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// For a command that takes the name in another way. In an initializer, each property would become a definition that
    /// only parsing gives a value.
    static func named(_ name: String) -> ContainerOptions {
        var options = ContainerOptions()
        options.name = name
        options.caFile = nil
        return options
    }

    /// Who is signed in.
    enum Holder {
        case user(Keyturn)
        /// A client as itself.
        case client(StoredClient)
    }

    /// Who is signed in under this name.
    ///
    /// - Parameter pin: Opens a locked session, for as long as this process runs.
    /// - Throws: ``CommandFailure`` if no user and no client is, or the session is locked.
    func holder(pin: Secret? = nil) async throws -> Holder {
        if let auth = try await find(pin: pin) { return .user(auth) }
        if let client = try await self.client() { return .client(client) }
        throw nobody
    }

    /// The container of the signed-in user; `nil` if no user is signed in.
    func find(pin: Secret? = nil) async throws -> Keyturn? {
        guard let auth = try await storedOrNil() else { return nil }
        return try await ClientFailure.explained(advice) {
            guard case .locked(let user) = try await LockState(auth).kind else { return auth }
            guard let pin else {
                throw CommandFailure.refused("the session is locked. Run `keyturn unlock\(suffix)`, or give --pin.")
            }
            try await auth.vault.unlock(user, password: pin.exposed())
            return auth
        }
    }

    /// The client that signed in as itself; `nil`: none did.
    func client() async throws -> StoredClient? {
        let name = name
        return try await ClientFailure.explained(advice) { try await StoredClients().find(name)?.client }
    }

    /// The container of a user as it is, locked or not.
    func stored() async throws -> Keyturn {
        if let auth = try await storedOrNil() { return auth }
        guard let client = try await self.client() else { throw nobody }
        throw CommandFailure.refused(
            "the name \(VisibleText.shown(name)) is that of the client \(VisibleText.shown(client.clientID)), which has "
                + "no PIN: that is for users' sessions.")
    }

    func storedOrNil() async throws -> Keyturn? {
        let (name, transport, plain) = (name, transport, NetworkTransport(caFile: authorities))
        return try await ClientFailure.explained(advice) {
            // What is remembered to be trusted is for the issuer of that sign-in alone.
            guard let auth = try await Keyturn.stored(name: name, transport: plain) else { return nil }
            // Where this command line signed in itself, the container says so: no other program takes the session over.
            guard let choice = KnownContainers.live?.read()[name], choice.issuer == auth.service.issuer,
                choice.clientID == auth.service.clientID
            else { return auth }
            return Keyturn(auth.service, name: name, transport: transport)
        }
    }
}
