internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Web

/// `keyturn browser-client`: what a site writes into its pages for passkeys. Reads nothing but the program itself.
struct BrowserClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browser-client",
        abstract: "Print the addresses and integrity hashes of the passkey client for browsers, or the client itself.",
        discussion: "The server serves the same files. The guide is docs/passkeys.md.")

    /// One of the files.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case module
        case script
        case types

        var file: BrowserClient.File {
            switch self {
            case .module: BrowserClient.module
            case .script: BrowserClient.script
            case .types: BrowserClient.types
            }
        }
    }

    @Option(name: .customLong("print"), help: "Print this file, to be served by the site itself.")
    var form: Form?

    @Option(help: "The server's address: print the elements for a page.")
    var service: String?

    @Flag(help: "Print the list as one JSON object.")
    var json = false

    func validate() throws {
        guard [form != nil, service != nil, json].count(where: \.self) <= 1 else {
            throw ValidationError("Use one of --print, --service and --json.")
        }
    }

    func run() async throws {
        if let form {
            FileHandle.standardOutput.write(Data(form.file.content))
        } else if let service {
            print(try Self.elements(service))
        } else if json {
            Report.json(BrowserClient.json)
        } else {
            Report.table(
                ["FILE", "BYTES", "ADDRESS", "ADDRESS OF THIS CONTENT", "INTEGRITY"],
                BrowserClient.files.map { [$0.name, "\($0.content.count)", $0.path, $0.pinnedPath, $0.integrity] })
        }
    }

    /// The elements that load the client from this server, as a module or as a script.
    ///
    /// - Throws: ``CommandFailure`` if the address is none.
    static func elements(_ service: String) throws(CommandFailure) -> String {
        guard let origin = URIParts.origin(of: service), [origin, origin + "/"].contains(service) else {
            throw .refused("--service: write the server's address alone, such as https://id.example.com.")
        }
        let (module, script) = (BrowserClient.module, BrowserClient.script)
        let address = origin + module.pinnedPath
        return """
            As a module (the import map comes before every module of the page):

              <script type="importmap">
                { "imports": { "keyturn-passkeys": "\(address)" },
                  "integrity": { "\(address)": "\(module.integrity)" } }
              </script>
              <script type="module">
                import { SDK } from "keyturn-passkeys";
              </script>

            As a script:

              <script src="\(origin + script.pinnedPath)" crossorigin="anonymous"
                integrity="\(script.integrity)"></script>
            """
    }
}
