internal import Foundation
internal import KeyturnBase

/// `keyturn-authenticator`: the software authenticator for programs in other languages. A JSON object per line of
/// standard input is a command, the next line of standard output its answer.
@main
enum AuthenticatorTool {
    static func main() {
        var session = AuthenticatorSession()
        while let line = readLine() {
            var writer = JSONWriter()
            writer.write(session.answer(to: Array(line.utf8)))
            FileHandle.standardOutput.write(Data(writer.bytes + Array("\n".utf8)))
        }
    }
}
