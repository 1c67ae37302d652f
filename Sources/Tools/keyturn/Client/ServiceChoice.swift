internal import ArgumentParser
internal import Keyturn

/// A kind of server, as people name it on the command line.
enum ServiceName: String, CaseIterable, ExpressibleByArgument {
    case keyturn, openid
}

/// Which client at which server a sign-in is for.
struct ServiceChoice: Hashable, Sendable {
    let service: ServiceName
    let issuer: String
    let clientID: String
    /// For methods without a browser; `nil`: none is used.
    var projectID: String?
    /// A PEM file of certificate authorities that its server needs beside the system's; `nil`: none.
    var caFile: String?
    /// What the next sign-in must be told again, as words of the command line.
    var how: [String] = []
    /// Who signed in last; `nil`: not known.
    var person: Person?

    /// A person as they are shown to themselves.
    struct Person: Hashable, Sendable {
        let subject: String
        /// An address or a name; `nil`: the server told none.
        let name: String?
    }

    static let defaultClientID = "keyturn-cli"
    static let issuerVariable = "KEYTURN_ISSUER"
    static let projectVariable = "KEYTURN_PROJECT"

    init(service: ServiceName, issuer: String, clientID: String, projectID: String? = nil) {
        self.service = service
        self.issuer = issuer
        self.clientID = clientID
        self.projectID = projectID
    }

    /// What was said on the command line, else in the environment, else at the last sign-in under the same name.
    ///
    /// Client, kind and authorities are remembered for their issuer alone: another server knows nothing of them.
    ///
    /// - Throws: ``CommandFailure`` if no issuer is named, or it is not a valid one.
    init(
        service: ServiceName?, issuer: String?, clientID: String?, project: String? = nil, caFile: String? = nil,
        environment: [String: String], remembered: ServiceChoice?
    ) throws {
        let variable = environment[Self.issuerVariable].flatMap { $0.isEmpty ? nil : $0 }
        guard let issuer = issuer ?? variable ?? remembered?.issuer else {
            throw CommandFailure.refused("which server? Say --issuer URL, or set \(Self.issuerVariable).")
        }
        guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else {
            throw CommandFailure.refused("--issuer must begin with https:// (or http:// for this machine).")
        }
        let remembered = remembered?.issuer == issuer ? remembered : nil
        self.issuer = issuer
        self.service = service ?? remembered?.service ?? .keyturn
        self.clientID = clientID ?? remembered?.clientID ?? Self.defaultClientID
        let projectVariable = environment[Self.projectVariable].flatMap { $0.isEmpty ? nil : $0 }
        projectID = project ?? projectVariable ?? remembered?.projectID
        self.caFile = caFile ?? remembered?.caFile
    }

    /// The library's own value.
    var value: Service {
        switch service {
        case .keyturn: .keyturn(issuer: issuer, clientID: clientID, projectID: projectID)
        case .openid: .openID(issuer: issuer, clientID: clientID)
        }
    }
}
