internal import ArgumentParser

/// Finds the command that was meant.
enum MistypedCommand {
    /// What to tell the user who typed `arguments`; `nil` if they name a command that there is, or nothing like one.
    static func sentence(_ arguments: some Sequence<String>, root: any ParsableCommand.Type) -> String? {
        var command = root
        var path = [root._commandName]
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !argument.hasPrefix("-") else { return nil }
            let names = subcommands.map { subcommand in subcommand._commandName }
            if let index = names.firstIndex(of: argument) {
                command = subcommands[index]
                path.append(argument)
                continue
            }
            let place = path.joined(separator: " ")
            guard argument != "help", let meant = Suggestion.nearest(to: argument, among: names)
            else { return nil }
            return "keyturn: there is no command `\(place) \(Printable.text(argument))`. "
                + "Did you mean `\(place) \(meant)`? `\(place) --help` shows them all."
        }
        return nil
    }
}
