import ArgumentParser
import Foundation
import Keyturn

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A command line tool that calls an API in the name of the person who runs it.
@main
struct ToolClient: AsyncParsableCommand {
    @Option(help: "Where people sign in.")
    var issuer = "http://127.0.0.1:8080"

    @Option(help: "This tool's name at the issuer.")
    var clientID = "keyturn-cli"

    @Option(help: "The API to call.")
    var api = "http://127.0.0.1:9090"

    @Flag(help: "Print the address of the sign-in page instead of opening a browser.")
    var noBrowser = false

    @Flag(help: "Sign out afterwards.")
    var logout = false

    /// On this machine, at a port that is free at the moment.
    var redirectURI: String { "http://127.0.0.1/callback" }

    func run() async throws {
        let announcing = LoopbackBrowserAgent.announcing { url in
            FileHandle.standardError.write(Data("Open \(url)\n".utf8))
        }
        let auth = Keyturn(.keyturn(issuer: issuer, clientID: clientID), browser: noBrowser ? announcing : nil)

        // Signs in on the first run; afterwards the session is there, and its token is renewed when needed.
        if try await !auth.start().isSignedIn {
            let result = try await auth.authorize(redirectURI: redirectURI)
            print("Signed in as \(result.userInfo.email ?? result.userInfo.subject).")
        }

        for path in ["me", "admin"] {
            print("GET /\(path): \(try await call(path, auth))")
        }

        if logout {
            try await auth.logout()
            print("Signed out.")
        }
    }

    /// Calls the API. Where it wants a fresh sign-in, the person signs in again, and the call is made once more.
    func call(_ path: String, _ auth: Keyturn) async throws -> String {
        guard let url = URL(string: "\(api)/\(path)") else { throw ValidationError("--api is not an address") }
        var (body, response) = try await auth.fetch(URLRequest(url: url))
        let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        if response.statusCode == 401, challenge.contains("insufficient_user_authentication") {
            try await auth.reauthenticate(redirectURI: redirectURI)
            (body, response) = try await auth.fetch(URLRequest(url: url))
        }
        return "\(response.statusCode) \(String(decoding: body, as: UTF8.self))"
    }
}
