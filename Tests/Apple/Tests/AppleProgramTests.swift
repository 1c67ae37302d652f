import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("What kind of program this is")
    struct AppleProgramTests {
        @Test(arguments: [
            ("/Applications/Mail.app", true), ("/Applications/Mail.app/Contents/PlugIns/Share.appex", true),
            ("/Applications/Mail.app/Contents/XPCServices/Sync.xpc", true), ("/usr/local/bin", false),
            ("/Users/andy/tool.app.backup", false), ("/", false),
        ])
        func `a Mac's app is told from a tool by its bundle`(_ path: String, _ isApp: Bool) {
            #expect(AppleProgram.isApp(bundlePath: path) == isApp)
        }
    }
}
