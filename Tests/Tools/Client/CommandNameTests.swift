import ArgumentParser
import Testing

@testable import keyturn

@Suite("The names of commands")
struct CommandNameTests {
    /// Without it the parser makes one from the type, at each start, which takes longer than all else that it does.
    @Test func `every command says its name`() {
        #expect(Self.nameless(below: KeyturnCommand.self).isEmpty)
    }

    private static func nameless(below command: any ParsableCommand.Type) -> [String] {
        let own = command.configuration.commandName == nil ? ["\(command)"] : []
        return own + command.configuration.subcommands.flatMap { nameless(below: $0) }
    }
}
