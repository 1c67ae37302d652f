import ArgumentParser
import Testing
import Web

@testable import keyturn

@Suite("keyturn browser-client")
struct BrowserClientCommandTests {
    @Test func `the elements name the server, the content and its hash`() throws {
        let text = try BrowserClientCommand.elements("https://id.example.com/")
        for file in [BrowserClient.module, BrowserClient.script] {
            #expect(text.contains("\"https://id.example.com\(file.pinnedPath)\""))
            #expect(text.contains("\"\(file.integrity)\""))
        }
    }

    @Test(arguments: ["id.example.com", "https://id.example.com/path", "https://a.example\"><script>", "file:///x", ""])
    func `what is no address of a server is refused`(_ service: String) {
        #expect(throws: CommandFailure.self) { try BrowserClientCommand.elements(service) }
    }

    @Test func `one thing is printed at a time`() throws {
        for arguments in [["--print", "module", "--json"], ["--service", "https://x.example", "--print", "types"]] {
            #expect(throws: (any Error).self) { try BrowserClientCommand.parse(arguments) }
        }
        #expect(try BrowserClientCommand.parse(["--print", "script"]).form?.file.name == "passkeys.js")
    }
}
