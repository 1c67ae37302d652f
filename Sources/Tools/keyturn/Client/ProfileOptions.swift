internal import ArgumentParser
internal import KeyturnVerify

/// Whose access tokens `keyturn verify` reads, as people name it on the command line.
enum ProfileName: String, CaseIterable, ExpressibleByArgument {
    case rfc9068, okta, entra, keycloak, cognito, auth0
}

/// By which rules an access token is read: stated by who runs the command, never found out from the token.
struct ProfileOptions: ParsableArguments {
    @Option(help: "Whose access token it is: rfc9068 (the default), okta, entra, keycloak, cognito or auth0.")
    var profile: ProfileName?

    @Option(help: ArgumentHelp("The tenant that it must be of, with --profile entra.", valueName: "id"))
    var tenant: String?

    @Option(
        name: .customLong("client"),
        help: ArgumentHelp("A client whose tokens are accepted; may be repeated. Default: any.", valueName: "id"))
    var clients: [String] = []

    func validate() throws {
        guard (profile == .entra) == (tenant?.isEmpty == false) else {
            throw ValidationError("--profile entra and --tenant (the tenant's identifier, a GUID) go together.")
        }
    }

    /// Whether the token is one that a Keyturn server may have written.
    var isForKeyturn: Bool { profile == nil || profile == .rfc9068 }

    var tokenProfile: TokenProfile {
        switch profile {
        case nil, .rfc9068: .rfc9068
        case .okta: .okta
        case .entra: .entra(tenant: tenant ?? "")
        case .keycloak: .keycloak
        case .cognito: .cognito
        case .auth0: .auth0
        }
    }
}
